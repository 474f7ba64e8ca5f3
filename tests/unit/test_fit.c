#include "scaling/fit.h"

#include <math.h>

#include "unit.h"

enum { POINTS_MAX = 32 };

static double law(double one_s, double serial, double coherence, double threads) {
  return one_s * (1 + serial * (threads - 1) + coherence * threads * (threads - 1)) / threads;
}

/* Times of 1, 2, 4 ... threads, each `repeat` times, which lie off the law by -error, +error in turn. */
static size_t points_of(struct fit_point *ret, double serial, double coherence, size_t counts, size_t repeat,
                        double error) {
  size_t count = 0;
  for (size_t i = 0; i < counts; i++)
    for (size_t j = 0; j < repeat; j++, count++) {
      double threads = (double)(1u << i), sign = (i + j) % 2 ? 1 : -1;
      ret[count] = (struct fit_point){threads, law(10, serial, coherence, threads) * (1 + sign * error)};
    }
  return count;
}

static void exact_times_give_their_law_back(void **state) {
  (void)state;
  struct fit_point points[POINTS_MAX];
  struct fit fit;
  size_t count = points_of(points, 0.05, 0, 4, 1, 0);
  fit_law(&fit, FIT_AMDAHL, points, count);
  assert_int_equal(fit.state, FIT_DONE);
  assert_float_equal(fit.one_s, 10, 1e-9);
  assert_float_equal(fit.serial, 0.05, 1e-9);
  assert_float_equal(fit.serial_error, 0, 1e-9);
  assert_float_equal(fit_seconds(&fit, 100), law(10, 0.05, 0, 100), 1e-9);
  assert_float_equal(fit_interval(&fit, 100), 0, 1e-6);
  assert_true(isinf(fit_fastest(&fit)));
  count = points_of(points, 0.03, 0.001, 5, 1, 0);
  fit_law(&fit, FIT_UNIVERSAL, points, count);
  assert_int_equal(fit.state, FIT_DONE);
  assert_float_equal(fit.serial, 0.03, 1e-9);
  assert_float_equal(fit.coherence, 0.001, 1e-9);
  assert_float_equal(fit_fastest(&fit), sqrt((1 - 0.03) / 0.001), 1e-6);
}

/* 2 n: (1 - s) / 2n + s = 0.9 ((1 - s) / n + s), so n = 4 (1 - s) / s. */
static void enough_threads(void **state) {
  (void)state;
  struct fit_point points[POINTS_MAX];
  struct fit fit;
  fit_law(&fit, FIT_AMDAHL, points, points_of(points, 0.05, 0, 4, 1, 0));
  assert_float_equal(fit_enough(&fit), 4 * 0.95 / 0.05, 1);
  fit_law(&fit, FIT_AMDAHL, points, points_of(points, 0, 0, 4, 1, 0));
  assert_true(isinf(fit_enough(&fit)));
  assert_float_equal(fit.serial, 0, 1e-12);
}

static void too_few_numbers_of_threads(void **state) {
  (void)state;
  struct fit_point points[POINTS_MAX];
  struct fit fit;
  fit_law(&fit, FIT_AMDAHL, points, points_of(points, 0.05, 0, 2, 5, 0.01));
  assert_int_equal(fit.state, FIT_TOO_FEW);
  assert_int_equal(fit.counts, 2);
  fit_law(&fit, FIT_UNIVERSAL, points, points_of(points, 0.05, 0.01, 3, 5, 0.01));
  assert_int_equal(fit.state, FIT_TOO_FEW);
  fit_law(&fit, FIT_AMDAHL, points, 0);
  assert_int_equal(fit.state, FIT_TOO_FEW);
}

static void times_that_follow_no_law(void **state) {
  (void)state;
  const struct fit_point points[] = {{1, 10}, {2, 10}, {4, 2}, {8, 2.5}, {16, 0.2}};
  struct fit fit;
  fit_law(&fit, FIT_AMDAHL, points, 5);
  assert_int_equal(fit.state, FIT_MISFIT);
}

/* 1, 2 and 3 threads with noise show little of 6. */
static void noise_leaves_it_undetermined(void **state) {
  (void)state;
  const struct fit_point points[] = {{1, 10.2}, {2, 4.8}, {3, 3.6}, {4, 2.45}};
  struct fit fit;
  fit_law(&fit, FIT_UNIVERSAL, points, 4);
  assert_int_equal(fit.state, FIT_UNDETERMINED);
}

/* Of many made experiments with normal errors of known size: the standard error is the scatter of the values,
 * and 95 of 100 intervals hold a new run. */
static double uniform(uint64_t *seed) {
  return ((double)(next_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed) {
  return sqrt(-2 * log(uniform(seed))) * cos(2 * 3.14159265358979 * uniform(seed));
}

static void standard_errors_are_the_scatter(void **state) {
  (void)state;
  enum { EXPERIMENTS = 2000 };
  uint64_t seed = 37;
  double sum = 0, squares = 0, errors = 0, within = 0;
  for (int i = 0; i < EXPERIMENTS; i++) {
    struct fit_point points[POINTS_MAX];
    struct fit fit;
    size_t count = points_of(points, 0.1, 0.002, 5, 3, 0);
    for (size_t j = 0; j < count; j++)
      points[j].seconds *= 1 + 0.01 * normal(&seed);
    fit_law(&fit, FIT_UNIVERSAL, points, count);
    assert_int_equal(fit.state, FIT_DONE);
    sum += fit.serial;
    squares += fit.serial * fit.serial;
    errors += fit.serial_error;
    double another = law(10, 0.1, 0.002, 32) * (1 + 0.01 * normal(&seed));
    within += fabs(another - fit_seconds(&fit, 32)) <= fit_interval(&fit, 32);
  }
  double mean = sum / EXPERIMENTS, scatter = sqrt(squares / EXPERIMENTS - mean * mean);
  assert_float_equal(mean, 0.1, 0.002);
  assert_float_equal(errors / EXPERIMENTS, scatter, 0.1 * scatter);
  assert_float_equal(within / EXPERIMENTS, 0.95, 0.02);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_times_give_their_law_back), cmocka_unit_test(enough_threads),
      cmocka_unit_test(too_few_numbers_of_threads),      cmocka_unit_test(times_that_follow_no_law),
      cmocka_unit_test(noise_leaves_it_undetermined),    cmocka_unit_test(standard_errors_are_the_scatter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
