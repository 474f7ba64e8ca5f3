/* Where each thread stood at the end of a run that was killed, or hung until it was. */
#include "cli/report/report_print.h"

#include "analysis/label.h"
#include "cli/common/table.h"
#include "report/text.h"

#include <stdio.h>

enum { THREADS_MOST = 32 };

static double begun(const struct report *report, const struct report_open *open) {
  return (double)open->since_ticks - (double)report->first_ticks;
}

static void open_row(struct table *table, const struct report *report, const char *thread,
                     const struct report_open *open) {
  char where[LABEL_BYTES + 8], label[LABEL_BYTES], since[TEXT_TIME_BYTES], time[TEXT_TIME_BYTES];
  snprintf(where, sizeof where, "%s%s", open->is_held ? "holds " : "",
           label_region(label, report->trace, open->region));
  const char *const cells[] = {
      thread, where, text_time(time, report->trace, (double)(report->last_ticks - open->since_ticks)),
      text_time(since, report->trace, begun(report, open))};
  table_row(table, cells);
}

static void stand_rows(struct table *table, const struct report *report, size_t location) {
  const struct report_standing *standing = &report->standings[location];
  const char *thread = report->trace->locations[location].name;
  if (standing->open_count == 0) {
    const char *const cells[] = {thread, activity_name(standing->activity), NULL, NULL};
    table_row(table, cells);
  }
  for (size_t i = 0; i < standing->open_count; i++)
    open_row(table, report, i == 0 ? thread : "", &standing->open[i]);
}

void report_print_ending(const struct report_print *print) {
  const struct report *report = print->report;
  size_t most = print->top > THREADS_MOST ? print->top : THREADS_MOST, count = 0;
  struct table table;
  if (!report->standings)
    return;
  table_fact("ended", "%s", report->ending);
  table_heading("Where each thread stood at the end");
  table_begin(&table);
  table_column(&table, "thread", TABLE_NAME);
  table_column(&table, "in, innermost first", TABLE_TEXT);
  table_column(&table, "for", TABLE_NUMBER);
  table_column(&table, "since", TABLE_NUMBER);
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device && count++ < most)
      stand_rows(&table, report, i);
  table_print(&table);
  if (count > most)
    printf("  %zu more: --top %zu\n", count - most, count);
  putchar('\n');
}

static json_t *open_json(const struct report *report, const struct report_open *open) {
  double per_second = (double)report->trace->clock.ticks_per_second;
  bool is_known = open->region < report->trace->region_count;
  const struct trace_region *region = is_known ? &report->trace->regions[open->region] : NULL;
  json_t *object = json_object();
  json_put(object, "region", region ? json_from_text(region->name) : json_null());
  json_put(object, "file", region ? json_from_text(region->file) : json_null());
  json_put(object, "line", region ? json_from_number(region->begin_line) : json_null());
  json_put(object, "function", region ? json_from_text(region->description) : json_null());
  json_put(object, "is_held_lock", json_boolean(open->is_held));
  json_put(object, "since_s", json_real(begun(report, open) / per_second));
  return object;
}

json_t *report_ending_json(const struct report *report) {
  json_t *object = json_object(), *threads = json_array();
  json_put(object, "how", report->ending ? json_from_text(report->ending) : json_null());
  for (size_t i = 0; report->standings && i < report->trace->location_count; i++) {
    const struct report_standing *standing = &report->standings[i];
    if (!report->threads[i].is_seen || report->threads[i].is_device)
      continue;
    json_t *thread = json_object(), *open = json_array();
    json_put(thread, "thread", json_from_text(report->trace->locations[i].name));
    json_put(thread, "activity", json_string(activity_name(standing->activity)));
    for (size_t j = 0; j < standing->open_count; j++)
      json_array_append_new(open, open_json(report, &standing->open[j]));
    json_put(thread, "open", open);
    json_array_append_new(threads, thread);
  }
  json_put(object, "stood", report->standings ? threads : json_null());
  if (!report->standings)
    json_decref(threads);
  return object;
}
