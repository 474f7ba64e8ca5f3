/* The merge and its backlog: threads go on while a pass is under way, and neither order nor records are lost.
 */
#include <string.h>

#include "merging.h"
#include "writer/pipeline/packed.h"

/* The merge is the slower one, until half of all has been made; but not if they wait for it. */
static void wait_for_runners(void) {
  uint64_t due = taken_count + 3 * CAPACITY;
  due = due < PASSED_ON / 2 ? due : PASSED_ON / 2;
  while (atomic_load(&token.clock) < due && !runners_wait_for_room())
    runners_nap();
}

/* The same rule where records go through the backlog: the runners make more than all rings hold while a pass
 * is under way, and go on. */
static void events_keep_their_order_in_the_backlog(void **state) {
  pthread_t threads[RUNNERS];
  (void)state;
  start_runners(threads, 1);
  during_pass = wait_for_runners;
  merge_until_they_are_done(threads);
  assert_true(merge_figures(merge).backlog_records > CAPACITY);
  assert_int_equal(merge_waiting(merge), 0);
}

enum { FAST = 2, FACTOR = 3, PUT_MOST = 20000 };

static uint64_t made[FAST];

/* Two threads make three records for each that is merged, while there is room. */
static void make_more(void) {
  for (unsigned i = 0; i < FACTOR * FAST; i++) {
    unsigned thread = i % FAST;
    if (made[thread] < PUT_MOST && has_room(thread))
      put_and_publish(thread, made[thread] + 10, made[thread]), made[thread]++;
  }
}

static void make_full(unsigned thread) {
  while (has_room(thread) && made[thread] < PUT_MOST)
    put_and_publish(thread, made[thread] + 10, made[thread]), made[thread]++;
}

/* Threads that are three times as fast as the merge never wait in the middle of a long pass, and nothing is
 * lost, moved or read twice. */
static void threads_go_on_while_a_pass_is_under_way(void **state) {
  uint64_t next[FAST] = {0};
  (void)state;
  memset(made, 0, sizeof made);
  for (unsigned thread = 0; thread < FAST; thread++) {
    attach(thread, 1000 * thread);
    make_full(thread);
  }
  during_pass = make_more;
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(made[0] + made[1], FAST * PUT_MOST);
  assert_int_equal(taken_count, FAST * PUT_MOST);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, next[taken[i].slot]++);
  assert_true(merge_figures(merge).backlog_most > 2 * CAPACITY);
  assert_int_equal(merge_waiting(merge), 0);
}

/* Long records lie across segments, the end of the ring, and what was moved and what was not. */
static void long_records_are_complete_in_the_backlog(void **state) {
  uint64_t random = 3, number = 0;
  (void)state;
  attach(0, CAPACITY - 3);
  while (rings[0].reserved < 40000) {
    while (rings[0].reserved + RECORD_SLOTS_MAX - atomic_load(&rings[0].slot->tail) <= CAPACITY) {
      put(0, number, number, (unsigned)(next_random(&random) % RECORD_SLOTS_MAX));
      number++;
      publish(0);
    }
    merge_drain_full_rings(merge);
  }
  assert_in_range(merge_waiting(merge), 35000, 40000);
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(taken_count, number);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, i);
}

enum { TURN = 50 }; /* records of one thread until the other one's are earlier */

/* What waits is handed on by runs, which end where another thread's record is due or one has words; also
 * where the sink accepts less than it was offered, or none. */
static void what_waits_comes_by_runs(uint64_t most) {
  uint64_t number = 0;
  runs.most = most;
  for (unsigned thread = 0; thread < FAST; thread++)
    attach(thread, 1000 * thread);
  for (; number < 40 * TURN; number++) {
    unsigned thread = number / TURN % FAST;
    put(thread, number, number, number % (2 * TURN) == TURN / 2);
    publish(thread);
  }
  merge_drain_full_rings(merge);
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(taken_count, number);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, i);
}

static void runs_end_where_others_are_due(void **state) {
  (void)state;
  what_waits_comes_by_runs(UINT64_MAX);
  assert_in_range(runs.records, 1900, 1980); /* twenty have words */
  assert_in_range(runs.longest, TURN - 1, TURN);
}

static void runs_need_not_be_accepted(void **state) {
  (void)state;
  what_waits_comes_by_runs(0);
  assert_int_equal(runs.records, 0);
}

