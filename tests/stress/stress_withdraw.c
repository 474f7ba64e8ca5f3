/* Whether `dependences` is taken back (unregister_dependences.c) without a thread of the runtime ever finding
 * that it is registered and then no handler: threads make tasks with dependences as LLVM's runtime does, new
 * ones among them, while one of them encounters a task that waits for its dependences immediately; again and
 * again.
 *
 *   stress_withdraw [--seconds N] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/clock.h"
#include "stress_runtime.h"
#include "writer_thread.h"

enum { MAKERS = 3, TASKS_MOST = 3000, WAIT_AFTER = 200 };

static struct {
  pthread_barrier_t barrier;
  _Atomic unsigned long made, reported, reported_late;
  _Atomic bool is_withdrawn, has_failed;
} round_of;

static void spend(unsigned n) {
  for (volatile unsigned i = 0; i < n; i++)
    ;
}

/* Between the look and the call lies the copying of the dependences. */
static void make_task(unsigned i) {
  ompt_data_t task = {0};
  ompt_dependence_t dependence = {.dependence_type = OMPT_DEPENDENCE_inout};
  bool was_withdrawn = atomic_load(&round_of.is_withdrawn);
  FIRE(task_create, NULL, NULL, &task, OMPT_TASK_explicit, 1, NULL);
  atomic_fetch_add(&round_of.made, 1);
  if (!atomic_load(&stress_is_registered[OMPT_CALLBACK_dependences]))
    return;
  spend(i * 7 % 400);
  ompt_callback_t handler = atomic_load(&stress_callbacks[OMPT_CALLBACK_dependences]);
  if (!handler)
    atomic_store(&round_of.has_failed, true);
  else
    ((ompt_callback_dependences_t)handler)(&task, &dependence, 1);
  atomic_fetch_add(was_withdrawn ? &round_of.reported_late : &round_of.reported, 1);
}

static void *make_tasks(void *argument) {
  unsigned index = (unsigned)(uintptr_t)argument;
  ompt_data_t thread = {0};
  pthread_barrier_wait(&round_of.barrier);
  if (index > 0)
    FIRE(thread_begin, OMPT_THREAD_worker, &thread);
  for (unsigned i = 0; i < TASKS_MOST && !(atomic_load(&round_of.is_withdrawn) && i > WAIT_AFTER); i++)
    make_task(i + index);
  FIRE(thread_end, &thread);
  return NULL;
}

/* The task of a taskwait: what follows in the runtime is the harm. */
static void *wait_immediately(void *argument) {
  (void)argument;
  pthread_barrier_wait(&round_of.barrier);
  while (atomic_load(&round_of.made) < WAIT_AFTER)
    ;
  ompt_data_t task = {0};
  FIRE(task_create, NULL, NULL, &task, OMPT_TASK_taskwait | OMPT_TASK_undeferred, 1, NULL);
  if (atomic_load(&stress_is_registered[OMPT_CALLBACK_dependences]))
    atomic_store(&round_of.has_failed, true);
  atomic_store(&round_of.is_withdrawn, true);
  return NULL;
}

static bool run_round(void) {
  pthread_t threads[MAKERS + 1];
  struct writer_result result;
  memset(&round_of, 0, sizeof round_of);
  pthread_barrier_init(&round_of.barrier, NULL, MAKERS + 1);
  if (!runtime_start())
    return false;
  for (uintptr_t i = 0; i < MAKERS; i++)
    pthread_create(&threads[i], NULL, make_tasks, (void *)i);
  pthread_create(&threads[MAKERS], NULL, wait_immediately, NULL);
  for (int i = 0; i <= MAKERS; i++)
    pthread_join(threads[i], NULL);
  runtime_end();
  writer_thread_join(&result);
  bool is_right = !atomic_load(&round_of.has_failed) && !atomic_load(&round_of.reported_late) &&
                  atomic_load(&round_of.reported) && !result.problem && !result.lost;
  if (!is_right)
    fprintf(stderr, "stress_withdraw: %s; %lu of %lu tasks reported, %lu too late; %s\n",
            atomic_load(&round_of.has_failed) ? "registered without a handler, or after the wait" : "",
            atomic_load(&round_of.reported), atomic_load(&round_of.made),
            atomic_load(&round_of.reported_late), result.problem ? result.problem : "");
  return is_right;
}

int main(int argc, char **argv) {
  double seconds = argc == 3 && strcmp(argv[1], "--seconds") == 0 ? atof(argv[2]) : 2;
  uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
  unsigned rounds = 0;
  setenv("STAVE_VERBOSE", "0", 1);
  unsetenv("STAVE_EVENTS");
  for (; clock_ns(CLOCK_MONOTONIC) < end_ns || rounds == 0; rounds++)
    if (!run_round())
      return 1;
  printf("%u rounds\n", rounds);
  return 0;
}
