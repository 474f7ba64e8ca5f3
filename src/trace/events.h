/* One event as it comes from an archive: its kind selects the member of the union with its fields. */
#ifndef STAVE_TRACE_EVENTS_H
#define STAVE_TRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/otf2_events.h"

enum trace_kind {
#define KIND(kind) TRACE_##kind,
  TRACE_KINDS(KIND)
#undef KIND
      TRACE_KIND_COUNT
};

#define TRACE_FIELD_MEMBER(type, name, meaning) type name;
#define TRACE_KIND_MEMBER(kind)                                                                              \
  struct {                                                                                                   \
    TRACE_FIELDS_##kind(TRACE_FIELD_MEMBER)                                                                  \
  } kind;

struct trace_event {
  enum trace_kind kind;
  size_t location; /* position in the trace's locations */
  uint64_t ticks;
  uint64_t number;        /* of this event in its location, from 1 */
  const void *attributes; /* trace_event_attribute knows */
  union {
    TRACE_KINDS(TRACE_KIND_MEMBER)
  }; /* event->Enter.region, event->ThreadTaskSwitch.comm, ... */
};

/* An attribute of an event: references are the archive's. */
struct trace_event_attribute {
  uint64_t attribute; /* ref of its definition */
  uint8_t type;       /* OTF2_Type */
  union {
    uint64_t number; /* integers and references, widened with their sign */
    double real;
  };
};

/* How the value of an attribute or metric is to be read. */
enum trace_type {
  TRACE_NUMBER, /* unsigned, or a reference */
  TRACE_SIGNED, /* number holds it with its sign */
  TRACE_REAL,
  TRACE_TEXT, /* number is a string's ref */
};

/* What an OTF2_Type is. */
enum trace_type trace_type_of(uint8_t type);

/* Whether a value of this type is the reference of a line of the source (trace_code_line). */
bool trace_type_is_code_line(uint8_t type);

/* What is known of a field, for those who print or export any kind. */
struct trace_field {
  const char *name, *meaning; /* as in base/otf2_events.h */
  size_t offset;              /* in struct trace_event */
  size_t bytes;
  bool is_signed;
  bool is_array; /* a pointer to what the event holds several of; its number is in the field `count` */
};

/* "Enter", "ThreadTaskSwitch", ...: OTF2's name. */
const char *trace_kind_name(enum trace_kind kind);

/* The fields of a kind; *ret_count of them. Constant memory. */
const struct trace_field *trace_kind_fields(enum trace_kind kind, size_t *ret_count);

/* A field's value, whatever its width; 0 for an array. */
uint64_t trace_field_value(const struct trace_event *event, const struct trace_field *field);

/* How many attributes the event has. */
uint32_t trace_event_attribute_count(const struct trace_event *event);

/* The attribute at `index` below the count. */
struct trace_event_attribute trace_event_attribute(const struct trace_event *event, uint32_t index);

/* The value at `index` below the count of an event of the kind Metric; `attribute` is its metric. */
struct trace_event_attribute trace_metric_value(const struct trace_event *event, uint32_t index);

/* Whether an event of the kind MeasurementOnOff begins a pause of the recording; else it ends one. */
bool trace_is_pause(const struct trace_event *event);

/* The event's size in its file, as OTF2 encodes it, its attributes included, without its time (9 bytes where
 * it differs from the event's before). For references that a location's own numbers represent in the file
 * this is an estimate, as it is for arrays. */
uint64_t trace_event_bytes(const struct trace_event *event);

#endif
