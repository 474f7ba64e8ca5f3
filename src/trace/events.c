#include "trace/events.h"

#include <stdbool.h>
#include <string.h>

#include "trace/trace_packed.h"
#include "trace/values.h"

/* For each kind a function that holds its table of fields: inside it `members` is the kind's structure. */
#define IS_POINTER(member)                                                                                   \
  _Generic((member), const uint8_t * : true, const uint32_t * : true,                                        \
           const union OTF2_MetricValue_union * : true, default : false)
#define IS_SIGNED(member) _Generic((member), int64_t : true, default : false)
#define FIELD(type, name, meaning)                                                                           \
  {#name,                                                                                                    \
   #meaning,                                                                                                 \
   offsetof(members, name),                                                                                  \
   sizeof(((members *)0)->name),                                                                             \
   IS_SIGNED(((members *)0)->name),                                                                          \
   IS_POINTER(((members *)0)->name)},
#define KIND(kind)                                                                                           \
  static const struct trace_field *fields_##kind(size_t *ret_count) {                                        \
    typedef __typeof__(((struct trace_event *)0)->kind) members __attribute__((unused));                     \
    static const struct trace_field table[] = {TRACE_FIELDS_##kind(FIELD){NULL, NULL, 0, 0, false, false}};  \
    *ret_count = sizeof table / sizeof *table - 1;                                                           \
    return table;                                                                                            \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef FIELD
#undef IS_POINTER
#undef IS_SIGNED

static const struct {
  const char *name;
  const struct trace_field *(*fields)(size_t *ret_count);
} kinds[] = {
#define KIND(kind) [TRACE_##kind] = {#kind, fields_##kind},
    TRACE_KINDS(KIND)
#undef KIND
};

enum { UNION_OFFSET = offsetof(struct trace_event, Enter) };

const char *trace_kind_name(enum trace_kind kind) {
  return kind < TRACE_KIND_COUNT ? kinds[kind].name : "Unknown";
}

const struct trace_field *trace_kind_fields(enum trace_kind kind, size_t *ret_count) {
  return kinds[kind < TRACE_KIND_COUNT ? kind : TRACE_Unknown].fields(ret_count);
}

uint64_t trace_field_value(const struct trace_event *event, const struct trace_field *field) {
  const char *place = (const char *)event + UNION_OFFSET + field->offset;
  uint8_t byte;
  uint32_t word;
  uint64_t value = 0;
  if (field->is_array)
    return 0;
  if (field->bytes == sizeof byte)
    return memcpy(&byte, place, sizeof byte), byte;
  if (field->bytes == sizeof word)
    return memcpy(&word, place, sizeof word), word;
  memcpy(&value, place, sizeof value);
  return value;
}

uint32_t trace_event_attribute_count(const struct trace_event *event) {
  const struct packed_event *packed = packed_attributes(event->attributes);
  if (packed)
    return packed->attributes;
  return event->attributes ? OTF2_AttributeList_GetNumberOfElements(event->attributes) : 0;
}

uint64_t widened_number(OTF2_Type type, OTF2_AttributeValue value) {
  switch (type) {
  case OTF2_TYPE_UINT8:
    return value.uint8;
  case OTF2_TYPE_UINT16:
    return value.uint16;
  case OTF2_TYPE_UINT64:
  case OTF2_TYPE_LOCATION:
    return value.uint64;
  case OTF2_TYPE_INT8:
    return (uint64_t)value.int8;
  case OTF2_TYPE_INT16:
    return (uint64_t)value.int16;
  case OTF2_TYPE_INT32:
    return (uint64_t)value.int32;
  case OTF2_TYPE_INT64:
    return (uint64_t)value.int64;
  default: /* every other type is a 32-bit number */
    return value.uint32;
  }
}

struct trace_event_attribute trace_event_attribute(const struct trace_event *event, uint32_t index) {
  const struct packed_event *packed = packed_attributes(event->attributes);
  OTF2_AttributeRef ref = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_Type type = OTF2_TYPE_NONE;
  OTF2_AttributeValue value = {.uint64 = 0};
  if (packed) {
    const struct packed_attribute *one = &packed_attribute_list(packed)[index];
    ref = one->attribute, type = one->type, value = one->value;
  } else {
    OTF2_AttributeList_GetAttributeByIndex(event->attributes, index, &ref, &type, &value);
  }
  struct trace_event_attribute attribute = {.attribute = ref, .type = type};
  if (type == OTF2_TYPE_FLOAT)
    attribute.real = (double)value.float32;
  else if (type == OTF2_TYPE_DOUBLE)
    attribute.real = value.float64;
  else
    attribute.number = widened_number(type, value);
  return attribute;
}

struct trace_event_attribute trace_metric_value(const struct trace_event *event, uint32_t index) {
  OTF2_MetricValue value = event->Metric.values[index];
  struct trace_event_attribute metric = {.attribute = event->Metric.metric,
                                         .type = event->Metric.types[index]};
  if (metric.type == OTF2_TYPE_DOUBLE)
    metric.real = value.floating_point;
  else
    metric.number = value.unsigned_int;
  return metric;
}

bool trace_is_pause(const struct trace_event *event) {
  return event->MeasurementOnOff.mode == OTF2_MEASUREMENT_OFF;
}

enum trace_type trace_type_of(uint8_t type) {
  switch (type) {
  case OTF2_TYPE_INT8:
  case OTF2_TYPE_INT16:
  case OTF2_TYPE_INT32:
  case OTF2_TYPE_INT64:
    return TRACE_SIGNED;
  case OTF2_TYPE_FLOAT:
  case OTF2_TYPE_DOUBLE:
    return TRACE_REAL;
  case OTF2_TYPE_STRING:
    return TRACE_TEXT;
  default:
    return TRACE_NUMBER;
  }
}

bool trace_type_is_code_line(uint8_t type) {
  return type == OTF2_TYPE_SOURCE_CODE_LOCATION;
}

/* OTF2's numbers: a byte that states how many follow, and those without the leading zeros; "undefined" is one
 * byte. */
static uint64_t number_bytes(uint64_t value, size_t width) {
  if (width == 1)
    return 1;
  if (value == 0 || value == UINT64_MAX >> (64 - 8 * width))
    return 1;
  return 1 + (71 - (uint64_t)__builtin_clzll(value)) / 8;
}

static uint64_t attribute_bytes(const struct trace_event *event, uint32_t count) {
  if (count == 0)
    return 0;
  uint64_t bytes = 2 + number_bytes(count, 4);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    bool is_wide = attribute.type == OTF2_TYPE_UINT64 || attribute.type == OTF2_TYPE_INT64;
    bytes += number_bytes(attribute.attribute, 4) + 1;
    bytes += attribute.type == OTF2_TYPE_DOUBLE ? 8 : number_bytes(attribute.number, is_wide ? 8 : 4);
  }
  return bytes;
}

uint64_t trace_event_bytes(const struct trace_event *event) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(event->kind, &count);
  bool is_short = event->kind == TRACE_Enter || event->kind == TRACE_Leave; /* these carry no length */
  uint64_t bytes = is_short ? 1 : 2;
  for (size_t i = 0; i < count; i++)
    bytes += fields[i].is_array ? 0 : number_bytes(trace_field_value(event, &fields[i]), fields[i].bytes);
  if (event->kind == TRACE_Metric)
    bytes += (uint64_t)event->Metric.count * 9;
  return bytes + attribute_bytes(event, trace_event_attribute_count(event));
}
