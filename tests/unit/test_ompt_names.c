#include "ompt/names.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

/* Every row, with its text. */
static const struct {
  enum ompt_enumeration enumeration;
  uint32_t number;
  const char *text;
  int since;
} rows[] = {
#define VALUE(enumeration, id, number, text, name, since)                                                    \
  {OMPT_##enumeration, (uint32_t)(number), text, since},
#include "ompt/enumerations.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void every_value_has_its_name(void **state) {
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    assert_string_equal(ompt_name(rows[i].enumeration, rows[i].number), rows[i].text);
}

static void unknown_values_have_no_name(void **state) {
  (void)state;
  assert_null(ompt_name(OMPT_WORK, 0));
  assert_null(ompt_name(OMPT_WORK, 14));
  assert_null(ompt_name(OMPT_WORK, UINT32_MAX));
  assert_null(ompt_name(OMPT_TARGET_DATA, 21));
  assert_null(ompt_name(OMPT_TASK, 0x4 | 0x8));
  assert_null(ompt_name((enum ompt_enumeration)1000, 1));
}

/* What OpenMP 6.0 has brought, by the numbers of its section 33. */
static void openmp_6_is_complete(void **state) {
  static const struct {
    enum ompt_enumeration enumeration;
    uint32_t number;
    const char *text;
  } expected[] = {{OMPT_TARGET_DATA, 7, "transfer"},
                  {OMPT_TARGET_DATA, 8, "memset"},
                  {OMPT_TARGET_DATA, 9, "transfer_rect"},
                  {OMPT_TARGET_DATA, 23, "transfer_async"},
                  {OMPT_TARGET_DATA, 24, "memset_async"},
                  {OMPT_TARGET_DATA, 25, "transfer_rect_async"},
                  {OMPT_WORK, 9, "workdistribute"},
                  {OMPT_TASK, 0x02000000, "importing"},
                  {OMPT_TASK, 0x04000000, "exporting"},
                  {OMPT_MAP, 0x40, "always"},
                  {OMPT_MAP, 0x80, "present"},
                  {OMPT_MAP, 0x100, "close"},
                  {OMPT_MAP, 0x200, "shared"},
                  {OMPT_STATE, 3, "work_free_agent"},
                  {OMPT_STATE, 4, "work_induction"}};
  size_t count = 0;
  (void)state;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_string_equal(ompt_name(expected[i].enumeration, expected[i].number), expected[i].text);
  for (size_t i = 0; i < ROWS; i++)
    count += rows[i].since == 60;
  assert_int_equal(count, sizeof expected / sizeof *expected);
}

static void expect_flags(enum ompt_enumeration enumeration, uint32_t flags, const char *expected) {
  char text[128];
  ompt_flags(enumeration, flags, text, sizeof text);
  assert_string_equal(text, expected);
}

static void flags_are_named_one_by_one(void **state) {
  (void)state;
  expect_flags(OMPT_TASK, 0, "");
  expect_flags(OMPT_TASK, OMPT_TASK_merged | OMPT_TASK_untied, "untied, merged");
  expect_flags(OMPT_TASK, OMPT_TASK_untied | 0x300, "untied, flags 0x300");
  expect_flags(OMPT_MAP, 0x400, "flags 0x400");
}

static void text_that_is_too_long_is_cut(void **state) {
  char text[16];
  (void)state;
  memset(text, 'x', sizeof text);
  ompt_flags(OMPT_MAP, UINT32_MAX, text, 8);
  assert_string_equal(text, "to, fro");
  assert_int_equal(text[8], 'x');
  ompt_flags(OMPT_MAP, UINT32_MAX, text, 1);
  assert_string_equal(text, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_has_its_name), cmocka_unit_test(unknown_values_have_no_name),
      cmocka_unit_test(openmp_6_is_complete), cmocka_unit_test(flags_are_named_one_by_one),
      cmocka_unit_test(text_that_is_too_long_is_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
