/* `stave info` for people. */
#include "base/memory.h"
#include "base/plural.h"
#include "cli/info/info.h"
#include "cli/info/info_counters.h"
#include "cli/info/info_devices.h"
#include "cli/info/info_kept.h"
#include "cli/info/info_processes.h"

#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "stave/names.h"
#include "trace/runtimes.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBER_BYTES = 32, LIST_BYTES = 4096, THREADS_LISTED = 32 };

static const char absent[] = "not recorded";

static const char *or_absent(const char *text) {
  return text && *text != '\0' ? text : absent;
}

static char *ratio_text(char buffer[NUMBER_BYTES], uint64_t part, uint64_t total, double factor) {
  snprintf(buffer, NUMBER_BYTES, "%.1f", total > 0 ? (double)part * factor / (double)total : 0.0);
  return buffer;
}

/* -- how it was recorded -- */

static void print_date(const struct trace *trace) {
  char text[64], zone[16];
  time_t seconds = (time_t)(trace->clock.realtime_ns / 1000000000);
  struct tm local;
  if (trace->clock.realtime_ns == UINT64_MAX || !localtime_r(&seconds, &local)) {
    table_fact("date", "%s", absent);
    return;
  }
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
  strftime(zone, sizeof zone, "%z", &local);
  table_fact("date", "%s.%03u %s", text, (unsigned)(trace->clock.realtime_ns / 1000000 % 1000), zone);
}

static void print_runtime_file(void *data, const char *rest, const char *value) {
  (void)rest;
  ++*(size_t *)data;
  table_fact("  file", "%s", value);
}

/* gcc's has no tool interface: what it runs is in no trace. Whether it ran anything no event reports: where
 * another runtime replaces it (--preload), it does not. */
static void print_runtime_files(const struct info *info) {
  struct runtimes runtimes;
  size_t count = 0;
  runtimes_read(&runtimes, info->trace);
  info_each_property(info, "RUNTIME_FILE", print_runtime_file, &count);
  if (runtimes.instead_of)
    table_fact("  in place of", "%s, for which the program was built: its times there can be others",
               runtimes.instead_of);
  if (runtimes.untraced_count > 0)
    table_fact("  warning", "%s cannot be traced: what ran on %s, if anything did, is not here",
               runtimes.untraced, runtimes.untraced_count == 1 ? "it" : "them");
}

static void print_runtime(const struct info *info) {
  const char *version = info_property(info, "RUNTIME");
  if (*info->runtime.name != '\0') {
    table_fact("runtime", "%s", info->runtime.name);
    table_fact("  because", "%s", info->runtime.evidence);
    table_fact("  its version", "%s", or_absent(version));
  } else {
    table_fact("runtime", "%s", or_absent(version));
  }
  print_runtime_files(info);
}

static const char *host_of(const struct trace *trace) {
  for (size_t i = 0; i < trace->node_count; i++)
    if (strcmp(trace->nodes[i].class_name, "node") == 0)
      return trace->nodes[i].name;
  return trace->machine;
}

/* Some writers' has lines. */
static void print_creator(const char *creator) {
  char *line = memory_text(or_absent(creator));
  size_t used = 0;
  for (const char *at = line; *at; at++) {
    bool is_space = isspace((unsigned char)*at);
    if (!is_space || (used > 0 && line[used - 1] != ' '))
      line[used++] = is_space ? ' ' : *at;
  }
  line[used > 0 && line[used - 1] == ' ' ? used - 1 : used] = '\0';
  table_fact("written by", "%s", line);
  free(line);
}

static void print_origin(const struct info *info) {
  const struct trace *trace = info->trace;
  table_fact("archive", "%s", info->found.anchor);
  print_creator(trace->creator);
  if (info_property(info, "OTF2"))
    table_fact("meant for",
               "readers of OTF2 %s: it has roles and paradigms that older ones lack (STAVE_OTF2)",
               info_property(info, "OTF2"));
  table_fact("program", "%s", or_absent(info_property(info, "PROGRAM")));
  table_fact("arguments", "%s", or_absent(info_property(info, "ARGUMENTS")));
  table_fact("process", "%s", or_absent(info_property(info, "PROCESS_ID")));
  table_fact("host", "%s", or_absent(host_of(trace)));
  info_print_processors(info);
  info_print_kernel(info);
  print_date(trace);
  print_runtime(info);
  table_fact("compiler", "%s", *info->compiler != '\0' ? info->compiler : "not known");
}

