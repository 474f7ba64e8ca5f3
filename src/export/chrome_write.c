/* What all events of the Trace Event Format begin with, and what precedes them. */
#include <stdio.h>
#include <string.h>

#include "export/chrome.h"
#include "export/values.h"
#include "trace/constructs.h"
#include "trace/label.h"

/* -- definitions -- */

/* A region's name without what every construct's begins with. */
static const char *chrome_short_name(const char *name) {
  static const char prefix[] = "!$omp ";
  return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
}

/* Up to the inside of args, which has a member already. */
void chrome_describe_region(struct sink *sink, const void *data, size_t index) {
  const struct trace_region *region = &((const struct trace *)data)->regions[index];
  const char *construct = construct_name(construct_of_region(region));
  char line[16];
  sink_text(sink, ",\"name\":");
  sink_json(sink, chrome_short_name(region->name));
  sink_text(sink, ",\"cat\":");
  sink_json(sink, *construct ? construct : "region");
  sink_text(sink, ",\"args\":{\"file\":");
  sink_json(sink, *region->module ? region->module : region->file);
  snprintf(line, sizeof line, ",\"line\":%u", region->begin_line);
  sink_text(sink, line);
}

/* Process 0 and thread 0 mean something else to those who read Linux traces: both count from 1. */
static size_t process_of(const struct trace *trace, size_t location) {
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return group ? (size_t)(group - trace->location_groups) + 1 : 1;
}

void chrome_describe_track(struct sink *sink, const void *data, size_t index) {
  sink_text(sink, ",\"pid\":");
  sink_number(sink, process_of(data, index));
  sink_text(sink, ",\"tid\":");
  sink_number(sink, index + 1);
  sink_text(sink, ",\"ts\":");
}

/* One piece of what is known of the process or thread that an event belongs to. */
static void write_known(struct chrome *chrome, size_t location, const char *name, const char *member) {
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"ph\":\"M\"");
  fragments_write(&chrome->tracks, sink, location);
  sink_text(sink, "0,\"name\":\"");
  sink_text(sink, name);
  sink_text(sink, "\",\"cat\":\"__metadata\",\"args\":{\"");
  sink_text(sink, member);
  sink_text(sink, "\":");
}

static void write_name(struct chrome *chrome, size_t location, const char *what, const char *name) {
  write_known(chrome, location, what, "name");
  sink_json(chrome->sink, *name ? name : "unnamed");
  sink_text(chrome->sink, "}},\n");
}

static void write_order(struct chrome *chrome, size_t location, const char *what, size_t place) {
  write_known(chrome, location, what, "sort_index");
  sink_number(chrome->sink, place);
  sink_text(chrome->sink, "}},\n");
}

static const char *process_name(const struct trace *trace, size_t index) {
  const char *program = trace_archive_property(trace, "STAVE::PROGRAM");
  const char *slash = program ? strrchr(program, '/') : NULL;
  if (index == 0 && program && *program && !trace->location_names) /* one process */
    return slash ? slash + 1 : program;
  return index < trace->location_group_count ? trace->location_groups[index].name : "";
}

static void write_member(struct sink *sink, const char *name, const char *value) {
  sink_json(sink, name);
  sink_byte(sink, ':');
  sink_json(sink, value);
  sink_byte(sink, ',');
}

static void write_location(struct chrome *chrome, size_t location) {
  const struct trace_location *locations = chrome->trace->locations;
  size_t process = process_of(chrome->trace, location);
  if (location == 0 || locations[location].group != locations[location - 1].group) {
    write_name(chrome, location, "process_name", process_name(chrome->trace, process - 1));
    write_order(chrome, location, "process_sort_index", process);
  }
  write_name(chrome, location, "thread_name", locations[location].bare_name);
  write_order(chrome, location, "thread_sort_index", location + 1);
}

