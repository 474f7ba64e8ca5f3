/* What waits between rings and merge: it comes out as it went in, within its bound. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "writer/pipeline/backlog.h"
#include "writer/pipeline/free_memory.h"
#include "writer/pipeline/packed.h"
#include "writer/pipeline/record_log.h"

enum { SEGMENT_BYTES = 64 << 10, SEGMENTS = 4, BYTES = SEGMENTS * SEGMENT_BYTES, BATCH_MOST = 5000 };

static struct record batch[BATCH_MOST];

/* How much the records have in common: nothing, so that each has PACKED_BYTES_MAX, or much. */
enum kind { UNLIKE, ALIKE };

static struct record record_of(uint64_t number, enum kind kind) {
  if (kind == ALIKE)
    return (struct record){.ticks = number, .a = number / 3, .type = 5};
  uint64_t random = number + 1, words[4];
  for (unsigned i = 0; i < COUNT(words); i++)
    words[i] = next_random(&random);
  struct record record;
  memcpy(&record, words, sizeof record);
  return record;
}

/* The next n numbers; returns how many had room. */
static uint64_t put(struct backlog *backlog, struct backlog_chain *chain, uint64_t position, uint64_t n,
                    uint64_t number, enum kind kind) {
  for (uint64_t i = 0; i < n; i++)
    batch[i] = record_of(number + i, kind);
  return backlog_put(backlog, chain, position, batch, n);
}

static void assert_is(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                      uint64_t number, enum kind kind) {
  struct record expected = record_of(number, kind);
  assert_true(backlog_has(chain, position));
  assert_memory_equal(backlog_at(backlog, chain, position), &expected, sizeof expected);
}

static void put_and_get(uint64_t start, enum kind kind, unsigned far_most) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain chain = {0};
  uint64_t random = 7, end = start, next = start;
  assert_false(backlog_has(&chain, next));
  for (int round = 0; round < 200; round++) {
    end += put(backlog, &chain, end, next_random(&random) % BATCH_MOST, end - start, kind);
    assert_int_equal(backlog_waiting(backlog), end - next);
    for (uint64_t n = next_random(&random) % (2 * BATCH_MOST); n > 0 && next != end; n--) {
      uint64_t further = next + next_random(&random) % far_most;
      if (backlog_has(&chain, further))
        assert_is(backlog, &chain, further, further - start, kind);
      assert_is(backlog, &chain, next, next - start, kind);
      backlog_free_below(backlog, &chain, ++next);
    }
    assert_false(backlog_has(&chain, end));
  }
  backlog_free_below(backlog, &chain, end);
  assert_int_equal(backlog_waiting(backlog), 0);
  assert_int_equal(backlog_total(backlog), end - start);
  assert_in_range(backlog_most(backlog), BYTES / PACKED_BYTES_MAX / 2, BYTES / PACKED_BYTES_MIN);
  backlog_destroy(backlog);
}

/* At any position, in batches of any size, with looks ahead at any distance: across segments, and further
 * than what one step unpacks. */
static void records_come_out_in_the_order_of_their_storage(void **state) {
  static const uint64_t starts[] = {0, 5, UINT64_MAX - 20000};
  (void)state;
  for (size_t i = 0; i < COUNT(starts); i++) {
    put_and_get(starts[i], UNLIKE, 100);
    put_and_get(starts[i], ALIKE, 100);
    put_and_get(starts[i], UNLIKE, 5000);
  }
}

/* Records can be freed without a look at them. */
static void unread_records_can_be_freed(void **state) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  assert_int_equal(put(backlog, &chain, 100, 4000, 0, UNLIKE), 4000);
  backlog_free_below(backlog, &chain, 100 + 3000);
  assert_int_equal(backlog_waiting(backlog), 1000);
  assert_is(backlog, &chain, 3100, 3000, UNLIKE);
  backlog_free_below(backlog, &chain, 4100);
  assert_int_equal(backlog_waiting(backlog), 0);
  assert_false(backlog_has(&chain, 4099));
  assert_int_equal(put(backlog, &chain, 7, 1, 7, UNLIKE), 1);
  assert_is(backlog, &chain, 7, 7, UNLIKE);
  backlog_destroy(backlog);
}

