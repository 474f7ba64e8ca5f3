/* The rows of a comparison: what each run's report reports, side by side. */
#include "cli/report/compare.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *compare_kind_name(enum compare_kind kind) {
  static const char *const names[] = {"run", "cause", "activity", "parallel", "construct"};
  return names[kind];
}

const char *compare_verdict_name(enum compare_verdict verdict) {
  static const char *const names[] = {"changed", "noise", "unknown"};
  return names[verdict];
}

static void add_seconds(struct compare *compare, size_t run, enum compare_kind kind, const char *name,
                        double seconds, double deviation) {
  struct compare_row *row = NULL;
  for (size_t i = 0; i < compare->row_count && !row; i++)
    if (compare->rows[i].kind == kind && strcmp(compare->rows[i].name, name) == 0)
      row = &compare->rows[i];
  if (!row) {
    row = array_add(&compare->rows, &compare->row_count, sizeof *row);
    row->kind = kind;
    row->name = memory_text(name);
  }
  row->values[run] += seconds;
  row->squares[run] += deviation * deviation;
}

static void add_with(struct compare *compare, size_t run, enum compare_kind kind, const char *name,
                     const json_t *seconds, const json_t *uncertainty) {
  if (name && json_is_number(seconds)) /* 0 of null */
    add_seconds(compare, run, kind, name, json_number_value(seconds), json_number_value(uncertainty));
}

static void add_construct(void *compare, const char *name, const struct paired *what) {
  add_seconds(compare, what->run, (enum compare_kind)what->kind, name, what->seconds, 0);
}

static void add(struct compare *compare, size_t run, enum compare_kind kind, const char *name,
                const json_t *seconds) {
  add_with(compare, run, kind, name, seconds, NULL);
}

static void add_others(struct compare *compare, const json_t *report) {
  const json_t *time = json_object_get(report, "processor_time");
  double all = json_number_value(json_object_get(time, "all_s"));
  double share = all > 0 ? json_number_value(json_object_get(time, "others_s")) / all : 0;
  compare->busy_runs += share > COMPARE_BUSY_SHARE;
  compare->busiest = fmax(compare->busiest, share);
}

static void add_run(struct compare *compare, size_t run, const json_t *report) {
  static const char *const members[][2] = {
      {"wall", "wall_s"}, {"serial", "serial_s"}, {"parallel", "parallel_s"}, {"useful", "useful_s"}};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    add(compare, run, COMPARE_RUN, members[i][0], json_object_get(report, members[i][1]));
  json_t *none = json_real(0);
  const json_t *first = json_array_get(json_object_get(report, "findings"), 0);
  add_with(compare, run, COMPARE_RUN, "gain", first ? json_object_get(first, "gain_s") : none,
           json_object_get(first, "uncertainty_s"));
  json_decref(none);
}

static void add_region(struct compare *compare, size_t run, const json_t *region) {
  const json_t *parallel = json_object_get(region, "parallel");
  const json_t *seconds = parallel ? json_object_get(json_object_get(parallel, "duration"), "sum_s")
                                   : json_object_get(region, "inclusive_s");
  if (json_is_number(seconds) && json_object_get(region, "name"))
    pairs_add(&compare->pairs, region,
              &(struct paired){.run = run,
                               .kind = parallel ? COMPARE_PARALLEL : COMPARE_REGION,
                               .seconds = json_number_value(seconds)});
}

void compare_add(struct compare *compare, size_t run, const json_t *report) {
  const json_t *findings = json_object_get(report, "findings"), *regions = json_object_get(report, "regions");
  add_others(compare, report);
  add_run(compare, run, report);
  for (size_t i = 0; i < json_array_size(findings); i++) {
    const json_t *finding = json_array_get(findings, i);
    add_with(compare, run, COMPARE_CAUSE, json_string_value(json_object_get(finding, "cause")),
             json_object_get(finding, "gain_s"), json_object_get(finding, "uncertainty_s"));
  }
  json_t *activities = json_object_get(report, "activities"), *seconds;
  const char *name;
  json_object_foreach(activities, name, seconds) add(compare, run, COMPARE_ACTIVITY, name, seconds);
  for (size_t i = 0; i < json_array_size(regions); i++)
    add_region(compare, run, json_array_get(regions, i));
}

static double change(const struct compare_row *row) {
  double difference = row->new_median - row->old_median;
  return difference < 0 ? -difference : difference;
}

static int most_changed(const void *left, const void *right) {
  const struct compare_row *a = left, *b = right;
  if (change(a) != change(b))
    return change(a) < change(b) ? 1 : -1;
  return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : strcmp(a->name, b->name);
}

/* All old ones below all new ones. */
static double least_p(size_t old_count, size_t count) {
  double values[RANK_VALUES_MAX];
  for (size_t i = 0; i < count; i++)
    values[i] = (double)i;
  return rank_test(values, old_count, count);
}

void compare_finish(struct compare *compare) {
  size_t old = compare->old_count, new = compare->count - old;
  compare->pairs.old_count = old;
  pairs_finish(&compare->pairs, add_construct, compare);
  compare->least_p = least_p(old, compare->count);
  for (size_t i = 0; i < compare->row_count; i++) {
    struct compare_row *row = &compare->rows[i];
    row->old_median = rank_median(row->values, old);
    row->new_median = rank_median(row->values + old, new);
    row->p = rank_test(row->values, old, compare->count);
  }
  if (compare->row_count > 1)
    qsort(compare->rows, compare->row_count, sizeof *compare->rows, most_changed);
}

double compare_uncertainty(const struct compare_row *row, size_t first, size_t count) {
  return sqrt(rank_median(row->squares + first, count));
}

size_t compare_deciding_runs(void) {
  size_t runs = 1;
  while (2 * runs < RANK_VALUES_MAX && least_p(runs, 2 * runs) > COMPARE_LEVEL)
    runs++;
  return runs;
}

/* With few runs it is a change if no old one is among the new ones. */
enum compare_verdict compare_verdict(const struct compare *compare, const struct compare_row *row) {
  enum { ROUNDED = 1000000 };
  bool is_least = row->p * ROUNDED <= compare->least_p * ROUNDED + 1;
  if (compare->least_p > COMPARE_LEVEL)
    return is_least && row->p <= COMPARE_FEW_LEVEL + 1.0 / ROUNDED ? COMPARE_CHANGED : COMPARE_UNKNOWN;
  return row->p <= COMPARE_LEVEL ? COMPARE_CHANGED : COMPARE_NOISE;
}

void compare_free(struct compare *compare) {
  for (size_t i = 0; i < compare->row_count; i++)
    free(compare->rows[i].name);
  free(compare->rows);
}
