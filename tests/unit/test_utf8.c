#include "base/utf8.h"

#include <string.h>

#include "unit.h"

static void all_of_utf8_is_valid(void **state) {
  static const char *const valid[] = {"",
                                      "plain",
                                      "\xc2\x80",
                                      "\xdf\xbf",
                                      "\xe0\xa0\x80",
                                      "\xed\x9f\xbf",
                                      "\xee\x80\x80",
                                      "\xef\xbf\xbf",
                                      "\xf0\x90\x80\x80",
                                      "\xf4\x8f\xbf\xbf",
                                      "\xc3\xb6"};
  (void)state;
  for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
    assert_true(utf8_is_valid(valid[i]));
}

static void expect(const char *bytes, const char *expected) {
  char text[64];
  strcpy(text, bytes);
  assert_false(utf8_is_valid(text));
  utf8_make_valid(text);
  assert_string_equal(text, expected);
  assert_true(utf8_is_valid(text));
}

static void invalid_bytes_become_question_marks(void **state) {
  (void)state;
  expect("\xff", "?");
  expect("a\x80z", "a?z");  /* continues nothing */
  expect("\xc0\xaf", "??"); /* longer than needed */
  expect("\xe0\x9f\xbf", "???");
  expect("\xed\xa0\x80", "???"); /* a surrogate */
  expect("\xf0\x8f\xbf\xbf", "????");
  expect("\xf4\x90\x80\x80", "????"); /* beyond the last character */
  expect("cut \xe2\x82", "cut ??");   /* in the middle of a character */
  expect("\xc3(\xc3\xa4", "?(\xc3\xa4");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_utf8_is_valid),
                                     cmocka_unit_test(invalid_bytes_become_question_marks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