static uint64_t fill(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  uint64_t done, all = 0;
  while ((done = put(backlog, chain, position + all, 1000, position + all, UNLIKE)) > 0)
    all += done;
  return all;
}

/* All chains share the bound, and what one has read is another's. */
static void the_backlog_is_bounded(void **state) {
  enum { A_SEGMENT = SEGMENT_BYTES / PACKED_BYTES_MAX };
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain first = {0}, second = {0};
  (void)state;
  assert_int_equal(put(backlog, &second, 0, 10, 0, UNLIKE), 10);
  assert_true(backlog_has_room(backlog));
  uint64_t most = fill(backlog, &first, 0);
  assert_in_range(most, (SEGMENTS - 1) * A_SEGMENT, (SEGMENTS - 1) * (A_SEGMENT + 20));
  assert_false(backlog_has_room(backlog));
  assert_in_range(fill(backlog, &second, 10), A_SEGMENT - 10, A_SEGMENT + 10);
  assert_is(backlog, &first, 3 * A_SEGMENT / 2, 3 * A_SEGMENT / 2, UNLIKE);
  assert_true(backlog_has_room(backlog));
  backlog_free_below(backlog, &first, 3 * A_SEGMENT / 2);
  assert_in_range(fill(backlog, &second, 2 * A_SEGMENT), A_SEGMENT, A_SEGMENT + 20);
  assert_false(backlog_has_room(backlog));
  assert_is(backlog, &first, most - 1, most - 1, UNLIKE);
  backlog_destroy(backlog);
}

static void memory_goes_back_when_nothing_waits(void **state) {
  struct backlog *backlog = backlog_create(BYTES);
  struct backlog_chain chain = {0};
  (void)state;
  put(backlog, &chain, 0, 10, 0, ALIKE);
  backlog_shrink(backlog);
  assert_is(backlog, &chain, 9, 9, ALIKE);
  backlog_free_below(backlog, &chain, 10);
  backlog_shrink(backlog);
  assert_int_equal(put(backlog, &chain, 10, 4000, 10, UNLIKE), 4000);
  assert_is(backlog, &chain, 12, 12, UNLIKE);
  backlog_destroy(backlog);
}

static void a_missing_backlog_has_no_room(void **state) {
  struct backlog *backlog = backlog_create(0);
  struct backlog_chain chain = {0};
  (void)state;
  assert_null(backlog);
  assert_int_equal(put(backlog, &chain, 0, 10, 0, ALIKE), 0);
  assert_false(backlog_has_room(backlog));
  assert_int_equal(backlog_waiting(backlog) + backlog_most(backlog) + backlog_total(backlog), 0);
  backlog_shrink(backlog);
  backlog_destroy(backlog);
}

static void the_machines_free_memory_is_known(void **state) {
  (void)state;
  uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  assert_in_range(free_memory(), 1 << 20, all);
}

/* A log of its own, and what waits in it. */
struct logging {
  char folder[64], path[96];
  _Atomic uint32_t is_complete;
  struct record_log *log;
  struct log_blocks blocks;
  struct backlog *backlog;
  struct backlog_chain chain;
};

static void open_logging(struct logging *logging) {
  *logging = (struct logging){.folder = "/tmp/stave-test-backlog-XXXXXX"};
  assert_non_null(mkdtemp(logging->folder));
  snprintf(logging->path, sizeof logging->path, "%s/traces.records", logging->folder);
  logging->log = record_log_open(logging->folder, 0, &logging->is_complete);
  assert_non_null(logging->log);
  logging->backlog = backlog_create(BYTES);
}

static void close_logging(struct logging *logging) {
  backlog_destroy(logging->backlog);
  record_log_close(logging->log);
  free(logging->blocks.all);
  assert_int_equal(rmdir(logging->folder), 0);
}

/* Of n records that are logged the last `left` are left there. */
static void leave(struct logging *logging, uint64_t position, uint64_t n, uint64_t left, enum kind kind) {
  for (uint64_t i = 0; i < n; i++)
    batch[i] = record_of(position + i, kind);
  record_log_put(logging->log, 0, position, batch, n, &logging->blocks);
  record_log_flush(logging->log);
  assert_true(backlog_leave_in_log(logging->backlog, &logging->chain, position + n - left, position + n,
                                   logging->log, &logging->blocks));
}