/* -- what became of it -- */

/* What the timers requested, and what came of it. */
static void print_samples(const struct info *info) {
  char recorded[NUMBER_BYTES], missed[NUMBER_BYTES], left_out[NUMBER_BYTES];
  if (info_number(info, "SAMPLING::HZ") == 0)
    return;
  table_fact("samples", "%s at %s per second and thread; %s missed, %s left out",
             summary_number(recorded, info->tally.kinds[TRACE_CallingContextSample].events),
             info_property(info, "SAMPLING::HZ"),
             summary_number(missed, info_number(info, "SAMPLING::MISSED")),
             summary_number(left_out, info_number(info, "SAMPLING::LEFT_OUT")));
}

static void print_losses(const struct info *info) {
  char number[NUMBER_BYTES], duration[NUMBER_BYTES];
  const char *stopped = info_property(info, "STOPPED");
  const char *complete = trace_archive_property(info->trace, "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
  uint64_t lost = trace_lost_events(info->trace);
  if (lost > 0)
    table_fact("lost", "%s event%s: this archive is not complete", summary_number(number, lost),
               plural(lost));
  else if (complete && strcmp(complete, "true") == 0)
    table_fact("lost", "nothing");
  else
    table_fact("lost", "%s", !complete ? absent : "the archive is marked as incomplete");
  if (info_property(info, "RECORD_LOG"))
    table_fact("log", "%s (STAVE_LOG)", info_property(info, "RECORD_LOG"));
  if (stopped)
    table_fact("stopped", "recording ended before the program did: %s", stopped);
  if (info_property(info, "RECOVERED"))
    table_fact("recovered", "complete up to %s; later events may be missing",
               summary_duration(duration, trace_ns(info->trace, info_number(info, "LOST_AFTER"))));
}

static void print_oddities(const struct info *info) {
  char number[NUMBER_BYTES];
  if (info->tally.miscounted > 0)
    table_fact("miscounted", "%s locations hold another number of events than their definitions state",
               summary_number(number, info->tally.miscounted));
  if (info->tally.backward > 0)
    table_fact("backward", "%s events are earlier than the one before",
               summary_number(number, info->tally.backward));
  if (info->tally.kinds[TRACE_Unknown].events > 0)
    table_fact("unknown", "%s events are of kinds that this version of OTF2 does not know",
               summary_number(number, info->tally.kinds[TRACE_Unknown].events));
}

static size_t count_threads(const struct trace *trace) {
  size_t count = 0;
  for (size_t i = 0; i < trace->location_count; i++)
    count +=
        !trace_location_is_device(&trace->locations[i]) && !trace_location_is_metric(&trace->locations[i]);
  return count;
}

/* What has a label. */
static void print_figures(const struct info *info) {
  static const struct {
    const char *property, *label, *text;
  } rows[] = {
#define FIGURE(name, counted_by, shown, property, label, text) {STAVE_PROPERTY_##property, label, text},
#include "session/figures.def"
#undef FIGURE
  };
  char number[NUMBER_BYTES];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *value = trace_archive_property(info->trace, rows[i].property);
    uint64_t count = value ? strtoull(value, NULL, 10) : 0;
    if (rows[i].label && count > 0)
      table_fact(rows[i].label, "%s%s", summary_number(number, count), rows[i].text);
  }
}

