/* All rings as one stream: order in time, damage that stays in its ring, slots that come back. */
#include <string.h>

#include "merging.h"

static void expect_in_time_order(void) {
  for (size_t i = 1; i < taken_count; i++)
    assert_true(taken[i - 1].record.ticks <= taken[i].record.ticks);
}

enum { SLOTS = 8 };

static void rings_are_merged_by_time(void **state) {
  uint64_t random = 5, ticks[SLOTS] = {0}, put_count = 0, next[SLOTS] = {0};
  (void)state;
  for (unsigned thread = 0; thread < SLOTS; thread++)
    attach(thread, thread * 1000);
  for (int i = 0; i < 4000; i++) {
    unsigned thread = (unsigned)(next_random(&random) % SLOTS);
    ticks[thread] += next_random(&random) % 10; /* equal times too, in one ring and between rings */
    put_and_publish(thread, ticks[thread], next[thread]++);
    put_count++;
  }
  assert_false(merge_can_wait(merge));
  assert_int_equal(merge_pass(merge), put_count);
  assert_int_equal(taken_count, put_count);
  expect_in_time_order();
  memset(next, 0, sizeof next);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, next[taken[i].slot]++);
  assert_true(merge_can_wait(merge));
  assert_int_equal(merge_pass(merge), 0);
  for (unsigned thread = 0; thread < SLOTS; thread++)
    assert_int_equal(atomic_load(&rings[thread].slot->tail), atomic_load(&rings[thread].slot->head));
}

/* Below a quarter of each ring there is time, whatever lies in it; before its first record a ring has no size
 * yet. */
static void rings_can_wait_until_one_is_a_quarter_full(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put_and_publish(0, 1, 0);
  assert_false(merge_can_wait(merge));
  merge_pass(merge);
  assert_true(merge_has_new_threads(merge));
  put_and_publish(1, 2, 0);
  for (unsigned i = 1; i < CAPACITY / 4; i++)
    put_and_publish(0, 1 + i, i);
  assert_true(merge_can_wait(merge));
  put_and_publish(0, CAPACITY, CAPACITY);
  assert_false(merge_can_wait(merge));
  assert_int_equal(merge_pass(merge), CAPACITY / 4 + 1);
  assert_false(merge_has_new_threads(merge));
  assert_true(merge_max_fill(merge) == 0.25);
  assert_true(merge_can_wait(merge));
  merge_pass(merge);
  assert_true(merge_max_fill(merge) == 0);
}

static void publish_more(void) {
  if (taken_count < 100)
    put_and_publish(1, 1, 1000 + taken_count);
}

/* What is committed while a pass runs is for the next one: a pass ends, and nothing is handed on that others
 * may have come before. */
static void a_pass_reads_the_records_at_its_begin(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  for (uint64_t i = 0; i < 10; i++)
    put_and_publish(0, 100 + i, i);
  put_and_publish(1, 50, 999);
  during_pass = publish_more;
  assert_int_equal(merge_pass(merge), 11);
  expect_in_time_order();
  during_pass = NULL;
  assert_int_equal(merge_pass(merge), 11);
}

static void attach_another(void) {
  during_pass = NULL;
  attach(1, 0);
  put_and_publish(1, 1, 7);
}

/* Between the moment when a thread gets a slot and its first record the ring's size is not known. */
static void a_slot_without_a_ring_gets_no_memory(void **state) {
  uint32_t index;
  (void)state;
  assert_non_null(session_get_slot(session, 1, &index));
  int64_t before = atomic_load(&session->shared.growth_left);
  assert_int_equal(merge_pass(merge), 0);
  assert_int_equal(atomic_load(&session->shared.growth_left), before);
}

static void threads_that_begin_during_a_pass_are_next(void **state) {
  (void)state;
  attach(0, 0);
  put_and_publish(0, 100, 0);
  put_and_publish(0, 101, 1);
  during_pass = attach_another;
  assert_int_equal(merge_pass(merge), 2);
  assert_int_equal(merge_pass(merge), 1);
  assert_int_equal(taken[2].slot, 1);
}

/* -- the rule of the two readings, with threads that run -- */

/* Events that happen one after another in different threads are handed on in this order, over all passes:
 * with one reading of the heads a later event is seen before an earlier one. The runners' slots lie apart, so
 * that reading the heads lasts longer than passing the token on. */
static void events_keep_their_order(void **state) {
  pthread_t threads[RUNNERS];
  (void)state;
  start_runners(threads, APART_MOST);
  merge_until_they_are_done(threads);
}

/* -- long records, wrap -- */

