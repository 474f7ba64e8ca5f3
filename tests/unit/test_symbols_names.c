/* The rules by which names and paths are made readable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "writer/symbols/symbols_names.h"

static void names_lose_what_compilers_add(void **state) {
  (void)state;
  assert_int_equal(name_user_length("main"), 4);
  assert_int_equal(name_user_length("main._omp_fn.12"), 4);
  assert_int_equal(name_user_length("main.omp_outlined"), 4);
  assert_int_equal(name_user_length("main.omp_outlined_debug__.1"), 4);
  assert_int_equal(name_user_length("work.isra.0._omp_fn.0"), 4);
  assert_int_equal(name_user_length("_Z4workIdEvT_.constprop.0"), 13);
  assert_int_equal(name_user_length("scale<1.5>"), 10);
  assert_int_equal(name_user_length("_GLOBAL__sub_I_a.cc"), 19);
  assert_int_equal(name_user_length("scale<1.5>._omp_fn.0"), 10);
  assert_int_equal(name_user_length(".omp_outlined."), 0);
  assert_int_equal(name_user_length(".omp_outlined..12"), 0);
  assert_int_equal(name_user_length(".omp_outlined._debug__.2"), 0);
  assert_int_equal(name_user_length(".omp_task_entry."), 0);
  assert_int_equal(name_user_length(".omp.reduction.reduction_func"), 0);
}

static void fortran_modules_are_named(void **state) {
  (void)state;
  char *fortran = name_from_fortran("__solver_MOD_step");
  assert_string_equal(fortran, "solver::step");
  free(fortran);
  assert_null(name_from_fortran("step_"));
  assert_null(name_from_fortran("___MOD_"));
}

static void paths_are_cleaned(void **state) {
  static const char *const pairs[][2] = {{"/a/./b", "/a/b"},
                                         {"/a/x/../b", "/a/b"},
                                         {"//a//b/", "/a/b"},
                                         {"/../a", "/a"},
                                         {"/a/..", "/"},
                                         {"a/../b", "b"},
                                         {"../../a", "../../a"},
                                         {"a/../../b", "../b"},
                                         {"./a/./..b/c", "a/..b/c"},
                                         {"/", "/"},
                                         {"", ""},
                                         {"x.c", "x.c"}};
  (void)state;
  for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    char path[32];
    snprintf(path, sizeof(path), "%s", pairs[i][0]);
    name_clean_path(path);
    assert_string_equal(path, pairs[i][1]);
  }
}

static void outlined_names_are_known(void **state) {
  (void)state;
  assert_true(name_is_outlined("main._omp_fn.0"));
  assert_true(name_is_outlined(".omp_outlined._debug__.2"));
  assert_true(name_is_outlined("main.omp_outlined_debug__"));
  assert_false(name_is_outlined("main"));
  assert_false(name_is_outlined("work.isra.0"));
}

static void headers_without_constructs_are_known(void **state) {
  (void)state;
  assert_true(name_is_library_header("/usr/include/c++/12/bits/stl_vector.h"));
  assert_true(name_is_library_header("/opt/gcc/include/c++/14.1.0/vector"));
  assert_true(name_is_library_header("/usr/lib/llvm-14/include/c++/v1/__vector_base"));
  assert_true(name_is_library_header("/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h"));
  assert_true(name_is_library_header("/usr/include/x86_64-linux-gnu/bits/string_fortified.h"));
  assert_false(name_is_library_header("/usr/include/c++/12/parallel/par_loop.h"));
  assert_false(name_is_library_header("/usr/include/eigen3/Eigen/src/Core/products/Parallelizer.h"));
  assert_false(name_is_library_header("/home/me/c++/solver.cc"));
  assert_false(name_is_library_header("par.hpp"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_lose_what_compilers_add),
      cmocka_unit_test(fortran_modules_are_named),
      cmocka_unit_test(outlined_names_are_known),
      cmocka_unit_test(paths_are_cleaned),
      cmocka_unit_test(headers_without_constructs_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
