#include "scaling/fit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Of the time. */
#define MISFIT_SHARE 0.1
#define UNCERTAIN_SHARE 0.5
#define DOUBLING_GAIN 0.1
/* Of what a number is the difference of: what is less is the error of doubles. */
#define ROUNDING 1e-12
#define THREADS_MOST 1e6

const char *fit_law_name(enum fit_law law) {
  return law == FIT_AMDAHL ? "Amdahl" : "universal";
}

const char *fit_state_reason(enum fit_state state) {
  static const char *const reasons[] = {
      [FIT_DONE] = "",
      [FIT_TOO_FEW] = "it has as many parameters as there are numbers of threads",
      [FIT_UNDETERMINED] = "what it predicts for twice the threads is uncertain by more than half",
      [FIT_MISFIT] = "the times lie off it by more than a tenth",
  };
  return reasons[state];
}

static void basis(double threads, double ret[FIT_PARAMETERS_MAX]) {
  ret[0] = 1 / threads;
  ret[1] = (threads - 1) / threads;
  ret[2] = threads - 1;
}

/* -- least squares -- */

struct normal {
  double matrix[FIT_PARAMETERS_MAX][FIT_PARAMETERS_MAX], right[FIT_PARAMETERS_MAX];
};

/* Each row is divided by its time: what is made small is the relative error. Of parameters that are left out
 * the matrix has a diagonal of 1 and the solution 0. */
static void add_up(struct normal *ret, const struct fit_point *points, size_t count, const bool *is_used) {
  memset(ret, 0, sizeof *ret);
  for (size_t i = 0; i < count; i++) {
    double row[FIT_PARAMETERS_MAX];
    basis(points[i].threads, row);
    for (int j = 0; j < FIT_PARAMETERS_MAX; j++)
      row[j] = is_used[j] ? row[j] / points[i].seconds : 0;
    for (int j = 0; j < FIT_PARAMETERS_MAX; j++) {
      ret->right[j] += row[j];
      for (int k = 0; k < FIT_PARAMETERS_MAX; k++)
        ret->matrix[j][k] += row[j] * row[k];
    }
  }
  for (int j = 0; j < FIT_PARAMETERS_MAX; j++)
    ret->matrix[j][j] = is_used[j] ? ret->matrix[j][j] : 1;
}

/* By Gauss and Jordan; the matrix is symmetric and positive, so that no pivot has to be looked for. Returns
 * false where it is singular. */
static bool invert(double matrix[FIT_PARAMETERS_MAX][FIT_PARAMETERS_MAX],
                   double ret[FIT_PARAMETERS_MAX][FIT_PARAMETERS_MAX]) {
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++)
    for (int j = 0; j < FIT_PARAMETERS_MAX; j++)
      ret[i][j] = i == j;
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++) {
    double pivot = matrix[i][i];
    if (!(pivot > 0))
      return false;
    for (int j = 0; j < FIT_PARAMETERS_MAX; j++) {
      matrix[i][j] /= pivot;
      ret[i][j] /= pivot;
    }
    for (int k = 0; k < FIT_PARAMETERS_MAX; k++) {
      double factor = k == i ? 0 : matrix[k][i];
      for (int j = 0; j < FIT_PARAMETERS_MAX; j++) {
        matrix[k][j] -= factor * matrix[i][j];
        ret[k][j] -= factor * ret[i][j];
      }
    }
  }
  return true;
}

static double product(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The sum of the squares of the relative errors. */
static double squares(const struct fit *fit, const struct fit_point *points, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double error = fit_seconds(fit, points[i].threads) / points[i].seconds - 1;
    sum += error * error;
  }
  return sum;
}

/* The covariance is that of the relative errors, whose size the points themselves show. */
static bool solve(struct fit *fit, const struct fit_point *points, size_t count, const bool *is_used) {
  struct normal normal;
  double inverse[FIT_PARAMETERS_MAX][FIT_PARAMETERS_MAX];
  size_t used = 0;
  add_up(&normal, points, count, is_used);
  if (!invert(normal.matrix, inverse))
    return false;
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++) {
    used += is_used[i];
    fit->coefficients[i] = product(inverse[i], normal.right);
  }
  double variance = squares(fit, points, count) / (double)(count - used);
  fit->residual = sqrt(variance);
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++)
    for (int j = 0; j < FIT_PARAMETERS_MAX; j++)
      fit->covariance[i][j] = is_used[i] && is_used[j] ? variance * inverse[i][j] : 0;
  return true;
}

