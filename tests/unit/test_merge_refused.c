/* Rings on a machine that has little memory left: the machine's answer is the test's. */
#include "merging.h"
#include "writer/pipeline/free_memory.h"

enum { SHARE = 8, RECORDS = RING_ENOUGH_BYTES / RECORD_BYTES / 2, BYTES = RECORDS * RECORD_BYTES };

static uint64_t is_free;

uint64_t free_memory(void) {
  return is_free;
}

/* The capacity for which there is memory after a look at a ring that is half full. */
static uint64_t prepared_of(unsigned thread) {
  attach(thread, 0);
  set_capacity(thread, RECORDS);
  merge_drain_full_rings(merge);
  atomic_store(&rings[thread].slot->head, RECORDS / 2);
  merge_drain_full_rings(merge);
  return atomic_load(&rings[thread].slot->prepared);
}

static void rings_grow_where_a_part_of_what_is_free_is_enough(void **state) {
  (void)state;
  is_free = SHARE * (uint64_t)BYTES;
  assert_int_equal(prepared_of(0), 2 * RECORDS);
  assert_int_equal(atomic_load(&session->shared.growth_left), 0);
  assert_int_equal(prepared_of(1), 0); /* the first one has got all of it */
}

static void rings_do_not_grow_where_less_is_free(void **state) {
  (void)state;
  is_free = SHARE * (uint64_t)BYTES - SHARE;
  assert_int_equal(prepared_of(0), 0);
}

static void memory_that_vanishes_during_a_pass_is_refused(void **state) {
  (void)state;
  is_free = UINT64_C(1) << 40;
  for (unsigned thread = 0; thread < 4; thread++)
    assert_int_equal(prepared_of(thread), 2 * RECORDS);
  is_free = 0;
  for (unsigned thread = 4; thread < 8; thread++)
    prepared_of(thread);
  assert_int_equal(prepared_of(8), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, merging_setup_with_growth, merging_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rings_grow_where_a_part_of_what_is_free_is_enough),
      TEST(rings_do_not_grow_where_less_is_free),
      TEST(memory_that_vanishes_during_a_pass_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
