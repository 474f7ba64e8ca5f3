/* Records in a few bytes: whatever they are, they come back as they were. */
#include <string.h>

#include "unit.h"

#include "writer/pipeline/packed.h"

enum { RECORDS = 4000, ROOM = RECORDS * PACKED_BYTES_MAX };

static struct record records[RECORDS], back;
static uint8_t bytes[ROOM];

/* Packs all in one call, reads them one by one; returns the packed bytes. */
static size_t pack_and_read(void) {
  struct packed_state packer = {0}, unpacker = {0};
  size_t taken;
  assert_int_equal(packed_put(&packer, records, RECORDS, bytes, ROOM, &taken), RECORDS);
  const uint8_t *from = bytes;
  for (unsigned i = 0; i < RECORDS; i++) {
    from = packed_read(&unpacker, from, &back);
    assert_memory_equal(&back, &records[i], RECORD_BYTES);
  }
  assert_int_equal(from - bytes, taken);
  return taken;
}

/* A value of up to so many bits, all lengths and signs alike often. */
static uint64_t of_any_length(uint64_t *random) {
  uint64_t value = next_random(random) << 32 ^ next_random(random);
  unsigned bits = (unsigned)(next_random(random) % 65);
  value = bits == 0 ? 0 : value >> (64 - bits);
  return next_random(random) % 2 ? value : -value;
}

static void any_words_are_unpacked_as_packed(void **state) {
  uint64_t random = 11;
  (void)state;
  for (unsigned round = 0; round < 20; round++) {
    for (unsigned i = 0; i < RECORDS; i++) {
      struct record *record = &records[i];
      const struct record *before = &records[i ? i - 1 : 0];
      record->ticks = before->ticks + of_any_length(&random);
      record->a = of_any_length(&random);
      record->b = before->b + of_any_length(&random);
      uint64_t tail = of_any_length(&random);
      memcpy(&record->c, &tail, sizeof tail);
    }
    pack_and_read();
  }
}

/* Differences at the edges of what has room. */
static void each_edge_is_unpacked_as_packed(void **state) {
  (void)state;
  memset(records, 0, sizeof records);
  for (unsigned i = 1; i < RECORDS; i++) {
    uint64_t power = UINT64_C(1) << i % 64, edge = power + i / 64 % 3 - 1;
    records[i] = (struct record){.ticks = records[i - 1].ticks + edge,
                                 .a = records[i - 1].a + (i % 2 ? edge : -edge),
                                 .b = records[i - 1].b - edge,
                                 .type = 5};
  }
  pack_and_read();
}

/* A loop's records have four bytes each, or eight where ids count up. */
static void a_loops_records_are_packed_into_few_bytes(void **state) {
  enum { FIRST = RECORDS - 3, MOST_OF_FIRST = 3 * PACKED_BYTES_MAX };
  (void)state;
  for (unsigned i = 0; i < RECORDS; i++)
    records[i] = (struct record){.ticks = 1000000 + 300 * i,
                                 .a = 0x7ffe12340000,
                                 .b = 0x401230,
                                 .type = (uint8_t)(RECORD_mutex_acquire + i % 3),
                                 .c = 2};
  assert_int_equal(pack_and_read(), 4 * FIRST + MOST_OF_FIRST);
  for (unsigned i = 0; i < RECORDS; i++)
    records[i].a = ((uint64_t)3 << ID_POSITION_BITS) + i;
  assert_int_equal(pack_and_read(), 8 * FIRST + MOST_OF_FIRST);
}

/* Switches between tasks of two threads take 20 bytes, not all of the record. */
static void tasks_of_two_threads_are_packed_into_fewer_bytes(void **state) {
  (void)state;
  for (unsigned i = 0; i < RECORDS; i++)
    records[i] = (struct record){.ticks = 1000000 + 300 * i,
                                 .a = ((uint64_t)(1 + i % 2) << ID_POSITION_BITS) + i,
                                 .b = ((uint64_t)(2 - i % 2) << ID_POSITION_BITS) + 2 * i,
                                 .type = RECORD_task_schedule,
                                 .c = 1};
  assert_int_equal(pack_and_read(), 20 * (RECORDS - 1) + PACKED_BYTES_MAX);
}

/* Kinds of which one's records follow the other's have no entry in common. */
static void kinds_of_one_loop_are_packed_apart(void **state) {
  static const struct record kinds[] = {
      {.type = RECORD_sync_region, .endpoint = 1, .c = 1},
      {.type = RECORD_sync_region_wait, .endpoint = 1, .c = 1},
      {.type = RECORD_sync_region_wait, .endpoint = 2, .c = 1},
      {.type = RECORD_sync_region, .endpoint = 2, .c = 1},
      {.type = RECORD_task_create, .c = 4},
      {.type = RECORD_task_schedule, .c = 1},
      {.type = RECORD_task_schedule, .c = 7},
      {.type = RECORD_work, .endpoint = 1, .c = 1},
      {.type = RECORD_work, .endpoint = 2, .c = 1},
      {.type = RECORD_implicit_task_begin, .c = 2},
      {.type = RECORD_implicit_task_end, .c = 2},
      {.type = RECORD_parallel_begin},
      {.type = RECORD_parallel_end},
  };
  (void)state;
  for (unsigned i = 0; i < RECORDS; i++) {
    records[i] = kinds[i % COUNT(kinds)];
    records[i].ticks = 100 * i;
  }
  assert_int_equal(pack_and_read(), 4 * (RECORDS - COUNT(kinds)) + COUNT(kinds) * PACKED_BYTES_MAX);
}

/* Into pieces of any size, the state going on: nothing is written after the room, and no record is started
 * for which there might be none. */
static void nothing_is_packed_after_the_room(void **state) {
  uint64_t random = 5, at = 0;
  struct packed_state packer = {0}, unpacker = {0};
  (void)state;
  for (unsigned i = 0; i < RECORDS; i++)
    records[i] = (struct record){.ticks = of_any_length(&random), .a = of_any_length(&random), .type = 3};
  while (at < RECORDS) {
    size_t room = next_random(&random) % 400, taken;
    memset(bytes, 0x5a, room + 64);
    uint64_t done = packed_put(&packer, records + at, RECORDS - at, bytes, room, &taken);
    assert_true(taken <= room);
    assert_true(done > 0 || room < PACKED_BYTES_MAX);
    for (size_t i = room; i < room + 64; i++)
      assert_int_equal(bytes[i], 0x5a);
    const uint8_t *from = bytes;
    for (; done > 0; done--, at++) {
      from = packed_read(&unpacker, from, &back);
      assert_memory_equal(&back, &records[at], RECORD_BYTES);
    }
    assert_int_equal(from - bytes, taken);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_words_are_unpacked_as_packed),
      cmocka_unit_test(each_edge_is_unpacked_as_packed),
      cmocka_unit_test(a_loops_records_are_packed_into_few_bytes),
      cmocka_unit_test(tasks_of_two_threads_are_packed_into_fewer_bytes),
      cmocka_unit_test(kinds_of_one_loop_are_packed_apart),
      cmocka_unit_test(nothing_is_packed_after_the_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
