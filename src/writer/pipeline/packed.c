#include "writer/pipeline/packed.h"

#include <stdbool.h>
#include <string.h>

enum {
  IS_UNPACKED = 1,
  HAS_FIELDS = 2,
  ENTRY = 2, /* where what begins */
  TICKS = 9,
  FIELD_A = 32,
  FIELD_B = 48,
  TICKS_BITS = FIELD_A - TICKS,
  FIELD_BITS = 16,
  HEAD_BYTES = 2, /* in front of an entire record */
  WIDE = IS_UNPACKED | HAS_FIELDS,
  WIDE_BYTES = 20, /* entry and ticks as ever, then the two fields' differences with all their bits */
};

_Static_assert(PACKED_ENTRIES == 1 << (TICKS - ENTRY) && TICKS <= 8 * HEAD_BYTES, "entries have room");

/* c, type, more, endpoint and flags. */
static inline uint64_t tail_of(const struct record *record) {
  uint64_t tail;
  memcpy(&tail, &record->c, sizeof tail);
  return tail;
}

/* Kinds that follow each other in loops have entries of their own: (4 type + endpoint + 37 c) % 128. */
static inline unsigned entry_of(uint64_t tail) {
  const uint64_t four_types = UINT64_C(1) << 27, endpoint = 1 << 9, c = UINT64_C(37) << 57;
  return (unsigned)(tail * (four_types + endpoint + c) >> 57);
}

/* Whether a difference has room, signed. */
static inline uint64_t too_much_of(uint64_t difference) {
  return (difference + (1u << (FIELD_BITS - 1))) >> FIELD_BITS;
}

static uint8_t *put_unpacked(struct packed_state *state, unsigned entry, const struct record *record,
                             uint8_t *to) {
  uint16_t head = (uint16_t)(IS_UNPACKED | entry << ENTRY);
  state->last[entry].tail = tail_of(record);
  memcpy(to, &head, sizeof head);
  memcpy(to + HEAD_BYTES, record, sizeof *record);
  return to + PACKED_BYTES_MAX;
}

/* Tasks of several threads by turns: their ids are far apart. */
static uint8_t *put_wide(unsigned entry, uint64_t ticks, uint64_t a, uint64_t b, uint8_t *to) {
  uint32_t head = (uint32_t)(WIDE | entry << ENTRY | ticks << TICKS);
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, &a, sizeof a);
  memcpy(to + sizeof head + sizeof a, &b, sizeof b);
  return to + WIDE_BYTES;
}

static inline uint8_t *put_one(struct packed_state *state, const struct record *record, uint64_t ticks,
                               uint8_t *to) {
  uint64_t tail = tail_of(record), new_a = record->a, new_b = record->b;
  unsigned entry = entry_of(tail);
  uint64_t a = new_a - state->last[entry].a, b = new_b - state->last[entry].b;
  uint64_t is_complete = ticks >> TICKS_BITS | (tail ^ state->last[entry].tail);
  uint64_t is_wide = too_much_of(a) | too_much_of(b);
  state->last[entry].a = new_a;
  state->last[entry].b = new_b;
  if (__builtin_expect((is_complete | is_wide) != 0, false))
    return is_complete ? put_unpacked(state, entry, record, to) : put_wide(entry, ticks, a, b, to);
  uint32_t fields = (uint32_t)(uint16_t)a | (uint32_t)b << (FIELD_B - FIELD_A);
  unsigned has_fields = fields != 0;
  uint32_t head = (uint32_t)(entry << ENTRY | has_fields * HAS_FIELDS | (uint32_t)ticks << TICKS);
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, &fields, sizeof fields);
  return to + sizeof head + has_fields * sizeof fields;
}

/* So many records have room for certain. */
static inline uint64_t parts_of(uint64_t n, ptrdiff_t bytes) {
  uint64_t sure = bytes < 0 ? 0 : (uint64_t)bytes / PACKED_BYTES_MAX;
  return n < sure ? n : sure;
}

uint64_t packed_put(struct packed_state *state, const struct record *records, uint64_t n, uint8_t *to,
                    size_t bytes, size_t *ret_bytes) {
  const uint8_t *begin = to, *end = to + bytes;
  uint64_t done = 0, before = state->ticks;
  for (uint64_t part; (part = parts_of(n - done, end - to)) > 0;)
    for (uint64_t until = done + part; done < until; done++) {
      uint64_t now = records[done].ticks;
      to = put_one(state, &records[done], now - before, to);
      before = now;
    }
  state->ticks = before;
  *ret_bytes = (size_t)(to - begin);
  return done;
}

static const uint8_t *read_unpacked(struct packed_state *state, unsigned entry, const uint8_t *from,
                                    struct record *ret_record) {
  memcpy(ret_record, from + HEAD_BYTES, sizeof *ret_record);
  state->last[entry].a = ret_record->a;
  state->last[entry].b = ret_record->b;
  state->last[entry].tail = tail_of(ret_record);
  return from + PACKED_BYTES_MAX;
}

static inline void add_differences(struct packed_state *state, unsigned entry, uint64_t ticks, uint64_t a,
                                   uint64_t b, struct record *ret_record) {
  ret_record->ticks = ticks;
  ret_record->a = state->last[entry].a += a;
  ret_record->b = state->last[entry].b += b;
  memcpy(&ret_record->c, &state->last[entry].tail, sizeof state->last[entry].tail);
}

static const uint8_t *read_wide(struct packed_state *state, unsigned entry, uint64_t ticks,
                                const uint8_t *from, struct record *ret_record) {
  uint64_t a, b;
  memcpy(&a, from + 4, sizeof a);
  memcpy(&b, from + 4 + sizeof a, sizeof b);
  add_differences(state, entry, ticks, a, b, ret_record);
  return from + WIDE_BYTES;
}

/* *ticks is the last record's time. (Inlined: the loop below has the state at hand, and the time in a
 * register.) */
static inline __attribute__((always_inline)) const uint8_t *
read_one(struct packed_state *state, uint64_t *ticks, const uint8_t *from, struct record *ret_record) {
  uint64_t packed;
  memcpy(&packed, from, sizeof packed);
  unsigned entry = packed >> ENTRY & (PACKED_ENTRIES - 1), has_fields = packed / HAS_FIELDS & 1;
  uint64_t now = *ticks + (packed >> TICKS & ((1u << TICKS_BITS) - 1));
  if (__builtin_expect(packed & IS_UNPACKED, false)) {
    from = has_fields ? read_wide(state, entry, now, from, ret_record)
                      : read_unpacked(state, entry, from, ret_record);
    *ticks = ret_record->ticks;
    return from;
  }
  uint64_t fields = packed & -(uint64_t)has_fields;
  add_differences(state, entry, now, (uint64_t)(int16_t)(fields >> FIELD_A),
                  (uint64_t)(int16_t)(fields >> FIELD_B), ret_record);
  *ticks = now;
  return from + 4 + 4 * has_fields;
}

const uint8_t *packed_read(struct packed_state *state, const uint8_t *from, struct record *ret_record) {
  return read_one(state, &state->ticks, from, ret_record);
}

const uint8_t *packed_read_some(struct packed_state *state, const uint8_t *from, uint64_t n,
                                struct record *ret_records) {
  uint64_t ticks = state->ticks;
  for (uint64_t i = 0; i < n; i++)
    from = read_one(state, &ticks, from, &ret_records[i]);
  state->ticks = ticks;
  return from;
}