/* What was moved before the ring was written over is as good as ever; the others go on. */
static void damage_does_not_reach_the_backlog(void **state) {
  (void)state;
  memset(made, 0, sizeof made);
  attach(0, 0);
  attach(1, 0);
  make_full(0);
  merge_drain_full_rings(merge);
  assert_int_equal(merge_waiting(merge), CAPACITY);
  put_and_publish(1, 1, 0);
  atomic_store(&rings[0].slot->head, 5 * CAPACITY);
  merge_pass(merge);
  assert_int_equal(taken_count, CAPACITY + 1);
  assert_int_equal(merge_figures(merge).damaged, 1);
  assert_int_equal(merge_pass(merge), 0);
  assert_int_equal(merge_waiting(merge), 0);
}

/* Others wait for the slot, and the pass may be a long one. */
static void ended_slots_are_returned_inside_of_a_pass(void **state) {
  (void)state;
  attach(0, 0);
  put_and_publish(0, 1, 0);
  session_end_slot(session, rings[0].slot);
  merge_drain_full_rings(merge);
  assert_int_equal(slot_owner(rings[0].slot), SLOT_FREE);
  attach(0, atomic_load(&rings[0].slot->head));
  put_and_publish(0, 2, 1);
  assert_int_equal(merge_pass(merge), 2);
  assert_int_equal(taken[1].record.a, 1);
}

/* A thread that begins in the middle of a pass is relieved in the same pass. */
static void begin_and_fill(void) {
  during_pass = NULL;
  memset(made, 0, sizeof made);
  attach(1, 0);
  make_full(1);
}

static void threads_that_begin_during_a_pass_are_relieved(void **state) {
  (void)state;
  memset(made, 0, sizeof made);
  attach(0, 0);
  make_full(0);
  merge_drain_full_rings(merge);
  make_full(0);
  during_pass = begin_and_fill;
  merge_pass(merge);
  assert_int_equal(atomic_load(&rings[1].slot->tail), CAPACITY);
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(taken_count, 3 * CAPACITY);
}

/* A thread that waits in a ring which nobody else wakes the writer for waits until half of it is free
 * (thread.c): as long as there is room in the backlog it has that, however full the ring was. */
static void whoever_waits_gets_half_of_the_ring(void **state) {
  (void)state;
  struct thread_slot *slot = attach(0, 0);
  for (unsigned records = 0; records <= CAPACITY; records += 64) {
    for (unsigned i = 0; i < records; i++)
      put(0, i, i, 0);
    publish(0);
    merge_drain_full_rings(merge);
    uint64_t unread = atomic_load(&slot->head) - atomic_load(&slot->tail);
    assert_int_equal(unread, records < CAPACITY / 4 ? records : 0);
    while (merge_pass(merge) > 0) {
    }
  }
}

/* What waits is still found when the merge has got more slots, for which its own memory moves. */
static void many_threads_begin_while_others_wait(void **state) {
  enum { MANY = 300 };
  (void)state;
  attach(0, 0);
  for (unsigned i = 0; i < CAPACITY; i++)
    put(0, i, i, 0);
  publish(0);
  merge_drain_full_rings(merge);
  for (unsigned thread = 1; thread <= MANY; thread++) {
    attach(thread, 0);
    put_and_publish(thread, CAPACITY + thread, thread);
  }
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(taken_count, CAPACITY + MANY);
  for (size_t i = 0; i < CAPACITY; i++)
    assert_int_equal(taken[i].record.a, i);
  assert_int_equal(merge_waiting(merge), 0);
}

/* A full backlog is as none: rings fill. */
static void a_full_backlog_leaves_records_in_the_rings(void **state) {
  (void)state;
  memset(made, 0, sizeof made);
  attach(0, 0);
  while (merge_may_lag(merge) || has_room(0)) {
    while (has_room(0))
      put_and_publish(0, made[0], made[0]), made[0]++;
    merge_drain_full_rings(merge);
  }
  assert_in_range(merge_waiting(merge), BACKLOG_BYTES / PACKED_BYTES_MAX, BACKLOG_BYTES / PACKED_BYTES_MIN);
  assert_false(merge_can_wait(merge));
}

/* The capacity for which there is memory after a look at a ring with so many records. */
static uint64_t prepared_after(uint64_t capacity, uint64_t records) {
  set_capacity(0, capacity);
  atomic_store(&rings[0].slot->head, atomic_load(&rings[0].slot->head) + records);
  merge_drain_full_rings(merge);
  return atomic_load(&rings[0].slot->prepared);
}

/* Whom it empties in the middle of a pass the writer has to come to the more seldom the larger the ring is:
 * up to where that is often enough. */
