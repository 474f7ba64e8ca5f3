#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/page/page_data.h"
#include "timeline/page/page_facts.h"
#include "timeline/page/page_sources.h"
#include "timeline/page/page_traffic.h"
#include "timeline/palette.h"
#include "trace/sides.h"
#include "trace/trace.h"

static json_t *number(uint64_t value) {
  return json_integer((json_int_t)value);
}

static json_t *section(const struct page_section *section) {
  return json_pack("[o,o]", number(section->offset), number(section->count));
}

/* -- activities, regions, attributes -- */

static json_t *colour(uint32_t rgb) {
  return json_sprintf("#%06x", (unsigned)rgb);
}

static json_t *activities(void) {
  json_t *array = json_array();
  for (int i = 0; i < ACTIVITY_COUNT; i++) {
    const struct paint *paint = palette_paint((enum activity)i);
    json_array_append_new(array, json_pack("{s:s,s:o,s:o,s:s,s:s}", "name", activity_name((enum activity)i),
                                           "light", colour(paint->light), "dark", colour(paint->dark),
                                           "pattern", paint->pattern, "meaning", paint->meaning));
  }
  return array;
}

/* [name, file, line, description, activity, count, ns] */
static json_t *region(const struct page_data *data, uint32_t index) {
  const struct timeline *timeline = data->timeline;
  const struct timeline_region *counted = &timeline->regions[index];
  static const struct trace_region undefined = {
      .name = "(a region without a definition)", .file = "", .module = "", .description = ""};
  bool is_defined = index < timeline->trace->region_count;
  const struct trace_region *region = is_defined ? &timeline->trace->regions[index] : &undefined;
  return json_pack("[o,o,i,o,i,o,o]", page_text(region->name),
                   page_text(*region->module ? region->module : region->file), (int)region->begin_line,
                   page_text(region->description), (int)counted->activity, number(counted->count),
                   number(trace_span_ns(timeline->trace, counted->ticks)));
}

static json_t *regions(const struct page_data *data) {
  json_t *array = json_array();
  for (uint32_t i = 0; i < data->region_count; i++)
    json_array_append_new(array, region(data, data->regions[i]));
  json_array_append_new(array,
                        json_pack("[o,s,i,s,i,i,i]",
                                  json_sprintf("(one of %u other regions)", (unsigned)data->regions_left_out),
                                  "", 0, "", ACTIVITY_WORK, 0, 0));
  return array;
}

static const char *const type_names[] = {
    [TRACE_NUMBER] = "number", [TRACE_SIGNED] = "signed", [TRACE_REAL] = "real", [TRACE_TEXT] = "text"};

static const char *type_name(uint8_t type) {
  return trace_type_is_code_line(type) ? "line" : type_names[trace_type_of(type)];
}

static bool has_lines(const struct trace *trace) {
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (trace_type_is_code_line(trace->attributes[i].type))
      return true;
  return false;
}

static json_t *attributes(const struct page_data *data) {
  const struct trace *trace = data->timeline->trace;
  json_t *array = json_array();
  for (size_t i = 0; i < trace->attribute_count; i++)
    json_array_append_new(array, json_pack("{s:o,s:s}", "name", page_text(trace->attributes[i].name), "type",
                                           type_name(trace->attributes[i].type)));
  return array;
}

enum { LINES_MAX = 1 << 16 };

/* Lines of the source that attributes may refer to, by reference. */
static json_t *lines(const struct page_data *data) {
  const struct trace *trace = data->timeline->trace;
  json_t *object = json_object();
  for (size_t i = 0; has_lines(trace) && i < trace->code_line_count && i < LINES_MAX; i++) {
    const struct trace_code_line *line = &trace->code_lines[i];
    json_t *file = page_text(line->file);
    char key[32];
    snprintf(key, sizeof key, "%" PRIu64, line->ref);
    json_object_set_new(object, key, json_sprintf("%s:%u", json_string_value(file), (unsigned)line->line));
    json_decref(file);
  }
  return object;
}

static void put_string(json_t *object, uint64_t ref, const char *text) {
  char key[32];
  snprintf(key, sizeof key, "%" PRIu64, ref);
  if (!json_object_get(object, key))
    json_object_set_new(object, key, page_text(text));
}

