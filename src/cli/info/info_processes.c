#include "cli/info/info_processes.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "stave/names.h"
#include "trace/kernel_sums.h"

enum { NUMBER_BYTES = 32, PROCESSES_SHOWN = 64 };

static bool is_process(const struct trace_location_group *group) {
  return !trace_group_is_device(group) && group->creator == TRACE_NO_REF;
}

static size_t count_processes(const struct info *info) {
  size_t count = 0;
  for (size_t i = 0; i < info->trace->location_group_count; i++)
    count += is_process(&info->trace->location_groups[i]);
  return count;
}

static const char *host_of(const struct info *info, const struct trace_location_group *group) {
  const struct trace_node *node = trace_node(info->trace, group->node);
  return node ? node->name : "";
}

static uint64_t sum_of(const struct info *info, const struct trace_location_group *group,
                       uint64_t *ret_threads) {
  uint64_t events = 0;
  *ret_threads = 0;
  for (size_t i = 0; i < info->trace->location_count; i++) {
    bool is_its = info->trace->locations[i].group == group->ref;
    *ret_threads += is_its && !trace_location_is_metric(&info->trace->locations[i]);
    events += is_its ? info->tally.locations[i].events : 0;
  }
  return events;
}

static void process_row(struct table *table, const struct info *info,
                        const struct trace_location_group *group) {
  char threads[NUMBER_BYTES], events[NUMBER_BYTES];
  uint64_t thread_count, event_count = sum_of(info, group, &thread_count);
  const char *const cells[] = {group->name,
                               host_of(info, group),
                               trace_process_property(info->trace, group->ref, STAVE_PROPERTY_PROCESS_ID),
                               summary_number(threads, thread_count),
                               summary_number(events, event_count),
                               trace_process_property(info->trace, group->ref, STAVE_PROPERTY_ENDING),
                               trace_process_property(info->trace, group->ref, STAVE_PROPERTY_PROGRAM)};
  table_row(table, cells);
}

static void print_facts(const struct info *info) {
  const char *missing = trace_archive_property(info->trace, STAVE_PROPERTY_MISSING_RANKS);
  uint64_t clocks = info_number(info, "CLOCKS");
  char deviation[NUMBER_BYTES];
  if (missing)
    table_fact("missing", "rank%s %s: no archive", strpbrk(missing, ",-") ? "s" : "", missing);
  if (clocks == 1)
    table_fact("clocks", "one for all processes");
  else if (clocks > 1)
    table_fact("clocks", "%zu, which may be wrong against each other by %s%s", (size_t)clocks,
               summary_duration(deviation, info_number(info, "CLOCK::DEVIATION_NS")),
               trace_archive_property(info->trace, STAVE_PROPERTY_CLOCK_BY_CALENDAR)
                   ? ": some could only be compared by the time of day"
                   : "");
}

void info_print_processes(const struct info *info) {
  size_t count = count_processes(info), shown = 0, most = info->is_all ? count : PROCESSES_SHOWN;
  struct table table;
  char heading[128];
  if (count < 2)
    return;
  snprintf(heading, sizeof heading, count > most ? "Processes: the first %zu of %zu" : "Processes", most,
           count);
  table_heading(heading);
  print_facts(info);
  table_begin(&table);
  table_column(&table, "PROCESS", TABLE_NAME);
  table_column(&table, "HOST", TABLE_TEXT);
  table_column(&table, "PID", TABLE_NUMBER);
  table_column(&table, "THREADS", TABLE_NUMBER);
  table_column(&table, "EVENTS", TABLE_NUMBER);
  table_column(&table, "ENDED", TABLE_TEXT);
  table_column(&table, "PROGRAM", TABLE_TEXT);
  for (size_t i = 0; i < info->trace->location_group_count && shown < most; i++)
    if (is_process(&info->trace->location_groups[i])) {
      process_row(&table, info, &info->trace->location_groups[i]);
      shown++;
    }
  table_print(&table);
}

json_t *info_processes_json(const struct info *info) {
  const struct trace *trace = info->trace;
  json_t *array = json_array();
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const struct trace_location_group *group = &trace->location_groups[i];
    if (!is_process(group))
      continue;
    json_t *properties = json_object();
    for (size_t j = 0; j < trace->location_group_property_count; j++)
      if (trace->location_group_properties[j].owner == group->ref &&
          !trace_is_series(trace->location_group_properties[j].name))
        json_put(properties, trace->location_group_properties[j].name,
                 json_from_text(trace->location_group_properties[j].text));
    uint64_t threads, events = sum_of(info, group, &threads);
    json_array_append_new(array, json_pack("{s:o,s:o,s:o,s:o,s:o}", "name", json_from_text(group->name),
                                           "host", json_from_text(host_of(info, group)), "threads",
                                           json_from_number(threads), "events", json_from_number(events),
                                           "properties", properties));
  }
  return array;
}

void info_print_processors(const struct info *info) {
  char own[NUMBER_BYTES], writer[NUMBER_BYTES], others[NUMBER_BYTES], idle[NUMBER_BYTES];
  uint64_t own_ns = info_number(info, "PROCESSORS::OWN_NS"),
           busy_ns = info_number(info, "PROCESSORS::BUSY_NS");
  uint64_t writer_ns = info_number(info, "PROCESSORS::WRITER_NS"), known_ns = own_ns + writer_ns;
  const char *count = info_property(info, "PROCESSORS");
  if (count && !info_property(info, "PROCESSORS::BUSY_NS"))
    table_fact("processors", "%s", count);
  else if (count)
    table_fact("processors",
               "%s; used by the program for %s, by stave-writer for %s, by others for %s, idle for %s", count,
               summary_duration(own, own_ns), summary_duration(writer, writer_ns),
               summary_duration(others, busy_ns > known_ns ? busy_ns - known_ns : 0),
               summary_duration(idle, info_number(info, "PROCESSORS::IDLE_NS")));
}

void info_print_kernel(const struct info *info) {
  const struct trace *trace = info->trace;
  char faults[NUMBER_BYTES], time[NUMBER_BYTES];
  const char *text = count_processes(info) == 1 ? trace_process_property(trace, trace->location_groups[0].ref,
                                                                         STAVE_PROPERTY_SYSTEM_TIMES)
                                                : NULL;
  struct kernel_sums sums = kernel_sums_of(text);
  if (sums.readings > 0)
    table_fact("in the kernel", "%s page faults, %s of processor time", summary_number(faults, sums.faults),
               summary_duration(time, 1000 * sums.us));
}

void info_print_system(const struct info *info) {
  char missed[NUMBER_BYTES], without[NUMBER_BYTES];
  const char *system = info_property(info, "SYSTEM");
  if (system && strcmp(system, "on") != 0)
    table_fact("run states", "not reported by the kernel: %s", system);
  else if (system)
    table_fact("run states", "reported by the kernel; %s switches missed, %s threads without",
               summary_number(missed, info_number(info, "SYSTEM::MISSED")),
               summary_number(without, info_number(info, "SYSTEM::THREADS_WITHOUT")));
}
