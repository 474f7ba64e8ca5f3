#include "export/values.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void values_one(struct sink *sink, const struct trace *trace, const struct trace_event_attribute *value) {
  switch (trace_type_of(value->type)) {
  case TRACE_NUMBER:
    sink_number(sink, value->number);
    break;
  case TRACE_SIGNED:
    sink_signed(sink, (int64_t)value->number);
    break;
  case TRACE_REAL:
    sink_real(sink, value->real);
    break;
  case TRACE_TEXT:
    sink_json(sink, trace_string(trace, value->number));
    break;
  }
}

static void write_strings(struct sink *sink, const struct trace *trace, const uint32_t *refs,
                          uint32_t count) {
  sink_byte(sink, '[');
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0)
      sink_byte(sink, ',');
    sink_json(sink, trace_string(trace, refs[i]));
  }
  sink_byte(sink, ']');
}

static void write_metric_name(struct sink *sink, const struct trace_metric_member *member, uint32_t index) {
  if (index > 0)
    sink_byte(sink, ',');
  if (member && *member->name) {
    sink_json(sink, member->name);
  } else {
    sink_text(sink, "\"value ");
    sink_number(sink, index);
    sink_byte(sink, '"');
  }
  sink_byte(sink, ':');
}

void values_metrics(struct sink *sink, const struct trace *trace, const struct trace_event *event) {
  sink_text(sink, "\"values\":{");
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    struct trace_event_attribute value = trace_metric_value(event, i);
    write_metric_name(sink, trace_metric_member_of(trace, event->Metric.metric, i), i);
    values_one(sink, trace, &value);
  }
  sink_text(sink, "},\"units\":{");
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    const struct trace_metric_member *member = trace_metric_member_of(trace, event->Metric.metric, i);
    write_metric_name(sink, member, i);
    sink_json(sink, member ? member->unit : "");
  }
  sink_byte(sink, '}');
}

static void write_array(struct sink *sink, const struct trace *trace, const struct trace_event *event) {
  if (event->kind == TRACE_ProgramBegin)
    write_strings(sink, trace, event->ProgramBegin.arguments, event->ProgramBegin.count);
  else
    sink_text(sink, "null");
}

static const char *parameter_name(const struct trace *trace, uint64_t ref) {
  for (size_t i = 0; i < trace->parameter_count; i++)
    if (trace->parameters[i].ref == ref)
      return trace->parameters[i].name;
  return "";
}

void values_field(struct sink *sink, const struct trace *trace, const struct trace_event *event,
                  const struct trace_field *field) {
  uint64_t value = trace_field_value(event, field);
  if (field->is_array)
    write_array(sink, trace, event);
  else if (strcmp(field->meaning, "string") == 0)
    sink_json(sink, trace_string(trace, value));
  else if (strcmp(field->meaning, "parameter") == 0)
    sink_json(sink, parameter_name(trace, value));
  else if (strcmp(field->meaning, "ticks") == 0)
    sink_number(sink, trace_ns(trace, value));
  else if (field->is_signed && (int64_t)value == INT64_MIN) /* OTF2's "undefined" */
    sink_text(sink, "null");
  else if (field->is_signed)
    sink_signed(sink, (int64_t)value);
  else
    sink_number(sink, value);
}

/* FILE:LINE: a reference is of no use to a reader. */
static bool write_code_line(struct sink *sink, const struct trace *trace,
                            const struct trace_event_attribute *value) {
  const struct trace_code_line *line =
      trace_type_is_code_line(value->type) ? trace_code_line(trace, value->number) : NULL;
  char place[PATH_MAX + 16];
  if (line)
    snprintf(place, sizeof place, "%s:%u", line->file, line->line);
  if (line)
    sink_json(sink, place);
  return line != NULL;
}

void values_attributes(struct sink *sink, const struct trace *trace, const struct trace_event *event) {
  uint32_t count = trace_event_attribute_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *definition = trace_attribute(trace, value.attribute);
    if (i > 0)
      sink_byte(sink, ',');
    sink_json(sink, definition ? definition->name : "");
    sink_byte(sink, ':');
    if (!write_code_line(sink, trace, &value))
      values_one(sink, trace, &value);
  }
}

bool values_attribute(const struct trace *trace, const struct trace_event *event, const char *name,
                      uint64_t *ret) {
  uint32_t count = event->attributes ? trace_event_attribute_count(event) : 0;
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *definition = trace_attribute(trace, value.attribute);
    if (definition && strcmp(definition->name, name) == 0) {
      *ret = value.number;
      return true;
    }
  }
  return false;
}
