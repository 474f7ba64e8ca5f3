/* Which constructs at which addresses are one region, and how regions are named at the end. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "places.h"

#include "base/otf2_newer.h"
#include "ompt/values.h"
#include "writer/definitions/regions.h"
#include "writer/symbols/modules.h"

enum { RUNTIME_BASE = 0x7000, RUNTIME_SIZE = 0x100 };

struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address, enum place_kind kind,
                                      const struct code_place *around) {
  (void)kind;
  (void)around;
  return symbols_request(symbols, address);
}

static void resolve(uint64_t address, const char *function, const char *file, unsigned line) {
  struct code_place *place = symbols_request(NULL, address);
  place->source = (struct code_frame){function, file, line};
  place->resolved = true;
}

static int setup(void **state) {
  places_forget();
  *state = regions_create(NULL, "/opt/bin/solver", RUNTIME_BASE, RUNTIME_SIZE);
  return 0;
}

static int teardown(void **state) {
  regions_destroy(*state);
  return 0;
}

/* A number that events refer to. */
static uint32_t used(struct regions *regions, enum construct construct, uint64_t address, uint32_t detail) {
  uint32_t number = regions_get(regions, construct, address, detail);
  regions_refer(regions, number);
  return number;
}

static const struct region *one(const struct regions *regions, uint32_t number) {
  size_t count;
  const struct region *all = regions_all(regions, &count);
  assert_in_range(number, 0, count - 1);
  return &all[number];
}

static void numbers_are_by_construct_address_and_detail(void **state) {
  struct regions *regions = *state;
  uint32_t barrier = regions_get(regions, CONSTRUCT_barrier, 0x10, 0);
  assert_int_equal(barrier, 0);
  assert_int_equal(regions_get(regions, CONSTRUCT_barrier, 0x20, 0), 1);
  assert_int_equal(regions_get(regions, CONSTRUCT_barrier, 0x10, 3), 2);
  assert_int_equal(regions_get(regions, CONSTRUCT_parallel, 0x10, 0), 3);
  assert_int_equal(regions_get(regions, CONSTRUCT_barrier, 0x10, 0), barrier);
  assert_true(regions_is(regions, 3, CONSTRUCT_parallel));
  assert_false(regions_is(regions, 3, CONSTRUCT_barrier));
  assert_false(regions_is(regions, 4, CONSTRUCT_barrier));
  assert_false(regions_is(regions, REGION_NONE, CONSTRUCT_barrier));
}

static void names_have_the_place(void **state) {
  struct regions *regions = *state;
  static const struct module module = {.path = (char *)"/lib/libx.so", .fd = -1, .bias = 0x1000};
  uint32_t known = used(regions, CONSTRUCT_parallel, 0x10, 0);
  uint32_t lock = used(regions, CONSTRUCT_set_lock, 0x20, 0);
  uint32_t unknown = used(regions, CONSTRUCT_parallel, 0x1234, 0);
  uint32_t nowhere = used(regions, CONSTRUCT_initial_task, 0, 0);
  resolve(0x10, "work", "/src/a.c", 7);
  resolve(0x20, NULL, "/src/b.c", 9);
  symbols_request(NULL, 0x1234)->module = &module;
  assert_int_equal(regions_finish(regions), 4);
  assert_string_equal(one(regions, known)->name, "!$omp parallel @a.c:7");
  assert_string_equal(one(regions, known)->canonical_name, "!$omp parallel @a.c:7");
  assert_string_equal(one(regions, known)->file, "/src/a.c");
  assert_int_equal(one(regions, known)->line, 7);
  assert_string_equal(one(regions, known)->description, "work");
  assert_int_equal(one(regions, known)->role, OTF2_REGION_ROLE_PARALLEL);
  assert_int_equal(one(regions, known)->paradigm, OTF2_PARADIGM_OPENMP);
  assert_string_equal(one(regions, lock)->name, "omp_set_lock @b.c:9");
  assert_string_equal(one(regions, lock)->description, "b.c");
  assert_string_equal(one(regions, unknown)->name, "!$omp parallel @0x234");
  assert_string_equal(one(regions, unknown)->description, "libx.so+0x234");
  assert_string_equal(one(regions, unknown)->file, "/lib/libx.so");
  assert_int_equal(one(regions, unknown)->line, 0);
  assert_string_equal(one(regions, nowhere)->name, "!$omp initial task");
  assert_string_equal(one(regions, nowhere)->description, "");
}

