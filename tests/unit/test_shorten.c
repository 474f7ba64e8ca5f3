#include "base/shorten.h"

#include <string.h>

#include "unit.h"

static void expect(const char *text, size_t width, const char *expected) {
  char buffer[256];
  assert_string_equal(shorten_middle(buffer, sizeof buffer, text, width), expected);
  assert_true(shorten_width(buffer, SIZE_MAX) <= width);
}

static void test_what_fits_stays(void **state) {
  (void)state;
  expect("", 10, "");
  expect("parallel", 8, "parallel");
  expect("gr\xc3\xbcn", 5, "gr\xc3\xbcn");
}

static void test_the_place_stays(void **state) {
  (void)state;
  expect("implicit barrier @single5.c:15", 28, "implicit bar.. @single5.c:15");
}

static void test_the_place_stays_before_a_function(void **state) {
  (void)state;
  expect("parallel @gen.cc:7 in for_each_grain<Sieve>", 34, "parallel @gen.cc:7 in for..<Sieve>");
  expect("implicit barrier @gen.cc:7 in for_each_grain<Sieve>", 31, "implicit barrier @gen.cc:7 in..");
  expect("implicit barrier @gen.cc:7 in for_each_grain<Sieve>", 24, "implicit b.. @gen.cc:7..");
}

static void test_half_of_each_without_a_place(void **state) {
  (void)state;
  expect("double work(std::vector<double>&)", 12, "doubl..le>&)");
}

static void test_the_end_of_a_long_place(void **state) {
  (void)state;
  expect("for @a-file-with-a-very-long-name.c:1234", 16, "for..name.c:1234");
}

static void test_characters_are_not_cut(void **state) {
  (void)state;
  for (size_t width = 5; width < 20; width++) {
    char buffer[256];
    shorten_middle(buffer, sizeof buffer,
                   "\xc3\xa4\xc3\xb6\xc3\xbc\xe2\x82\xac @gr\xc3\xbc\xc3\x9f"
                   "e-\xe2\x82\xac.c:15",
                   width);
    for (const char *c = buffer; *c; c++)
      if ((*c & 0xc0) == 0x80)
        assert_true(c > buffer && (c[-1] & 0x80));
    assert_int_equal(shorten_width(buffer, SIZE_MAX), width < 18 ? width : 18);
  }
}

static void test_the_buffer_is_enough_for_nothing(void **state) {
  char buffer[8];
  (void)state;
  shorten_middle(buffer, sizeof buffer, "implicit barrier @single5.c:15", 20);
  assert_int_equal(strlen(buffer), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_fits_stays),
      cmocka_unit_test(test_the_place_stays),
      cmocka_unit_test(test_the_place_stays_before_a_function),
      cmocka_unit_test(test_half_of_each_without_a_place),
      cmocka_unit_test(test_the_end_of_a_long_place),
      cmocka_unit_test(test_characters_are_not_cut),
      cmocka_unit_test(test_the_buffer_is_enough_for_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
