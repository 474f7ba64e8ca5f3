#include "libgomp/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "libgomp/callbacks.h"

__thread struct omp_thread thread_self;

/* That deliver their last events just now. */
static _Atomic uint32_t thread_ends;

static pthread_key_t end_key;
static pthread_once_t end_key_made = PTHREAD_ONCE_INIT;

/* -- ends -- */

void thread_deliver_late_ends(struct omp_thread *thread) {
  if (!thread->is_late)
    return;
  struct implicit *implicit = &thread->worker;
  ompt_data_t *task = &implicit->task.data;
  DELIVER_AT_END(sync_region_wait, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_end, NULL, task,
                 implicit->code);
  DELIVER_AT_END(sync_region, OMPT_SYNC_REGION_barrier_implicit_parallel, OMPT_SCOPE_end, NULL, task,
                 implicit->code);
  DELIVER_AT_END(implicit_task, OMPT_SCOPE_end, NULL, task, 0, implicit->index, OMPT_TASK_implicit);
  thread->state = OMPT_STATE_idle;
  thread_set_task(thread, NULL);
  thread->is_late = false;
}

/* The partner of the fence in threads_wait_for_ends: either the thread finds no callbacks, or it is waited
 * for. */
static void begin_end(void) {
  atomic_fetch_add(&thread_ends, 1);
  atomic_thread_fence(memory_order_seq_cst);
}

static void end_end(void) {
  atomic_fetch_sub_explicit(&thread_ends, 1, memory_order_release);
}

static void deliver_ends(struct omp_thread *thread) {
  begin_end();
  thread_deliver_late_ends(thread);
  if (thread->initial.task.implicit)
    DELIVER_AT_END(implicit_task, OMPT_SCOPE_end, NULL, &thread->initial.task.data, 0, 1, OMPT_TASK_initial);
  DELIVER_AT_END(thread_end, &thread->data);
  end_end();
}

static void end(void *data) {
  struct omp_thread *thread = data;
  if (thread->has_started)
    deliver_ends(thread);
  if (thread->pool)
    library_remove_worker(thread->pool);
  thread->has_started = false; /* before anything else is gone that a signal's handler may use */
  thread_set_task(thread, NULL);
  arena_end(&thread->arena);
  *thread = (struct omp_thread){0};
}

/* It may be in regions and tasks, which go on where a tool finalizes itself. */
void thread_end_last(void) {
  struct omp_thread *thread = &thread_self;
  struct omp_task *task = thread->task;
  if (!thread->has_started)
    return;
  deliver_ends(thread);
  thread->has_started = false;
  thread_set_task(thread, task);
}

void threads_wait_for_ends(void) {
  const struct timespec nap = {.tv_nsec = 100000};
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < 200 && atomic_load_explicit(&thread_ends, memory_order_acquire) > 0; i++)
    nanosleep(&nap, NULL);
}

/* -- begins -- */

static void make_end_key(void) {
  if (pthread_key_create(&end_key, end) != 0)
    end_key = (pthread_key_t)-1;
}

/* As the library is loaded: pthread_setspecific(3) requests memory if the process has had 32 keys before. */
static __attribute__((constructor)) void prepare_end_key(void) {
  pthread_once(&end_key_made, make_end_key);
}

static void begin(struct omp_thread *thread, ompt_thread_t type) {
  pthread_once(&end_key_made, make_end_key);
  if (end_key != (pthread_key_t)-1)
    pthread_setspecific(end_key, thread);
  thread->has_started = true;
  DELIVER(thread_begin, type, &thread->data);
}

void thread_begin_initial(struct omp_thread *thread) {
  begin(thread, OMPT_THREAD_initial);
  struct implicit *initial = &thread->initial;
  task_init(&initial->task, OMPT_TASK_initial);
  implicit_enter(thread, initial, NULL);
  initial->size = 1;
  DELIVER(implicit_task, OMPT_SCOPE_begin, NULL, &initial->task.data, 1, 1, OMPT_TASK_initial);
}

struct omp_thread *thread_of_team(const struct omp_team *team) {
  struct omp_thread *thread = &thread_self;
  if (!thread->has_started) {
    begin(thread, OMPT_THREAD_worker);
    library_add_worker(thread->pool = team->library);
  }
  thread->library = team->library;
  thread->callers = team->callers;
  return thread;
}
