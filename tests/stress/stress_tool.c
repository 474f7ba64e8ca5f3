/* The complete tool between threads that do what an OpenMP runtime's do, all together, and a writer that is a
 * thread too: a thread sanitizer sees both ends of every ring, of the slots, of the session's words and of
 * the wake protocol. Every number that a thread records arrives once and in order, or is counted as lost.
 *
 *   stress_tool [--seconds N] */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompt/types.h"

#include "session/clock.h"
#include "stave/stave.h"
#include "stress_runtime.h"
#include "writer_thread.h"

enum { MEMBERS = 4, VISITS = 40, DEPENDENCES = 7, MAPS = 3 };
enum { CONTROL_FLUSH = 3, CONTROL_END = 4 }; /* omp_control_tool_t */

struct scenario {
  const char *name;
  const char *settings[4]; /* NAME, value, ... */
  bool may_lose;
  bool ends_early; /* one member calls omp_control_tool_end while the others go on */
};

static const struct scenario scenarios[] = {
    {"block", {"STAVE_OVERFLOW", "block", "STAVE_BUFFER_SIZE", "64K"}, false, false},
    {"grow", {"STAVE_OVERFLOW", "block", "STAVE_BUFFER_SIZE", "4M"}, false, false},
    {"drop", {"STAVE_OVERFLOW", "drop", "STAVE_BUFFER_SIZE", "64K"}, true, false},
    {"samples", {"STAVE_BUFFER_SIZE", "1M", "STAVE_SAMPLE_HZ", "1000"}, false, false},
    {"end", {"STAVE_OVERFLOW", "block", "STAVE_BUFFER_SIZE", "64K"}, true, true},
};

/* One team, whose members begin and end regions together. */
static struct team {
  const struct scenario *scenario;
  uint64_t end_ns;
  pthread_barrier_t barrier;
  pthread_mutex_t lock;
  /* of the runtime: the region, and a task that one member makes and another runs */
  ompt_data_t parallel, created;
  _Atomic bool is_over, is_ended;
  const void *codes[3];      /* in modules that were there at the beginning */
  _Atomic unsigned visitors; /* numbers of threads that come and go */
} team;

static const void *code(unsigned i) {
  return team.codes[i % 3];
}

/* -- what a member does in a region -- */

static void report_number(uint32_t who, uint64_t number) {
  FIRE(work, (ompt_work_t)who, OMPT_SCOPE_begin, NULL, NULL, number, code((unsigned)number));
}

static void use_lock(unsigned i) {
  FIRE(mutex_acquire, OMPT_MUTEX_lock, 0, 0, (ompt_wait_id_t)(uintptr_t)&team.lock, code(i));
  pthread_mutex_lock(&team.lock);
  FIRE_AS(mutex, mutex_acquired, OMPT_MUTEX_lock, (ompt_wait_id_t)(uintptr_t)&team.lock, code(i));
  pthread_mutex_unlock(&team.lock);
  FIRE_AS(mutex, mutex_released, OMPT_MUTEX_lock, (ompt_wait_id_t)(uintptr_t)&team.lock, code(i));
}

static void send_long_texts(ompt_data_t *task, unsigned i) {
  ompt_dependence_t dependences[DEPENDENCES];
  void *addresses[MAPS] = {dependences, task, &i};
  size_t bytes[MAPS] = {1, 2, 3};
  unsigned flags[MAPS] = {0};
  memset(dependences, 0, sizeof dependences);
  FIRE(dependences, task, dependences, DEPENDENCES);
  FIRE(target_map_emi, task, MAPS, addresses, addresses, bytes, flags, code(i));
  FIRE(error, OMPT_SEVERITY_warning, "a message of some length, over several slots of the ring", 56, code(i));
  struct stave_call call = {"a message", NULL, __FILE__, __LINE__, {0}};
  FIRE(control_tool, STAVE_COMMAND_MESSAGE, STAVE_MODIFIER, &call, code(i));
}