/* Neither share can be below 0: one that the points would have there is 0, and the others are fitted anew. */
static bool solve_within(struct fit *fit, const struct fit_point *points, size_t count) {
  bool is_used[FIT_PARAMETERS_MAX] = {true, true, fit->parameters > 2};
  bool is_solved = solve(fit, points, count, is_used);
  for (int i = FIT_PARAMETERS_MAX - 1; is_solved && i > 0; i--)
    if (is_used[i] && fit->coefficients[i] < ROUNDING * fit->coefficients[0]) {
      is_used[i] = false;
      is_solved = solve(fit, points, count, is_used);
    }
  return is_solved && fit->coefficients[0] > 0;
}

/* Of c[i] / c[0]. */
static double share_error(const struct fit *fit, int i) {
  double share = fit->coefficients[i] / fit->coefficients[0];
  double variance =
      fit->covariance[i][i] - 2 * share * fit->covariance[0][i] + share * share * fit->covariance[0][0];
  return variance > 0 ? sqrt(variance) / fit->coefficients[0] : 0;
}

static size_t count_different(const struct fit_point *points, size_t count) {
  size_t different = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_new = true;
    for (size_t j = 0; j < i && is_new; j++)
      is_new = points[j].threads < points[i].threads || points[j].threads > points[i].threads;
    different += is_new;
  }
  return different;
}

static enum fit_state judge(const struct fit *fit) {
  double far = 2 * fit->most_threads;
  if (fit->residual > MISFIT_SHARE)
    return FIT_MISFIT;
  return fit_interval(fit, far) > UNCERTAIN_SHARE * fit_seconds(fit, far) ? FIT_UNDETERMINED : FIT_DONE;
}

void fit_law(struct fit *ret, enum fit_law law, const struct fit_point *points, size_t count) {
  *ret = (struct fit){.law = law, .parameters = law == FIT_AMDAHL ? 2 : 3, .points = count};
  ret->counts = count_different(points, count);
  ret->state = FIT_TOO_FEW;
  if (ret->counts <= ret->parameters)
    return;
  for (size_t i = 0; i < count; i++)
    ret->most_threads = fmax(ret->most_threads, points[i].threads);
  ret->state = FIT_UNDETERMINED;
  if (!solve_within(ret, points, count))
    return;
  ret->one_s = ret->coefficients[0];
  ret->serial = ret->coefficients[1] / ret->one_s;
  ret->serial_error = share_error(ret, 1);
  ret->coherence = ret->coefficients[2] / ret->one_s;
  ret->coherence_error = share_error(ret, 2);
  ret->state = judge(ret);
}

/* -- what follows from a law -- */

double fit_seconds(const struct fit *fit, double threads) {
  double row[FIT_PARAMETERS_MAX];
  basis(threads, row);
  return product(fit->coefficients, row);
}

/* Of Student's distribution: the two-sided 95 %. */
static double quantile(double freedom) {
  static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  size_t position = freedom < 1 ? 0 : (size_t)freedom - 1;
  if (position < sizeof few / sizeof *few)
    return few[position];
  return 1.96 + 2.372 / freedom + 2.82 / (freedom * freedom);
}

double fit_interval(const struct fit *fit, double threads) {
  double row[FIT_PARAMETERS_MAX], variance = 0, seconds = fit_seconds(fit, threads);
  basis(threads, row);
  for (int i = 0; i < FIT_PARAMETERS_MAX; i++)
    variance += row[i] * product(fit->covariance[i], row);
  variance += fit->residual * fit->residual * seconds * seconds;
  return quantile((double)fit->points - (double)fit->parameters) * sqrt(fmax(variance, 0));
}

/* T(n) is c0 / n + c1 (n - 1) / n + c2 (n - 1): its slope is 0 where n^2 = (c0 - c1) / c2. */
double fit_fastest(const struct fit *fit) {
  const double *c = fit->coefficients;
  if (!(c[2] > 0))
    return INFINITY;
  return c[0] > c[1] ? fmax(sqrt((c[0] - c[1]) / c[2]), 1) : 1;
}

static bool gains(const struct fit *fit, double threads) {
  return fit_seconds(fit, 2 * threads) < (1 - DOUBLING_GAIN) * fit_seconds(fit, threads);
}

/* What doubling gains shrinks with the number of threads. */
double fit_enough(const struct fit *fit) {
  double low = 1, high = 2;
  if (!gains(fit, low))
    return low;
  while (high < THREADS_MOST && gains(fit, high))
    high *= 2;
  if (high >= THREADS_MOST)
    return INFINITY;
  while (high - low > 0.01 * low) {
    double middle = (low + high) / 2;
    *(gains(fit, middle) ? &low : &high) = middle;
  }
  return high;
}
