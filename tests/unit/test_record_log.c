/* The log of all records: the sum over a block finds whatever came back otherwise than it was written; and
 * the room of a long log is reserved ahead. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "unit.h"

#include "writer/pipeline/packed.h"
#include "writer/pipeline/record_log.h"
#include "writer/recovery/record_log_file.h"

enum { WORDS = 37 }; /* four lanes, and some words that fill none */

static void make(struct record_log_head *head, uint64_t *words) {
  *head = (struct record_log_head){.position = 4711, .slot = 3, .records = 50, .bytes = WORDS * 8};
  for (uint64_t i = 0; i < WORDS; i++)
    words[i] = (i + 1) * UINT64_C(0x0123456789abcdef);
}

static void a_changed_bit_is_found(void **state) {
  (void)state;
  struct record_log_head head;
  uint64_t words[WORDS];
  make(&head, words);
  uint64_t sum = record_log_sum(&head, words);
  for (unsigned bit = 0; bit < WORDS * 64; bit++) {
    words[bit / 64] ^= UINT64_C(1) << bit % 64;
    assert_true(record_log_sum(&head, words) != sum);
    words[bit / 64] ^= UINT64_C(1) << bit % 64;
  }
  assert_true(record_log_sum(&head, words) == sum);
}

static void words_in_another_order_are_found(void **state) {
  (void)state;
  struct record_log_head head;
  uint64_t words[WORDS], changed[WORDS];
  make(&head, words);
  uint64_t sum = record_log_sum(&head, words);
  for (unsigned a = 0; a < WORDS; a++)
    for (unsigned b = a + 1; b < WORDS; b++) {
      memcpy(changed, words, sizeof words);
      changed[a] = words[b];
      changed[b] = words[a];
      assert_true(record_log_sum(&head, changed) != sum);
    }
}

/* Pages that were never written come back as zeros. */
static void zeros_instead_are_found(void **state) {
  (void)state;
  struct record_log_head head;
  uint64_t words[WORDS];
  make(&head, words);
  uint64_t sum = record_log_sum(&head, words);
  for (unsigned from = WORDS; from-- > 0;) {
    words[from] = 0;
    assert_true(record_log_sum(&head, words) != sum);
  }
}

static void another_head_is_found(void **state) {
  (void)state;
  struct record_log_head head, other;
  uint64_t words[WORDS];
  make(&head, words);
  uint64_t sum = record_log_sum(&head, words);
  for (size_t i = sizeof head.checksum; i < offsetof(struct record_log_head, bytes); i++) {
    other = head;
    ((unsigned char *)&other)[i] ^= 0x10;
    assert_true(record_log_sum(&other, words) != sum);
  }
  other = head;
  other.bytes -= 8;
  assert_true(record_log_sum(&other, words) != sum);
}

/* Puts records until the log has so many bytes; returns what its file has. */
static struct stat log_of(struct record_log *log, const char *folder, off_t bytes) {
  static struct record records[4096];
  static struct log_blocks blocks;
  struct stat status = {0};
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, STAVE_RECORDS_FILE);
  for (uint64_t position = 0; status.st_size < bytes; position += 4096) {
    for (unsigned i = 0; i < 4096; i++)
      records[i] = (struct record){.type = RECORD_sync_region, .ticks = position + i, .a = i * 70000u};
    record_log_put(log, 0, position, records, 4096, &blocks);
    record_log_flush(log);
    assert_int_equal(stat(path, &status), 0);
  }
  free(blocks.all);
  blocks = (struct log_blocks){0};
  return status;
}

static void a_long_log_has_room_ahead(void **state) {
  (void)state;
  char folder[] = "record-log-XXXXXX";
  _Atomic uint32_t is_complete = 0;
  struct statfs disk;
  assert_non_null(mkdtemp(folder));
  assert_int_equal(statfs(folder, &disk), 0);
  struct record_log *log = record_log_open(folder, 0, &is_complete);
  struct stat brief = {0}, lengthy = {0};
  if (log) {
    brief = log_of(log, folder, 64 << 10);
    lengthy = log_of(log, folder, 600 << 10);
  }
  bool is_complete_then = is_complete;
  record_log_close(log);
  assert_int_equal(rmdir(folder), 0);
  if (!log || disk.f_type != EXT4_SUPER_MAGIC)
    skip(); /* too little room on the disk, or another file system, where nothing is reserved */
  assert_true(is_complete_then);
  assert_true(brief.st_blocks * 512 < 512 << 10);
  assert_true(lengthy.st_blocks * 512 >= lengthy.st_size + (512 << 10));
}

/* Reading it ends, whatever an earlier call has left in errno. */
static void a_log_that_was_cut_is_not_read(void **state) {
  (void)state;
  char folder[] = "record-log-XXXXXX", path[64];
  static struct record records[4096];
  static uint8_t bytes[RECORD_LOG_BYTES_MAX];
  struct log_blocks blocks = {0};
  _Atomic uint32_t is_complete = 0;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/%s", folder, STAVE_RECORDS_FILE);
  struct record_log *log = record_log_open(folder, 0, &is_complete);
  for (unsigned i = 0; log && i < 4096; i++)
    records[i] = (struct record){.type = RECORD_sync_region, .ticks = i, .a = i * 70000u};
  record_log_put(log, 0, 0, records, log ? 4096 : 0, &blocks);
  record_log_flush(log);
  bool is_read = log && record_log_read(log, &blocks.all[0], bytes);
  bool is_cut = log && truncate(path, (off_t)blocks.all[0].offset + 1) == 0;
  errno = EINTR;
  bool is_read_then = log && record_log_read(log, &blocks.all[0], bytes);
  bool is_there = log;
  record_log_close(log);
  free(blocks.all);
  assert_int_equal(rmdir(folder), 0);
  if (!is_there)
    skip(); /* too little room on the disk */
  assert_true(is_read && is_cut && !is_read_then);
}

/* Its name is gone, and what waits in it is read: its room is given back later. */
static void a_log_that_has_ended_is_still_read(void **state) {
  (void)state;
  char folder[] = "record-log-XXXXXX";
  static struct record records[4096];
  static uint8_t bytes[RECORD_LOG_BYTES_MAX + PACKED_BYTES_MAX];
  struct log_blocks blocks = {0};
  _Atomic uint32_t is_complete = 0;
  assert_non_null(mkdtemp(folder));
  struct record_log *log = record_log_open(folder, 0, &is_complete);
  for (unsigned i = 0; log && i < 4096; i++)
    records[i] = (struct record){.type = RECORD_sync_region, .ticks = i, .a = i * 70000u};
  record_log_put(log, 0, 0, records, log ? 4096 : 0, &blocks);
  record_log_flush(log);
  record_log_end(log);
  bool is_removed = rmdir(folder) == 0, is_read = log && record_log_read(log, &blocks.all[0], bytes);
  bool is_there = log;
  record_log_close(log);
  free(blocks.all);
  if (!is_there)
    skip(); /* too little room on the disk */
  assert_true(is_removed && is_read);
  assert_int_equal(is_complete, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_changed_bit_is_found),
      cmocka_unit_test(words_in_another_order_are_found),
      cmocka_unit_test(zeros_instead_are_found),
      cmocka_unit_test(another_head_is_found),
      cmocka_unit_test(a_long_log_has_room_ahead),
      cmocka_unit_test(a_log_that_was_cut_is_not_read),
      cmocka_unit_test(a_log_that_has_ended_is_still_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