static void print_outcome(const struct info *info) {
  char number[NUMBER_BYTES], size[NUMBER_BYTES], each[NUMBER_BYTES], time[NUMBER_BYTES];
  const struct tally *tally = &info->tally;
  table_fact("ended", "%s", or_absent(info_property(info, "ENDING")));
  info_print_kept(info);
  table_fact("duration", "%s", summary_duration(time, info->duration_ns));
  table_fact("threads", "%s", summary_number(number, count_threads(info->trace)));
  info_print_devices(info);
  table_fact("events", "%s in %s of event files (%s bytes per event)", summary_number(number, tally->events),
             summary_size(size, tally->file_bytes), ratio_text(each, tally->file_bytes, tally->events, 1));
  table_fact("on disk", "%s", summary_size(size, info->found.bytes));
  print_losses(info);
  print_samples(info);
  info_print_system(info);
  info_print_counters(info);
  if (info->stalls > 0)
    table_fact("stalls", "%s time%s threads waited for room in their buffers, %s in all (STAVE_BUFFER_SIZE)",
               summary_number(number, info->stalls), plural(info->stalls),
               summary_duration(time, info->stall_ns));
  else
    table_fact("stalls", "none");
  print_figures(info);
  const char *added = info_property(info, "CLOSED_BY_WRITER");
  table_fact("added at end", "%s",
             added ? summary_number(number, info_number(info, "CLOSED_BY_WRITER")) : absent);
  print_oddities(info);
}

/* -- what the runtime could not deliver -- */

struct list {
  char text[LIST_BYTES];
  size_t used;
  size_t named;
};

static void add_undelivered(void *data, const char *rest, const char *value) {
  struct list *list = data;
  const char *name = info_callback_name((unsigned)strtoul(rest, NULL, 10));
  list->named++;
  if (strcmp(value, "always") == 0)
    return;
  int length = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s (%s)",
                        list->used > 0 ? ", " : "", name ? name : rest, value);
  if (length > 0 && (size_t)length < sizeof list->text - list->used)
    list->used += (size_t)length;
}

static void print_not_registered(void *data, const char *rest, const char *value) {
  (void)data;
  const char *name = info_callback_name((unsigned)strtoul(rest, NULL, 10));
  table_fact("not requested", "%s, since %s", name ? name : rest, value);
}

static void print_undelivered(const struct info *info) {
  struct list list = {.used = 0};
  info_each_property(info, "SET_CALLBACK", add_undelivered, &list);
  list.text[list.used] = '\0';
  if (list.named == 0)
    table_fact("not delivered", "%s", absent);
  else
    table_fact("not delivered", "%s",
               list.used > 0 ? list.text : "the runtime delivers every callback that was requested");
  info_each_property(info, "NOT_ASKED", print_not_registered, NULL);
}

/* -- tables -- */

struct numbered {
  uint64_t number;
  size_t index;
};

static int most_first(const void *left, const void *right) {
  const struct numbered *a = left, *b = right;
  if (a->number != b->number)
    return a->number < b->number ? 1 : -1;
  return (a->index > b->index) - (a->index < b->index);
}

static int in_order(const void *left, const void *right) {
  const struct numbered *a = left, *b = right;
  return (a->index > b->index) - (a->index < b->index);
}

static void kind_row(struct table *table, const struct tally *tally, size_t kind) {
  char events[NUMBER_BYTES], share[NUMBER_BYTES], bytes[NUMBER_BYTES], each[NUMBER_BYTES];
  const struct tally_kind *one = &tally->kinds[kind];
  const char *const cells[] = {trace_kind_name((enum trace_kind)kind), summary_number(events, one->events),
                               ratio_text(share, one->events, tally->events, 100),
                               summary_number(bytes, one->bytes),
                               ratio_text(each, one->bytes, one->events, 1)};
  table_row(table, cells);
}

static void print_kinds(const struct tally *tally) {
  struct numbered order[TRACE_KIND_COUNT];
  struct table table;
  table_heading("Events by kind");
  table_begin(&table);
  table_column(&table, "KIND", TABLE_NAME);
  table_column(&table, "EVENTS", TABLE_NUMBER);
  table_column(&table, "%", TABLE_NUMBER);
  table_column(&table, "BYTES", TABLE_NUMBER);
  table_column(&table, "EACH", TABLE_NUMBER);
  for (size_t i = 0; i < TRACE_KIND_COUNT; i++)
    order[i] = (struct numbered){tally->kinds[i].events, i};
  qsort(order, TRACE_KIND_COUNT, sizeof *order, most_first);
  for (size_t i = 0; i < TRACE_KIND_COUNT && order[i].number > 0; i++)
    kind_row(&table, tally, order[i].index);
  table_print(&table);
}

