#include "unit.h"

#include "trace/detail.h"

static bool has_word(const char *name, const char *description, const char *word) {
  struct trace_region region = {.name = name, .canonical_name = name, .description = description, .file = ""};
  return detail_has(&region, word);
}

static void test_words(void **state) {
  (void)state;
  const char *placed = "!$omp create task @a.c:1";
  assert_true(has_word(placed, "main, undeferred", "undeferred"));
  assert_true(has_word(placed, "main, undeferred, flags 0x40", "undeferred"));
  assert_true(has_word(placed, "main, undeferred, flags 0x40", "flags 0x40"));
  assert_true(has_word(placed, "f(int, char), untied, final", "untied"));
  assert_true(has_word("!$omp create task", "undeferred", "undeferred"));
  assert_true(has_word("!$omp create task", "undeferred, final", "undeferred"));
}

static void test_functions(void **state) {
  (void)state;
  static const char *const functions[] = {"",
                                          "undeferred",
                                          "undeferred()",
                                          "make_undeferred_work",
                                          "f(int, undeferred)",
                                          "f<undeferred, undeferred>",
                                          "undeferred::f(undeferred, undeferred) const",
                                          "operator,",
                                          "undeferred.c",
                                          "main, UNDEFERRED",
                                          "main, undeferred2",
                                          "main, undeferred, ",
                                          "main, undeferred()",
                                          ", ",
                                          ",",
                                          "main,undeferred"};
  for (size_t i = 0; i < COUNT(functions); i++) {
    assert_false(has_word("!$omp create task @a.c:1", functions[i], "undeferred"));
    assert_false(has_word("!$omp create task @a.c:1", functions[i], ""));
  }
}

static void test_schedules(void **state) {
  (void)state;
  static const char *const cases[][2] = {{"main, loop_static", "static"},
                                         {"main, loop_dynamic", "dynamic"},
                                         {"main, loop_guided", "guided"},
                                         {"main, loop_other", "other"},
                                         {"main, loop", ""},
                                         {"loop_static", ""},
                                         {"static_setup", ""},
                                         {"dynamic, loop_static", "static"},
                                         {"f(loop_dynamic), loop_guided", "guided"}};
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct trace_region region = {.name = "!$omp for @a.c:1", .description = cases[i][0]};
    assert_string_equal(detail_schedule(&region), cases[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_schedules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