/* Two copies of a library: equal functions at equal offsets. */
static void modules_are_apart(void **state) {
  struct regions *regions = *state;
  static const struct module one_copy = {.path = (char *)"/a/libx.so", .bias = 0x1000},
                             another = {.path = (char *)"/b/libx.so", .bias = 0x2000};
  uint32_t first = used(regions, CONSTRUCT_parallel, 0x1234, 0);
  uint32_t second = used(regions, CONSTRUCT_parallel, 0x2234, 0);
  symbols_request(NULL, 0x1234)->module = &one_copy;
  symbols_request(NULL, 0x2234)->module = &another;
  resolve(0x1234, "exec_blas", NULL, 0);
  resolve(0x2234, "exec_blas", NULL, 0);
  assert_int_equal(regions_finish(regions), 2);
  assert_string_equal(one(regions, first)->name, one(regions, second)->name);
  assert_string_equal(one(regions, first)->description, "exec_blas");
  assert_string_equal(one(regions, first)->file, "/a/libx.so");
  assert_string_equal(one(regions, second)->file, "/b/libx.so");
}

static void functions_of_two_modules_are_two(void **state) {
  static const struct module one_copy = {.path = (char *)"/a/libx.so"},
                             another = {.path = (char *)"/b/libx.so"};
  resolve(0x10, "f", NULL, 0);
  resolve(0x20, "f", NULL, 0);
  places[0].module = &one_copy;
  places[1].module = &another;
  uint32_t f = regions_function(*state, &places[0], false);
  assert_int_not_equal(regions_function(*state, &places[1], false), f);
  assert_string_equal(one(*state, f)->file, "/a/libx.so");
  assert_string_equal(one(*state, f)->description, "libx.so");
}

static void details_are_in_the_description(void **state) {
  struct regions *regions = *state;
  uint32_t flags = used(regions, CONSTRUCT_create_task, 0x10, OMPT_TASK_explicit | OMPT_TASK_untied);
  uint32_t kind = used(regions, CONSTRUCT_unknown, 0, 77);
  resolve(0x10, "work", "/src/a.c", 7);
  regions_finish(regions);
  assert_string_equal(one(regions, flags)->description, "work, untied");
  assert_string_equal(one(regions, kind)->description, "kind 77");
}

/* An inlined function lies at many addresses. */
static void equals_are_one_region_at_the_end(void **state) {
  struct regions *regions = *state;
  uint32_t first = used(regions, CONSTRUCT_barrier, 0x10, 0);
  uint32_t other = used(regions, CONSTRUCT_barrier, 0x20, 0);
  uint32_t second = used(regions, CONSTRUCT_barrier, 0x30, 0);
  uint32_t other_role = used(regions, CONSTRUCT_implicit_barrier_wait, 0x10, 0);
  uint32_t same_name = used(regions, CONSTRUCT_barrier_wait, 0x10, 0);
  resolve(0x10, "work", "/src/a.c", 7);
  resolve(0x20, "work", "/src/a.c", 8);
  resolve(0x30, "work", "/src/a.c", 7);
  assert_int_equal(regions_finish(regions), 4);
  assert_int_equal(one(regions, first)->final_id, one(regions, second)->final_id);
  assert_int_not_equal(one(regions, first)->final_id, one(regions, other)->final_id);
  assert_string_equal(one(regions, other_role)->name, one(regions, same_name)->name);
  assert_int_not_equal(one(regions, other_role)->final_id, one(regions, same_name)->final_id);
}

static void only_what_is_referred_to_is_defined(void **state) {
  struct regions *regions = *state;
  uint32_t unused = regions_get(regions, CONSTRUCT_barrier, 0x10, 0);
  uint32_t parallel = used(regions, CONSTRUCT_parallel, 0x10, 0);
  regions_refer(regions, 1000); /* of a damaged journal */
  assert_int_equal(regions_finish(regions), 1);
  assert_int_equal(one(regions, unused)->final_id, REGION_NONE);
  assert_int_equal(one(regions, parallel)->final_id, 0);
}

