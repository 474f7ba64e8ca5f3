/* Regions by name, and calls by name and place. */
#include "export/values.h"
#include "tables/tabulate.h"
#include "trace/constructs.h"
#include "trace/label.h"

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

/* A call has the place where it is, which is not its region's: each place has a name of its own. */
static int64_t name_of_call(struct tabulator *tabulator, uint32_t region, uint64_t site) {
  void *known = pair_map_get(&tabulator->calls, region, site);
  if (known)
    return (int64_t)(intptr_t)known;
  int64_t number = tabulator->name_count++;
  pair_map_put(&tabulator->calls, region, site, (void *)(intptr_t)number);
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

void tabulate_region_names(struct tabulator *tabulator) {
  size_t count = tabulator->trace->region_count;
  for (size_t i = 0; i < count; i++)
    write_name(tabulator, (uint32_t)i, TRACE_NO_REF, (int64_t)i);
  tabulator->name_count = (int64_t)count;
}
