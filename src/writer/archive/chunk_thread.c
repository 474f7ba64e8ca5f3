#include "writer/archive/chunk_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/blocked_thread.h"
#include "base/elsewhere.h"
#include "base/memory.h"

enum { STACK_BYTES = 1 << 18 };

struct chunk_thread {
  pthread_t thread;
  void (*work)(void *data, struct chunk_job *job);
  void *data;
  pthread_mutex_t mutex; /* of what follows, and of is_pending */
  pthread_cond_t comes, done;
  struct chunk_job *first, **end; /* that wait */
  _Atomic bool has_some;          /* of them */
  _Atomic bool rests;
  bool is_over;
};

/* `at` is where the list names a job. */
static struct chunk_job *remove_at(struct chunk_thread *thread, struct chunk_job **at) {
  struct chunk_job *job = *at;
  if (job)
    *at = job->next;
  if (!*at)
    thread->end = at;
  atomic_store_explicit(&thread->has_some, thread->first, memory_order_relaxed);
  return job;
}

static struct chunk_job *next_job(struct chunk_thread *thread) {
  while ((!thread->first || thread->rests) && !thread->is_over)
    pthread_cond_wait(&thread->comes, &thread->mutex);
  return remove_at(thread, &thread->first);
}

/* The mutex is held, but for the time of the work. */
static void do_job(struct chunk_thread *thread, struct chunk_job *job) {
  pthread_mutex_unlock(&thread->mutex);
  thread->work(thread->data, job);
  pthread_mutex_lock(&thread->mutex);
  job->is_pending = false;
  pthread_cond_broadcast(&thread->done);
}

static void *work(void *data) {
  struct chunk_thread *thread = data;
  pthread_mutex_lock(&thread->mutex);
  for (struct chunk_job *job; (job = next_job(thread));)
    do_job(thread, job);
  pthread_mutex_unlock(&thread->mutex);
  return NULL;
}

static bool start(struct chunk_thread *thread) {
  pthread_attr_t attributes;
  cpu_set_t usable, processor;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  elsewhere_usable(&usable);
  bool is_elsewhere = elsewhere_of(&usable, 1, &processor) &&
                      pthread_attr_setaffinity_np(&attributes, sizeof processor, &processor) == 0;
  int error = blocked_thread_create(&thread->thread, &attributes, work, thread);
  if (!error && is_elsewhere)
    elsewhere_leave(thread->thread, &usable);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

static void destroy(struct chunk_thread *thread) {
  pthread_cond_destroy(&thread->comes);
  pthread_cond_destroy(&thread->done);
  pthread_mutex_destroy(&thread->mutex);
  free(thread);
}

struct chunk_thread *chunk_thread_start(void (*work_on)(void *data, struct chunk_job *job), void *data) {
  struct chunk_thread *thread = memory_get(1, sizeof *thread);
  *thread = (struct chunk_thread){.work = work_on, .data = data, .end = &thread->first};
  pthread_mutex_init(&thread->mutex, NULL);
  pthread_cond_init(&thread->comes, NULL);
  pthread_cond_init(&thread->done, NULL);
  if (start(thread))
    return thread;
  destroy(thread);
  return NULL;
}

void chunk_thread_add(struct chunk_thread *thread, struct chunk_job *job) {
  pthread_mutex_lock(&thread->mutex);
  job->next = NULL;
  job->is_pending = true;
  *thread->end = job;
  thread->end = &job->next;
  atomic_store_explicit(&thread->has_some, true, memory_order_relaxed);
  if (!thread->rests)
    pthread_cond_signal(&thread->comes);
  pthread_mutex_unlock(&thread->mutex);
}

/* Whether it still waited. */
static bool remove_job(struct chunk_thread *thread, const struct chunk_job *job) {
  struct chunk_job **at = &thread->first;
  while (*at && *at != job)
    at = &(*at)->next;
  return remove_at(thread, at) != NULL;
}

void chunk_thread_wait(struct chunk_thread *thread, struct chunk_job *job) {
  pthread_mutex_lock(&thread->mutex);
  bool is_own = remove_job(thread, job);
  while (!is_own && job->is_pending)
    pthread_cond_wait(&thread->done, &thread->mutex);
  pthread_mutex_unlock(&thread->mutex);
  if (is_own)
    thread->work(thread->data, job);
  job->is_pending = false;
}

void chunk_thread_rest(struct chunk_thread *thread, bool rests) {
  if (!thread)
    return;
  pthread_mutex_lock(&thread->mutex);
  thread->rests = rests;
  if (!rests && thread->first)
    pthread_cond_signal(&thread->comes);
  pthread_mutex_unlock(&thread->mutex);
}

bool chunk_thread_rests(const struct chunk_thread *thread) {
  return !thread || atomic_load_explicit(&thread->rests, memory_order_relaxed);
}

bool chunk_thread_help(struct chunk_thread *thread) {
  if (!thread || !atomic_load_explicit(&thread->has_some, memory_order_relaxed))
    return false;
  pthread_mutex_lock(&thread->mutex);
  struct chunk_job *job = remove_at(thread, &thread->first);
  if (job)
    do_job(thread, job);
  pthread_mutex_unlock(&thread->mutex);
  return job != NULL;
}

void chunk_thread_stop(struct chunk_thread *thread) {
  if (!thread)
    return;
  pthread_mutex_lock(&thread->mutex);
  thread->is_over = true;
  pthread_cond_signal(&thread->comes);
  pthread_mutex_unlock(&thread->mutex);
  pthread_join(thread->thread, NULL);
  destroy(thread);
}