static void addresses_of_the_runtime_have_no_place(void **state) {
  struct regions *regions = *state;
  assert_true(regions_is_nowhere(regions, 0));
  assert_true(regions_is_nowhere(regions, RUNTIME_BASE));
  assert_true(regions_is_in_runtime(regions, RUNTIME_BASE + RUNTIME_SIZE - 1));
  assert_false(regions_is_nowhere(regions, RUNTIME_BASE + RUNTIME_SIZE));
  regions_add_module(regions, 0x8000, 0x10, "/lib/x86_64-linux-gnu/libc.so.6");
  regions_add_module(regions, 0x9000, 0x10, "/lib/libcrypto.so.3");
  assert_true(regions_is_nowhere(regions, 0x8008));
  assert_false(regions_is_in_runtime(regions, 0x8008));
  assert_false(regions_is_nowhere(regions, 0x9008));
}

static void newer_words_are_used_on_request_alone(void **state) {
  struct regions *regions = *state;
  uint32_t cancel = used(regions, CONSTRUCT_cancel, 0, 0),
           kernel = used(regions, CONSTRUCT_target_kernel, 0, 0);
  regions_finish(regions);
  assert_int_equal(one(regions, cancel)->role, OTF2_REGION_ROLE_CODE);
  assert_int_equal(one(regions, kernel)->role, OTF2_REGION_ROLE_FUNCTION);
  assert_int_equal(one(regions, kernel)->paradigm, OTF2_PARADIGM_OPENMP);
}

static void newer_words_are_those_of_the_specification(void **state) {
  struct regions *regions = *state;
  uint32_t cancel = used(regions, CONSTRUCT_cancel, 0, 0),
           kernel = used(regions, CONSTRUCT_target_kernel, 0, 0);
  uint32_t submit = used(regions, CONSTRUCT_target_submit, 0, 0);
  regions_use_newer_words(regions);
  regions_finish(regions);
  assert_int_equal(one(regions, cancel)->role, NEWER_ROLE_CANCEL);
  assert_int_equal(one(regions, cancel)->paradigm, OTF2_PARADIGM_OPENMP);
  assert_int_equal(one(regions, kernel)->role, NEWER_ROLE_KERNEL);
  assert_int_equal(one(regions, kernel)->paradigm, NEWER_PARADIGM_OPENMP_TARGET);
  assert_int_equal(one(regions, submit)->paradigm, OTF2_PARADIGM_OPENMP);
}

static void own_words_have_no_place(void **state) {
  struct regions *regions = *state;
  uint32_t program = used(regions, CONSTRUCT_program, 0, 0), worker = used(regions, CONSTRUCT_worker, 0, 0);
  regions_finish(regions);
  assert_string_equal(one(regions, program)->name, "solver");
  assert_string_equal(one(regions, program)->canonical_name, "/opt/bin/solver");
  assert_string_equal(one(regions, worker)->name, "OpenMP worker");
  assert_int_equal(one(regions, worker)->role, OTF2_REGION_ROLE_ARTIFICIAL);
  assert_int_equal(one(regions, worker)->paradigm, OTF2_PARADIGM_MEASUREMENT_SYSTEM);
}

/* -- the program's own regions -- */

static uint32_t user_place(struct regions *regions, enum construct construct, const char *name,
                           const char *file, uint64_t address) {
  uint32_t number = regions_user(regions, construct, name, file, 5, address);
  regions_refer(regions, number);
  assert_int_equal(regions_user(regions, construct, name, file, 5, address), number);
  return number;
}

static const struct region *finished(struct regions *regions, uint32_t number) {
  regions_finish(regions);
  return one(regions, number);
}

static void the_program_s_words_are_names(void **state) {
  uint32_t number = user_place(*state, CONSTRUCT_user_region, "!$omp barrier", "/src/a.c", 0x10);
  const struct region *region = finished(*state, number);
  assert_string_equal(region->name, "!$omp barrier");
  assert_string_equal(region->file, "/src/a.c");
  assert_int_equal(region->line, 5);
  assert_int_equal(region->paradigm, OTF2_PARADIGM_USER);
}

