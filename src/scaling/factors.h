/* The factors of an efficiency, after POP: what each class of lost time leaves of it. They multiply to the
 * efficiency itself, of any run or region. NAN: not known, or there is nothing of the kind; it counts as 1.
 */
#ifndef STAVE_SCALING_FACTORS_H
#define STAVE_SCALING_FACTORS_H

#include <stdbool.h>

enum scaling_factor {
#define FACTOR(id, ...) FACTOR_##id,
#include "scaling/factors.def"
#undef FACTOR
  FACTOR_COUNT,
  FACTOR_none = FACTOR_COUNT
};

/* Constant memory. */
const char *factor_name(enum scaling_factor factor);
const char *factor_json_name(enum scaling_factor factor);
const char *factor_meaning(enum scaling_factor factor);
enum scaling_factor factor_parent(enum scaling_factor factor); /* of which it is a part; FACTOR_none */

/* Times of all threads of a parallel region, a loop, or of all regions of a run. */
struct region_times {
  double all;       /* what follows, and more */
  double useful;    /* the program's work */
  double imbalance; /* until the longest was done, had all only worked */
  double overhead;  /* in the runtime, without a reason in the program */
};

/* The rest is serialisation. Their product is useful / all. */
void factors_of_region(double ret[FACTOR_COUNT], const struct region_times *times);

/* What `stave report` knows of a run: shares of 1; NAN: not known. `parallel` is 1 - all that is lost, `mpi`,
 * `serial` and `device` 1 - what is lost to each. All are shares of `presence`, the share of threads x wall
 * time in which it is known what threads did. */
struct run_efficiency {
  double presence, parallel, mpi, serial, device;
  double mpi_load_balance, mpi_serialisation, mpi_transfer, mpi_start_end;
};

/* All factors but those of the computation: their product is `presence` x `parallel`. `regions`: the sums
 * over all that are in no other; what the run has lost in teams is shared as they have it. */
void factors_of_run(double ret[FACTOR_COUNT], const struct run_efficiency *efficiency,
                    const struct region_times *regions);

/* Useful time of all threads and what processors have counted in it; NAN: not known. */
struct computation {
  double useful, instructions, cycles;
  double misses; /* of the last cache before memory */
};

/* `work` is how much more there was to do than in the reference run: 1 in strong scaling. */
void factors_of_computation(double ret[FACTOR_COUNT], const struct computation *reference,
                            const struct computation *now, double work);

/* The efficiency. */
double factors_product(const double factors[FACTOR_COUNT]);

/* The factor that has shrunk most from one run to another, and by which share of itself, in *ret;
 * FACTOR_none: none has by a hundredth. Parts are named in place of what they are parts of. */
enum scaling_factor factors_worst(const double before[FACTOR_COUNT], const double after[FACTOR_COUNT],
                                  double *ret);

#endif
