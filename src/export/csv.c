/* Every event as one row of a table. The columns that most events have are columns; what else an event holds
 * is in two JSON objects, so that the table has the same shape for every archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/export.h"
#include "export/fragment.h"
#include "export/values.h"
#include "trace/constructs.h"

static const char header[] =
    "time_ns,location,thread,event,region,construct,file,line,team,task,lock,order,fields,"
    "attributes\n";

/* Which columns a field goes to. */
enum column {
  COLUMN_REGION,
  COLUMN_TEAM,
  COLUMN_THREAD,
  COLUMN_GENERATION,
  COLUMN_LOCK,
  COLUMN_ORDER,
  COLUMN_COUNT
};

/* How the events of one kind become rows. */
struct row_plan {
  const struct trace_field *of_column[COLUMN_COUNT];
  const struct trace_field *others[8];
  size_t other_count;
};

struct csv_table {
  struct trace *trace;
  struct sink *sink;
  struct fragments regions, locations; /* "name,construct,file,line" and "ref,name" */
  struct row_plan plans[TRACE_KIND_COUNT];
  struct sink json; /* into a quoted field of the sink */
};

/* -- plans -- */

static bool is_named(const struct trace_field *field, const char *name, const char *meaning) {
  return strcmp(field->name, name) == 0 && strcmp(field->meaning, meaning) == 0;
}

static bool is_thread_kind(enum trace_kind kind) {
  return strncmp(trace_kind_name(kind), "Thread", strlen("Thread")) == 0;
}

static enum column column_of(enum trace_kind kind, const struct trace_field *field) {
  if (is_named(field, "region", "region"))
    return COLUMN_REGION;
  if (is_named(field, "comm", "comm"))
    return COLUMN_TEAM;
  if (!is_thread_kind(kind))
    return COLUMN_COUNT;
  static const char *const names[COLUMN_COUNT] = {[COLUMN_THREAD] = "thread",
                                                  [COLUMN_GENERATION] = "generation",
                                                  [COLUMN_LOCK] = "lock",
                                                  [COLUMN_ORDER] = "order"};
  for (int i = COLUMN_THREAD; i < COLUMN_COUNT; i++)
    if (is_named(field, names[i], "number"))
      return (enum column)i;
  return COLUMN_COUNT;
}

static void plan_kind(struct row_plan *plan, enum trace_kind kind) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(kind, &count);
  for (size_t i = 0; i < count; i++) {
    enum column column = column_of(kind, &fields[i]);
    if (column != COLUMN_COUNT)
      plan->of_column[column] = &fields[i];
    else if (plan->other_count < sizeof plan->others / sizeof *plan->others)
      plan->others[plan->other_count++] = &fields[i];
  }
}

/* -- pieces of rows that are the same for many -- */

static void describe_region(struct sink *sink, const void *data, size_t index) {
  const struct trace_region *region = &((const struct trace *)data)->regions[index];
  sink_csv(sink, region->name);
  sink_byte(sink, ',');
  sink_csv(sink, construct_name(construct_of_region(region)));
  sink_byte(sink, ',');
  sink_csv(sink, *region->module ? region->module : region->file);
  sink_byte(sink, ',');
  if (region->begin_line > 0)
    sink_number(sink, region->begin_line);
}

static void describe_location(struct sink *sink, const void *data, size_t index) {
  const struct trace_location *location = &((const struct trace *)data)->locations[index];
  sink_number(sink, location->ref);
  sink_byte(sink, ',');
  sink_csv(sink, location->name);
}

/* -- rows -- */

/* Of a sample it is the function or construct in which it was made. NULL: none. */
static const struct trace_region *region_of(const struct csv_table *table, const struct trace_event *event,
                                            const struct row_plan *plan) {
  const struct trace_field *field = plan->of_column[COLUMN_REGION];
  if (field)
    return trace_region(table->trace, trace_field_value(event, field));
  if (event->kind != TRACE_CallingContextSample)
    return NULL;
  const struct trace_context *context =
      trace_context(table->trace, event->CallingContextSample.calling_context);
  return context ? trace_region(table->trace, context->region) : NULL;
}

/* Of a call of MPI, whose region is the same wherever it is called. NULL: it is no call, or not known. */
static const struct trace_code_line *call_site_of(const struct csv_table *table,
                                                  const struct trace_event *event,
                                                  const struct trace_region *region) {
  uint64_t site;
  if (!region || *region->file || !values_attribute(table->trace, event, "call site", &site))
    return NULL;
  return trace_code_line(table->trace, site);
}

static void write_call(struct sink *sink, const struct trace_region *region,
                       const struct trace_code_line *site) {
  sink_csv(sink, region->name);
  sink_text(sink, ",,");
  sink_csv(sink, site->file);
  sink_byte(sink, ',');
  if (site->line > 0)
    sink_number(sink, site->line);
}

