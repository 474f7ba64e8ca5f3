#include "trace/instances.h"
#include "trace/label.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void expect(const char *name, const char *description, const char *expected) {
  struct trace_region region = {
      .name = name, .canonical_name = name, .description = description, .file = "", .module_name = ""};
  const struct trace trace = {.regions = &region, .region_count = 1};
  char buffer[LABEL_BYTES];
  assert_string_equal(label_region(buffer, &trace, 0), expected);
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

/* GROMACS, IQ-TREE. */
static void test_long_functions(void **state) {
  (void)state;
  expect("!$omp parallel @0x1",
         "nonbonded_verlet_t::dispatchNonbondedKernel(gmx::InteractionLocality, interaction_const_t const&, "
         "gmx::StepWorkload const&, int, gmx::ArrayRef<gmx::BasicVector<float> const>, t_nrnb*) const",
         "parallel @0x1 in nonbonded_verlet_t::dispatchNonbondedKernel");
  expect("!$omp parallel @0x1",
         "void PhyloTree::computeLikelihoodBranchSIMD<Vec4d, (bool)1, 4, true, false>(PhyloNeighbor*, "
         "PhyloNode*)",
         "parallel @0x1 in PhyloTree::computeLikelihoodBranchSIMD<>");
  expect("!$omp parallel @0x1",
         "void PhyloTree::computePartialLikelihoodGenericSIMD<Vec4d, (bool)1, 4, true, false, long>(int)",
         "parallel @0x1 in PhyloTree::computePartialLikelihoodGenericSIMD<>");
}

static void test_long_names(void **state) {
  char function[1000], expected[LABEL_BYTES];
  (void)state;
  memset(function, 'x', sizeof function - 1);
  function[sizeof function - 1] = '\0';
  snprintf(expected, sizeof expected, "parallel @0x1 in %.29s..%.29s", function, function);
  expect("!$omp parallel @0x1", function, expected);
}

/* Two regions of one name: what identifies the first one. */
static void distinguishes(const char *function, const char *other, const char *expected) {
  struct trace_region regions[] = {
      {.name = "!$omp parallel @b.h:4", .description = function, .file = "/src/b.h"},
      {.name = "!$omp parallel @b.h:4", .description = other, .file = "/src/b.h"},
      {.name = "!$omp parallel @b.h:9", .description = "main", .file = "/src/b.h"}};
  struct trace trace = {.regions = regions, .region_count = 3};
  char buffer[LABEL_BYTES];
  instances_mark(&trace);
  assert_string_equal(label_region(buffer, &trace, 0), expected);
  assert_string_equal(label_region(buffer, &trace, 2), "parallel @b.h:9");
}

static void test_instances(void **state) {
  (void)state;
  distinguishes("void for_each<Scale>(int, Scale const&)", "void for_each<Roots>(int, Roots const&)",
                "parallel @b.h:4 in for_each<Scale>");
  distinguishes("main", "main", "parallel @b.h:4");
  distinguishes("main, nowait", "main, static", "parallel @b.h:4");
  distinguishes("first", "second", "parallel @b.h:4 in first");
  distinguishes("f(int)", "f(double)", "parallel @b.h:4 in f(int)");
  distinguishes("(anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<char>(char)",
                "parallel @b.h:4 in (anonymous namespace)::f<int>");
  distinguishes("Body::operator()(int) const", "Other::operator()(int) const",
                "parallel @b.h:4 in Body::operator()");
  distinguishes("void go<main::{lambda(int)#1}>(int)", "void go<main::{lambda(int)#2}>(int)",
                "parallel @b.h:4 in go<main::{lambda(int)#1}>");
  distinguishes("for_each<lambdas(int)::<lambda(int)> >, invoked by the program", "for_each<Scale>",
                "parallel @b.h:4 in for_each<lambdas(int)::<lambda(int)> >");
  distinguishes("", "main", "parallel @b.h:4");
}

/* The difference is in the middle of what is cut. */
static void test_long_instances(void **state) {
  static const char long_type[] = "outer::middle::inner::policy<outer::middle::OpenMP, outer::Schedule<1>>";
  char one[400], other[400];
  (void)state;
  snprintf(one, sizeof one, "void forall<%s, KernelA, %s>(int)", long_type, long_type);
  snprintf(other, sizeof other, "void forall<%s, KernelB, %s>(int)", long_type, long_type);
  distinguishes(one, other,
                "parallel @b.h:4 in forall<outer::middle..KernelA, outer::middle::inner::polic..");
  distinguishes(other, one,
                "parallel @b.h:4 in forall<outer::middle..KernelB, outer::middle::inner::polic..");
}

static void test_no_region(void **state) {
  const struct trace trace = {.region_count = 0};
  char buffer[LABEL_BYTES];
  (void)state;
  assert_string_equal(label_region(buffer, &trace, UINT32_MAX), "(unknown)");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),          cmocka_unit_test(test_addresses),
                                     cmocka_unit_test(test_long_functions), cmocka_unit_test(test_long_names),
                                     cmocka_unit_test(test_no_region),      cmocka_unit_test(test_instances),
                                     cmocka_unit_test(test_long_instances)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