/* "function file.c:12": the line is where the function is in, or calls the next one. */
static void write_frame_name(struct chrome *chrome, const struct trace_context *context) {
  const struct trace_code_line *line = trace_code_line(chrome->trace, context->code_line);
  const struct trace_region *region = trace_region(chrome->trace, context->region);
  char text[LABEL_BYTES + 64], label[LABEL_BYTES];
  label_region(label, chrome->trace, trace_region_position(chrome->trace, context->region));
  if (line && line->line > 0 && !(region && region->begin_line == line->line))
    snprintf(text, sizeof text, "%s, line %u", label, line->line);
  else
    snprintf(text, sizeof text, "%s", label);
  sink_json(chrome->sink, text);
}

/* Functions and constructs that samples refer to. */
static void write_stack_frames(struct chrome *chrome) {
  const struct trace *trace = chrome->trace;
  struct sink *sink = chrome->sink;
  if (trace->context_count == 0)
    return;
  sink_text(sink, "\"stackFrames\":{");
  for (size_t i = 0; i < trace->context_count; i++) {
    const struct trace_context *context = &trace->contexts[i];
    const struct trace_region *region = trace_region(trace, context->region);
    sink_text(sink, i > 0 ? ",\n\"" : "\n\"");
    sink_number(sink, context->ref);
    sink_text(sink, "\":{\"name\":");
    write_frame_name(chrome, context);
    sink_text(sink, ",\"category\":");
    sink_json(sink, region && *region->file ? region->file : "unknown file");
    if (trace_context(trace, context->parent)) {
      sink_text(sink, ",\"parent\":\"");
      sink_number(sink, context->parent);
      sink_byte(sink, '"');
    }
    sink_byte(sink, '}');
  }
  sink_text(sink, "\n},");
}

void chrome_write_head(struct chrome *chrome) {
  struct trace *trace = chrome->trace;
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
  for (size_t i = 0; i < trace->archive_property_count; i++)
    write_member(sink, trace->archive_properties[i].name, trace->archive_properties[i].value);
  write_member(sink, "machine", trace->machine);
  sink_text(sink, "\"exporter\":\"stave " STAVE_VERSION "\"},");
  write_stack_frames(chrome);
  sink_text(sink, "\"traceEvents\":[\n");
  for (size_t i = 0; i < trace->location_count; i++)
    write_location(chrome, i);
}

/* -- pieces of events -- */

uint64_t chrome_ns(const struct chrome *chrome, uint64_t ticks) {
  return trace_ns(chrome->trace, ticks);
}

void chrome_begin_event_at(struct chrome *chrome, char phase, size_t location, uint64_t ns) {
  struct sink *sink = chrome->sink;
  sink_text(sink, "{\"ph\":\"");
  sink_byte(sink, phase);
  sink_byte(sink, '"');
  fragments_write(&chrome->tracks, sink, location);
  sink_microseconds(sink, ns);
}

void chrome_begin_event(struct chrome *chrome, char phase, size_t location, uint64_t ticks) {
  chrome_begin_event_at(chrome, phase, location, chrome_ns(chrome, ticks));
}

void chrome_end_event(struct chrome *chrome) {
  sink_text(chrome->sink, "},\n");
}

void chrome_write_name(struct chrome *chrome, const char *name, const char *category) {
  sink_text(chrome->sink, ",\"name\":");
  sink_json(chrome->sink, name);
  sink_text(chrome->sink, ",\"cat\":");
  sink_json(chrome->sink, category);
}

void chrome_write_attributes(struct chrome *chrome, const struct trace_event *event) {
  if (!event || trace_event_attribute_count(event) == 0)
    return;
  sink_byte(chrome->sink, ',');
  values_attributes(chrome->sink, chrome->trace, event);
}

void chrome_write_region(struct chrome *chrome, uint32_t region) {
  if (region < chrome->trace->region_count)
    fragments_write(&chrome->regions, chrome->sink, region);
  else
    sink_text(chrome->sink, ",\"name\":\"unknown region\",\"cat\":\"region\",\"args\":{\"file\":\"\"");
}
