/* Rows of what the archive defines: threads, processes, properties. */
#include "tables/tabulate.h"

/* -- threads and processes -- */

static const char *kind_of(const struct trace_location *location) {
  if (trace_location_is_device(location))
    return "device";
  return trace_location_is_metric(location) ? "metric" : "thread";
}

static void write_thread(struct tabulator *tabulator, size_t index) {
  const struct trace *trace = tabulator->trace;
  const struct trace_location *location = &trace->locations[index];
  const struct trace_location_group *group = trace_location_group(trace, location->group);
  ROW(threads);
  threads[COLUMN_threads_id] = tabulate_id(tabulator, TABLE_threads, index);
  threads[COLUMN_threads_run] = tabulate_run(tabulator);
  if (group)
    threads[COLUMN_threads_process] =
        tabulate_id(tabulator, TABLE_processes, (uint64_t)(group - trace->location_groups));
  threads[COLUMN_threads_location] = cell_number(location->ref);
  threads[COLUMN_threads_name] = cell_text(location->name);
  threads[COLUMN_threads_kind] = cell_text(kind_of(location));
  threads[COLUMN_threads_events] = cell_number(location->event_count);
  row_write(tabulator->writer, TABLE_threads, threads);
}

static void write_process(struct tabulator *tabulator, size_t index) {
  const struct trace_location_group *group = &tabulator->trace->location_groups[index];
  const struct trace_node *node = trace_node(tabulator->trace, group->node);
  ROW(processes);
  processes[COLUMN_processes_id] = tabulate_id(tabulator, TABLE_processes, index);
  processes[COLUMN_processes_run] = tabulate_run(tabulator);
  processes[COLUMN_processes_name] = cell_text(group->name);
  processes[COLUMN_processes_kind] = cell_text(trace_group_is_device(group) ? "device" : "process");
  processes[COLUMN_processes_node] = cell_text(node ? node->name : NULL);
  row_write(tabulator->writer, TABLE_processes, processes);
}

/* -- properties -- */

static void write_property(struct tabulator *tabulator, const char *owner, struct cell id, const char *name,
                           const char *value) {
  ROW(properties);
  properties[COLUMN_properties_run] = tabulate_run(tabulator);
  properties[COLUMN_properties_owner] = cell_text(owner);
  properties[COLUMN_properties_owner_id] = id;
  properties[COLUMN_properties_name] = cell_text(name);
  properties[COLUMN_properties_value] = cell_text(value);
  row_write(tabulator->writer, TABLE_properties, properties);
}

void tabulate_property(struct tabulator *tabulator, const char *name, const char *value) {
  write_property(tabulator, "archive", (struct cell){CELL_NULL, {0}}, name, value);
}

static struct cell location_id(const struct tabulator *tabulator, uint64_t ref) {
  uint32_t position = trace_location_position(tabulator->trace, ref);
  struct cell null = {CELL_NULL, {0}};
  return position == TRACE_NO_POSITION ? null : tabulate_id(tabulator, TABLE_threads, position);
}

static struct cell group_id(const struct tabulator *tabulator, uint64_t ref) {
  const struct trace_location_group *group = trace_location_group(tabulator->trace, ref);
  struct cell null = {CELL_NULL, {0}};
  return group
             ? tabulate_id(tabulator, TABLE_processes, (uint64_t)(group - tabulator->trace->location_groups))
             : null;
}

static void write_properties(struct tabulator *tabulator) {
  const struct trace *trace = tabulator->trace;
  const struct cell null = {CELL_NULL, {0}};
  for (size_t i = 0; i < trace->archive_property_count; i++)
    write_property(tabulator, "archive", null, trace->archive_properties[i].name,
                   trace->archive_properties[i].value);
  for (size_t i = 0; i < trace->location_property_count; i++)
    write_property(tabulator, "thread", location_id(tabulator, trace->location_properties[i].owner),
                   trace->location_properties[i].name, trace->location_properties[i].text);
  for (size_t i = 0; i < trace->location_group_property_count; i++)
    write_property(tabulator, "process", group_id(tabulator, trace->location_group_properties[i].owner),
                   trace->location_group_properties[i].name, trace->location_group_properties[i].text);
  for (size_t i = 0; i < trace->node_property_count; i++)
    write_property(tabulator, "node", cell_number(trace->node_properties[i].owner),
                   trace->node_properties[i].name, trace->node_properties[i].text);
}

void tabulate_definitions(struct tabulator *tabulator) {
  const struct trace *trace = tabulator->trace;
  for (size_t i = 0; i < trace->location_group_count; i++)
    write_process(tabulator, i);
  for (size_t i = 0; i < trace->location_count; i++)
    write_thread(tabulator, i);
  tabulate_region_names(tabulator);
  write_properties(tabulator);
  tabulate_counters(tabulator);
  tabulate_sample_frames(tabulator);
}