static void a_relative_file_is_that_of_its_code(void **state) {
  resolve(0x10, "main", "/home/u/other/a.c", 5);
  resolve(0x20, "main", "/home/u/src/a.c", 5);
  uint32_t number = user_place(*state, CONSTRUCT_user_message, "", "./lib/../src//a.c", 0x20);
  const struct region *region = finished(*state, number);
  assert_string_equal(region->file, "/home/u/src/a.c");
  assert_string_equal(region->name, "message @a.c:5");
}

static void a_relative_file_may_be_that_which_is_inlined_into(void **state) {
  static const struct code_frame around[] = {{"helper", "/usr/include/helper.h", 3},
                                             {"main", "/u/src/a.c", 5}};
  resolve(0x20, "stave_call_", "/usr/include/stave/stave.h", 113);
  places[0].inlined = around;
  places[0].n_inlined = COUNT(around);
  uint32_t number = user_place(*state, CONSTRUCT_user_region, "r", "src/a.c", 0x20);
  assert_string_equal(finished(*state, number)->file, "/u/src/a.c");
}

static void a_file_above_is_one_too(void **state) {
  resolve(0x20, "main", "/home/u/inc/a.h", 5);
  uint32_t number = user_place(*state, CONSTRUCT_user_region, "r", "../../inc/a.h", 0x20);
  assert_string_equal(finished(*state, number)->file, "/home/u/inc/a.h");
}

static void an_unknown_file_stays_relative(void **state) {
  resolve(0x10, "main", "/home/u/b.c", 5);
  resolve(0x20, "main", "/home/u/xa.c", 5);
  resolve(0x30, "main", "src/a.c", 5);
  static const uint64_t addresses[] = {0x10, 0x20, 0x30, 0};
  static const char *const names[] = {"another file", "half a name", "no full path", "no address"};
  uint32_t numbers[COUNT(names)], nowhere = user_place(*state, CONSTRUCT_user_region, "no file", "", 0x10);
  for (size_t i = 0; i < COUNT(names); i++)
    numbers[i] = user_place(*state, CONSTRUCT_user_region, names[i], "a.c", addresses[i]);
  assert_int_equal(regions_finish(*state), 5);
  for (size_t i = 0; i < COUNT(names); i++)
    assert_string_equal(one(*state, numbers[i])->file, "a.c");
  assert_null(one(*state, nowhere)->file);
}

/* -- functions -- */

static void equal_functions_are_one(void **state) {
  resolve(0x10, "f(int)", "/src/a.c", 7);
  resolve(0x20, "f(int)", "/src/a.c", 9);
  resolve(0x30, "omp_get_wtime", NULL, 0);
  uint32_t f = regions_function(*state, &places[0], false);
  assert_int_equal(regions_function(*state, &places[1], false), f);
  assert_int_not_equal(regions_function(*state, &places[0], true), f);
  assert_true(regions_is(*state, regions_function(*state, &places[2], false), CONSTRUCT_runtime_routine));
  assert_string_equal(one(*state, f)->name, "f(int)");
  assert_string_equal(one(*state, f)->description, "unknown module");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(numbers_are_by_construct_address_and_detail),
      TEST(names_have_the_place),
      TEST(modules_are_apart),
      TEST(functions_of_two_modules_are_two),
      TEST(details_are_in_the_description),
      TEST(equals_are_one_region_at_the_end),
      TEST(only_what_is_referred_to_is_defined),
      TEST(addresses_of_the_runtime_have_no_place),
      TEST(newer_words_are_used_on_request_alone),
      TEST(newer_words_are_those_of_the_specification),
      TEST(own_words_have_no_place),
      TEST(the_program_s_words_are_names),
      TEST(a_relative_file_is_that_of_its_code),
      TEST(a_relative_file_may_be_that_which_is_inlined_into),
      TEST(a_file_above_is_one_too),
      TEST(an_unknown_file_stays_relative),
      TEST(equal_functions_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