static void flush_or_end(unsigned i) {
  bool ends = team.scenario->ends_early && i == 20;
  FIRE(control_tool, ends ? CONTROL_END : CONTROL_FLUSH, 0, NULL, code(i));
  if (ends)
    atomic_store(&team.is_ended, true);
}

/* The implicit barrier: member 0's task, made before, is run by member 1 after it. */
static void wait_for_all(ompt_data_t *task, unsigned i) {
  FIRE(sync_region, OMPT_SYNC_REGION_barrier_explicit, OMPT_SCOPE_begin, &team.parallel, task, code(i));
  pthread_barrier_wait(&team.barrier);
  FIRE(sync_region, OMPT_SYNC_REGION_barrier_explicit, OMPT_SCOPE_end, &team.parallel, task, code(i));
}

static void do_region(unsigned index, unsigned i, uint64_t *number) {
  ompt_data_t task = {0};
  FIRE(implicit_task, OMPT_SCOPE_begin, &team.parallel, &task, MEMBERS, index, OMPT_TASK_implicit);
  for (int burst = 0; burst < 200; burst++)
    report_number(index, (*number)++);
  use_lock(i);
  if (index == 0)
    FIRE(task_create, &task, NULL, &team.created, OMPT_TASK_explicit, 0, code(i));
  send_long_texts(&task, i);
  wait_for_all(&task, i);
  if (index == 1)
    FIRE(task_schedule, &task, OMPT_TASK_STATUS_switch, &team.created);
  if (index == 2 && i % 20 == 0)
    flush_or_end(i);
  if (index == 3)
    FIRE(device_finalize, (int)i);
  FIRE(implicit_task, OMPT_SCOPE_end, NULL, &task, MEMBERS, index, OMPT_TASK_implicit);
}

/* A library that is loaded late and closed again has a code address of its own. */
static void do_library(unsigned i) {
  void *library = dlopen("libm.so.6", RTLD_NOW);
  if (library)
    FIRE(flush, NULL, dlsym(library, "sin"));
  if (library && i % 2)
    dlclose(library);
}

static void *be_member(void *argument) {
  unsigned index = (unsigned)(uintptr_t)argument;
  uint64_t number = 0;
  ompt_data_t thread = {0};
  FIRE(thread_begin, index == 0 ? OMPT_THREAD_initial : OMPT_THREAD_worker, &thread);
  for (unsigned i = 0; !atomic_load(&team.is_over); i++) {
    if (index == 0) {
      team.parallel = team.created = (ompt_data_t){0};
      FIRE(parallel_begin, &thread, NULL, &team.parallel, MEMBERS, OMPT_PARALLEL_team, code(i));
    }
    pthread_barrier_wait(&team.barrier);
    do_region(index, i, &number);
    if (index == 3)
      do_library(i);
    pthread_barrier_wait(&team.barrier);
    if (index == 0) {
      FIRE(parallel_end, &team.parallel, &thread, OMPT_PARALLEL_team, code(i));
      bool is_due = clock_ns(CLOCK_MONOTONIC) > team.end_ns; /* which comes early on a busy machine */
      atomic_store(&team.is_over, is_due && (!team.scenario->ends_early || atomic_load(&team.is_ended)));
    }
    pthread_barrier_wait(&team.barrier);
  }
  runtime_reported(index, number);
  FIRE(thread_end, &thread);
  return NULL;
}

/* -- threads that come and go meanwhile, so that slots are given back -- */

static void *visit(void *argument) {
  uint32_t who = (uint32_t)(uintptr_t)argument;
  ompt_data_t thread = {0};
  FIRE(thread_begin, OMPT_THREAD_other, &thread);
  for (uint64_t number = 0; number < VISITS; number++)
    report_number(who, number);
  runtime_reported(who, VISITS);
  FIRE(thread_end, &thread);
  return NULL;
}

