/* Rows of what the archive defines: threads, processes, regions by name, properties. */
#include <string.h>

#include "analysis/constructs.h"
#include "analysis/label.h"
#include "export/values.h"
#include "tables/tabulate.h"

/* -- names of regions -- */

static const char *activity_of(const struct trace_region *region) {
  enum activity activity;
  if (construct_is_mpi(region))
    return activity_name(ACTIVITY_MPI);
  return construct_activity(construct_of_region(region), &activity) ? activity_name(activity) : NULL;
}

static void write_name(struct tabulator *tabulator, uint32_t region, uint64_t site, int64_t number) {
  const struct trace *trace = tabulator->trace;
  const struct trace_region *definition = &trace->regions[region];
  const struct trace_code_line *line = trace_code_line(trace, site);
  const char *file = *definition->module ? definition->module : definition->file;
  uint32_t begin_line = line ? line->line : definition->begin_line;
  char label[LABEL_BYTES];
  ROW(region_names);
  region_names[COLUMN_region_names_id] = tabulate_id(tabulator, TABLE_region_names, (uint64_t)number);
  region_names[COLUMN_region_names_run] = tabulate_run(tabulator);
  region_names[COLUMN_region_names_region] = cell_text(definition->name);
  region_names[COLUMN_region_names_label] = cell_text(label_call(label, trace, region, site));
  region_names[COLUMN_region_names_construct] = cell_text(construct_name(construct_of_region(definition)));
  region_names[COLUMN_region_names_activity] = cell_text(activity_of(definition));
  region_names[COLUMN_region_names_file] = cell_text(line ? line->file : file);
  if (begin_line)
    region_names[COLUMN_region_names_line] = cell_integer(begin_line);
  if (definition->end_line)
    region_names[COLUMN_region_names_end_line] = cell_integer(definition->end_line);
  region_names[COLUMN_region_names_canonical_name] = cell_text(definition->canonical_name);
  region_names[COLUMN_region_names_description] = cell_text(definition->description);
  row_write(tabulator->writer, TABLE_region_names, region_names);
}

/* A call has the place where it stands, which is not its region's: each place has a name of its own. */
static int64_t name_of_call(struct tabulator *tabulator, uint32_t region, uint64_t site) {
  void *known = pair_map_get(&tabulator->calls, region, site);
  if (known)
    return (int64_t)(intptr_t)known;
  int64_t number = tabulator->name_count++;
  if (!pair_map_put(&tabulator->calls, region, site, (void *)(intptr_t)number))
    tabulator->is_out_of_memory = true;
  write_name(tabulator, region, site, number);
  return number;
}

int64_t tabulate_name(struct tabulator *tabulator, uint32_t region, const struct trace_event *event) {
  uint64_t site;
  if (region == REPLAY_NONE)
    return -1;
  const struct trace_region *definition = &tabulator->trace->regions[region];
  if (!*definition->file && event && event->attributes && construct_is_mpi(definition) &&
      values_attribute(tabulator->trace, event, "call site", &site) &&
      trace_code_line(tabulator->trace, site))
    return name_of_call(tabulator, region, site);
  return region;
}

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
  for (size_t i = 0; i < trace->region_count; i++)
    write_name(tabulator, (uint32_t)i, TRACE_NO_REF, (int64_t)i);
  tabulator->name_count = (int64_t)trace->region_count;
  write_properties(tabulator);
  tabulate_counters(tabulator);
  tabulate_sample_frames(tabulator);
}
