/* The record table: every row's struct and name. */
#include <string.h>

#include "unit.h"

#include "session/records.h"

enum { A = 0x12345, B = 0x6789a, C = 0xbcde, TICKS = 1234567 };

static const uint64_t large = UINT64_C(7) << 40;

/* The row's struct is another view of struct record, with the row's names. */
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  static void row_##id(void **state) {                                                                       \
    (void)state;                                                                                             \
    const struct record_##id row = {.ticks = TICKS,                                                          \
                                    .a_name = large + A,                                                     \
                                    .b_name = large + B,                                                     \
                                    .c_name = C,                                                             \
                                    .type = RECORD_##id,                                                     \
                                    .more = 3,                                                               \
                                    .endpoint = 2,                                                           \
                                    .flags = 0x5a};                                                          \
    struct record record;                                                                                    \
    assert_int_equal(sizeof row, 32);                                                                        \
    memcpy(&record, &row, sizeof record);                                                                    \
    assert_int_equal(record.ticks, TICKS);                                                                   \
    assert_int_equal(record.a, large + A);                                                                   \
    assert_int_equal(record.b, large + B);                                                                   \
    assert_int_equal(record.c, C);                                                                           \
    assert_int_equal(record.type, RECORD_##id);                                                              \
    assert_int_equal(record.more, 3);                                                                        \
    assert_int_equal(record.endpoint, 2);                                                                    \
    assert_int_equal(record.flags, 0x5a);                                                                    \
    assert_string_equal(record_name(RECORD_##id), #id);                                                      \
    assert_int_equal(record_class(RECORD_##id), RECORD_CLASS_##class);                                       \
    assert_true(strlen(doc) > 20);                                                                           \
  }
#include "session/records.def"
#undef RECORD

static void names_differ(void **state) {
  (void)state;
  for (unsigned i = RECORD_TYPE_NONE + 1; i < RECORD_TYPE_COUNT; i++)
    for (unsigned j = i + 1; j < RECORD_TYPE_COUNT; j++)
      assert_string_not_equal(record_name(i), record_name(j));
}

/* A record's type is a byte. */
static void types_fit_into_a_byte(void **state) {
  (void)state;
  assert_int_equal(RECORD_TYPE_NONE, 0);
  assert_in_range(RECORD_TYPE_COUNT, 2, 256);
}

static void unknown_types_are_reported(void **state) {
  (void)state;
  assert_string_equal(record_name(RECORD_TYPE_NONE), "unknown");
  assert_string_equal(record_name(RECORD_TYPE_COUNT), "unknown");
  assert_string_equal(record_name(UINT32_MAX), "unknown");
  assert_int_equal(record_class(RECORD_TYPE_NONE), RECORD_CLASS_none);
  assert_int_equal(record_class(RECORD_TYPE_COUNT), RECORD_CLASS_none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define RECORD(id, ...) cmocka_unit_test(row_##id),
#include "session/records.def"
#undef RECORD
      cmocka_unit_test(names_differ),
      cmocka_unit_test(types_fit_into_a_byte),
      cmocka_unit_test(unknown_types_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