static void write_region(struct csv_table *table, const struct trace_event *event,
                         const struct row_plan *plan) {
  const struct trace_region *region = region_of(table, event, plan);
  const struct trace_code_line *site = call_site_of(table, event, region);
  if (site)
    write_call(table->sink, region, site);
  else if (region)
    fragments_write(&table->regions, table->sink, (size_t)(region - table->trace->regions));
  else
    sink_text(table->sink, ",,,");
}

/* One number for a task, as attributes name it: creating location << 32 | generation. */
static void write_task(struct csv_table *table, const struct trace_event *event,
                       const struct row_plan *plan) {
  if (!plan->of_column[COLUMN_GENERATION] || !plan->of_column[COLUMN_TEAM])
    return;
  uint64_t comm = trace_field_value(event, plan->of_column[COLUMN_TEAM]);
  uint32_t thread = (uint32_t)trace_field_value(event, plan->of_column[COLUMN_THREAD]);
  uint64_t location = trace_comm_member(table->trace, comm, thread);
  if (location != TRACE_NO_REF)
    sink_number(table->sink, location << 32 | trace_field_value(event, plan->of_column[COLUMN_GENERATION]));
}

/* Leaves references that refer to nothing out. */
static void write_number(struct csv_table *table, const struct trace_event *event,
                         const struct trace_field *field) {
  sink_byte(table->sink, ',');
  if (!field)
    return;
  uint64_t value = trace_field_value(event, field);
  if (field->bytes != sizeof(uint32_t) || value != UINT32_MAX)
    sink_number(table->sink, value);
}

static void write_others(struct csv_table *table, struct sink *sink, const struct trace_event *event,
                         const struct row_plan *plan) {
  if (event->kind == TRACE_Metric) {
    values_metrics(sink, table->trace, event);
    return;
  }
  for (size_t i = 0; i < plan->other_count; i++) {
    const struct trace_field *field = plan->others[i];
    if (i > 0)
      sink_byte(sink, ',');
    sink_byte(sink, '"');
    sink_text(sink, field->name);
    sink_text(sink, strcmp(field->meaning, "ticks") == 0 ? "_ns\":" : "\":");
    values_field(sink, table->trace, event, field);
  }
}

static void write_row(struct csv_table *table, const struct trace_event *event) {
  struct sink *sink = table->sink;
  const struct row_plan *plan = &table->plans[event->kind];
  sink_number(sink, trace_ns(table->trace, event->ticks));
  sink_byte(sink, ',');
  fragments_write(&table->locations, sink, event->location);
  sink_byte(sink, ',');
  sink_text(sink, trace_kind_name(event->kind));
  sink_byte(sink, ',');
  write_region(table, event, plan);
  write_number(table, event, plan->of_column[COLUMN_TEAM]);
  sink_byte(sink, ',');
  write_task(table, event, plan);
  write_number(table, event, plan->of_column[COLUMN_LOCK]);
  write_number(table, event, plan->of_column[COLUMN_ORDER]);
}

/* A JSON object holds no control characters: what its field needs is quotes around it and its own doubled. An
 * empty one is there, too: readers that look at pieces of a file, as pandas does, see text in each. */
static void write_object(struct csv_table *table, const struct trace_event *event,
                         const struct row_plan *plan) {
  struct sink *json = &table->json;
  if (plan ? plan->other_count == 0 : trace_event_attribute_count(event) == 0) {
    sink_text(table->sink, "{}");
    return;
  }
  sink_byte(table->sink, '"');
  sink_byte(json, '{');
  if (plan)
    write_others(table, json, event, plan);
  else
    values_attributes(json, table->trace, event);
  sink_byte(json, '}');
  sink_finish(json);
  sink_byte(table->sink, '"');
}

static bool on_event(void *data, const struct trace_event *event) {
  struct csv_table *table = data;
  const struct row_plan *plan = &table->plans[event->kind];
  write_row(table, event);
  sink_byte(table->sink, ',');
  write_object(table, event, plan);
  sink_byte(table->sink, ',');
  write_object(table, event, NULL);
  sink_byte(table->sink, '\n');
  return table->sink->error == 0;
}

static void open_table(struct csv_table *table, struct trace *trace, struct sink *sink) {
  table->trace = trace;
  table->sink = sink;
  sink_open_doubled(&table->json, sink);
  for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
    plan_kind(&table->plans[kind], (enum trace_kind)kind);
  fragments_open(&table->regions, trace->region_count, describe_region, trace);
  fragments_open(&table->locations, trace->location_count, describe_location, trace);
}

int export_csv(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  struct csv_table *table = memory_get(1, sizeof *table);
  open_table(table, trace, sink);
  sink_text(sink, header);
  int result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, table, error);
  fragments_close(&table->regions);
  fragments_close(&table->locations);
  free(table);
  return result;
}
