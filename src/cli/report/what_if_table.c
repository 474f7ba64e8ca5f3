/* Every region made faster: which is worth the work, and from how many times on no more. */
#include "base/memory.h"
#include "cli/report/what_if_print.h"

#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "cli/common/usage.h"
#include "trace/label.h"
#include "what_if/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES_MAX = 256, FACTORS = 6, ROWS_MAX = 32, CELL_BYTES = 64 };

/* A share of the saving with a region of no duration: beyond it other regions limit the run. */
#define ENOUGH_SHARE 0.99
/* Of the wall time: what saves less is left out. */
#define SHOWN_SHARE 0.001

static const double factors[FACTORS] = {1.25, 1.5, 2, 4, 8, INFINITY};

struct speedup_row {
  const char *name; /* the region's; NULL: outside of parallel regions */
  double gains[FACTORS];
};

static void set_change(struct what_if *ret, const char *name, double factor) {
  *ret = (struct what_if){.change_count = 1};
  ret->changes[0].kind = name ? WHAT_IF_FASTER : WHAT_IF_SERIAL;
  ret->changes[0].factor = factor;
  if (name)
    snprintf(ret->changes[0].place, WHAT_IF_PLACE_BYTES, "%s", name);
}

static int most_first(const void *left, const void *right) {
  double a = ((const struct speedup_row *)left)->gains[FACTORS - 1];
  double b = ((const struct speedup_row *)right)->gains[FACTORS - 1];
  return (a < b) - (a > b);
}

/* All with one factor, in one pass. */
static int compute(const struct archive_job *job, struct speedup_row *rows, size_t count, size_t factor,
                   double *ret_wall, char *error) {
  struct what_if *scenarios = memory_get(count + 1, sizeof *scenarios);
  for (size_t i = 0; i < count; i++)
    set_change(&scenarios[i], rows[i].name, factors[factor]);
  int result = what_if_compute(job->trace, scenarios, count, NULL, ret_wall, error);
  for (size_t i = 0; i < count; i++)
    rows[i].gains[factor] = scenarios[i].gain_ticks;
  free(scenarios);
  return result;
}

/* The savings of all regions at no duration, then the other factors for those with enough of it. */
static int compute_all(const struct archive_job *job, const struct what_if_request *request,
                       struct speedup_row *rows, size_t *count, double *ret_wall, char *error) {
  int result = compute(job, rows, *count, FACTORS - 1, ret_wall, error);
  qsort(rows, *count, sizeof *rows, most_first);
  size_t most = request->top < ROWS_MAX ? request->top : ROWS_MAX, shown = 0;
  while (shown < *count && shown < most && rows[shown].gains[FACTORS - 1] > SHOWN_SHARE * *ret_wall)
    shown++;
  *count = shown;
  for (size_t i = 0; i + 1 < FACTORS && result == 0 && shown > 0; i++)
    result = compute(job, rows, shown, i, ret_wall, error);
  return result;
}

/* From how many times on it saves no more. */
static double enough(const struct speedup_row *row) {
  size_t i = 0;
  while (i + 1 < FACTORS && row->gains[i] < ENOUGH_SHARE * row->gains[FACTORS - 1])
    i++;
  return factors[i];
}

static void print_row(struct table *table, const struct speedup_row *row, double wall) {
  char cells[FACTORS + 1][CELL_BYTES], label[LABEL_BYTES];
  const char *texts[FACTORS + 2];
  texts[0] = row->name ? label_construct(label, row->name) : "outside of parallel regions";
  for (size_t i = 0; i < FACTORS; i++) {
    snprintf(cells[i], CELL_BYTES, "%.1f %%", 100 * row->gains[i] / wall);
    texts[i + 1] = cells[i];
  }
  snprintf(cells[FACTORS], CELL_BYTES, "%gx", enough(row));
  texts[FACTORS + 1] = isinf(enough(row)) ? "" : cells[FACTORS];
  table_row(table, texts);
}

static void print_text(const struct trace *trace, const struct speedup_row *rows, size_t count, double wall) {
  static const char *const heads[FACTORS] = {"1.25x faster", "1.5x", "2x", "4x", "8x", "no time"};
  struct table table;
  table_begin(&table);
  table_column(&table, "region", TABLE_PLACE);
  for (size_t i = 0; i < FACTORS; i++)
    table_column(&table, heads[i], TABLE_NUMBER);
  table_column(&table, "no more from", TABLE_NUMBER);
  for (size_t i = 0; i < count; i++)
    print_row(&table, &rows[i], wall);
  table_heading("Share of the wall time that is saved if a region is faster");
  table_print(&table);
  prose_printf(0, "A region's time includes the regions inside of it. 'no more from': from this speed-up on "
                  "other work is the longest "
                  "and decides the wall time.");
  what_if_print_preempted(trace);
}

static json_t *gains_object(const struct speedup_row *row, double second) {
  json_t *array = json_array();
  for (size_t i = 0; i < FACTORS; i++) {
    json_t *gain = json_object();
    json_put(gain, "times_faster", isinf(factors[i]) ? json_null() : json_real(factors[i]));
    json_put(gain, "gain_s", json_real(row->gains[i] / second));
    json_array_append_new(array, gain);
  }
  return array;
}

static void print_json(const struct trace *trace, const struct speedup_row *rows, size_t count, double wall) {
  double second = (double)trace->clock.ticks_per_second;
  json_t *object = json_object(), *array = json_array();
  json_put(object, "schema_version", json_from_number(WHAT_IF_SCHEMA_VERSION));
  json_put(object, "wall_s", json_real(wall / second));
  what_if_put_preempted(object, trace);
  for (size_t i = 0; i < count; i++) {
    json_t *row = json_object();
    json_put(row, "region", json_from_text(rows[i].name));
    json_put(row, "gains", gains_object(&rows[i], second));
    json_put(row, "enough", isinf(enough(&rows[i])) ? json_null() : json_real(enough(&rows[i])));
    json_array_append_new(array, row);
  }
  json_put(object, "regions", array);
  json_print(object);
}

static int print(const struct what_if_request *request, const struct archive_job *job,
                 const struct speedup_row *rows, size_t count, double wall) {
  if (request->is_json)
    print_json(job->trace, rows, count, wall);
  else
    print_text(job->trace, rows, count, wall);
  return message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
}

int what_if_print_table(void *data, const struct archive_job *job) {
  const struct what_if_request *request = data;
  uint32_t candidates[CANDIDATES_MAX];
  char error[TRACE_ERROR_BYTES];
  double wall = 0;
  size_t count = what_if_candidates(job->trace, candidates, CANDIDATES_MAX);
  struct speedup_row *rows = memory_get(count + 1, sizeof *rows);
  for (size_t i = 0; i < count; i++)
    rows[i + 1].name = job->trace->regions[candidates[i]].name;
  count++;
  int result = compute_all(job, request, rows, &count, &wall, error);
  archive_job_has_read(job);
  int status = result < 0 ? archive_job_failed(job, error) : print(request, job, rows, count, wall);
  free(rows);
  return status;
}
