/* The record table: every row's struct, name and text. */
#include <inttypes.h>
#include <string.h>

#include "unit.h"

#include "session/records.h"

enum { A = 0x12345, B = 0x6789a, C = 0xbcde, TICKS = 1234567, LINE_BYTES = 256 };

/* What one field should look like, from the documentation of the field types. */
static void append_field(char *line, const char *type, const char *name, uint64_t value) {
  size_t length = strlen(line);
  char *end = line + length;
  size_t room = LINE_BYTES - length;
  if (strcmp(type, "id") == 0)
    snprintf(end, room, " %s=%" PRIu64 ":%" PRIu64, name, value / (UINT64_C(1) << 40),
             value % (UINT64_C(1) << 40));
  else if (strcmp(type, "address") == 0)
    snprintf(end, room, " %s=%#" PRIx64, name, value);
  else if (strcmp(type, "none") != 0)
    snprintf(end, room, " %s=%" PRIu64, name, value);
}

static const uint64_t large = UINT64_C(7) << 40;

/* The row's struct is another view of struct record, and its text has the row's names. */
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
    char expected[LINE_BYTES] = #id " ticks=1234567", line[LINE_BYTES];                                      \
    append_field(expected, #a_type, #a_name, large + A);                                                     \
    append_field(expected, #b_type, #b_name, large + B);                                                     \
    append_field(expected, #c_type, #c_name, C);                                                             \
    strcat(expected, " endpoint=2 flags=0x5a");                                                              \
    assert_int_equal(record_print(&record, line, sizeof line), strlen(expected));                            \
    assert_string_equal(line, expected);                                                                     \
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

static void unknown_types_are_told(void **state) {
  char line[LINE_BYTES];
  const struct record record = {.type = 255, .ticks = 1, .a = 2, .b = 3, .c = 4};
  (void)state;
  assert_string_equal(record_name(RECORD_TYPE_NONE), "unknown");
  assert_string_equal(record_name(RECORD_TYPE_COUNT), "unknown");
  assert_string_equal(record_name(UINT32_MAX), "unknown");
  assert_int_equal(record_class(RECORD_TYPE_NONE), RECORD_CLASS_none);
  assert_int_equal(record_class(RECORD_TYPE_COUNT), RECORD_CLASS_none);
  record_print(&record, line, sizeof line);
  assert_string_equal(line, "unknown ticks=1 a=2 b=3 c=4 endpoint=0 flags=0x0");
}

static void text_is_cut_where_the_buffer_ends(void **state) {
  const struct record record = {.type = RECORD_work, .ticks = 12, .a = 4, .b = 0x40, .c = 1};
  char whole[LINE_BYTES], line[LINE_BYTES];
  (void)state;
  int length = record_print(&record, whole, sizeof whole);
  for (size_t size = 1; size <= (size_t)length + 1; size++) {
    memset(line, '#', sizeof line);
    assert_int_equal(record_print(&record, line, size), length);
    assert_int_equal(strlen(line), size - 1);
    assert_memory_equal(line, whole, size - 1);
    assert_int_equal(line[size], '#');
  }
  assert_int_equal(record_print(&record, NULL, 0), length);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define RECORD(id, ...) cmocka_unit_test(row_##id),
#include "session/records.def"
#undef RECORD
      cmocka_unit_test(names_differ),
      cmocka_unit_test(types_fit_into_a_byte),
      cmocka_unit_test(unknown_types_are_told),
      cmocka_unit_test(text_is_cut_where_the_buffer_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
