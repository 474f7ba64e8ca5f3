#include "cli/report/what_if_print.h"

#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "cli/common/usage.h"
#include "report/report_account.h"
#include "trace/label.h"
#include "what_if/what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 64 };

static const char all_together[] = "all together";

bool what_if_is_table(const struct what_if_request *request) {
  return request->count == 1 && strcmp(request->texts[0], "regions") == 0;
}

bool what_if_check(const struct what_if_request *request) {
  if (what_if_is_table(request))
    return true;
  for (size_t i = 0; i < request->count; i++) {
    struct what_if scenario = {0};
    if (!what_if_read(&scenario, request->texts[i]))
      return usage_error("report",
                         "--what-if %s: unknown change; allowed: %s; regions by itself: a table of all",
                         request->texts[i], what_if_words);
  }
  return true;
}

/* One for each text, and one of all. Returns how many. */
static size_t scenarios_of(const struct what_if_request *request, struct what_if ret[WHAT_IF_TEXTS_MAX + 1]) {
  ret[request->count] = (struct what_if){0};
  for (size_t i = 0; i < request->count; i++) {
    ret[i] = (struct what_if){0};
    what_if_read(&ret[i], request->texts[i]);
    what_if_read(&ret[request->count], request->texts[i]);
  }
  return request->count > 1 ? request->count + 1 : request->count;
}

static const char *text_of(const struct what_if_request *request, size_t number) {
  return number < request->count ? request->texts[number] : all_together;
}

static bool has_processes(const struct trace *trace) {
  size_t processes = 0;
  for (size_t i = 0; i < trace->location_group_count; i++)
    processes += !trace_group_is_device(&trace->location_groups[i]);
  return processes > 1;
}

static const char *process_name(const struct trace *trace, const struct what_if_step *step) {
  return step->process < trace->location_group_count ? trace->location_groups[step->process].name : "";
}

static void print_step(struct table *table, const struct trace *trace, const struct what_if *one,
                       const struct what_if_step *step, const char *text) {
  char label[LABEL_BYTES], cells[2][CELL_BYTES];
  double second = (double)trace->clock.ticks_per_second;
  if (step->region == UINT32_MAX)
    snprintf(label, sizeof label, "outside of parallel regions");
  else if (step->site != TRACE_NO_REF)
    label_call(label, trace, step->region, step->site);
  else
    label_region(label, trace, step->region);
  snprintf(cells[0], CELL_BYTES, "%.6f", step->ticks / second);
  snprintf(cells[1], CELL_BYTES, "%.1f %%", one->path_ticks > 0 ? 100 * step->ticks / one->path_ticks : 0);
  if (has_processes(trace))
    table_row(table, (const char *const[]){text, label, process_name(trace, step), cells[0], cells[1]});
  else
    table_row(table, (const char *const[]){text, label, cells[0], cells[1]});
}

/* What the end waits for, back to the beginning: what is worth making faster then. */
static void print_paths(const struct what_if_request *request, const struct trace *trace,
                        const struct what_if *run, const struct what_if *scenarios, size_t count) {
  struct table table;
  table_begin(&table);
  table_column(&table, "what if", TABLE_NAME);
  table_column(&table, "through", TABLE_PLACE);
  if (has_processes(trace))
    table_column(&table, "process", TABLE_NAME);
  table_column(&table, "s", TABLE_NUMBER);
  table_column(&table, "share", TABLE_NUMBER);
  for (size_t i = 0; i <= count; i++) {
    const struct what_if *one = i ? &scenarios[i - 1] : run;
    for (size_t j = 0; j < one->path_count; j++)
      print_step(&table, trace, one, &one->path[j], j ? "" : i ? text_of(request, i - 1) : "(as it was)");
  }
  table_heading("Critical path: what the end of the run waits for, back to the beginning");
  table_print(&table);
}

/* Less of it is less than the spread of runs. */
#define PREEMPTED_MIN 0.02

void what_if_print_preempted(const struct trace *trace) {
  double preempted = report_preempted(trace);
  if (preempted >= PREEMPTED_MIN)
    prose_printf(
        0,
        "In this run threads waited for a processor in %.1f %% of the time in which they could run. That "
        "is in all of these figures; a run with free processors gives better ones.",
        100 * preempted);
}

void what_if_put_preempted(json_t *object, const struct trace *trace) {
  double preempted = report_preempted(trace);
  json_put(object, "preempted", preempted < 0 ? json_null() : json_real(preempted));
}

