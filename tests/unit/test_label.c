#include "analysis/label.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void expect(const char *name, const char *description, const char *wanted) {
  struct trace_region region = {.name = name, .canonical_name = name, .description = description, .file = ""};
  const struct trace trace = {.regions = &region, .region_count = 1};
  char buffer[LABEL_BYTES];
  assert_string_equal(label_region(buffer, &trace, 0), wanted);
}

static void test_lines(void **state) {
  (void)state;
  expect("!$omp parallel @a.c:12", "main", "parallel @a.c:12");
  expect("!$omp barrier", "barrier_explicit", "barrier");
  expect("main", "", "main");
  expect("", "", "(without a name)");
}

static void test_addresses(void **state) {
  (void)state;
  expect("!$omp parallel @0x1282", "main", "parallel @0x1282 in main");
  expect("!$omp barrier wait @0x1282", "main, barrier_implicit", "barrier wait @0x1282 in main");
  expect("!$omp for @0x132c", "a.out+0x132c", "for @a.out+0x132c");
  expect("!$omp critical @0x13ca", "a.out+0x13ca, implementation queuing", "critical @a.out+0x13ca");
  expect("!$omp task @0x13ca", "f(int, char), untied, flags 0x40", "task @0x13ca in f(int, char)");
  expect("!$omp task @0x13ca", "", "task @0x13ca");
}

static void test_long_names(void **state) {
  char function[1000], wanted[LABEL_BYTES];
  (void)state;
  memset(function, 'x', sizeof function - 1);
  function[sizeof function - 1] = '\0';
  snprintf(wanted, sizeof wanted, "parallel @0x1 in %.29s..%.29s", function, function);
  expect("!$omp parallel @0x1", function, wanted);
}

static void test_no_region(void **state) {
  const struct trace trace = {.region_count = 0};
  char buffer[LABEL_BYTES];
  (void)state;
  assert_string_equal(label_region(buffer, &trace, UINT32_MAX), "(unknown)");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_addresses),
                                     cmocka_unit_test(test_long_names), cmocka_unit_test(test_no_region)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
