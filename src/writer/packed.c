#include "writer/packed.h"

#include <stdbool.h>
#include <string.h>

enum {
  OF_B = 2, /* where the head has what */
  OF_A = 5,
  HAS_TAIL = 8,
  ENTRY = 9,
  ALL_FIELDS = 7 << OF_A | 7 << OF_B,
  EIGHT = 7, /* the length that stands for 8 bytes; there is none for 7 */
};

_Static_assert(PACKED_ENTRIES == 1 << (16 - ENTRY), "the head has so many bits for it");

/* c, type, more, endpoint and flags. */
static inline uint64_t tail_of(const struct record *record) {
  uint64_t tail;
  memcpy(&tail, &record->c, sizeof tail);
  return tail;
}

/* Records of one kind have one entry, those of a loop's kinds different ones. */
static inline unsigned entry_of(const struct record *record) {
  unsigned kind = record->type * 4u + record->endpoint, value = record->c * 0x9e3779b1u >> 25;
  return (kind ^ value ^ record->flags * 5u) % PACKED_ENTRIES;
}

/* Small for a little more and for a little less. */
static inline uint64_t fold(uint64_t difference) {
  return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t unfold(uint64_t folded) {
  return folded >> 1 ^ -(folded & 1);
}

static inline unsigned length_of(uint64_t value) {
  unsigned bytes = value ? (71u - (unsigned)__builtin_clzll(value)) / 8 : 0;
  return bytes < EIGHT ? bytes : EIGHT;
}

/* Eight bytes are stored and read whatever the length: there is room behind all but the last field, whose
 * length is 0 or 8. */
static inline uint8_t *put(uint8_t *to, uint64_t value, unsigned length) {
  memcpy(to, &value, sizeof value);
  return to + length + (length == EIGHT);
}

static inline uint64_t take_bytes(const uint8_t **from, unsigned bytes) {
  static const uint64_t masks[] = {
      0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};
  uint64_t value;
  memcpy(&value, *from, sizeof value);
  *from += bytes;
  return value & masks[bytes];
}

static inline uint64_t take(const uint8_t **from, unsigned length) {
  return take_bytes(from, length + (length == EIGHT));
}

/* 1, 2, 4 or 8 bytes. */
static inline unsigned ticks_code(uint64_t ticks) {
  return (ticks >> 8 != 0) + (ticks >> 16 != 0) + (ticks >> 32 != 0);
}

static inline unsigned head_of(unsigned entry, bool has_tail, unsigned of_a, unsigned of_b,
                               unsigned of_ticks) {
  return entry << ENTRY | (unsigned)has_tail << HAS_TAIL | of_a << OF_A | of_b << OF_B | of_ticks;
}

/* The head and up to two bytes of time at once. */
static inline uint8_t *put_short(uint8_t *to, unsigned entry, unsigned of_a, unsigned of_b, unsigned of_ticks,
                                 uint64_t ticks) {
  uint32_t both = head_of(entry, false, of_a, of_b, of_ticks) | (uint32_t)ticks << 16;
  memcpy(to, &both, sizeof both);
  return to + sizeof(uint16_t) + (1u << of_ticks);
}

static uint8_t *put_different(struct packed_state *state, unsigned entry, const struct record *record,
                              uint64_t ticks, uint8_t *to) {
  uint64_t tail = tail_of(record);
  uint64_t a = fold(record->a - state->last[entry].a), b = fold(record->b - state->last[entry].b);
  unsigned of_a = length_of(a), of_b = length_of(b), of_ticks = ticks_code(ticks);
  bool has_tail = tail != state->last[entry].tail;
  state->last[entry].a = record->a;
  state->last[entry].b = record->b;
  uint16_t head = (uint16_t)head_of(entry, has_tail, of_a, of_b, of_ticks);
  memcpy(to, &head, sizeof head);
  to += sizeof head;
  memcpy(to, &ticks, sizeof ticks);
  to += 1u << of_ticks;
  to = put(to, a, of_a);
  to = put(to, b, of_b);
  if (!has_tail)
    return to;
  state->last[entry].tail = tail;
  return put(to, tail, EIGHT);
}

/* What put_different would put where the time differs by two bytes at most, a and b by one, and nothing else
 * does: nearly always in loops. Returns NULL if that is not so. */
static inline uint8_t *put_alike(struct packed_state *state, unsigned entry, const struct record *record,
                                 uint64_t ticks, uint8_t *to) {
  uint64_t a = record->a - state->last[entry].a, b = record->b - state->last[entry].b;
  unsigned of_ticks = ticks >> 8 != 0;
  if (__builtin_expect((ticks >> 16 | (tail_of(record) ^ state->last[entry].tail)) != 0, false))
    return NULL;
  if ((a | b) == 0)
    return put_short(to, entry, 0, 0, of_ticks, ticks);
  a = fold(a), b = fold(b);
  if ((a | b) >> 8 != 0)
    return NULL;
  state->last[entry].a = record->a;
  state->last[entry].b = record->b;
  to = put_short(to, entry, a != 0, b != 0, of_ticks, ticks);
  *to = (uint8_t)a;
  to += a != 0;
  *to = (uint8_t)b;
  return to + (b != 0);
}

uint64_t packed_put(struct packed_state *state, const struct record *records, uint64_t n, uint8_t *to,
                    size_t bytes, size_t *ret_bytes) {
  const uint8_t *begin = to, *end = to + bytes;
  uint64_t done = 0, before = state->ticks;
  for (; done < n && end - to >= PACKED_BYTES_MOST; done++) {
    const struct record *record = &records[done];
    unsigned entry = entry_of(record);
    uint64_t ticks = record->ticks - before;
    before = record->ticks;
    uint8_t *behind = put_alike(state, entry, record, ticks, to);
    to = behind ? behind : put_different(state, entry, record, ticks, to);
  }
  state->ticks = before;
  *ret_bytes = (size_t)(to - begin);
  return done;
}

const uint8_t *packed_take(struct packed_state *state, const uint8_t *from, struct record *ret_record) {
  uint16_t head;
  memcpy(&head, from, sizeof head);
  from += sizeof head;
  unsigned entry = head >> ENTRY;
  state->ticks += take_bytes(&from, 1u << (head & 3));
  if (head & ALL_FIELDS) {
    state->last[entry].a += unfold(take(&from, head >> OF_A & EIGHT));
    state->last[entry].b += unfold(take(&from, head >> OF_B & EIGHT));
  }
  if (head >> HAS_TAIL & 1)
    state->last[entry].tail = take(&from, EIGHT);
  ret_record->ticks = state->ticks;
  ret_record->a = state->last[entry].a;
  ret_record->b = state->last[entry].b;
  memcpy(&ret_record->c, &state->last[entry].tail, sizeof state->last[entry].tail);
  return from;
}
