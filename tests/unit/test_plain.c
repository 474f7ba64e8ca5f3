/* What is written of a record by one call is what is written one event after the other: two threads with
 * random tasks, locks and critical sections, or in random parallel regions, by either. */
#include "correlated.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { RECORDS = 400, REGIONS = 40, TASKS_MOST = 64, DEPTH_MOST = 4, THREADS = 2, LOCK = 0x10 };

/* What a thread runs: the tasks that it has started, the innermost last; and whether it has the lock. */
struct thread {
  uint64_t started[DEPTH_MOST];
  unsigned depth;
  uint32_t mutex; /* enum ompt_mutex; 0: it has none */
};

static struct {
  uint64_t random, now;
  uint64_t created[TASKS_MOST]; /* that nobody has started */
  unsigned waiting;
  struct thread threads[THREADS];
  uint32_t owner; /* slot + 1 of who has the lock, or 0 */
} program;

static uint32_t choose(uint32_t count) {
  return (uint32_t)(next_random(&program.random) % count);
}

static uint64_t running(const struct thread *thread) {
  return thread->depth ? thread->started[thread->depth - 1] : 0;
}

static void create(uint32_t slot) {
  if (program.waiting == TASKS_MOST)
    return;
  program.created[program.waiting++] =
      FEED(slot, program.now, task_create, .codeptr = AT_TASK + (uint64_t)(choose(8) == 0),
           .task_flags = OMPT_TASK_explicit | (choose(8) ? 0u : (uint32_t)OMPT_TASK_untied));
}

static void begin(uint32_t slot) {
  struct thread *thread = &program.threads[slot];
  if (!program.waiting || thread->depth == DEPTH_MOST || thread->mutex)
    return;
  uint32_t index = choose(program.waiting);
  uint64_t task = program.created[index];
  program.created[index] = program.created[--program.waiting];
  FEED(slot, program.now, task_schedule, .prior_task = running(thread), .next_task = task,
       .prior_status = choose(8) ? OMPT_TASK_STATUS_switch : OMPT_TASK_STATUS_yield);
  thread->started[thread->depth++] = task;
}

static void end(uint32_t slot) {
  struct thread *thread = &program.threads[slot];
  if (!thread->depth || thread->mutex)
    return;
  uint64_t task = thread->started[--thread->depth];
  FEED(slot, program.now, task_schedule, .prior_task = task, .next_task = running(thread),
       .prior_status = choose(8) ? OMPT_TASK_STATUS_complete : OMPT_TASK_STATUS_cancel);
}

static void set(uint32_t slot) {
  static const uint32_t kinds[] = {OMPT_MUTEX_lock, OMPT_MUTEX_critical, OMPT_MUTEX_atomic};
  struct thread *thread = &program.threads[slot];
  if (program.owner)
    return;
  program.owner = slot + 1;
  thread->mutex = kinds[choose(3)];
  uint64_t lock = LOCK + thread->mutex;
  FEED(slot, program.now, mutex_acquire, .wait_id = lock, .flags = (uint8_t)thread->mutex, .endpoint = 1,
       .codeptr = AT_LOCK);
  program.now += choose(2);
  FEED(slot, program.now, mutex_acquired, .wait_id = lock, .kind = thread->mutex, .codeptr = AT_LOCK);
}

static void unset(uint32_t slot) {
  struct thread *thread = &program.threads[slot];
  if (program.owner != slot + 1)
    return;
  FEED(slot, program.now, mutex_released, .wait_id = LOCK + thread->mutex, .kind = thread->mutex,
       .codeptr = AT_LOCK);
  thread->mutex = program.owner = 0;
}

/* What one thread does, the other does meanwhile something else. */
static void run_program(uint64_t seed) {
  static void (*const acts[])(uint32_t slot) = {create, begin, end, set, unset};
  memset(&program, 0, sizeof program);
  program.random = seed;
  begin_thread(0, 10, OMPT_THREAD_initial);
  uint64_t team = fork_team(0, 10);
  begin_member(0, 11, team, THREADS, 0);
  begin_thread(1, 11, OMPT_THREAD_worker);
  begin_member(1, 12, team, THREADS, 1);
  program.now = 20;
  for (unsigned i = 0; i < RECORDS; i++) {
    acts[choose(sizeof acts / sizeof *acts)](choose(THREADS));
    program.now += choose(3);
  }
  finish();
}

