#include "libgomp/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libgomp/runtime.h"

__thread struct omp_thread thread_self;

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

static void deliver_ends(struct omp_thread *thread) {
  runtime_begin_thread_end();
  thread_deliver_late_ends(thread);
  if (thread->initial.task.implicit)
    DELIVER_AT_END(implicit_task, OMPT_SCOPE_end, NULL, &thread->initial.task.data, 0, 1, OMPT_TASK_initial);
  DELIVER_AT_END(thread_end, &thread->data);
  runtime_end_thread_end();
}

static void end(void *data) {
  struct omp_thread *thread = data;
  if (thread->has_started)
    deliver_ends(thread);
  thread->has_started = false; /* before anything else is gone that a signal's handler may ask for */
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

/* -- begins -- */

static void make_end_key(void) {
  if (pthread_key_create(&end_key, end) != 0)
    end_key = (pthread_key_t)-1;
}

/* As the library is loaded: pthread_setspecific(3) asks for memory if the process has had 32 keys before. */
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

static void begin_initial(struct omp_thread *thread) {
  begin(thread, OMPT_THREAD_initial);
  struct implicit *initial = &thread->initial;
  task_init(&initial->task, OMPT_TASK_initial);
  implicit_enter(thread, initial, NULL);
  initial->size = 1;
  DELIVER(implicit_task, OMPT_SCOPE_begin, NULL, &initial->task.data, 1, 1, OMPT_TASK_initial);
}

struct omp_thread *thread_of_team(const struct omp_team *team) {
  struct omp_thread *thread = &thread_self;
  if (!thread->has_started)
    begin(thread, OMPT_THREAD_worker);
  thread->library = team->library;
  thread->callers = team->callers;
  return thread;
}

/* The dynamic linker's words: no libgomp is there that could be called. */
static void fail(void) {
  static const char text[] = "stave: libgomp is called, and none is loaded\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
  _exit(127);
}

static bool is_in(struct caller_range range, const void *code) {
  return (uintptr_t)code - range.begin < range.bytes;
}

/* A library with OMPT of its own delivers its events itself: LLVM's, which has libgomp's names, too. */
static struct omp_call enter_anew(struct omp_thread *thread, const void *code) {
  struct caller_range range;
  const struct library *library = library_of(code, &range);
  if (!library)
    fail();
  if (!library->has_own_ompt && !thread->has_started && runtime_start(library))
    begin_initial(thread);
  if (library->has_own_ompt || !thread->has_started) {
    thread->other_callers = range;
    thread->other = library;
    return (struct omp_call){.library = library};
  }
  thread->callers = range;
  thread->library = library;
  thread->code = code;
  return (struct omp_call){thread, code, library, true};
}

struct omp_call call_enter_slow(const void *code) {
  struct omp_thread *thread = &thread_self;
  if (library_is_own(code) && thread->library)
    return (struct omp_call){thread, thread->code, thread->library, true};
  if (is_in(thread->other_callers, code))
    return (struct omp_call){.library = thread->other};
  int error = errno;
  struct omp_call call = enter_anew(thread, code);
  errno = error;
  return call;
}
