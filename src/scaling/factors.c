#include "scaling/factors.h"

#include <math.h>
#include <stddef.h>

#define WORTH_NAMING 0.01
#define NO_LOSS (1 - 1e-6)

struct factor_row {
  const char *name, *json_name, *meaning;
  enum scaling_factor parent;
};

static const struct factor_row rows[] = {
#define FACTOR(id, name, json_name, parent, meaning)                                                         \
  [FACTOR_##id] = {name, json_name, meaning, FACTOR_##parent},
#include "scaling/factors.def"
#undef FACTOR
};

const char *factor_name(enum scaling_factor factor) {
  return rows[factor].name;
}

const char *factor_json_name(enum scaling_factor factor) {
  return rows[factor].json_name;
}

const char *factor_meaning(enum scaling_factor factor) {
  return rows[factor].meaning;
}

enum scaling_factor factor_parent(enum scaling_factor factor) {
  return rows[factor].parent;
}

static double known(double value, double otherwise) {
  return isnan(value) ? otherwise : value;
}

static double quotient(double part, double parent) {
  return parent > 0 ? part / parent : 1;
}

/* Of parts of a factor, whose product is to be the total: what they lack is the last one's. */
static void set_mpi(double ret[FACTOR_COUNT], const struct run_efficiency *efficiency) {
  ret[FACTOR_mpi] = efficiency->mpi;
  ret[FACTOR_mpi_balance] = efficiency->mpi_load_balance;
  ret[FACTOR_mpi_serialisation] = efficiency->mpi_serialisation;
  ret[FACTOR_mpi_transfer] = efficiency->mpi_transfer;
  ret[FACTOR_mpi_start_end] = efficiency->mpi_start_end;
}

void factors_of_region(double ret[FACTOR_COUNT], const struct region_times *times) {
  double balanced = fmin(times->useful + times->imbalance, times->all);
  double serialised = fmax(balanced, times->all - times->overhead);
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    ret[i] = NAN;
  ret[FACTOR_balance] = quotient(times->useful, balanced);
  ret[FACTOR_serialisation] = quotient(balanced, serialised);
  ret[FACTOR_runtime] = quotient(serialised, times->all);
}

void factors_of_run(double ret[FACTOR_COUNT], const struct run_efficiency *efficiency,
                    const struct region_times *regions) {
  double without_mpi = known(efficiency->mpi, 1);
  double without_serial = without_mpi - (1 - known(efficiency->serial, 1));
  double without_device = without_serial - (1 - known(efficiency->device, 1));
  double lost = without_device - efficiency->parallel, in_regions = regions->all - regions->useful;
  double scale = lost > 0 && in_regions > 0 ? lost / in_regions : 0;
  factors_of_region(ret,
                    &(struct region_times){.all = without_device,
                                           .useful = efficiency->parallel,
                                           .imbalance = scale * regions->imbalance,
                                           .overhead = scale > 0 ? scale * regions->overhead : INFINITY});
  ret[FACTOR_presence] = efficiency->presence < NO_LOSS ? efficiency->presence : NAN;
  if (efficiency->mpi < 1)
    set_mpi(ret, efficiency);
  if (efficiency->device < 1)
    ret[FACTOR_device] = quotient(without_device, without_serial);
  ret[FACTOR_serial] = quotient(without_serial, without_mpi);
}

void factors_of_computation(double ret[FACTOR_COUNT], const struct computation *reference,
                            const struct computation *now, double work) {
  ret[FACTOR_computation] = quotient(work * reference->useful, now->useful);
  ret[FACTOR_instructions] = work * reference->instructions / now->instructions;
  ret[FACTOR_ipc] = now->instructions / now->cycles / (reference->instructions / reference->cycles);
  ret[FACTOR_frequency] = now->cycles / now->useful / (reference->cycles / reference->useful);
}

double factors_product(const double factors[FACTOR_COUNT]) {
  double product = 1;
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    if (rows[i].parent == FACTOR_none)
      product *= known(factors[i], 1);
  return product;
}

static bool has_parts(const double factors[FACTOR_COUNT], enum scaling_factor parent) {
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    if (rows[i].parent == parent && !isnan(factors[i]))
      return true;
  return false;
}

enum scaling_factor factors_worst(const double before[FACTOR_COUNT], const double after[FACTOR_COUNT],
                                  double *ret) {
  enum scaling_factor worst = FACTOR_none;
  double least = 1 - WORTH_NAMING;
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++) {
    double change = known(after[i], 1) / known(before[i], 1);
    if (change < least && !has_parts(after, i)) {
      least = change;
      worst = i;
    }
  }
  *ret = worst == FACTOR_none ? 0 : 1 - least;
  return worst;
}
