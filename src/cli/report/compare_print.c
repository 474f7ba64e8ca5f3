/* A comparison as text and as JSON. */
#include "cli/report/compare.h"

#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "trace/label.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CELL_BYTES = 64, COMPARE_SCHEMA_VERSION = 2 };

static void range_of(const double *values, size_t count, double ret[2]) {
  ret[0] = ret[1] = values[0];
  for (size_t i = 1; i < count; i++) {
    ret[0] = values[i] < ret[0] ? values[i] : ret[0];
    ret[1] = values[i] > ret[1] ? values[i] : ret[1];
  }
}

/* "0.030000 +- 0.002000". */
static void median_text(char text[CELL_BYTES], const struct compare_row *row, double median, size_t first,
                        size_t count) {
  double deviation = compare_uncertainty(row, first, count);
  if (deviation > 0)
    snprintf(text, CELL_BYTES, "%.6f +- %.6f", median, deviation);
  else
    snprintf(text, CELL_BYTES, "%.6f", median);
}

static void print_row(struct table *table, const struct compare *compare, const struct compare_row *row) {
  char cells[7][CELL_BYTES], label[LABEL_BYTES];
  double range[2], difference = row->new_median - row->old_median;
  snprintf(cells[0], CELL_BYTES, "%+.6f", difference);
  median_text(cells[1], row, row->old_median, 0, compare->old_count);
  median_text(cells[2], row, row->new_median, compare->old_count, compare->count - compare->old_count);
  if (row->old_median > 0) /* + 0: nothing less than nothing */
    snprintf(cells[3], CELL_BYTES, "%+.1f %%", round(1000 * difference / row->old_median) / 10 + 0);
  else
    snprintf(cells[3], CELL_BYTES, "new");
  snprintf(cells[4], CELL_BYTES, "%.4f", row->p);
  range_of(row->values, compare->old_count, range);
  snprintf(cells[5], CELL_BYTES, "%.6f to %.6f", range[0], range[1]);
  range_of(row->values + compare->old_count, compare->count - compare->old_count, range);
  snprintf(cells[6], CELL_BYTES, "%.6f to %.6f", range[0], range[1]);
  const char *const texts[] = {compare_kind_name(row->kind),
                               label_construct(label, row->name),
                               cells[0],
                               cells[3],
                               compare_verdict_name(compare_verdict(compare, row)),
                               cells[1],
                               cells[2],
                               cells[4],
                               cells[5],
                               cells[6]};
  table_row(table, texts);
}

const char *compare_noise_text(char text[COMPARE_NOISE_BYTES], const struct compare *compare) {
  size_t runs = compare_deciding_runs();
  double least = compare->least_p;
  if (compare->old_count == 1 && compare->count == 2)
    snprintf(text, COMPARE_NOISE_BYTES, "one run each: noise is unknown; %zu each can decide", runs);
  else if (least <= COMPARE_LEVEL)
    snprintf(text, COMPARE_NOISE_BYTES, "test of Mann and Whitney, exact: what has p above %.2f is noise",
             COMPARE_LEVEL);
  else if (least <= COMPARE_FEW_LEVEL + 1e-6)
    snprintf(text, COMPARE_NOISE_BYTES,
             "changed: no old run is among the new ones, which chance does to equal runs, too, with a "
             "probability of %.3g; %zu runs each decide below %.2f",
             least, runs, COMPARE_LEVEL);
  else
    snprintf(text, COMPARE_NOISE_BYTES, "too few runs: p is never below %.3g; %zu runs each can decide",
             least, runs);
  return text;
}

const char *compare_busy_text(char text[COMPARE_BUSY_BYTES], const struct compare *compare) {
  if (compare->busy_runs == 0)
    return NULL;
  snprintf(
      text, COMPARE_BUSY_BYTES,
      "the machine was busy: other programs used more than 5 %% of the processors in %zu of %zu runs, up to "
      "%.0f %%: changes may be theirs",
      compare->busy_runs, compare->count, 100 * compare->busiest);
  return text;
}