/* The texts that attributes refer to, by reference: those of the page, and those of what it requests. */
static json_t *texts(const struct page_data *data) {
  const struct attribute_lists *lists = &data->timeline->attributes;
  const struct trace *trace = data->timeline->trace;
  json_t *object = json_object();
  for (size_t place = 1; place < lists->count; place += 1 + 2 * lists->words[place])
    for (uint64_t i = 0; i < lists->words[place]; i++) {
      uint64_t attribute = lists->words[place + 1 + 2 * i], value = lists->words[place + 2 + 2 * i];
      if (trace_type_of(trace->attributes[attribute].type) == TRACE_TEXT)
        put_string(object, value, trace_string(trace, value));
    }
  for (size_t i = 0; data->request->served && i < trace->string_count; i++)
    if (detail_has_text(data->request->served, i))
      put_string(object, trace->strings[i].ref, trace->strings[i].text);
  return object;
}

/* -- rows -- */

static json_t *properties(const struct trace *trace, uint64_t ref) {
  json_t *array = json_array();
  for (size_t i = 0; i < trace->location_property_count; i++)
    if (trace->location_properties[i].owner == ref && !trace_is_series(trace->location_properties[i].name))
      json_array_append_new(array, json_pack("[o,o]", page_text(trace->location_properties[i].name),
                                             page_text(trace->location_properties[i].text)));
  return array;
}

static json_t *depths(const struct page_data *data, size_t row) {
  json_t *array = json_array();
  for (uint32_t i = 0; i < data->timeline->rows[row].depth_count; i++)
    json_array_append_new(array, section(&data->rows[row].depths[i]));
  return array;
}

/* Only where runs are compared. */
static void add_sides(json_t *about, const struct sides *sides) {
  json_t *names = sides->count ? json_array() : NULL;
  for (size_t i = 0; i < sides->count; i++)
    json_array_append_new(names, page_text(sides->names[i]));
  if (names)
    json_object_set_new(about, "sides", names);
}

static const char *kind_of(const struct trace_location *location) {
  return trace_location_is_device(location)   ? "device stream"
         : trace_location_is_metric(location) ? "metrics"
                                              : "thread";
}

static json_t *row(const struct page_data *data, size_t index) {
  const struct trace *trace = data->timeline->trace;
  const struct trace_location *location = &trace->locations[index];
  const struct trace_location_group *group = trace_location_group(trace, location->group);
  const struct trace_node *node = group ? trace_node(trace, group->node) : NULL;
  return json_pack(
      "{s:o,s:o,s:o,s:o,s:s,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", page_text(location->name),
      "node", page_text(node ? node->name : ""), "bareName", page_text(location->bare_name), "level",
      number(data->timeline->levels[index]), "kind", kind_of(location), "isOfRuntime", location->is_runtimes,
      "group", page_text(group ? group->name : ""), "process",
      number(group ? (uint64_t)(group - trace->location_groups) : trace->location_group_count), "properties",
      properties(trace, location->ref), "activity", section(&data->rows[index].activity), "slices",
      depths(data, index), "running", section(&data->rows[index].running), "gaps",
      section(&data->rows[index].gaps), "samples", section(&data->rows[index].samples), "tooDeep",
      number(data->timeline->rows[index].too_deep));
}

static json_t *rows(const struct page_data *data, const struct sides *sides) {
  const struct timeline *timeline = data->timeline;
  json_t *array = json_array();
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    json_t *made = row(data, timeline->order[i]);
    if (sides->count)
      json_object_set_new(made, "side",
                          number(sides_of_location(sides, timeline->trace, timeline->order[i])));
    json_array_append_new(array, made);
  }
  return array;
}

/* -- counters -- */

static json_t *counters(const struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  json_t *array = json_array();
  for (size_t i = 0; i < timeline->counters.count; i++) {
    const struct counter_series *series = timeline->counters.series[i];
    json_array_append_new(
        array,
        json_pack("{s:o,s:o,s:o,s:o,s:o}", "row", number(timeline->positions[series->location]), "name",
                  page_text(series->member->name), "unit", page_text(series->member->unit), "meaning",
                  page_text(series->member->description), "points", section(&data->counters[i])));
  }
  return array;
}

