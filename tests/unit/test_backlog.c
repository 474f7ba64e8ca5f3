/* What waits between rings and merge: it comes out as it went in, within its bound. */
#include <unistd.h>

#include "unit.h"

#include "writer/backlog.h"
#include "writer/free_memory.h"

enum {
  SEGMENT = 8192,
  SEGMENTS = 4,
  BYTES = SEGMENTS * SEGMENT * RECORD_BYTES,
  BATCH_MOST = 3 * SEGMENT / 2
};

static struct record batch[BATCH_MOST];

/* The next n numbers; returns how many had room. */
static uint64_t put(struct backlog *backlog, struct backlog_chain *chain, uint64_t position, uint64_t n,
                    uint64_t number) {
  for (uint64_t i = 0; i < n; i++)
    batch[i] = (struct record){.ticks = number + i};
  return backlog_put(backlog, chain, position, batch, n);
}

/* At any position, in batches of any size, read at any distance. */
static void what_is_put_comes_out_in_order(void **state) {
  static const uint64_t starts[] = {0, 5, UINT64_MAX - 20000};
  (void)state;
  for (size_t i = 0; i < COUNT(starts); i++) {
    struct backlog *backlog = backlog_create(BYTES);
    struct backlog_chain chain = {0};
    uint64_t random = 7, end = starts[i], next = starts[i];
    assert_false(backlog_has(&chain, next));
    for (int round = 0; round < 200; round++) {
      end += put(backlog, &chain, end, next_random(&random) % BATCH_MOST, end - starts[i]);
      assert_int_equal(backlog_waiting(backlog), end - chain.begin);
      for (uint64_t n = next_random(&random) % (2 * BATCH_MOST); n > 0 && next != end; n--) {
        assert_true(backlog_has(&chain, next));
        assert_int_equal(backlog_at(backlog, &chain, next)->ticks, next - starts[i]);
        backlog_free_below(backlog, &chain, ++next);
      }
      assert_false(backlog_has(&chain, end));
    }
    backlog_free_below(backlog, &chain, end);
    assert_int_equal(backlog_waiting(backlog), 0);
    assert_int_equal(backlog_total(backlog), end - starts[i]);
    assert_in_range(backlog_most(backlog), SEGMENT, SEGMENTS * SEGMENT);
    backlog_destroy(backlog);
  }
}

/* A record of several slots may lie in two segments. */
static void the_next_segment_can_be_looked_into(void **state) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  assert_int_equal(put(backlog, &chain, 100, SEGMENT + 10, 0), SEGMENT + 10);
  backlog_free_below(backlog, &chain, 100 + SEGMENT - 1);
  assert_int_equal(backlog_at(backlog, &chain, 100 + SEGMENT - 1)->ticks, SEGMENT - 1);
  assert_int_equal(backlog_at(backlog, &chain, 100 + SEGMENT + 3)->ticks, SEGMENT + 3);
  backlog_destroy(backlog);
}

/* All chains share the bound, and what one has read is another's. */
static void it_is_bounded(void **state) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain first = {0}, second = {0};
  (void)state;
  for (uint64_t i = 0; i < SEGMENTS - 1; i++)
    assert_int_equal(put(backlog, &first, i * SEGMENT, SEGMENT, i * SEGMENT), SEGMENT);
  assert_true(backlog_has_room(backlog));
  assert_int_equal(put(backlog, &second, 0, SEGMENT + 1, 0), SEGMENT);
  assert_false(backlog_has_room(backlog));
  assert_int_equal(put(backlog, &first, (SEGMENTS - 1) * SEGMENT, 1, 0), 0);
  backlog_free_below(backlog, &first, SEGMENT);
  assert_true(backlog_has_room(backlog));
  assert_int_equal(put(backlog, &second, SEGMENT, 5, SEGMENT), 5);
  assert_int_equal(backlog_at(backlog, &first, SEGMENT)->ticks, SEGMENT);
  assert_int_equal(backlog_waiting(backlog), (SEGMENTS - 1) * SEGMENT + 5);
  backlog_destroy(backlog);
}

static void memory_goes_back_when_nothing_waits(void **state) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  put(backlog, &chain, 0, 10, 0);
  backlog_shrink(backlog);
  assert_int_equal(backlog_at(backlog, &chain, 9)->ticks, 9);
  backlog_free_below(backlog, &chain, 10);
  backlog_shrink(backlog);
  assert_int_equal(put(backlog, &chain, 10, SEGMENT, 10), SEGMENT);
  assert_int_equal(backlog_at(backlog, &chain, 12)->ticks, 12);
  backlog_destroy(backlog);
}

static void none_has_no_room(void **state) {
  struct backlog *backlog = backlog_create(0);
  struct backlog_chain chain = {0};
  (void)state;
  assert_null(backlog);
  assert_int_equal(put(backlog, &chain, 0, 10, 0), 0);
  assert_false(backlog_has_room(backlog));
  assert_int_equal(backlog_waiting(backlog) + backlog_most(backlog) + backlog_total(backlog), 0);
  backlog_shrink(backlog);
  backlog_destroy(backlog);
}

static void the_machine_says_what_is_free(void **state) {
  (void)state;
  uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  assert_in_range(free_memory(), 1 << 20, all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_put_comes_out_in_order),
      cmocka_unit_test(the_next_segment_can_be_looked_into),
      cmocka_unit_test(it_is_bounded),
      cmocka_unit_test(memory_goes_back_when_nothing_waits),
      cmocka_unit_test(none_has_no_room),
      cmocka_unit_test(the_machine_says_what_is_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
