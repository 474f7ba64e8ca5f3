/* A thread that writes chunks to their files while the next ones are laid out. */
#ifndef STAVE_WRITER_ARCHIVE_CHUNK_THREAD_H
#define STAVE_WRITER_ARCHIVE_CHUNK_THREAD_H

#include <stdbool.h>

struct chunk_thread;

/* Part of what is handed over. All zero at first. */
struct chunk_job {
  struct chunk_job *next;
  bool is_pending;
};

/* `work` is done once for each job, in the thread in the order in which they came. NULL: there is no thread
 * to be had. Free with chunk_thread_stop. */
struct chunk_thread *chunk_thread_start(void (*work)(void *data, struct chunk_job *job), void *data);

/* A job that is not pending. What was stored before is seen by the thread. Threads may add at the same time.
 */
void chunk_thread_add(struct chunk_thread *thread, struct chunk_job *job);

/* Until the job is done: what the thread stored is seen by the caller. What the thread has not started, as
 * other programs have its processor, the caller does itself. */
void chunk_thread_wait(struct chunk_thread *thread, struct chunk_job *job);

/* From now on the thread starts no job, as all processors have something else to do; or it does again. Those
 * that come meanwhile wait for chunk_thread_help, and for who needs them. NULL is fine. */
void chunk_thread_rest(struct chunk_thread *thread, bool rests);

/* True where there is none (NULL). */
bool chunk_thread_rests(const struct chunk_thread *thread);

/* Does a job that waits, in the calling thread. Returns whether there was one: quick where there is none.
 * NULL is fine. */
bool chunk_thread_help(struct chunk_thread *thread);

/* No job is pending. NULL is fine. */
void chunk_thread_stop(struct chunk_thread *thread);

#endif
