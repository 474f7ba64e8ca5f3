#include "cli/report/what_if_print.h"

#include "cli/common/json.h"
#include "cli/common/memory.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "cli/common/usage.h"
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

static void print_text(const struct what_if_request *request, const struct what_if *scenarios, size_t count,
                       double wall, double second) {
  struct table table;
  table_begin(&table);
  table_column(&table, "what if", TABLE_NAME);
  table_column(&table, "wall s", TABLE_NUMBER);
  table_column(&table, "saved s", TABLE_NUMBER);
  table_column(&table, "+-", TABLE_NUMBER);
  table_column(&table, "of wall", TABLE_NUMBER);
  for (size_t i = 0; i < count; i++) {
    const struct what_if *one = &scenarios[i];
    char cells[4][CELL_BYTES];
    snprintf(cells[0], CELL_BYTES, "%.6f", one->wall_ticks / second);
    snprintf(cells[1], CELL_BYTES, "%.6f", one->gain_ticks / second);
    snprintf(cells[2], CELL_BYTES, "%.6f", one->deviation_ticks / second);
    snprintf(cells[3], CELL_BYTES, "%.1f %%", wall > 0 ? 100 * one->gain_ticks / wall : 0);
    table_row(&table, (const char *const[]){text_of(request, i), cells[0], cells[1],
                                            one->deviation_ticks < 0 ? NULL : cells[2], cells[3]});
  }
  printf("The run took %.6f s.\n\n", wall / second);
  table_print(&table);
  prose_printf(
      0, "Locks are acquired and tasks run in the order of the trace; the rest of the program is as it was.");
}

static void print_json(const struct what_if_request *request, const struct what_if *scenarios, size_t count,
                       double wall, double second) {
  json_t *object = json_object(), *array = json_array();
  json_put(object, "schema_version", json_from_number(WHAT_IF_SCHEMA_VERSION));
  json_put(object, "wall_s", json_real(wall / second));
  for (size_t i = 0; i < count; i++) {
    const struct what_if *one = &scenarios[i];
    json_t *row = json_object();
    json_put(row, "what_if", json_from_text(text_of(request, i)));
    json_put(row, "wall_s", json_real(one->wall_ticks / second));
    json_put(row, "gain_s", json_real(one->gain_ticks / second));
    json_put(row, "uncertainty_s",
             one->deviation_ticks < 0 ? json_null() : json_real(one->deviation_ticks / second));
    json_array_append_new(array, row);
  }
  json_put(object, "predicted", array);
  json_print(object);
}

static bool has_places(const struct what_if_request *request, const struct what_if *scenarios,
                       const struct archive_job *job) {
  for (size_t i = 0; i < request->count; i++)
    if (what_if_unknown(&scenarios[i], job->trace) < scenarios[i].change_count) {
      message_print("%s: --what-if %s: no region's name, and no lock, has this place in it", job->path,
                    request->texts[i]);
      return false;
    }
  return true;
}

bool what_if_has_one_process(const struct archive_job *job) {
  size_t processes = 0;
  for (size_t i = 0; i < job->trace->location_group_count; i++)
    processes += !trace_group_is_device(&job->trace->location_groups[i]);
  if (processes > 1)
    message_print("%s: --what-if is computed for one process, and there are %zu", job->path, processes);
  return processes <= 1;
}

int what_if_print(void *data, const struct archive_job *job) {
  const struct what_if_request *request = data;
  struct what_if scenarios[WHAT_IF_TEXTS_MAX + 1];
  char error[TRACE_ERROR_BYTES];
  double wall = 0, second = (double)job->trace->clock.ticks_per_second;
  size_t count = scenarios_of(request, scenarios);
  if (!has_places(request, scenarios, job) || !what_if_has_one_process(job))
    return EXIT_FAILED;
  int result = what_if_compute(job->trace, scenarios, count, &wall, error);
  archive_job_has_read(job);
  if (result < 0)
    return archive_job_failed(job, error);
  (request->is_json ? print_json : print_text)(request, scenarios, count, wall, second);
  return message_output_is_whole() ? EXIT_SUCCESS : EXIT_FAILED;
}