static void location_row(struct table *table, const struct info *info, size_t index) {
  char events[NUMBER_BYTES], bytes[NUMBER_BYTES], begin[NUMBER_BYTES], lasts[NUMBER_BYTES],
      stalls[NUMBER_BYTES];
  const struct trace_location *location = &info->trace->locations[index];
  const struct tally_location *one = &info->tally.locations[index];
  const char *const cells[] = {
      location->name,
      trace_location_is_metric(location) ? "metrics"
                                         : trace_location_property(info->trace, location->ref, "thread type"),
      trace_location_property(info->trace, location->ref, "kernel thread id"),
      summary_number(events, one->events),
      summary_number(bytes, one->bytes),
      summary_duration(begin, trace_ns(info->trace, one->first_ticks)),
      summary_duration(lasts, trace_span_ns(info->trace, one->last_ticks - one->first_ticks)),
      summary_number(stalls, one->stalls)};
  table_row(table, cells);
}

static void location_columns(struct table *table) {
  table_column(table, "THREAD", TABLE_TEXT);
  table_column(table, "TYPE", TABLE_TEXT);
  table_column(table, "TID", TABLE_NUMBER);
  table_column(table, "EVENTS", TABLE_NUMBER);
  table_column(table, "BYTES", TABLE_NUMBER);
  table_column(table, "BEGINS", TABLE_NUMBER);
  table_column(table, "LASTS", TABLE_NUMBER);
  table_column(table, "STALLS", TABLE_NUMBER);
}

/* The busiest if there are too many to read, in the archive's order. */
static void print_locations(const struct info *info) {
  size_t count = 0;
  struct numbered *order = memory_get(info->trace->location_count + 1, sizeof *order);
  for (size_t i = 0; i < info->trace->location_count; i++)
    if (!trace_location_is_device(&info->trace->locations[i]))
      order[count++] = (struct numbered){info->tally.locations[i].events, i};
  size_t listed = count;
  if (!info->is_all && count > THREADS_LISTED) {
    qsort(order, count, sizeof *order, most_first);
    listed = THREADS_LISTED;
    qsort(order, listed, sizeof *order, in_order);
  }
  struct table table;
  table_heading(listed < count ? "Threads with the most events" : "Threads");
  table_begin(&table);
  location_columns(&table);
  for (size_t i = 0; i < listed; i++)
    location_row(&table, info, order[i].index);
  table_print(&table);
  if (listed < count)
    printf("and %zu more; --all lists them\n", count - listed);
  free(order);
}

static void stream_row(struct table *table, const struct info *info, size_t index) {
  char events[NUMBER_BYTES], bytes[NUMBER_BYTES], begin[NUMBER_BYTES], lasts[NUMBER_BYTES];
  const struct trace_location *location = &info->trace->locations[index];
  const struct tally_location *one = &info->tally.locations[index];
  const struct trace_location_group *group = trace_location_group(info->trace, location->group);
  const char *const cells[] = {
      location->name,
      group ? trace_node_property(info->trace, group->node, "type") : NULL,
      summary_number(events, one->events),
      summary_number(bytes, one->bytes),
      summary_duration(begin, trace_ns(info->trace, one->first_ticks)),
      summary_duration(lasts, trace_span_ns(info->trace, one->last_ticks - one->first_ticks))};
  table_row(table, cells);
}