static void *send_visitors(void *data) {
  pthread_t pair[2];
  (void)data;
  while (!atomic_load(&team.is_over))
    for (int round = 0; round < 2 && atomic_load(&team.visitors) + 2 < SPEAKERS_MAX; round++) {
      for (int i = 0; i < 2; i++)
        pthread_create(&pair[i], NULL, visit, (void *)(uintptr_t)atomic_fetch_add(&team.visitors, 1));
      for (int i = 0; i < 2; i++)
        pthread_join(pair[i], NULL);
    }
  return NULL;
}

/* -- a scenario -- */

static void prepare(const struct scenario *scenario, uint64_t ns) {
  static const char *const all[] = {"STAVE_OVERFLOW", "STAVE_BUFFER_SIZE", "STAVE_SAMPLE_HZ"};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    unsetenv(all[i]);
  for (size_t i = 0; i < 4; i += 2)
    setenv(scenario->settings[i], scenario->settings[i + 1], 1);
  setenv("STAVE_VERBOSE", "0", 1);
  /* what is requested only by name where it may do harm, too */
  setenv("STAVE_EVENTS", "all,depend,error", 1);
  team.scenario = scenario;
  team.end_ns = clock_ns(CLOCK_MONOTONIC) + ns;
  team.is_over = team.is_ended = false;
  team.visitors = MEMBERS;
  team.codes[0] = (const void *)(uintptr_t)prepare;
  team.codes[1] = dlsym(RTLD_DEFAULT, "puts");
  team.codes[2] = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  pthread_barrier_init(&team.barrier, NULL, MEMBERS);
  pthread_mutex_init(&team.lock, NULL);
}

static int check(const struct scenario *scenario, const struct writer_result *result) {
  uint64_t missing = 0;
  for (uint32_t who = 0; who < atomic_load(&team.visitors); who++)
    missing += runtime_number_reported(who) - result->arrived[who];
  printf("%-8s %" PRIu64 " events, %" PRIu64 " numbers missing, %" PRIu64 " lost, %u threads, %" PRIu64
         " stalls, %" PRIu64 " samples\n",
         scenario->name, result->records, missing, result->lost, atomic_load(&team.visitors), result->stalls,
         result->samples);
  const char *problem = result->problem ? result->problem
                        : missing > result->lost && !scenario->ends_early
                            ? "numbers are missing without a word"
                        : result->lost && !scenario->may_lose                    ? "events were lost"
                        : !strcmp(scenario->name, "samples") && !result->samples ? "there are no samples"
                        : scenario->ends_early && !atomic_load(&team.is_ended)   ? "the trace was not ended"
                                                                                 : NULL;
  if (problem)
    fprintf(stderr, "stress_tool: %s: %s\n", scenario->name, problem);
  return problem != NULL;
}

static int run(const struct scenario *scenario, uint64_t ns) {
  pthread_t members[MEMBERS], visitors;
  struct writer_result result;
  prepare(scenario, ns);
  if (!runtime_start()) {
    fprintf(stderr, "stress_tool: %s: the tool did not start\n", scenario->name);
    return 1;
  }
  pthread_create(&visitors, NULL, send_visitors, NULL);
  for (uintptr_t i = 0; i < MEMBERS; i++)
    pthread_create(&members[i], NULL, be_member, (void *)i);
  for (uintptr_t i = 0; i < MEMBERS; i++)
    pthread_join(members[i], NULL);
  pthread_join(visitors, NULL);
  runtime_end();
  writer_thread_join(&result);
  return check(scenario, &result);
}

int main(int argc, char **argv) {
  enum { COUNT = sizeof scenarios / sizeof *scenarios };
  double seconds = 2;
  int failures = 0;
  if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
    seconds = atof(argv[2]);
  else if (argc != 1) {
    fprintf(stderr, "usage: stress_tool [--seconds N]\n");
    return 2;
  }
  for (size_t i = 0; i < COUNT; i++)
    failures += run(&scenarios[i], (uint64_t)(seconds * 1e9 / COUNT));
  return failures != 0;
}
