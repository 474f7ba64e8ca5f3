/* Records that are kept (writer/flight/flight_buffer.c): their order, and what falls out when. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "session/records.h"
#include "writer/flight/flight_buffer.h"

enum { MANY = 200000, ENTRY_BYTES = 8 + RECORD_BYTES };

/* What a sink has got: records are numbered in `a`. */
struct got {
  uint64_t next, count, typed;
  bool is_wrong;
};

static uint64_t id_of(uint64_t number) {
  return id_base((uint32_t)(number % 3)) + number;
}

static struct record record_of(uint64_t number) {
  return (struct record){.ticks = 10 * number,
                         .a = number,
                         .type = number % 4 ? RECORD_work : RECORD_TYPE_NONE,
                         .more = (uint8_t)(number % 5 == 0 ? number % 7 : 0)};
}

static void receive(void *data, uint32_t slot, uint64_t id, const struct record *record,
                    const uint64_t *words) {
  struct got *got = data;
  got->is_wrong |= record->a != got->next || id != id_of(got->next) || slot != got->next % 3;
  for (unsigned i = 0; i < 4u * record->more; i++)
    got->is_wrong |= words[i] != record->a + i;
  got->next = record->a + 1;
  got->count++;
  got->typed += record->type != RECORD_TYPE_NONE;
}

static void put(struct flight_buffer *kept, uint64_t number) {
  uint64_t words[4 * RECORD_SLOTS_MAX];
  struct record record = record_of(number);
  for (unsigned i = 0; i < 4u * record.more; i++)
    words[i] = number + i;
  flight_buffer_put(kept, id_of(number), &record, words);
}

static uint64_t bytes_between(uint64_t first, uint64_t end) {
  uint64_t bytes = 0;
  for (uint64_t i = first; i < end; i++)
    bytes += ENTRY_BYTES + (uint64_t)record_of(i).more * RECORD_BYTES;
  return bytes;
}

/* What fell out and what is kept are one sequence, and no record that had room has fallen out. */
static void the_oldest_records_are_dropped_where_room_ends(void **state) {
  (void)state;
  enum { BYTES = 1 << 20 };
  struct got dropped = {0}, kept_ones = {0};
  struct flight_buffer *kept = flight_buffer_create(BYTES, receive, &dropped);
  assert_int_equal(flight_buffer_since(kept), UINT64_MAX);
  for (uint64_t i = 0; i < MANY; i++)
    put(kept, i);
  kept_ones.next = dropped.next;
  flight_buffer_replay(kept, receive, &kept_ones);
  assert_false(dropped.is_wrong || kept_ones.is_wrong);
  assert_int_equal(dropped.typed, flight_buffer_dropped(kept));
  assert_int_equal(dropped.count + kept_ones.count, MANY);
  assert_int_equal(flight_buffer_since(kept), 10 * dropped.next);
  assert_true(bytes_between(dropped.next, MANY) <= BYTES);
  assert_true(bytes_between(dropped.next - 1, MANY) > BYTES);
  flight_buffer_destroy(kept);
}

/* So many ticks before the last record are there, and nothing that is older. */
static void records_that_are_too_old_are_dropped(void **state) {
  (void)state;
  enum { AGE = 12345 };
  struct got dropped = {0}, kept_ones = {0};
  struct flight_buffer *kept = flight_buffer_create(UINT64_C(1) << 30, receive, &dropped);
  for (uint64_t i = 0; i < 1000; i++)
    put(kept, i);
  assert_int_equal(flight_buffer_dropped(kept), 0);
  flight_buffer_set_age(kept, AGE);
  for (uint64_t i = 1000; i < MANY; i++)
    put(kept, i);
  uint64_t last = 10 * (MANY - 1);
  assert_true(flight_buffer_since(kept) >= last - AGE);
  assert_true(flight_buffer_since(kept) < last - AGE + 10);
  kept_ones.next = dropped.next;
  flight_buffer_replay(kept, receive, &kept_ones);
  assert_false(dropped.is_wrong || kept_ones.is_wrong);
  assert_int_equal(kept_ones.next, MANY);
  flight_buffer_destroy(kept);
}

/* It stays kept, for the next time. */
static void records_to_be_written_stay(void **state) {
  (void)state;
  struct got dropped = {0}, first = {0}, second = {0};
  struct flight_buffer *kept = flight_buffer_create(UINT64_C(1) << 30, receive, &dropped);
  for (uint64_t i = 0; i < MANY / 2; i++)
    put(kept, i);
  flight_buffer_replay(kept, receive, &first);
  for (uint64_t i = MANY / 2; i < MANY; i++)
    put(kept, i);
  flight_buffer_replay(kept, receive, &second);
  assert_false(first.is_wrong || second.is_wrong);
  assert_int_equal(first.count, MANY / 2);
  assert_int_equal(second.count, MANY);
  flight_buffer_destroy(kept);
  flight_buffer_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oldest_records_are_dropped_where_room_ends),
      cmocka_unit_test(records_that_are_too_old_are_dropped),
      cmocka_unit_test(records_to_be_written_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
