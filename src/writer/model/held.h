/* Events that are held back, in the order in which they came.
 *
 * While threads wait for a processor to begin with their team, those that have begun may make millions of
 * events. So one takes 16 bytes, and 8 more for each thing that only some have; nothing is touched before it
 * is needed, and large memory goes back when the last event is gone. */
#ifndef STAVE_WRITER_MODEL_HELD_H
#define STAVE_WRITER_MODEL_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/model/event.h"

/* All zero: nothing is held. */
struct held {
  uint64_t *words;
  size_t begin, end, capacity;
};

void held_put(struct held *held, const struct event *event);

static inline bool held_is_empty(const struct held *held) {
  return held->begin == held->end;
}

/* Of the first event. What follows may only be asked of one that is not empty. */
static inline uint64_t held_first_ticks(const struct held *held) {
  return held->words[held->begin];
}

struct event held_first(const struct held *held);

void held_drop_first(struct held *held);

/* Forgets all. */
void held_clear(struct held *held);

#endif
