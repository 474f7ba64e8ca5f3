/* State of each thread at the end of a run that was killed, or hung until it was. */
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/label.h"

#include <signal.h>
#include <stdio.h>

enum { THREADS_MAX = 32 };

static double started(const struct report *report, const struct report_open *open) {
  return (double)open->since_ticks - (double)report->first_ticks;
}

static void open_row(struct table *table, const struct report *report, const char *thread,
                     const struct report_open *open) {
  char where[LABEL_BYTES + 8], label[LABEL_BYTES], since[TEXT_TIME_BYTES], time[TEXT_TIME_BYTES];
  snprintf(where, sizeof where, "%s%s", open->is_held ? "holds " : "",
           label_region(label, report->trace, open->region));
  const char *const cells[] = {
      thread, where, text_time(time, report->trace, (double)(report->last_ticks - open->since_ticks)),
      text_time(since, report->trace, started(report, open))};
  table_row(table, cells);
}

static void place_rows(struct table *table, const struct report *report, size_t location) {
  const struct report_final_state *state = &report->final_states[location];
  const char *thread = report->trace->locations[location].name;
  if (state->open_count == 0) {
    const char *const cells[] = {thread, activity_name(state->activity), NULL, NULL};
    table_row(table, cells);
  }
  for (size_t i = 0; i < state->open_count; i++)
    open_row(table, report, i == 0 ? thread : "", &state->open[i]);
}

void report_wait_text(char text[WAIT_BYTES], const struct report *report, size_t location,
                      const struct report_wait *wait) {
  char label[LABEL_BYTES];
  const struct trace_location *locations = report->trace->locations;
  const char *thread = locations[location].name, *other = locations[wait->location].name;
  if (wait->is_lock)
    snprintf(text, WAIT_BYTES, "%s waits for %s, which holds the lock since %s", thread, other,
             label_region(label, report->trace, wait->region));
  else
    snprintf(text, WAIT_BYTES, "%s waits for %s, which has not come to the barrier", thread, other);
}

static void print_waits(const struct report *report, size_t most) {
  char line[WAIT_BYTES];
  size_t count = 0;
  for (size_t i = 0; i < report->trace->location_count; i++)
    for (size_t j = 0; j < report->final_states[i].wait_count && count < most; j++) {
      if (count++ == 0)
        table_heading("Who waits for whom");
      report_wait_text(line, report, i, &report->final_states[i].waits[j]);
      prose_printf(2, "%s", line);
    }
}

bool report_deadlock_text(char *text, size_t bytes, const struct report *report) {
  size_t used = 0;
  if (report->deadlock_count == 0)
    return false;
  *text = '\0';
  for (size_t i = 0; i <= report->deadlock_count && used < bytes; i++) {
    uint32_t location = report->deadlock[i % report->deadlock_count];
    used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " -> " : "",
                             report->trace->locations[location].name);
  }
  return true;
}

/* A signal that the thread itself has caused, most likely: not one that was sent to the process. */
static bool is_of_a_thread(const char *ending) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  int number = 0;
  if (ending)
    sscanf(ending, "killed by signal %d", &number);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (faults[i] == number)
      return true;
  return false;
}

/* No event has the thread that a signal ended; it did not wait in the runtime then. */
static void print_signalled(const struct report *report) {
  size_t threads = 0, working = 0;
  const char *name = NULL;
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device) {
      threads++;
      if (activity_is_useful(report->final_states[i].activity)) {
        working++;
        name = report->trace->locations[i].name;
      }
    }
  if (!is_of_a_thread(report->ending) || threads < 2)
    return;
  if (working == 1)
    prose_printf(2, "%s alone ran the program's own code: most likely it caused the signal", name);
  else
    prose_printf(
        2, "Which thread caused the signal is not recorded; a core file shows it (coredumpctl gdb; bt)");
}

void report_print_ending(const struct report_print *print) {
  const struct report *report = print->report;
  size_t most = print->top > THREADS_MAX ? print->top : THREADS_MAX, count = 0;
  struct table table;
  if (report->has_ended_badly)
    table_fact("ended", "%s", report->ending);
  if (!report->final_states)
    return;
  table_heading("State of each thread at the end");
  table_begin(&table);
  table_column(&table, "thread", TABLE_NAME);
  table_column(&table, "in, innermost first", TABLE_TEXT);
  table_column(&table, "for", TABLE_NUMBER);
  table_column(&table, "since", TABLE_NUMBER);
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device && count++ < most)
      place_rows(&table, report, i);
  table_print_first(&table, count, most);
  print_signalled(report);
  print_waits(report, most);
  char circle[DEADLOCK_BYTES];
  if (report_deadlock_text(circle, sizeof circle, report))
    prose_printf(2, "Deadlock: these wait for each other in a circle: %s", circle);
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
  json_put(object, "since_s", json_real(started(report, open) / per_second));
  return object;
}

static json_t *wait_json(const struct report *report, const struct report_wait *wait) {
  json_t *object = json_object();
  bool is_known = wait->region < report->trace->region_count;
  json_put(object, "thread", json_from_text(report->trace->locations[wait->location].name));
  json_put(object, "holds_lock", json_boolean(wait->is_lock));
  json_put(object, "acquired_in",
           is_known ? json_from_text(report->trace->regions[wait->region].name) : json_null());
  return object;
}

static json_t *waits_json(const struct report *report, const struct report_final_state *state) {
  json_t *array = json_array();
  for (size_t i = 0; i < state->wait_count; i++)
    json_array_append_new(array, wait_json(report, &state->waits[i]));
  return array;
}

static json_t *deadlock_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->deadlock_count; i++)
    json_array_append_new(array, json_from_text(report->trace->locations[report->deadlock[i]].name));
  return array;
}

json_t *report_ending_json(const struct report *report) {
  json_t *object = json_object(), *threads = json_array();
  json_put(object, "how", report->ending ? json_from_text(report->ending) : json_null());
  for (size_t i = 0; report->final_states && i < report->trace->location_count; i++) {
    const struct report_final_state *state = &report->final_states[i];
    if (!report->threads[i].is_seen || report->threads[i].is_device)
      continue;
    json_t *thread = json_object(), *open = json_array();
    json_put(thread, "thread", json_from_text(report->trace->locations[i].name));
    json_put(thread, "activity", json_string(activity_name(state->activity)));
    for (size_t j = 0; j < state->open_count; j++)
      json_array_append_new(open, open_json(report, &state->open[j]));
    json_put(thread, "open", open);
    json_put(thread, "waits_for", waits_json(report, state));
    json_array_append_new(threads, thread);
  }
  json_put(object, "stood", report->final_states ? threads : json_null());
  json_put(object, "deadlock", deadlock_json(report));
  if (!report->final_states)
    json_decref(threads);
  return object;
}
