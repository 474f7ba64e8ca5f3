#include "scaling/factors.h"

#include <math.h>

#include "unit.h"

static const struct run_efficiency planted = {
    .presence = 1,
    .parallel = 0.5,
    .mpi = 1,
    .serial = 0.9,
    .device = 1,
    .mpi_load_balance = NAN,
    .mpi_serialisation = NAN,
    .mpi_transfer = NAN,
    .mpi_start_end = NAN,
};

/* Of what they lose, a half is imbalance, a quarter overhead. */
static const struct region_times regions = {.all = 100, .useful = 60, .imbalance = 20, .overhead = 10};

static void no_computation(double factors[FACTOR_COUNT]) {
  for (enum scaling_factor i = FACTOR_computation; i < FACTOR_COUNT; i++)
    factors[i] = NAN;
}

/* 0.4 are lost in teams. */
static void factors_of_a_run_multiply_to_its_efficiency(void **state) {
  (void)state;
  double factors[FACTOR_COUNT];
  factors_of_run(factors, &planted, &regions);
  no_computation(factors);
  assert_float_equal(factors[FACTOR_serial], 0.9, 1e-12);
  assert_float_equal(factors[FACTOR_balance], 0.5 / 0.7, 1e-12);
  assert_float_equal(factors[FACTOR_serialisation], 0.7 / 0.8, 1e-12);
  assert_float_equal(factors[FACTOR_runtime], 0.8 / 0.9, 1e-12);
  assert_true(isnan(factors[FACTOR_mpi]) && isnan(factors[FACTOR_device]));
  assert_float_equal(factors_product(factors), planted.parallel, 1e-12);
  factors_of_run(factors, &planted, &(struct region_times){0}); /* nobody knows where: overhead */
  no_computation(factors);
  assert_float_equal(factors_product(factors), planted.parallel, 1e-12);
  assert_float_equal(factors[FACTOR_runtime], 0.5 / 0.9, 1e-12);
}

/* A fifth of all in MPI, whose factors multiply to it, and a twentieth waiting for devices. */
static void parts_of_a_factor_are_no_factors(void **state) {
  (void)state;
  double factors[FACTOR_COUNT];
  struct run_efficiency efficiency = planted;
  efficiency.mpi = 0.8;
  efficiency.device = 0.95;
  efficiency.mpi_load_balance = 0.9;
  efficiency.mpi_serialisation = 0.95;
  efficiency.mpi_transfer = 0.8 / (0.9 * 0.95);
  efficiency.mpi_start_end = 1;
  factors_of_run(factors, &efficiency, &regions);
  no_computation(factors);
  assert_float_equal(factors[FACTOR_mpi], 0.8, 1e-12);
  assert_float_equal(factors[FACTOR_serial], 0.7 / 0.8, 1e-12);
  assert_float_equal(factors[FACTOR_device], 0.65 / 0.7, 1e-12);
  assert_float_equal(factors_product(factors), 0.5, 1e-12);
  efficiency.presence = 0.8;
  factors_of_run(factors, &efficiency, &regions);
  no_computation(factors);
  assert_float_equal(factors_product(factors), 0.4, 1e-12);
}

static void factors_of_a_region(void **state) {
  (void)state;
  double factors[FACTOR_COUNT];
  factors_of_region(factors,
                    &(struct region_times){.all = 100, .useful = 60, .imbalance = 20, .overhead = 12});
  no_computation(factors);
  assert_float_equal(factors[FACTOR_balance], 60 / 80.0, 1e-12);
  assert_float_equal(factors[FACTOR_serialisation], 80 / 88.0, 1e-12);
  assert_float_equal(factors[FACTOR_runtime], 88 / 100.0, 1e-12);
  assert_float_equal(factors_product(factors), 0.6, 1e-12);
  /* no more is lost than there is */
  factors_of_region(factors,
                    &(struct region_times){.all = 100, .useful = 60, .imbalance = 70, .overhead = 12});
  no_computation(factors);
  assert_float_equal(factors_product(factors), 0.6, 1e-12);
  factors_of_region(factors, &(struct region_times){0});
  no_computation(factors);
  assert_float_equal(factors_product(factors), 1, 1e-12);
}

/* Twice the useful time: 1.25 times the instructions, at 5/8 of the instructions a cycle. */
static void computation_is_the_product_of_its_parts(void **state) {
  (void)state;
  const struct computation one = {10, 1e9, 2e9, NAN}, four = {20, 1.25e9, 4e9, NAN},
                           uncounted = {20, NAN, NAN, NAN};
  double factors[FACTOR_COUNT];
  factors_of_computation(factors, &one, &four, 1);
  assert_float_equal(factors[FACTOR_computation], 0.5, 1e-12);
  assert_float_equal(factors[FACTOR_instructions], 0.8, 1e-12);
  assert_float_equal(factors[FACTOR_ipc], 0.625, 1e-12);
  assert_float_equal(factors[FACTOR_frequency], 1, 1e-12);
  factors_of_computation(factors, &one, &four, 4); /* weak: four times as much to do */
  assert_float_equal(factors[FACTOR_computation], 2, 1e-12);
  factors_of_computation(factors, &one, &uncounted, 1);
  assert_float_equal(factors[FACTOR_computation], 0.5, 1e-12);
  assert_true(isnan(factors[FACTOR_ipc]));
}

static void the_worst_is_named(void **state) {
  (void)state;
  const struct computation one = {10, 1e9, 2e9, NAN}, four = {20, 1.25e9, 4e9, NAN},
                           uncounted = {20, NAN, NAN, NAN};
  double before[FACTOR_COUNT], after[FACTOR_COUNT], loss;
  factors_of_run(before, &planted, &regions);
  factors_of_run(after, &planted, &regions);
  factors_of_computation(before, &one, &one, 1);
  factors_of_computation(after, &one, &one, 1);
  assert_int_equal(factors_worst(before, after, &loss), FACTOR_none);
  factors_of_computation(after, &one, &four, 1);
  assert_int_equal(factors_worst(before, after, &loss), FACTOR_ipc);
  assert_float_equal(loss, 0.375, 1e-12);
  factors_of_computation(after, &one, &uncounted, 1);
  assert_int_equal(factors_worst(before, after, &loss), FACTOR_computation);
  after[FACTOR_serial] = 0.2;
  assert_int_equal(factors_worst(before, after, &loss), FACTOR_serial);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_of_a_run_multiply_to_its_efficiency),
      cmocka_unit_test(parts_of_a_factor_are_no_factors),
      cmocka_unit_test(factors_of_a_region),
      cmocka_unit_test(computation_is_the_product_of_its_parts),
      cmocka_unit_test(the_worst_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
