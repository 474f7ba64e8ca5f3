/* Laws of scalability, fitted to measured times by least squares of the relative errors.
 *
 * Amdahl:     T(n) = T(1) ((1 - s) / n + s)
 * universal:  T(n) = T(1) (1 + s (n - 1) + k n (n - 1)) / n
 *
 * s is the serial share (contention), k what each pair of threads costs (coherence); Amdahl's law is the
 * other one with k = 0. Both are linear in T(1), T(1) s and T(1) k. */
#ifndef STAVE_SCALING_FIT_H
#define STAVE_SCALING_FIT_H

#include <stddef.h>

enum fit_law { FIT_AMDAHL, FIT_UNIVERSAL, FIT_LAWS };

enum fit_state {
  FIT_DONE,
  FIT_TOO_FEW,      /* no more numbers of threads than the law has parameters: any times lie on it */
  FIT_UNDETERMINED, /* what it predicts for twice the threads is uncertain by more than half */
  FIT_MISFIT,       /* the times lie off the law by more than a tenth */
};

struct fit_point {
  double threads, seconds; /* both above 0 */
};

enum { FIT_PARAMETERS_MAX = 3 };

struct fit {
  enum fit_law law;
  enum fit_state state;
  size_t parameters, counts, points; /* counts: different numbers of threads */
  double one_s;                      /* T(1) */
  double serial, serial_error;       /* s and its standard error */
  double coherence, coherence_error; /* k and its standard error; 0: not of the law */
  double residual;                   /* standard deviation of the points from the law, as a share */
  double most_threads;               /* of any point */
  /* of T(1), T(1) s and T(1) k */
  double coefficients[FIT_PARAMETERS_MAX], covariance[FIT_PARAMETERS_MAX][FIT_PARAMETERS_MAX];
};

/* Fits the law. What is in *ret but `state`, `counts` and `points` is undefined where the state is
 * FIT_TOO_FEW. */
void fit_law(struct fit *ret, enum fit_law law, const struct fit_point *points, size_t count);

/* "Amdahl", "universal": constant memory. */
const char *fit_law_name(enum fit_law law);

/* Why there is no fit, in words; of FIT_DONE "". Constant memory. */
const char *fit_state_reason(enum fit_state state);

/* The law's time with so many threads, and how far one more run lies from it at most, at a level of 95 %. */
double fit_seconds(const struct fit *fit, double threads);
double fit_interval(const struct fit *fit, double threads);

/* With how many threads the law's time is shortest; INFINITY: more are always faster. */
double fit_fastest(const struct fit *fit);

/* From how many threads on twice as many make the run shorter by less than a tenth; INFINITY: never. */
double fit_enough(const struct fit *fit);

#endif