/* -- locks -- */

/* The names of locks that have one, by their number in the page. */
static json_t *lock_names(const struct page_data *data) {
  const struct lock_table *table = &data->timeline->locks;
  json_t *object = json_object();
  for (size_t i = 0, index = 0; i < table->count; i++) {
    const struct lock_record *record = &table->records[i];
    bool is_first = i == 0 || record->lock != record[-1].lock;
    index += i > 0 && is_first;
    const char *name = is_first ? trace_lock_name(data->timeline->trace, (size_t)(record->lock >> 32),
                                                  (uint32_t)record->lock)
                                : NULL;
    char key[32];
    snprintf(key, sizeof key, "%zu", index);
    if (name)
      json_object_set_new(object, key, page_text(name));
  }
  return object;
}

/* By their number in the page what a server's answers call them. */
static json_t *lock_ids(const struct page_data *data) {
  const struct lock_table *table = &data->timeline->locks;
  json_t *array = json_array();
  for (size_t i = 0; data->request->served && i < table->count; i++)
    if (i == 0 || table->records[i].lock != table->records[i - 1].lock)
      json_array_append_new(array, json_sprintf("%" PRIu64, table->records[i].lock));
  return array;
}

static json_t *locks(const struct page_data *data) {
  const struct lock_table *table = &data->timeline->locks;
  return json_pack("{s:o,s:o,s:o,s:o,s:o}", "section", section(&data->locks), "stored", number(table->count),
                   "all", number(table->all), "names", lock_names(data), "ids", lock_ids(data));
}

/* -- dependences, the critical path, transfers -- */

static json_t *dependences(const struct page_data *data) {
  const struct dependence_table *table = &data->timeline->dependences;
  return json_pack("{s:o,s:o,s:o}", "section", section(&data->dependences), "stored", number(table->count),
                   "all", number(table->all));
}

/* shortest: ns of waits that no path follows */
static json_t *path(const struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  json_t *sections = json_array();
  for (size_t run = 0; run < timeline->path.run_count; run++)
    json_array_append_new(sections, section(&data->paths[run]));
  return json_pack("{s:o,s:o}", "sections", sections, "shortest",
                   number(trace_span_ns(timeline->trace, timeline->path.shortest)));
}

static json_t *transfers(const struct page_data *data) {
  const struct transfer_table *table = &data->timeline->transfers;
  return json_pack("{s:o,s:o,s:o}", "section", section(&data->transfers), "stored", number(table->count),
                   "all", number(table->all));
}

static json_t *launches(const struct page_data *data) {
  const struct launch_table *table = &data->timeline->launches;
  return json_pack("{s:o,s:o,s:o}", "section", section(&data->launches), "stored", number(table->count),
                   "all", number(table->all));
}

/* -- samples -- */

static json_t *function(const struct trace *trace, uint32_t index) {
  if (index >= trace->region_count)
    return json_pack("[s,s,i]", "(unknown)", "", 0);
  const struct trace_region *region = &trace->regions[index];
  return json_pack("[o,o,i]", page_text(region->name), page_text(region->file), (int)region->begin_line);
}

/* functions: [name, file, line], as contexts number them */
static json_t *samples(const struct page_data *data) {
  const struct sample_table *table = &data->timeline->samples;
  json_t *array = json_array();
  for (uint32_t i = 0; i < data->function_count; i++)
    json_array_append_new(array, function(data->timeline->trace, data->functions[i]));
  return json_pack("{s:o,s:o,s:o,s:o}", "contexts", section(&data->contexts), "functions", array, "all",
                   number(table->all), "resolution",
                   number(trace_span_ns(data->timeline->trace, table->resolution)));
}

/* -- the report -- */

/* A place becomes that of the page's regions; what is none of these has none. */
static void place_in_page(const struct page_data *data, json_t *finding) {
  json_t *place = json_object_get(finding, "place");
  uint64_t region = json_is_integer(place) ? (uint64_t)json_integer_value(place) : UINT64_MAX;
  bool is_known =
      region < data->timeline->trace->region_count && data->region_positions[region] < data->region_count;
  json_object_set_new(finding, "place", is_known ? number(data->region_positions[region]) : json_null());
}