static void long_records_are_complete_across_the_wrap(void **state) {
  static const uint64_t starts[] = {0, CAPACITY - 3, UINT64_C(0xffffffff) - 2, (UINT64_C(1) << 40) - 1};
  uint64_t random = 3, number = 0;
  (void)state;
  for (unsigned thread = 0; thread < COUNT(starts); thread++)
    attach(thread, starts[thread]);
  for (int round = 0; round < 200; round++) {
    for (unsigned thread = 0; thread < COUNT(starts); thread++)
      for (int i = 0; i < 10; i++) {
        put(thread, number, number, (unsigned)(next_random(&random) % RECORD_SLOTS_MAX));
        number++;
        publish(thread);
      }
    assert_int_equal(merge_pass(merge), 10 * COUNT(starts));
  }
  assert_int_equal(taken_count, number);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, i);
  assert_int_equal(merge_figures(merge).damaged, 0);
}

/* -- damage -- */

/* The ring is given up, the others go on. */
static void expect_only_the_first_damaged(uint64_t received_before) {
  assert_int_equal(merge_figures(merge).damaged, 1);
  put_and_publish(0, 1000, 1000);
  put_and_publish(1, 1001, 1001);
  assert_int_equal(merge_pass(merge), 1);
  assert_int_equal(taken_count, received_before + 1);
  assert_int_equal(taken[taken_count - 1].slot, 1);
  assert_int_equal(taken[taken_count - 1].record.a, 1001);
  assert_int_equal(merge_figures(merge).damaged, 1);
  assert_true(merge_can_wait(merge));
}

static void records_longer_than_what_is_there_are_damage(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put_and_publish(0, 1, 0);
  put(0, 2, 1, 3)->more = 4;
  publish(0);
  put_and_publish(1, 3, 0);
  merge_pass(merge);
  assert_int_equal(taken_count, 2);
  expect_only_the_first_damaged(2);
}

static void records_longer_than_allowed_are_damage(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put(0, 2, 1, 0)->more = RECORD_SLOTS_MAX;
  for (uint64_t i = 0; i < 300; i++)
    put(0, 3 + i, i, 0);
  publish(0);
  merge_pass(merge);
  assert_int_equal(taken_count, 0);
  expect_only_the_first_damaged(0);
}

static void impossible_heads_are_damage(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put_and_publish(0, 1, 0);
  merge_pass(merge);
  atomic_store(&rings[0].slot->head, CAPACITY + 2);
  merge_pass(merge);
  assert_int_equal(taken_count, 1);
  expect_only_the_first_damaged(1);
}

/* A position that was written over can be anything, also one that reaches 0 again in this pass. */
static void positions_may_wrap(void **state) {
  (void)state;
  for (unsigned thread = 0; thread < 2; thread++)
    attach(thread, UINT64_MAX - 9 + thread);
  for (uint64_t i = 0; i < 10; i++)
    for (unsigned thread = 0; thread < 2; thread++)
      put_and_publish(thread, i, i);
  assert_int_equal(merge_pass(merge), 20);
  expect_in_time_order();
  assert_int_equal(merge_pass(merge), 0);
  assert_int_equal(merge_figures(merge).damaged, 0);
}

/* Its thread must not wait for records that nobody reads any more. It is notified again and again, as
 * that may be written over too. */
static void threads_are_notified_that_their_ring_was_given_up(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put_and_publish(0, 1, 0);
  merge_pass(merge);
  assert_false(atomic_load(&rings[0].slot->is_given_up));
  atomic_store(&rings[0].slot->head, CAPACITY + 2);
  for (int i = 0; i < 2; i++) {
    merge_pass(merge);
    assert_true(atomic_load(&rings[0].slot->is_given_up));
    assert_false(atomic_load(&rings[1].slot->is_given_up));
    atomic_store(&rings[0].slot->is_given_up, false);
  }
}

/* Nobody else shall begin in a ring that is not read. */
static void slots_that_were_given_up_are_not_returned(void **state) {
  (void)state;
  attach(0, 0);
  put(0, 2, 1, 3)->more = 4;
  publish(0);
  session_end_slot(session, rings[0].slot);
  merge_pass(merge);
  merge_pass(merge);
  assert_int_equal(merge_figures(merge).damaged, 1);
  assert_int_equal(slot_owner(rings[0].slot), SLOT_ENDED);
}

/* The thread would wait for room that is there. */
static void a_notice_that_was_written_over_is_repeated(void **state) {
  (void)state;
  attach(0, 10);
  put_and_publish(0, 1, 0);
  merge_pass(merge);
  atomic_store(&rings[0].slot->tail, 0);
  merge_pass(merge);
  assert_int_equal(atomic_load(&rings[0].slot->tail), 11);
}

static void impossible_masks_are_damage(void **state) {
  (void)state;
  attach(0, 0);
  attach(1, 0);
  put_and_publish(0, 1, 0);
  atomic_store(&rings[0].slot->mask, 2 * CAPACITY - 1);
  merge_pass(merge);
  assert_int_equal(taken_count, 0);
  expect_only_the_first_damaged(0);
}

static void the_number_of_slots_is_not_believed(void **state) {
  (void)state;
  attach(0, 0);
  put_and_publish(0, 1, 0);
  atomic_store(&session->shared.slots_used, UINT32_MAX);
  assert_int_equal(merge_pass(merge), 1);
}