static void print_streams(const struct info *info) {
  struct table table;
  bool has_streams = false;
  for (size_t i = 0; i < info->trace->location_count; i++)
    has_streams |= trace_location_is_device(&info->trace->locations[i]);
  if (!has_streams)
    return;
  table_heading("Devices");
  table_begin(&table);
  table_column(&table, "STREAM", TABLE_TEXT);
  table_column(&table, "TYPE", TABLE_TEXT);
  table_column(&table, "EVENTS", TABLE_NUMBER);
  table_column(&table, "BYTES", TABLE_NUMBER);
  table_column(&table, "BEGINS", TABLE_NUMBER);
  table_column(&table, "LASTS", TABLE_NUMBER);
  for (size_t i = 0; i < info->trace->location_count; i++)
    if (trace_location_is_device(&info->trace->locations[i]))
      stream_row(&table, info, i);
  table_print(&table);
}

struct record_rows {
  struct table table;
  size_t count;
};

static void record_row(void *data, const char *rest, const char *value) {
  struct record_rows *rows = data;
  char number[NUMBER_BYTES];
  char name[64];
  const char *const cells[] = {info_record_name(name, rest),
                               summary_number(number, strtoull(value, NULL, 10))};
  table_row(&rows->table, cells);
  rows->count++;
}

static void count_property(void *data, const char *rest, const char *value) {
  (void)rest, (void)value;
  ++*(size_t *)data;
}

static void print_records(const struct info *info) {
  size_t count = 0;
  info_each_property(info, "RECORDS", count_property, &count);
  if (count == 0)
    return;
  struct record_rows rows = {.count = 0};
  table_heading("What the runtime reported, and Stave itself");
  table_begin(&rows.table);
  table_column(&rows.table, "RECORD", TABLE_NAME);
  table_column(&rows.table, "COUNT", TABLE_NUMBER);
  info_each_property(info, "RECORDS", record_row, &rows);
  table_print(&rows.table);
}

static void state_row(struct table *table, const struct info *info, const struct tally_state *state,
                      uint64_t all) {
  char samples[NUMBER_BYTES], share[NUMBER_BYTES];
  const char *const cells[] = {trace_string(info->trace, state->name),
                               summary_number(samples, state->samples),
                               ratio_text(share, state->samples, all, 100)};
  table_row(table, cells);
}

static void print_states(const struct info *info) {
  const struct tally *tally = &info->tally;
  struct numbered order[TALLY_STATES_MAX];
  struct table table;
  uint64_t all = 0;
  if (tally->state_count == 0)
    return;
  table_heading("Thread states, sampled: approximately");
  table_begin(&table);
  table_column(&table, "STATE", TABLE_NAME);
  table_column(&table, "SAMPLES", TABLE_NUMBER);
  table_column(&table, "~ %", TABLE_NUMBER);
  for (size_t i = 0; i < tally->state_count; i++) {
    order[i] = (struct numbered){tally->states[i].samples, i};
    all += tally->states[i].samples;
  }
  qsort(order, tally->state_count, sizeof *order, most_first);
  for (size_t i = 0; i < tally->state_count; i++)
    state_row(&table, info, &tally->states[order[i].index], all);
  table_print(&table);
}

static void print_attributes(const struct info *info) {
  struct table table;
  char uses[NUMBER_BYTES];
  if (info->trace->attribute_count == 0)
    return;
  table_heading("Attributes of events");
  table_begin(&table);
  table_column(&table, "ATTRIBUTE", TABLE_NAME);
  table_column(&table, "EVENTS", TABLE_NUMBER);
  table_column(&table, "MEANING", TABLE_PROSE);
  for (size_t i = 0; i < info->trace->attribute_count; i++) {
    const struct trace_attribute *attribute = &info->trace->attributes[i];
    const char *const cells[] = {attribute->name, summary_number(uses, info->tally.attribute_uses[i]),
                                 attribute->description};
    table_row(&table, cells);
  }
  table_print(&table);
}

void info_print_text(const struct info *info) {
  print_origin(info);
  print_outcome(info);
  print_undelivered(info);
  print_kinds(&info->tally);
  info_print_processes(info);
  print_locations(info);
  print_streams(info);
  print_states(info);
  print_records(info);
  print_attributes(info);
}
