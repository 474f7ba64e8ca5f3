/* The names of modules, and that the names of regions distinguish two of them. */
#include "trace/label.h"
#include "trace/module_names.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

#include <otf2/otf2.h>

static void called(const char *path, unsigned folders, const char *expected) {
  char buffer[64];
  assert_string_equal(module_name(buffer, sizeof buffer, path, folders), expected);
}

static void names_are_those_of_files(void **state) {
  (void)state;
  called("/usr/bin/solver", 0, "solver");
  called("/usr/bin/solver", 1, "bin/solver");
  called("/usr/bin/solver", 9, "/usr/bin/solver");
  called("solver", 2, "solver");
  called("", 0, "");
}

static void packages_have_their_folders(void **state) {
  (void)state;
  called("/usr/lib/python3/dist-packages/numpy.libs/libopenblas64_p-r0-0cf96a72.so", 0,
         "numpy.libs/libopenblas64_p-r0-0cf96a72.so");
  called("/v/lib/python3.11/site-packages/sklearn/cluster/_dbscan.cpython-311-x86_64-linux-gnu.so", 0,
         "sklearn/cluster/_dbscan.so");
  called("/v/lib/python3.11/site-packages/a/_core.abi3.so", 0, "a/_core.so");
  called("/home/u/build/fast/_core.cpython-311-x86_64-linux-gnu.so", 0, "fast/_core.so");
  called("/v/site-packages/a/_core.abi3.so", 1, "site-packages/a/_core.so");
}

static void packages_are_known_by_their_folders(void **state) {
  (void)state;
  assert_true(module_is_packaged("/usr/lib/x86_64-linux-gnu/libopenblas.so.0"));
  assert_true(module_is_packaged("/lib64/libx.so"));
  assert_false(module_is_packaged("/usr/local/lib/libx.so"));
  assert_false(module_is_packaged("/home/u/usr/bin/app"));
  assert_false(module_is_packaged(""));
}

enum { REGIONS = 5 };

static const struct trace_region given[REGIONS] = {
    {.name = "!$omp parallel @0x12", .description = "exec_blas", .file = "/a/numpy.libs/libx.so"},
    {.name = "!$omp parallel @0x12", .description = "exec_blas", .file = "/a/scipy.libs/libx.so"},
    {.name = "!$omp for @0x34", .description = "app+0x34", .file = "/bin/app"},
    {.name = "!$omp for @a.c:7", .description = "main", .file = "/src/a.c", .begin_line = 7},
    {.name = "!$omp for @0x56", .description = "main", .file = ""}};

static void labelled(const struct trace *trace, uint32_t region, const char *expected) {
  char buffer[LABEL_BYTES];
  assert_string_equal(label_region(buffer, trace, region), expected);
}

static void regions_have_their_module_where_names_are_equal(void **state) {
  (void)state;
  struct trace_region regions[REGIONS];
  struct trace trace = {.regions = regions, .region_count = REGIONS};
  memcpy(regions, given, sizeof given);
  for (size_t i = 0; i < REGIONS; i++) {
    regions[i].canonical_name = regions[i].name;
    regions[i].module = "";
    regions[i].paradigm = OTF2_PARADIGM_OPENMP;
  }
  module_names_add(&trace);
  assert_string_equal(regions[0].name, "!$omp parallel @numpy.libs/libx.so+0x12");
  assert_string_equal(regions[0].module, "/a/numpy.libs/libx.so");
  assert_string_equal(regions[0].file, "");
  assert_string_equal(regions[2].name, "!$omp for @app+0x34");
  assert_string_equal(regions[3].file, "/src/a.c");
  assert_string_equal(regions[3].module, "");
  labelled(&trace, 0, "parallel @numpy.libs/libx.so+0x12 in exec_blas");
  labelled(&trace, 1, "parallel @scipy.libs/libx.so+0x12 in exec_blas");
  labelled(&trace, 2, "for @app+0x34");
  labelled(&trace, 3, "for @a.c:7");
  labelled(&trace, 4, "for @0x56 in main");
  assert_true(label_lacks_line(&regions[0]) && label_lacks_line(&regions[4]));
  assert_false(label_lacks_line(&regions[3]));
  module_names_free(&trace);
}

static void functions_have_modules(void **state) {
  (void)state;
  struct trace_region regions[] = {
      {.name = "f", .description = "libx.so", .file = "/x/a/libx.so", .module = ""},
      {.name = "f", .description = "libx.so", .file = "/x/b/libx.so", .module = ""},
      {.name = "f", .description = "libx.so, inlined into g", .file = "/src/f.c", .module = ""}};
  struct trace trace = {.regions = regions, .region_count = 3};
  for (size_t i = 0; i < 3; i++)
    regions[i].paradigm = OTF2_PARADIGM_SAMPLING;
  module_names_add(&trace);
  char buffer[LABEL_BYTES];
  assert_string_equal(label_function(buffer, &trace, 0), "f (a/libx.so)");
  assert_string_equal(label_function(buffer, &trace, 1), "f (b/libx.so)");
  assert_string_equal(regions[0].file, "");
  assert_string_equal(regions[2].file, "/src/f.c");
  module_names_free(&trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_those_of_files),
      cmocka_unit_test(packages_have_their_folders),
      cmocka_unit_test(packages_are_known_by_their_folders),
      cmocka_unit_test(regions_have_their_module_where_names_are_equal),
      cmocka_unit_test(functions_have_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