/* Of one member, as far as it comes by itself. */
static void begin_part(uint32_t slot, uint64_t team) {
  begin_member(slot, program.now += choose(2), team, THREADS, slot);
  if (choose(4) == 0)
    FEED(slot, program.now, mutex_acquired, .wait_id = LOCK + slot, .kind = OMPT_MUTEX_critical,
         .codeptr = AT_LOCK);
  if (choose(8))
    begin_barrier(slot, program.now += choose(2));
}

/* The steps of its end from the first on to the last, which is not included: the barrier's, the task's. */
static void end_part(uint32_t slot, uint32_t first, uint32_t last) {
  if (first == 0 && last > 0)
    end_barrier(slot, program.now += choose(2));
  if (first < 2 && last == 2)
    end_member(slot, program.now += choose(2), slot);
}

static void begin_two_threads(uint64_t seed) {
  memset(&program, 0, sizeof program);
  program.random = seed;
  begin_thread(0, 10, OMPT_THREAD_initial);
  begin_thread(1, 11, OMPT_THREAD_worker);
  program.now = 20;
}

/* Workers begin before the primary or after it, and report their ends before it or after the region. */
static void run_regions(uint64_t seed) {
  begin_two_threads(seed);
  for (unsigned i = 0; i < REGIONS; i++) {
    uint64_t team = fork_team(0, program.now += choose(2));
    uint32_t first = choose(THREADS), early = choose(3);
    begin_part(first, team);
    begin_part(1 - first, team);
    end_part(1, 0, early);
    end_part(0, choose(8) == 0, 2);
    join_team(0, program.now += choose(2));
    end_part(1, early, 2);
  }
  finish();
}

static void acquired(uint32_t kind) {
  FEED(0, program.now += choose(2), mutex_acquired, .wait_id = LOCK, .kind = kind, .codeptr = AT_LOCK);
}

static void released(uint32_t slot, uint32_t kind) {
  FEED(slot, program.now += choose(2), mutex_released, .wait_id = LOCK, .kind = kind, .codeptr = AT_LOCK);
}

/* A lock is requested; what is acquired there, without a request, are constructs. */
static void run_attempts(uint64_t seed) {
  begin_two_threads(seed);
  for (unsigned i = 0; i < REGIONS; i++) {
    FEED(0, program.now += choose(2), mutex_acquire, .wait_id = LOCK, .flags = OMPT_MUTEX_lock, .endpoint = 1,
         .codeptr = AT_LOCK);
    acquired(OMPT_MUTEX_atomic);
    released(1, OMPT_MUTEX_lock);
    acquired(OMPT_MUTEX_critical);
    released(0, OMPT_MUTEX_critical);
  }
  finish();
}

static void are_as_one_by_one(void **state, void (*run)(uint64_t seed)) {
  for (uint64_t seed = 1; seed <= 50; seed++) {
    char *texts[2][THREADS];
    for (unsigned one_by_one = 0; one_by_one < 2; one_by_one++) {
      correlated_teardown(state);
      correlated_setup(state);
      write_one_by_one(one_by_one);
      run(seed);
      for (uint32_t i = 0; i < THREADS; i++)
        texts[one_by_one][i] = written_events(i);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
      assert_true(strlen(texts[0][i]) > 1000);
      assert_string_equal(texts[0][i], texts[1][i]);
      free(texts[0][i]);
      free(texts[1][i]);
    }
  }
}

static void records_read_together_are_as_one_by_one(void **state) {
  are_as_one_by_one(state, run_program);
}

static void regions_read_together_are_as_one_by_one(void **state) {
  are_as_one_by_one(state, run_regions);
}

static void attempts_read_together_are_as_one_by_one(void **state) {
  are_as_one_by_one(state, run_attempts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(records_read_together_are_as_one_by_one),
      CORRELATED(regions_read_together_are_as_one_by_one),
      CORRELATED(attempts_read_together_are_as_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