static void rings_that_are_emptied_grow_until_they_are_large_enough(void **state) {
  enum { ENOUGH = RING_ENOUGH_BYTES / RECORD_BYTES };
  (void)state;
  attach(0, 0);
  assert_int_equal(prepared_after(ENOUGH / 2, 1), 0); /* the first look of all */
  assert_int_equal(prepared_after(ENOUGH / 2, ENOUGH / 8 - 1), 0);
  assert_int_equal(prepared_after(ENOUGH / 2, 1), ENOUGH);
  assert_int_equal(prepared_after(ENOUGH, ENOUGH / 4 * 3 - 1), ENOUGH);
  assert_int_equal(prepared_after(ENOUGH, ENOUGH / 4 * 3), 2 * ENOUGH);
}

/* Where the program has all processors the pages occupy one of them as well: once the writer was there as
 * often as they cost, and sooner where the thread has filled a half meanwhile. */
static void crowded_rings_grow_when_their_growth_pays(void **state) {
  enum { ENOUGH = RING_ENOUGH_BYTES / RECORD_BYTES, SMALL = ENOUGH / 8, LOOKS = 4, MORE_LOOKS = 16 };
  (void)state;
  attach(0, 0);
  merge_set_crowded(merge, true);
  assert_int_equal(prepared_after(SMALL, 1), 0);
  assert_int_equal(prepared_after(SMALL, SMALL / 4 - 1), 0);
  for (unsigned i = 2; i < LOOKS; i++)
    assert_int_equal(prepared_after(SMALL, SMALL / 4), 0);
  assert_int_equal(prepared_after(SMALL, SMALL / 4), 2 * SMALL);
  assert_int_equal(prepared_after(2 * SMALL, SMALL), 4 * SMALL);
  for (unsigned i = 1; i < MORE_LOOKS; i++)
    assert_int_equal(prepared_after(4 * SMALL, SMALL), 4 * SMALL);
  assert_int_equal(prepared_after(4 * SMALL, SMALL), ENOUGH);
}

/* Where there are so many rings that what is for all of them is not enough, none gets more before it needs
 * it. */
static void many_rings_grow_when_they_are_half_full(void **state) {
  enum { ENOUGH = RING_ENOUGH_BYTES / RECORD_BYTES, MANY = RING_GROWTH_BYTES / RING_ENOUGH_BYTES + 1 };
  (void)state;
  for (unsigned thread = 0; thread < MANY; thread++)
    attach(thread, 0);
  assert_int_equal(prepared_after(ENOUGH / 2, 1), 0);
  assert_int_equal(prepared_after(ENOUGH / 2, ENOUGH / 4 - 1), 0);
  assert_int_equal(prepared_after(ENOUGH / 2, ENOUGH / 4), ENOUGH);
  assert_int_equal(prepared_after(ENOUGH, ENOUGH / 2), 2 * ENOUGH);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, merging_setup_with_backlog, merging_teardown)

/* Where records wait in the log. */
#define WITH_LOG(test) cmocka_unit_test_setup_teardown(test, merging_setup_with_log, merging_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_LOG(events_keep_their_order_in_the_backlog),
      WITH_LOG(threads_go_on_while_a_pass_is_under_way),
      WITH_LOG(long_records_are_complete_in_the_backlog),
      WITH_LOG(damage_does_not_reach_the_backlog),
      WITH_LOG(ended_slots_are_returned_inside_of_a_pass),
      WITH_LOG(threads_that_begin_during_a_pass_are_relieved),
      WITH_LOG(whoever_waits_gets_half_of_the_ring),
      WITH_LOG(many_threads_begin_while_others_wait),
      TEST(events_keep_their_order_in_the_backlog),
      TEST(threads_go_on_while_a_pass_is_under_way),
      TEST(long_records_are_complete_in_the_backlog),
      TEST(damage_does_not_reach_the_backlog),
      TEST(ended_slots_are_returned_inside_of_a_pass),
      TEST(threads_that_begin_during_a_pass_are_relieved),
      TEST(whoever_waits_gets_half_of_the_ring),
      TEST(many_threads_begin_while_others_wait),
      TEST(a_full_backlog_leaves_records_in_the_rings),
      TEST(runs_end_where_others_are_due),
      TEST(runs_need_not_be_accepted),
      WITH_LOG(runs_end_where_others_are_due),
      cmocka_unit_test_setup_teardown(many_rings_grow_when_they_are_half_full, merging_setup_with_growth,
                                      merging_teardown),
      cmocka_unit_test_setup_teardown(rings_that_are_emptied_grow_until_they_are_large_enough,
                                      merging_setup_with_growth, merging_teardown),
      cmocka_unit_test_setup_teardown(crowded_rings_grow_when_their_growth_pays, merging_setup_with_growth,
                                      merging_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