static void print_noise(const struct compare *compare) {
  char text[COMPARE_NOISE_BYTES], busy[COMPARE_BUSY_BYTES];
  if (compare_busy_text(busy, compare))
    table_fact("note", "%s", busy);
  table_fact("old runs", "%zu", compare->old_count);
  table_fact("new runs", "%zu", compare->count - compare->old_count);
  table_fact("noise", "%s", compare_noise_text(text, compare));
}

static bool is_wall(const struct compare_row *row) {
  return row->kind == COMPARE_RUN && strcmp(row->name, "wall") == 0;
}

/* The entire run comes first: it is what is requested, and what all others are part of. */
static size_t print_rows(struct table *table, const struct compare *compare, size_t top) {
  size_t changed = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    if (is_wall(&compare->rows[i]))
      print_row(table, compare, &compare->rows[i]);
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_row *row = &compare->rows[i];
    if (!is_wall(row) && row->new_median != row->old_median && changed++ < top)
      print_row(table, compare, row);
  }
  return changed;
}

void compare_print_text(const struct compare *compare, size_t top) {
  static const char *const numbers[] = {"change s",   "change", "verdict",   "old median",
                                        "new median", "p",      "old range", "new range"};
  struct table table;
  print_noise(compare);
  table_heading("What changed most (seconds)");
  table_begin(&table);
  table_column(&table, "of", TABLE_NAME);
  table_column(&table, "what", TABLE_TEXT);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    table_column(&table, numbers[i], TABLE_NUMBER);
  size_t changed = print_rows(&table, compare, top);
  table_print_first(&table, changed, top);
}

static json_t *side(const struct compare_row *row, size_t first, size_t count, double median) {
  double deviation = compare_uncertainty(row, first, count);
  const double *values = row->values + first;
  json_t *object = json_object(), *all = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(all, json_real(values[i]));
  json_put(object, "median_s", json_real(median));
  json_put(object, "uncertainty_s", deviation > 0 ? json_real(deviation) : json_null());
  json_put(object, "runs_s", all);
  return object;
}

static json_t *row_json(const struct compare *compare, const struct compare_row *row) {
  size_t old = compare->old_count;
  json_t *object = json_object();
  json_put(object, "of", json_string(compare_kind_name(row->kind)));
  json_put(object, "what", json_from_text(row->name));
  json_put(object, "old", side(row, 0, old, row->old_median));
  json_put(object, "new", side(row, old, compare->count - old, row->new_median));
  json_put(object, "change_s", json_real(row->new_median - row->old_median));
  json_put(object, "p", json_real(row->p));
  json_put(object, "verdict", json_string(compare_verdict_name(compare_verdict(compare, row))));
  return object;
}

static json_t *paths_json(const char *const *paths, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_from_text(paths[i]));
  return array;
}

void compare_print_json(const struct compare *compare, const struct fail_condition *conditions,
                        const int *holds, size_t condition_count) {
  size_t old = compare->old_count;
  json_t *object = json_object(), *rows = json_array(), *tested = json_array();
  json_put(object, "schema_version", json_from_number(COMPARE_SCHEMA_VERSION));
  json_put(object, "old", paths_json(compare->paths, old));
  json_put(object, "new", paths_json(compare->paths + old, compare->count - old));
  json_put(object, "least_p", json_real(compare->least_p));
  json_put(object, "deciding_runs", json_from_number(compare_deciding_runs()));
  for (size_t i = 0; i < compare->row_count; i++)
    json_array_append_new(rows, row_json(compare, &compare->rows[i]));
  json_put(object, "changes", rows);
  for (size_t i = 0; i < condition_count; i++) {
    json_t *one = json_object();
    json_put(one, "fail_if", json_from_text(conditions[i].text));
    json_put(one, "holds", json_boolean(holds[i] == 1));
    json_array_append_new(tested, one);
  }
  json_put(object, "conditions", tested);
  json_print(object);
}