/* In blocks of any size, of which the first was read in part elsewhere; no memory is needed. */
static void records_left_in_a_log_come_out_in_order(void **state) {
  static const uint64_t starts[] = {0, 5, UINT64_MAX - 20000};
  (void)state;
  for (size_t i = 0; i < 2 * COUNT(starts); i++) {
    struct logging logging;
    enum kind kind = i % 2 ? ALIKE : UNLIKE;
    uint64_t random = 7, end = starts[i / 2] + 3000, next = end - 700;
    open_logging(&logging);
    leave(&logging, starts[i / 2], 3000, 700, kind);
    for (int round = 0; round < 200; round++) {
      for (uint64_t n = next_random(&random) % (2 * BATCH_MOST); n > 0 && next != end; n--) {
        uint64_t further = next + next_random(&random) % 5000;
        if (backlog_has(&logging.chain, further))
          assert_is(logging.backlog, &logging.chain, further, further, kind);
        assert_is(logging.backlog, &logging.chain, next, next, kind);
        backlog_free_below(logging.backlog, &logging.chain, ++next);
        log_blocks_drop_below(&logging.blocks, next);
      }
      uint64_t n = 1 + next_random(&random) % (BATCH_MOST - 1);
      leave(&logging, end, n, next == end ? 1 + n / 2 : n, kind);
      next = next == end ? end + n - (1 + n / 2) : next;
      end += n;
      assert_int_equal(backlog_waiting(logging.backlog), end - next);
    }
    backlog_free_below(logging.backlog, &logging.chain, end);
    assert_int_equal(backlog_waiting(logging.backlog), 0);
    close_logging(&logging);
  }
}

/* When the log has ended: its records are read, then those after it. */
static void a_chain_goes_on_in_memory(void **state) {
  struct logging logging;
  (void)state;
  open_logging(&logging);
  for (int round = 0; round < 2; round++) {
    uint64_t begin = (uint64_t)round * 20000;
    leave(&logging, begin, 5000, 4000, ALIKE);
    leave(&logging, begin + 5000, 5000, 5000, ALIKE);
    assert_int_equal(put(logging.backlog, &logging.chain, begin + 10000, 5000, begin + 10000, ALIKE), 5000);
    assert_false(backlog_leave_in_log(logging.backlog, &logging.chain, begin + 15000, begin + 16000,
                                      logging.log, &logging.blocks));
    assert_is(logging.backlog, &logging.chain, begin + 9000, begin + 9000, ALIKE);
    assert_is(logging.backlog, &logging.chain, begin + 12000, begin + 12000, ALIKE);
    for (uint64_t position = begin + 1000; position != begin + 15000;) {
      assert_is(logging.backlog, &logging.chain, position, position, ALIKE);
      backlog_free_below(logging.backlog, &logging.chain, ++position);
    }
    assert_int_equal(backlog_waiting(logging.backlog), 0);
  }
  close_logging(&logging);
}

/* Others can write to the file: as many records come out as went in. */
static void a_log_that_was_cut_has_records_of_no_kind(void **state) {
  struct logging logging;
  (void)state;
  open_logging(&logging);
  leave(&logging, 0, 5000, 5000, ALIKE);
  assert_int_equal(truncate(logging.path, 100), 0);
  for (uint64_t position = 0; position != 5000;) {
    assert_int_equal(backlog_at(logging.backlog, &logging.chain, position)->type, 0);
    backlog_free_below(logging.backlog, &logging.chain, ++position);
  }
  assert_int_equal(backlog_waiting(logging.backlog), 0);
  close_logging(&logging);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_come_out_in_the_order_of_their_storage),
      cmocka_unit_test(unread_records_can_be_freed),
      cmocka_unit_test(the_backlog_is_bounded),
      cmocka_unit_test(memory_goes_back_when_nothing_waits),
      cmocka_unit_test(a_missing_backlog_has_no_room),
      cmocka_unit_test(records_left_in_a_log_come_out_in_order),
      cmocka_unit_test(a_chain_goes_on_in_memory),
      cmocka_unit_test(a_log_that_was_cut_has_records_of_no_kind),
      cmocka_unit_test(the_machines_free_memory_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
