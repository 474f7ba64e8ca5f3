/* Events as they wait in memory: one after the other, each as long as its kind needs it. */
#ifndef STAVE_TRACE_TRACE_PACKED_H
#define STAVE_TRACE_TRACE_PACKED_H

#include <otf2/otf2.h>

#include "trace/events.h"

/* An event; its members follow, then its arrays, then its attributes, each of these at the next multiple of
 * 8. */
struct packed_event {
  uint64_t ticks;
  uint32_t bytes; /* of all of it */
  uint32_t location;
  uint16_t kind, attributes;
};

struct packed_attribute {
  OTF2_AttributeValue value;
  OTF2_AttributeRef attribute;
  OTF2_Type type;
};

/* All zero: empty, without memory. */
struct packed_events {
  char *bytes;
  size_t used, capacity;
};

/* Appends the event. */
void packed_add(struct packed_events *events, const struct trace_event *event);

/* Appends an event that is packed already. */
void packed_copy(struct packed_events *events, const struct packed_event *packed);

/* The event, but for its number; it points into `packed`. */
void packed_get(const struct packed_event *packed, struct trace_event *ret);

/* What packed_get makes an event's attributes refer to: the packed event itself, at an odd address, as no
 * list of OTF2's is. */
static inline const struct packed_event *packed_attributes(const void *attributes) {
  return (uintptr_t)attributes & 1 ? (const void *)((const char *)attributes - 1) : NULL;
}

static inline const struct packed_attribute *packed_attribute_list(const struct packed_event *packed) {
  return (const struct packed_attribute *)(const void *)((const char *)packed + packed->bytes) -
         packed->attributes;
}

#endif
