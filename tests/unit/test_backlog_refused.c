/* A backlog on a machine that has no memory left: the machine's answer is the test's. */
#include "unit.h"

#include "session/records.h"
#include "writer/pipeline/backlog.h"
#include "writer/pipeline/free_memory.h"
#include "writer/pipeline/packed.h"

enum { SEGMENT_BYTES = 64 << 10, SEGMENT = SEGMENT_BYTES / PACKED_BYTES_MAX, SHARE = 8 };

static struct record batch[SEGMENT];
static uint64_t is_free;

/* They have nothing in common, so that each has PACKED_BYTES_MAX. */
static int fill_batch(void **state) {
  uint64_t random = 3;
  (void)state;
  for (unsigned i = 0; i < SEGMENT; i++)
    batch[i] = (struct record){.ticks = next_random(&random),
                               .a = next_random(&random),
                               .b = next_random(&random),
                               .c = (uint32_t)next_random(&random)};
  return 0;
}

uint64_t free_memory(void) {
  return is_free;
}

/* Memory that was refused is not requested again before a segment was read: who waits for room in the backlog
 * while there is none, and nothing reads it meanwhile, never ends its wait. */
static void without_memory_there_is_no_room(void **state) {
  struct backlog *backlog = backlog_create(64 * SEGMENT_BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  is_free = 2 * SHARE * SEGMENT_BYTES;
  assert_int_equal(backlog_put(backlog, &chain, 0, batch, SEGMENT), SEGMENT);
  assert_int_equal(backlog_put(backlog, &chain, SEGMENT, batch, SEGMENT), SEGMENT);
  assert_true(backlog_has_room(backlog));
  assert_int_equal(backlog_put(backlog, &chain, 2 * SEGMENT, batch, 1), 0);
  assert_false(backlog_has_room(backlog));
  is_free = 64 * SHARE * (uint64_t)SEGMENT_BYTES;
  assert_false(backlog_has_room(backlog));
  backlog_free_below(backlog, &chain, SEGMENT);
  assert_true(backlog_has_room(backlog));
  assert_int_equal(backlog_put(backlog, &chain, 2 * SEGMENT, batch, SEGMENT), SEGMENT);
  assert_int_equal(backlog_put(backlog, &chain, 3 * SEGMENT, batch, SEGMENT), SEGMENT);
  backlog_destroy(backlog);
}

static void a_machine_without_free_memory_gives_no_backlog(void **state) {
  struct backlog *backlog = backlog_create(64 * SEGMENT_BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  is_free = SHARE * SEGMENT_BYTES - 1;
  assert_int_equal(backlog_put(backlog, &chain, 0, batch, 1), 0);
  assert_false(backlog_has_room(backlog));
  assert_int_equal(backlog_waiting(backlog), 0);
  backlog_destroy(backlog);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory_there_is_no_room),
      cmocka_unit_test(a_machine_without_free_memory_gives_no_backlog),
  };
  return cmocka_run_group_tests(tests, fill_batch, NULL);
}