/* -- slots -- */

static bool is_free(unsigned thread) {
  return slot_owner(rings[thread].slot) == SLOT_FREE;
}

static void ended_slots_are_returned_once_drained(void **state) {
  (void)state;
  for (unsigned thread = 0; thread < 3; thread++) {
    attach(thread, 0);
    put_and_publish(thread, 1, 0);
  }
  session_end_slot(session, rings[1].slot);
  assert_int_equal(merge_pass(merge), 3);
  assert_false(is_free(0));
  assert_true(is_free(1));
  assert_false(is_free(2));
  attach(1, atomic_load(&rings[1].slot->head)); /* the next thread gets this one */
  put_and_publish(1, 2, 5);
  assert_int_equal(merge_pass(merge), 1);
  assert_int_equal(taken[3].slot, 1);
  assert_int_equal(taken[3].record.a, 5);
}

static void end_the_first(void) {
  during_pass = NULL;
  put_and_publish(0, 9, 2);
  session_end_slot(session, rings[0].slot);
}

/* The last record came after the pass had looked: the slot stays until that is read. */
static void slots_with_unread_records_are_kept(void **state) {
  (void)state;
  attach(0, 0);
  put_and_publish(0, 1, 1);
  during_pass = end_the_first;
  assert_int_equal(merge_pass(merge), 1);
  assert_false(is_free(0));
  assert_int_equal(merge_pass(merge), 1);
  assert_int_equal(taken[1].record.a, 2);
  assert_true(is_free(0));
}

/* A pass over much is not mistaken for one that is stuck. */
static void progress_is_counted_inside_of_a_pass(void **state) {
  (void)state;
  uint64_t before = atomic_load(&session->shared.progress);
  for (unsigned thread = 0; thread < 4; thread++) {
    attach(thread, 0);
    for (uint64_t i = 0; i < CAPACITY; i++)
      put_and_publish(thread, thread * CAPACITY + i, i);
  }
  merge_pass(merge);
  assert_int_equal(atomic_load(&session->shared.progress) - before, 4);
}

static uint64_t prepared_after(unsigned thread, uint64_t records) {
  for (uint64_t i = 0; i < records; i++)
    put_and_publish(thread, 1, i);
  merge_pass(merge);
  return atomic_load(&rings[thread].slot->prepared);
}

/* Half full, a ring gets memory for twice as much, up to the largest; what it is used for is its thread's
 * business. */
static void rings_that_were_half_full_may_grow(void **state) {
  (void)state;
  attach(0, 0);
  set_capacity(0, CAPACITY / 4);
  assert_int_equal(prepared_after(0, CAPACITY / 8 - 1), 0);
  assert_int_equal(prepared_after(0, CAPACITY / 8), CAPACITY / 2);
  assert_int_equal(prepared_after(0, CAPACITY / 4), CAPACITY / 2);
  set_capacity(0, CAPACITY / 2);
  assert_int_equal(prepared_after(0, CAPACITY / 4), CAPACITY);
  set_capacity(0, CAPACITY);
  assert_int_equal(prepared_after(0, CAPACITY), CAPACITY);
}

static void the_threads_dropped_records_are_summed(void **state) {
  (void)state;
  for (unsigned thread = 0; thread < 3; thread++) {
    struct thread_slot *slot = attach(thread, 0);
    atomic_store(&slot->figures.lost, 10 + thread);
    atomic_store(&slot->figures.stalls, 1 + thread);
  }
  atomic_store(&session->shared.figures.lost, 100);
  merge_pass(merge);
  assert_int_equal(merge_figures(merge).lost, 133);
  assert_int_equal(merge_figures(merge).stalls, 6);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, merging_setup, merging_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rings_are_merged_by_time),
      TEST(rings_can_wait_until_one_is_a_quarter_full),
      TEST(a_pass_reads_the_records_at_its_begin),
      TEST(threads_that_begin_during_a_pass_are_next),
      TEST(a_slot_without_a_ring_gets_no_memory),
      TEST(events_keep_their_order),
      TEST(long_records_are_complete_across_the_wrap),
      TEST(records_longer_than_what_is_there_are_damage),
      TEST(records_longer_than_allowed_are_damage),
      TEST(impossible_heads_are_damage),
      TEST(positions_may_wrap),
      TEST(impossible_masks_are_damage),
      TEST(threads_are_notified_that_their_ring_was_given_up),
      TEST(slots_that_were_given_up_are_not_returned),
      TEST(a_notice_that_was_written_over_is_repeated),
      TEST(the_number_of_slots_is_not_believed),
      TEST(ended_slots_are_returned_once_drained),
      TEST(slots_with_unread_records_are_kept),
      TEST(progress_is_counted_inside_of_a_pass),
      TEST(rings_that_were_half_full_may_grow),
      TEST(the_threads_dropped_records_are_summed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
