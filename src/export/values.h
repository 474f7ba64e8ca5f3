/* Values of events as JSON, the same in every format that holds some. */
#ifndef STAVE_EXPORT_VALUES_H
#define STAVE_EXPORT_VALUES_H

#include "export/sink.h"
#include "trace/trace.h"

/* The value of an attribute or metric. */
void values_one(struct sink *sink, const struct trace *trace, const struct trace_event_attribute *value);

/* The value of a field that is no array: texts for strings and parameters, nanoseconds for ticks, otherwise
 * numbers. */
void values_field(struct sink *sink, const struct trace *trace, const struct trace_event *event,
                  const struct trace_field *field);

/* "values":{NAME:value,...},"units":{NAME:unit,...} of an event of the kind Metric, without braces. */
void values_metrics(struct sink *sink, const struct trace *trace, const struct trace_event *event);

/* "name":value,... of the event's attributes, without braces. */
void values_attributes(struct sink *sink, const struct trace *trace, const struct trace_event *event);

/* The number that an attribute of this name has; false if the event has none. */
bool values_attribute(const struct trace *trace, const struct trace_event *event, const char *name,
                      uint64_t *ret);

#endif
