/* Attributes of events, for those slices that keep them. */
#ifndef STAVE_TIMELINE_CONTENT_ATTRIBUTE_LISTS_H
#define STAVE_TIMELINE_CONTENT_ATTRIBUTE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* At the place of a note: how many attributes, then for each its position in the trace's attributes and its
 * value (the bits of a real number). */
struct attribute_lists {
  uint64_t *words;
  size_t count, capacity;
};

/* Adds the event's attributes. Returns their place, or 0 if there are none or too many have been added
 * before. */
uint32_t attribute_lists_add(struct attribute_lists *lists, const struct trace *trace,
                             const struct trace_event *event);

/* Adds what is at `place` of other lists, and returns where; 0 gives 0. */
uint32_t attribute_lists_copy(struct attribute_lists *lists, const struct attribute_lists *from,
                              uint32_t place);

/* Frees what it owns. */
void attribute_lists_free(struct attribute_lists *lists);

#endif
