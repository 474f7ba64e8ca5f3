#include "trace/trace_packed.h"

#include <string.h>

#include "base/array.h"

enum { HEADER_BYTES = (sizeof(struct packed_event) + 7) & ~7u };

static const uint8_t member_bytes[] = {
#define KIND(k) [TRACE_##k] = sizeof(((struct trace_event *)0)->k),
    TRACE_KINDS(KIND)
#undef KIND
};

/* Copying so many costs less than querying how many an event of the kind has. */
enum {
  MEMBERS_OFFSET = offsetof(struct trace_event, Enter),
  MEMBERS_BYTES = sizeof(struct trace_event) - MEMBERS_OFFSET
};

static size_t rounded(size_t bytes) {
  return (bytes + 7) & ~(size_t)7;
}

static bool has_arrays(const struct trace_event *event) {
  return event->kind == TRACE_Metric || event->kind == TRACE_ProgramBegin;
}

static size_t array_bytes(const struct trace_event *event) {
  if (event->kind == TRACE_Metric)
    return event->Metric.count * sizeof(OTF2_MetricValue) + rounded(event->Metric.count);
  return event->kind == TRACE_ProgramBegin ? rounded(event->ProgramBegin.count * sizeof(uint32_t)) : 0;
}

static void put_arrays(char *to, const struct trace_event *event) {
  if (event->kind == TRACE_ProgramBegin && event->ProgramBegin.count)
    memcpy(to, event->ProgramBegin.arguments, event->ProgramBegin.count * sizeof(uint32_t));
  if (event->kind != TRACE_Metric || event->Metric.count == 0)
    return;
  memcpy(to, event->Metric.values, event->Metric.count * sizeof(OTF2_MetricValue));
  memcpy(to + event->Metric.count * sizeof(OTF2_MetricValue), event->Metric.types, event->Metric.count);
}

static void put_attributes(char *to, const struct trace_event *event, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct packed_attribute one = {.attribute = 0};
    OTF2_AttributeList_GetAttributeByIndex(event->attributes, i, &one.attribute, &one.type, &one.value);
    memcpy(to + i * sizeof one, &one, sizeof one);
  }
}

/* So many bytes, and those that packed_get copies too much. */
static char *make_room(struct packed_events *events, size_t bytes) {
  array_reserve(&events->bytes, &events->capacity, events->used + bytes + MEMBERS_BYTES, 1);
  char *place = events->bytes + events->used;
  events->used += bytes;
  return place;
}

/* Of the arrays of an event there are not more than its chunk has room for. */
void packed_add(struct packed_events *events, const struct trace_event *event) {
  uint32_t attributes = trace_event_attribute_count(event);
  if (attributes > UINT16_MAX)
    attributes = UINT16_MAX;
  size_t before_arrays = HEADER_BYTES + rounded(member_bytes[event->kind]);
  size_t before_attributes = before_arrays + array_bytes(event);
  size_t bytes = before_attributes + attributes * sizeof(struct packed_attribute);
  char *place = make_room(events, bytes);
  struct packed_event header = {event->ticks, (uint32_t)bytes, (uint32_t)event->location,
                                (uint16_t)event->kind, (uint16_t)attributes};
  memcpy(place, &header, sizeof header);
  memcpy(place + HEADER_BYTES, (const char *)event + MEMBERS_OFFSET, member_bytes[event->kind]);
  put_arrays(place + before_arrays, event);
  put_attributes(place + before_attributes, event, attributes);
}

void packed_copy(struct packed_events *events, const struct packed_event *packed) {
  memcpy(make_room(events, packed->bytes), packed, packed->bytes);
}

static void point_to_arrays(struct trace_event *event, const char *arrays) {
  if (event->kind == TRACE_ProgramBegin)
    event->ProgramBegin.arguments = (const void *)arrays;
  if (event->kind != TRACE_Metric)
    return;
  event->Metric.values = (const void *)arrays;
  event->Metric.types = (const uint8_t *)arrays + event->Metric.count * sizeof(OTF2_MetricValue);
}

void packed_get(const struct packed_event *packed, struct trace_event *ret) {
  const char *members = (const char *)packed + HEADER_BYTES;
  ret->kind = packed->kind;
  ret->location = packed->location;
  ret->ticks = packed->ticks;
  ret->attributes = packed->attributes ? (const char *)packed + 1 : NULL;
  memcpy((char *)ret + MEMBERS_OFFSET, members, MEMBERS_BYTES);
  if (has_arrays(ret))
    point_to_arrays(ret, members + rounded(member_bytes[packed->kind]));
}
