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

/* No job is pending. NULL is fine. */
void chunk_thread_stop(struct chunk_thread *thread);

#endif