static void print_text(const struct what_if_request *request, const struct trace *trace,
                       const struct what_if *run, const struct what_if *scenarios, size_t count,
                       double wall) {
  double second = (double)trace->clock.ticks_per_second;
  struct table table;
  table_begin(&table);
  table_column(&table, "what if", TABLE_NAME);
  table_column(&table, "wall s", TABLE_NUMBER);
  table_column(&table, "saved s", TABLE_NUMBER);
  table_column(&table, "+-", TABLE_NUMBER);
  table_column(&table, "of wall", TABLE_NUMBER);
  table_column(&table, "from", TABLE_NUMBER);
  table_column(&table, "to", TABLE_NUMBER);
  for (size_t i = 0; i < count; i++) {
    const struct what_if *one = &scenarios[i];
    char cells[6][CELL_BYTES];
    snprintf(cells[0], CELL_BYTES, "%.6f", one->wall_ticks / second);
    snprintf(cells[1], CELL_BYTES, "%.6f", one->gain_ticks / second);
    snprintf(cells[2], CELL_BYTES, "%.6f", one->deviation_ticks / second);
    snprintf(cells[3], CELL_BYTES, "%.1f %%", wall > 0 ? 100 * one->gain_ticks / wall : 0);
    snprintf(cells[4], CELL_BYTES, "%.6f", one->shortest_ticks / second);
    snprintf(cells[5], CELL_BYTES, "%.6f", one->longest_ticks / second);
    table_row(&table, (const char *const[]){text_of(request, i), cells[0], cells[1],
                                            one->deviation_ticks < 0 ? NULL : cells[2], cells[3],
                                            one->has_interval ? cells[4] : NULL,
                                            one->has_interval ? cells[5] : NULL});
  }
  printf("The run lasted %.6f s.\n\n", wall / second);
  table_print(&table);
  print_paths(request, trace, run, scenarios, count);
  prose_printf(
      0, "Locks are acquired and tasks run in the order of the trace; the rest of the program is as it was.");
  what_if_print_preempted(trace);
}

static json_t *path_json(const struct trace *trace, const struct what_if *one) {
  json_t *array = json_array();
  double second = (double)trace->clock.ticks_per_second;
  for (size_t i = 0; i < one->path_count; i++) {
    const struct what_if_step *step = &one->path[i];
    const struct trace_code_line *line = trace_code_line(trace, step->site);
    json_t *row = json_object();
    json_put(row, "region",
             step->region == UINT32_MAX ? json_null() : json_from_text(trace->regions[step->region].name));
    json_put(row, "file", line ? json_from_text(line->file) : json_null());
    json_put(row, "line", line ? json_from_number(line->line) : json_null());
    json_put(row, "process", json_from_text(process_name(trace, step)));
    json_put(row, "time_s", json_real(step->ticks / second));
    json_put(row, "share", json_real(one->path_ticks > 0 ? step->ticks / one->path_ticks : 0));
    json_array_append_new(array, row);
  }
  return array;
}

static void print_json(const struct what_if_request *request, const struct trace *trace,
                       const struct what_if *run, const struct what_if *scenarios, size_t count,
                       double wall) {
  double second = (double)trace->clock.ticks_per_second;
  json_t *object = json_object(), *array = json_array();
  json_put(object, "schema_version", json_from_number(WHAT_IF_SCHEMA_VERSION));
  json_put(object, "wall_s", json_real(wall / second));
  what_if_put_preempted(object, trace);
  for (size_t i = 0; i < count; i++) {
    const struct what_if *one = &scenarios[i];
    json_t *row = json_object();
    json_put(row, "what_if", json_from_text(text_of(request, i)));
    json_put(row, "wall_s", json_real(one->wall_ticks / second));
    json_put(row, "gain_s", json_real(one->gain_ticks / second));
    json_put(row, "uncertainty_s",
             one->deviation_ticks < 0 ? json_null() : json_real(one->deviation_ticks / second));
    json_put(row, "shortest_s", one->has_interval ? json_real(one->shortest_ticks / second) : json_null());
    json_put(row, "longest_s", one->has_interval ? json_real(one->longest_ticks / second) : json_null());
    json_put(row, "critical_path", path_json(trace, one));
    json_array_append_new(array, row);
  }
  json_put(object, "critical_path", path_json(trace, run));
  json_put(object, "predicted", array);
  json_print(object);
}

static bool has_places(const struct what_if_request *request, const struct what_if *scenarios,
                       const struct archive_job *job) {
  for (size_t i = 0; i < request->count; i++)
    if (what_if_unknown(&scenarios[i], job->trace) < scenarios[i].change_count) {
      message_print("%s: --what-if %s: no region's name, no lock and no rank has this place in it", job->path,
                    request->texts[i]);
      return false;
    }
  return true;
}

int what_if_print(void *data, const struct archive_job *job) {
  const struct what_if_request *request = data;
  struct what_if scenarios[WHAT_IF_TEXTS_MAX + 1], run = {0};
  char error[TRACE_ERROR_BYTES];
  double wall = 0;
  size_t count = scenarios_of(request, scenarios);
  if (!has_places(request, scenarios, job))
    return EXIT_FAILED;
  int result = what_if_compute(job->trace, scenarios, count, &run, &wall, error);
  archive_job_has_read(job);
  if (result < 0)
    return archive_job_failed(job, error);
  (request->is_json ? print_json : print_text)(request, job->trace, &run, scenarios, count, wall);
  return message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
}
