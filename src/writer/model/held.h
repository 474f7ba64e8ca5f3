/* Events that are held back, in the order in which they came.
 *
 * While threads wait for a processor to begin with their team, those that have started may make millions of
 * events. So one takes 16 bytes, and 8 more for each thing that only some have; nothing is touched before it
 * is needed, and large memory goes back when the last event is gone. */
#ifndef STAVE_WRITER_MODEL_HELD_H
#define STAVE_WRITER_MODEL_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/model/event.h"

/* The second word of each event: the first number in the low half, its kind, what few have. */
enum { HELD_KIND_AT = 32, HELD_REST_AT = 40, HELD_PLAIN_SIZE = 2 };

/* All zero: nothing is held. */
struct held {
  uint64_t *words;
  size_t begin, end, capacity;
};

void held_put(struct held *held, const struct event *event);

/* As held_put, of an event that has its first number and nothing more. False: there is no room. */
static inline bool held_put_plain(struct held *held, uint64_t ticks, uint32_t number, uint8_t kind) {
  if (held->capacity - held->end < HELD_PLAIN_SIZE)
    return false;
  held->words[held->end] = ticks;
  held->words[held->end + 1] = number | (uint64_t)kind << HELD_KIND_AT;
  held->end += HELD_PLAIN_SIZE;
  return true;
}

static inline bool held_is_empty(const struct held *held) {
  return held->begin == held->end;
}

/* Of the first event. What follows needs one that is not empty. */
static inline uint64_t held_first_ticks(const struct held *held) {
  return held->words[held->begin];
}

/* Whether it has its first number and nothing more, as most Enters and Leaves. */
static inline bool held_first_is_plain(const struct held *held) {
  return held->words[held->begin + 1] >> HELD_REST_AT == 0;
}

/* Its kind and its first number. */
static inline uint8_t held_first_kind(const struct held *held) {
  return (uint8_t)(held->words[held->begin + 1] >> HELD_KIND_AT);
}

static inline uint32_t held_first_number(const struct held *held) {
  return (uint32_t)held->words[held->begin + 1];
}

/* All of it. Returns its size, for held_drop_first. (Not the event by value: a copy of what was just stored
 * in pieces waits for the stores, five times as long as all else here.) */
size_t held_first(const struct held *held, struct event *event);

/* `size`: HELD_PLAIN_SIZE of a plain one, or as held_first has reported. */
void held_drop_first(struct held *held, size_t size);

/* Forgets all. */
void held_clear(struct held *held);

#endif
