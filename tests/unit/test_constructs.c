/* What regions are known as by their names, as Stave, Score-P and EZTrace write them, and by their roles. */
#include <stdio.h>
#include <string.h>

#include <otf2/otf2.h>

#include "unit.h"

#include "trace/constructs.h"

static const struct {
  const char *name, *eztrace;
  enum construct_kind kind;
  uint8_t role;
} rows[] = {
#define CONSTRUCT(id, kind, name, role, detail, class, activity, eztrace)                                    \
  [CONSTRUCT_##id] = {name, eztrace, CONSTRUCT_KIND_##kind, OTF2_REGION_ROLE_##role},
#include "ompt/constructs.def"
#undef CONSTRUCT
};

static enum construct named(const char *name, uint8_t role, uint8_t paradigm) {
  const struct trace_region region = {
      .name = name, .canonical_name = name, .role = role, .paradigm = paradigm};
  return construct_of_region(&region);
}

static enum construct openmp(const char *format, const char *name) {
  char text[128];
  snprintf(text, sizeof text, format, name);
  return named(text, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_OPENMP);
}

/* The two barrier waits have one name and differ in their roles only. */
static void every_name_is_known_again(void **state) {
  (void)state;
  for (enum construct i = 0; i < CONSTRUCT_COUNT; i++) {
    bool is_routine = rows[i].kind == CONSTRUCT_KIND_routine;
    if (!is_routine && rows[i].kind != CONSTRUCT_KIND_omp && rows[i].kind != CONSTRUCT_KIND_foreign)
      continue;
    if (*rows[i].name && i != CONSTRUCT_implicit_barrier_wait) {
      assert_int_equal(openmp(is_routine ? "%s @file.c:7" : "!$omp %s @file.c:7", rows[i].name), i);
      assert_int_equal(openmp(is_routine ? "%s" : "!$omp %s", rows[i].name), i);
    }
    assert_string_equal(construct_name(i), rows[i].name);
  }
  assert_int_equal(openmp("!$omp %s", "barrier wait"), CONSTRUCT_barrier_wait);
}

static void every_name_of_eztrace_is_known(void **state) {
  (void)state;
  for (enum construct i = 0; i < CONSTRUCT_COUNT; i++)
    if (*rows[i].eztrace)
      assert_int_equal(named(rows[i].eztrace, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER), i);
}

static void own_words_are_known_by_their_role(void **state) {
  (void)state;
  uint8_t role = OTF2_REGION_ROLE_ARTIFICIAL, paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM;
  assert_int_equal(named("OpenMP worker", role, paradigm), CONSTRUCT_worker);
  assert_int_equal(named("lost events", role, paradigm), CONSTRUCT_lost_events);
  assert_int_equal(named("a.out", role, paradigm), CONSTRUCT_program);
  assert_int_equal(openmp("%s", "OpenMP worker"), CONSTRUCT_other);
}

/* A name of one kind is none of another. */
static void the_program_s_own_names_are_no_constructs(void **state) {
  (void)state;
  static const char *const names[] = {
      "barrier",         "worker", "function",           "omp_ routine in a sample",
      "omp_set_lock_of", "NAME",   "!$omp omp_set_lock", "!$omp message",
      "!$omp barriers",  "!$omp ", "!$omp lost events",  ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_int_equal(openmp("%s", names[i]), CONSTRUCT_other);
  assert_int_equal(named("!$omp barrier", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER), CONSTRUCT_other);
}

/* Of what has a role of its own; others are found by their names alone. */
static void roles_are_enough_for_openmp(void **state) {
  (void)state;
  static const enum construct expected[] = {
      CONSTRUCT_parallel,         CONSTRUCT_loop,        CONSTRUCT_sections,    CONSTRUCT_section,
      CONSTRUCT_single,           CONSTRUCT_barrier,     CONSTRUCT_ordered,     CONSTRUCT_critical,
      CONSTRUCT_implicit_barrier, CONSTRUCT_flush,       CONSTRUCT_task,        CONSTRUCT_atomic,
      CONSTRUCT_taskwait,         CONSTRUCT_task_untied, CONSTRUCT_create_task, CONSTRUCT_reduction};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(named("of another tool", rows[expected[i]].role, OTF2_PARADIGM_OPENMP), expected[i]);
    assert_int_equal(named("of another tool", rows[expected[i]].role, OTF2_PARADIGM_PTHREAD),
                     CONSTRUCT_other);
  }
  assert_int_equal(named("kernel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA),
                   CONSTRUCT_device_operation);
}

static void classes_are_known(void **state) {
  (void)state;
  assert_int_equal(construct_class(CONSTRUCT_workdistribute), CONSTRUCT_CLASS_work);
  assert_int_equal(construct_class(CONSTRUCT_depend_sink), CONSTRUCT_CLASS_doacross);
  assert_int_equal(construct_class(CONSTRUCT_COUNT), CONSTRUCT_CLASS_none);
  assert_string_equal(construct_name(CONSTRUCT_COUNT), "");
  assert_string_equal(construct_name(CONSTRUCT_worker), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_known_again),
      cmocka_unit_test(every_name_of_eztrace_is_known),
      cmocka_unit_test(own_words_are_known_by_their_role),
      cmocka_unit_test(the_program_s_own_names_are_no_constructs),
      cmocka_unit_test(roles_are_enough_for_openmp),
      cmocka_unit_test(classes_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
