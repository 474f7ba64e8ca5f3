/* What samples report: in which functions, at which places. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

/* -- states -- */

static void print_states(const struct report *report) {
  struct table table;
  table_heading("Thread states, sampled");
  table_begin(&table);
  table_column(&table, "state", TABLE_TEXT);
  table_column(&table, "samples", TABLE_NUMBER);
  table_column(&table, "share", TABLE_NUMBER);
  for (size_t i = 0; i < report->state_count; i++) {
    char number[NUMBER_BYTES], share[TEXT_TIME_BYTES];
    const char *const cells[] = {
        report->states[i].name, summary_number(number, report->states[i].samples),
        text_percent(share, (double)report->states[i].samples / (double)report->samples)};
    table_row(&table, cells);
  }
  table_print(&table);
}

/* -- functions -- */

/* A function at a place. */
struct sampled_row {
  const struct report_sampled *place;
  const struct report_hot *hot;
};

static int most_samples(const void *left, const void *right) {
  const struct sampled_row *a = left, *b = right;
  if (a->hot->samples != b->hot->samples)
    return a->hot->samples < b->hot->samples ? 1 : -1;
  if (a->place != b->place)
    return a->place < b->place ? -1 : 1;
  return a->hot < b->hot ? -1 : 1;
}

static bool is_requested(const struct report_print *print, const struct report_sampled *place) {
  return !print->only || (place->region != REPLAY_NONE && report_print_includes(print, place->region));
}

/* Returns how many, in *ret, which the caller frees. */
static size_t sort_rows(const struct report_print *print, struct sampled_row **ret) {
  const struct report *report = print->report;
  size_t count = 0;
  for (size_t i = 0; i < report->sampled_count; i++)
    count += report->sampled[i].hot_count;
  struct sampled_row *rows = *ret = memory_get(count + 1, sizeof *rows);
  count = 0;
  for (size_t i = 0; i < report->sampled_count; i++)
    for (size_t j = 0; is_requested(print, &report->sampled[i]) && j < report->sampled[i].hot_count; j++)
      rows[count++] = (struct sampled_row){&report->sampled[i], &report->sampled[i].hot[j]};
  if (count > 1)
    qsort(rows, count, sizeof *rows, most_samples);
  return count;
}

static void write_place(char text[LABEL_BYTES + 16], const struct report *report,
                        const struct report_sampled *place) {
  char label[LABEL_BYTES];
  if (place->region == REPLAY_NONE)
    snprintf(text, LABEL_BYTES + 16, "%s", report_doing_name(place->doing));
  else
    snprintf(text, LABEL_BYTES + 16, "%s%s%s",
             place->doing == DOING_WORK ? "" : report_doing_name(place->doing),
             place->doing == DOING_WORK ? "" : " in ", label_region(label, report->trace, place->region));
}

static void write_line(char text[LABEL_BYTES], const struct trace_code_line *line) {
  const char *slash = line ? strrchr(line->file, '/') : NULL;
  *text = '\0';
  if (line)
    snprintf(text, LABEL_BYTES, "%s:%" PRIu32, slash ? slash + 1 : line->file, line->line);
}

static const char *function_label(char label[LABEL_BYTES], const struct report *report, uint32_t function) {
  return function == REPLAY_NONE ? "" : label_function(label, report->trace, function);
}

static void add_row(struct table *table, const struct report *report, const struct sampled_row *row) {
  char place[LABEL_BYTES + 16], function[LABEL_BYTES], caller[LABEL_BYTES], line[LABEL_BYTES],
      samples[NUMBER_BYTES], all[NUMBER_BYTES];
  write_place(place, report, row->place);
  write_line(line, row->hot->line);
  const char *const cells[] = {
      place,
      row->hot->function == REPLAY_NONE ? "(unknown)" : function_label(function, report, row->hot->function),
      summary_number(samples, row->hot->samples),
      summary_number(all, row->place->samples),
      function_label(caller, report, row->hot->caller),
      line};
  table_row(table, cells);
}

static void print_functions(const struct report_print *print) {
  struct sampled_row *rows;
  struct table table;
  size_t count = sort_rows(print, &rows);
  if (count > 0) {
    table_heading("Hot functions, sampled");
    table_begin(&table);
    table_column(&table, "where", TABLE_TEXT);
    table_column(&table, "function", TABLE_TEXT);
    table_column(&table, "samples", TABLE_NUMBER);
    table_column(&table, "of", TABLE_NUMBER);
    table_column(&table, "called by", TABLE_TEXT);
    table_column(&table, "most in line", TABLE_TEXT);
    for (size_t i = 0; i < count && i < print->top; i++)
      add_row(&table, print->report, &rows[i]);
    table_print_first(&table, count, print->top);
  }
  free(rows);
}

void report_print_samples(const struct report_print *print) {
  if (print->report->samples == 0)
    return;
  print_functions(print);
  print_states(print->report);
}

/* -- JSON -- */

static json_t *name_of(const struct report *report, uint32_t region) {
  return region < report->trace->region_count ? json_from_text(report->trace->regions[region].name)
                                              : json_null();
}

/* What the name alone does not show. */
static void put_module(json_t *object, const struct report *report, uint32_t function) {
  const struct trace_region *region =
      function < report->trace->region_count ? &report->trace->regions[function] : NULL;
  char module[LABEL_BYTES];
  json_put(object, "inlined_into", json_from_text(region ? label_inlined_into(region) : NULL));
  json_put(object, "module", json_from_text(region ? label_module(module, region) : NULL));
}

static json_t *hot_json(const struct report *report, const struct report_hot *hot) {
  json_t *object = json_object();
  json_put(object, "function", name_of(report, hot->function));
  put_module(object, report, hot->function);
  json_put(object, "called_by", name_of(report, hot->caller));
  json_put(object, "file", json_from_text(hot->line ? hot->line->file : NULL));
  json_put(object, "line", hot->line ? json_from_number(hot->line->line) : json_null());
  json_put(object, "samples", json_from_number(hot->samples));
  return object;
}

void report_sampled_json(json_t *object, const struct report *report, const struct report_sampled *place) {
  json_t *functions = json_array();
  json_put(object, "samples", json_from_number(place->samples));
  for (size_t i = 0; i < place->hot_count; i++)
    json_array_append_new(functions, hot_json(report, &place->hot[i]));
  json_put(object, "functions", functions);
}

static json_t *place_json(const struct report *report, const struct report_sampled *place) {
  json_t *object = json_object();
  json_put(object, "doing", json_string(report_doing_name(place->doing)));
  json_put(object, "region", name_of(report, place->region));
  report_sampled_json(object, report, place);
  return object;
}

json_t *report_samples_json(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = json_object(), *places = json_array();
  json_put(object, "count", json_from_number(report->samples));
  for (int i = 0; i < DOING_COUNT; i++)
    json_put(object, report_doing_name((enum report_doing)i), json_from_number(report->samples_doing[i]));
  for (size_t i = 0; i < report->sampled_count; i++)
    if (is_requested(print, &report->sampled[i]))
      json_array_append_new(places, place_json(report, &report->sampled[i]));
  json_put(object, "places", places);
  return object;
}

json_t *report_finding_samples_json(const struct report *report, const struct report_finding *finding) {
  json_t *object = json_object();
  if (finding->sampled_function == REPLAY_NONE) {
    json_decref(object);
    return json_null();
  }
  json_put(object, "count", json_from_number(finding->samples));
  json_put(object, "function", name_of(report, finding->sampled_function));
  json_put(object, "in_function", json_from_number(finding->samples_in));
  return object;
}