/* Locations become rows. */
static void rows_in_page(const struct page_data *data, json_t *problem) {
  json_t *rows = json_object_get(problem, "rows"), *location;
  size_t i;
  json_array_foreach(rows, i, location) {
    uint64_t index = (uint64_t)json_integer_value(location);
    json_array_set_new(rows, i, number(data->timeline->positions[index]));
  }
}

static json_t *report(const struct page_data *data) {
  json_t *report = data->request->report, *finding;
  size_t i;
  json_array_foreach(json_object_get(report, "findings"), i, finding) place_in_page(data, finding);
  json_array_foreach(json_object_get(report, "problems"), i, finding) {
    place_in_page(data, finding);
    rows_in_page(data, finding);
  }
  return report ? json_incref(report) : json_null();
}

/* The numbers in the trace of the page's regions, by which a server's answers have them. */
static json_t *served(const struct page_data *data) {
  json_t *array = json_array();
  for (uint32_t i = 0; i < data->region_count; i++)
    json_array_append_new(array, number(data->regions[i]));
  return array;
}

/* -- all of it -- */

static json_t *resolution(const struct timeline *timeline) {
  uint64_t mixes = trace_span_ns(timeline->trace, timeline->mix_resolution);
  uint64_t slices = trace_span_ns(timeline->trace, timeline->slice_resolution);
  uint64_t conditions = trace_span_ns(timeline->trace, timeline->conditions.resolution);
  uint64_t counted = trace_span_ns(timeline->trace, timeline->counters.resolution);
  return json_pack("{s:o,s:o,s:o,s:o}", "activities", number(mixes), "slices", number(slices), "conditions",
                   number(conditions), "counters", number(counted));
}

static json_t *tasks(const struct page_data *data) {
  const struct task_table *table = &data->timeline->tasks;
  return json_pack("{s:o,s:o,s:o}", "section", section(&data->tasks), "stored", number(table->count), "all",
                   number(table->all));
}

static json_t *messages(const struct page_data *data) {
  const struct message_table *table = &data->timeline->messages;
  return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "section", section(&data->messages), "stored",
                   number(table->message_count), "all", number(table->all_messages), "operations",
                   section(&data->operations), "storedOperations", number(table->operation_count),
                   "allOperations", number(table->all_operations), "sums", page_traffic(data));
}

static json_t *about(const struct page_data *data) {
  const struct timeline *timeline = data->timeline;
  struct sides sides;
  sides_find(&sides, timeline->trace);
  json_t *made = json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
      "title", page_text(data->request->title), "archive", page_text(data->request->archive), "from",
      number(page_ns(data, timeline->from)), "to", number(page_ns(data, timeline->to)), "events",
      number(timeline->events), "resolution", resolution(timeline), "activities", activities(), "regions",
      regions(data), "attributes", attributes(data), "texts", texts(data), "rows", rows(data, &sides),
      "tasks", tasks(data), "messages", messages(data), "counters", counters(data), "locks", locks(data),
      "samples", samples(data), "dependences", dependences(data), "path", path(data), "transfers",
      transfers(data), "launches", launches(data), "facts", page_facts(timeline), "warnings",
      page_warnings(timeline), "report", report(data));
  add_sides(made, &sides);
  json_object_set_new(made, "lines", lines(data));
  if (data->request->has_sources)
    json_object_set_new(made, "sources", page_sources(data));
  if (data->request->served)
    json_object_set_new(made, "served", served(data));
  return made;
}

/* In JSON, `<` is only found in texts: escaped there, it can neither end the script element nor begin a
 * comment. */
static int write_escaped(const char *text, size_t length, void *file) {
  for (size_t i = 0; i < length; i++)
    if (text[i] == '<')
      fputs("\\u003c", file);
    else
      fputc(text[i], file);
  return 0;
}

void page_write_about(FILE *file, const struct page_data *data) {
  json_t *object = memory_given(about(data));
  json_dump_callback(object, write_escaped, file, JSON_COMPACT);
  json_decref(object);
}
