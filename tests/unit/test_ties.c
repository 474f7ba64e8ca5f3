/* What happens in several threads at one and the same tick of a coarse clock: the merge and all that follows.
 */
#include "correlated.h"
#include "merging.h"

enum { THREADS = 3, LOCK = 0x10, OTHER = 0x20, HOLDS_MOST = 1 << 13 };

/* Returns the record's id. */
static uint64_t put_record(unsigned thread, const void *record) {
  struct ring *ring = &rings[thread];
  uint64_t position;
  ring_reserve(ring, 1, &position); /* there is always room */
  *ring_at(ring, position) = *(const struct record *)record;
  publish(thread);
  return id_base(thread) + position;
}

/* PUT(thread, at, row, .field = value ...) */
#define PUT(thread, at, row, ...)                                                                            \
  put_record(thread, &(const struct record_##row){.ticks = (at), .type = RECORD_##row, __VA_ARGS__})

static int set_up_rings(merge_sink sink, void *data) {
  if (merging_start(RING_BYTES, 0, sink, data) < 0)
    return -1;
  for (unsigned thread = 0; thread < THREADS; thread++)
    attach(thread, 0);
  return 0;
}

static int setup(void **state) {
  if (correlated_setup(state) || set_up_rings(correlate, correlated()))
    return -1;
  for (unsigned thread = 0; thread < THREADS; thread++)
    begin_thread(thread, 10, thread == 0 ? OMPT_THREAD_initial : OMPT_THREAD_other);
  return 0;
}

static int teardown(void **state) {
  return merging_teardown(state) | correlated_teardown(state);
}

static void acquire(unsigned thread, uint64_t at, uint64_t lock) {
  PUT(thread, at, mutex_acquired, .wait_id = lock, .kind = OMPT_MUTEX_atomic, .codeptr = AT_LOCK);
}

static void release(unsigned thread, uint64_t at, uint64_t lock) {
  PUT(thread, at, mutex_released, .wait_id = lock, .kind = OMPT_MUTEX_atomic, .codeptr = AT_LOCK);
}

static void hold(unsigned thread, uint64_t at, uint64_t end) {
  acquire(thread, at, LOCK);
  release(thread, end, LOCK);
}

static void receive_all(void) {
  merge_pass(merge);
  assert_int_equal(merge_pass(merge), 0);
  finish();
}

/* Of two, whichever ring it has: 1 releases it first, and 0 has it longer. */
static void the_first_release_belongs_to_the_first_owner(void **state) {
  (void)state;
  hold(0, 100, 101);
  hold(1, 100, 100);
  receive_all();
  expect_events(0,
                "100 Enter atomic, 100 ThreadAcquireLock 0 2, 101 ThreadReleaseLock 0 2, 101 Leave atomic");
  expect_events(1, "10 Enter OpenMP worker, 100 Enter atomic, 100 ThreadAcquireLock 0 1 {lock_address=16}, "
                   "100 ThreadReleaseLock 0 1, 100 Leave atomic, 101 Leave OpenMP worker");
}

static void the_order_of_rings_may_be_right(void **state) {
  (void)state;
  hold(0, 100, 100);
  hold(1, 100, 101);
  receive_all();
  expect_events(0,
                "100 Enter atomic, 100 ThreadAcquireLock 0 1 {lock_address=16}, 100 ThreadReleaseLock 0 1, "
                "100 Leave atomic");
}

/* Both release later, and in the order in which they had it. */
static void releases_may_come_later(void **state) {
  (void)state;
  hold(0, 100, 109);
  hold(1, 100, 104);
  hold(2, 100, 106);
  receive_all();
  expect_events(0,
                "100 Enter atomic, 100 ThreadAcquireLock 0 3, 109 ThreadReleaseLock 0 3, 109 Leave atomic");
  expect_events(2, "10 Enter OpenMP worker, 100 Enter atomic, 100 ThreadAcquireLock 0 2, "
                   "106 ThreadReleaseLock 0 2, 106 Leave atomic, 109 Leave OpenMP worker");
}

/* The callback of a release may come late, but not what the thread did while it had the lock. */
static void records_within_the_lock_give_the_order(void **state) {
  (void)state;
  acquire(0, 100, LOCK);
  PUT(0, 102, flush, .codeptr = AT_WORK);
  release(0, 103, LOCK);
  hold(1, 100, 150);
  receive_all();
  expect_events(0, "100 Enter atomic, 100 ThreadAcquireLock 0 2, 102 Enter flush, 102 Leave flush, "
                   "103 ThreadReleaseLock 0 2, 103 Leave atomic");
}

/* The tool's own records do not: a wait for room follows the end of the lock. */
static void a_stall_before_the_release_gives_no_order(void **state) {
  (void)state;
  hold(0, 100, 150);
  acquire(1, 100, LOCK);
  PUT(1, 120, stall, .begin = 101);
  release(1, 120, LOCK);
  receive_all();
  expect_events(0,
                "100 Enter atomic, 100 ThreadAcquireLock 0 2, 150 ThreadReleaseLock 0 2, 150 Leave atomic");
}

/* What precedes the acquisition at the same time is moved with it. */
static void the_first_owners_earlier_records_of_this_time_are_moved_with_it(void **state) {
  (void)state;
  hold(0, 100, 101);
  acquire(1, 100, OTHER);
  release(1, 100, OTHER);
  hold(1, 100, 100);
  hold(1, 100, 102);
  receive_all();
  expect_events(0,
                "100 Enter atomic, 100 ThreadAcquireLock 1 2, 101 ThreadReleaseLock 1 2, 101 Leave atomic");
  expect_events(1, "10 Enter OpenMP worker, 100 Enter atomic, 100 ThreadAcquireLock 0 1 {lock_address=32}, "
                   "100 ThreadReleaseLock 0 1, 100 Leave atomic, 100 Enter atomic, "
                   "100 ThreadAcquireLock 1 1 {lock_address=16}, 100 ThreadReleaseLock 1 1, "
                   "100 Leave atomic, 100 Enter atomic, 100 ThreadAcquireLock 1 3, "
                   "102 ThreadReleaseLock 1 3, 102 Leave atomic, 102 Leave OpenMP worker");
}

/* A release that is not there yet may come any time: the thread that has reported is first. */
static void a_missing_release_is_the_last_one(void **state) {
  (void)state;
  acquire(0, 100, LOCK);
  hold(1, 100, 300);
  receive_all();
  expect_events(0, "100 Enter atomic, 100 ThreadAcquireLock 0 2, 300 ThreadReleaseLock 0 2 {added=1}, "
                   "300 Leave atomic");
}

/* Each lock for itself, also where each thread was the other's first. */
static void orders_that_contradict_each_other_end(void **state) {
  (void)state;
  acquire(0, 100, LOCK);
  acquire(0, 100, OTHER);
  release(0, 100, OTHER);
  release(0, 103, LOCK);
  acquire(1, 100, OTHER);
  acquire(1, 100, LOCK);
  release(1, 101, LOCK);
  release(1, 102, OTHER);
  receive_all();
  assert_int_equal(correlated()->records, 2 * 4 + 2 * THREADS);
}

/* -- tasks and teams, whose beginnings other threads' records name -- */

/* A record that names what has not come yet makes the model invent its creation: a second task, a second
 * team. */
static void a_task_is_created_before_it_runs(void **state) {
  (void)state;
  PUT(1, 97, flush, .codeptr = AT_WORK); /* position 0 gives no id */
  PUT(0, 98, flush, .codeptr = AT_WORK);
  uint64_t task = PUT(1, 100, task_create, .codeptr = AT_TASK, .task_flags = OMPT_TASK_explicit);
  PUT(0, 100, task_schedule, .next_task = task, .prior_status = OMPT_TASK_STATUS_switch);
  receive_all();
  expect_events(0,
                "98 Enter flush, 98 Leave flush, 100 ThreadTaskSwitch 0 0 1, 100 Enter task, 100 Leave task, "
                "100 ThreadTaskSwitch 1 0 0");
  expect_events(1, "10 Enter OpenMP worker, 97 Enter flush, 97 Leave flush, 100 Enter create task, "
                   "100 ThreadTaskCreate 0 0 1, 100 Leave create task, 100 Leave OpenMP worker");
}

static void a_team_is_forked_before_its_members_begin(void **state) {
  (void)state;
  PUT(1, 97, flush, .codeptr = AT_WORK);
  PUT(0, 98, flush, .codeptr = AT_WORK);
  uint64_t team = PUT(1, 100, parallel_begin, .codeptr = AT_PARALLEL, .requested = 2);
  PUT(0, 100, implicit_task_begin, .parallel = team, .actual_and_index = 2 | UINT64_C(1) << 32,
      .task_flags = OMPT_TASK_implicit);
  PUT(1, 100, implicit_task_begin, .parallel = team, .actual_and_index = 2, .task_flags = OMPT_TASK_implicit);
  receive_all();
  expect_events(0, "98 Enter flush, 98 Leave flush, 100 ThreadTeamBegin 0, 100 Enter parallel, "
                   "100 Leave parallel, 100 ThreadTeamEnd 0");
  expect_events(1, "10 Enter OpenMP worker, 97 Enter flush, 97 Leave flush, 100 ThreadFork 2, "
                   "100 ThreadTeamBegin 0, 100 Enter parallel, 100 Leave parallel, 100 ThreadTeamEnd 0, "
                   "100 ThreadJoin, 100 Leave OpenMP worker");
}

/* -- the merge alone, over many acquisitions -- */

/* The acquisitions of a lock in the order in which the merge hands them on. */
struct owners {
  struct {
    uint64_t begin, end;
    uint32_t thread;
  } holds[HOLDS_MOST];
  size_t count;
};

static struct owners owners[2];

static void note(void *data, uint32_t slot, uint64_t id, const struct record *record, const uint64_t *words) {
  struct owners *of = &owners[record->a == LOCK];
  (void)data, (void)id, (void)words;
  if (record->type == RECORD_mutex_acquired) {
    assert_true(of->count < HOLDS_MOST);
    of->holds[of->count].thread = slot;
    of->holds[of->count++].begin = record->ticks;
    return;
  }
  for (size_t i = of->count; i-- > 0;)
    if (of->holds[i].thread == slot) {
      of->holds[i].end = record->ticks;
      return;
    }
  fail_msg("a release of what was not acquired");
}

static int setup_notes(void **state) {
  (void)state;
  owners[0].count = owners[1].count = 0;
  return set_up_rings(note, NULL);
}

static void expect_that_each_waits_for_the_one_before(uint64_t count) {
  while (merge_pass(merge))
    continue;
  assert_int_equal(owners[0].count + owners[1].count, count);
  for (unsigned which = 0; which < 2; which++)
    for (size_t i = 1; i < owners[which].count; i++)
      assert_true(owners[which].holds[i - 1].end <= owners[which].holds[i].begin);
}

/* Threads that acquire and release two locks, in a possible order, all under one clock with a coarse
 * tick; at the end all are released. */
static void play(uint64_t random, unsigned events_a_tick, uint64_t *ret_count) {
  unsigned owner[2] = {THREADS, THREADS};
  uint64_t events = 0;
  for (; events < 3000 || owner[0] < THREADS || owner[1] < THREADS; events++) {
    unsigned thread = (unsigned)(next_random(&random) >> 20) % THREADS;
    unsigned which = (unsigned)(next_random(&random) >> 20) & 1;
    uint64_t at = 100 + events / events_a_tick;
    if (owner[which] < THREADS) {
      release(owner[which], at, which ? LOCK : OTHER);
      owner[which] = THREADS;
    } else if (events < 3000) {
      acquire(owner[which] = thread, at, which ? LOCK : OTHER);
      ++*ret_count;
    }
  }
}

static void the_order_can_be_the_true_one(void **state) {
  for (uint64_t round = 1; round <= 60; round++) {
    uint64_t count = 0;
    assert_int_equal(setup_notes(state), 0);
    play(round, 1 + (unsigned)round % 12, &count);
    expect_that_each_waits_for_the_one_before(count);
    if (round < 60)
      merging_teardown(state);
  }
}

/* As no clock does: the search for the first owner ends after some records. */
static void a_clock_at_one_tick_costs_no_time(void **state) {
  (void)state;
  for (unsigned i = 0; i < CAPACITY / 2; i++)
    for (unsigned thread = 0; thread < THREADS; thread++)
      hold(thread, 100, 100);
  expect_that_each_waits_for_the_one_before(CAPACITY / 2 * THREADS);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_first_release_belongs_to_the_first_owner),
      TEST(the_order_of_rings_may_be_right),
      TEST(releases_may_come_later),
      TEST(records_within_the_lock_give_the_order),
      TEST(a_stall_before_the_release_gives_no_order),
      TEST(the_first_owners_earlier_records_of_this_time_are_moved_with_it),
      TEST(a_missing_release_is_the_last_one),
      TEST(orders_that_contradict_each_other_end),
      TEST(a_task_is_created_before_it_runs),
      TEST(a_team_is_forked_before_its_members_begin),
      cmocka_unit_test_teardown(the_order_can_be_the_true_one, merging_teardown),
      cmocka_unit_test_setup_teardown(a_clock_at_one_tick_costs_no_time, setup_notes, merging_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
