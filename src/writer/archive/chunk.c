#include "writer/archive/chunk.h"

#include <stdbool.h>
#include <string.h>

enum {
  FIRST_EVENT_AT = 2, /* in the header */
  LAST_EVENT_AT = 10,
  END_OF_CHUNK = 0x00,
  RECORD_END_OF_FILE = 0x02,
  RECORD_HEADER = 0x03,
  LITTLE_ENDIAN_MARK = 0x42,
  LONG_LENGTH = 0xFF,
};

static uint64_t number_at(const unsigned char *bytes) {
  uint64_t number;
  memcpy(&number, bytes, sizeof number);
  return number;
}

uint64_t chunk_events_before(const unsigned char *bytes) {
  return number_at(bytes + FIRST_EVENT_AT) - 1;
}

uint64_t chunk_last_event(const unsigned char *bytes) {
  return number_at(bytes + LAST_EVENT_AT);
}

bool chunk_is_open(const unsigned char *bytes, uint64_t events) {
  return bytes[0] == RECORD_HEADER && bytes[1] == LITTLE_ENDIAN_MARK && chunk_events_before(bytes) == events;
}

void chunk_begin(unsigned char *bytes, uint64_t events) {
  uint64_t first = events + 1, last = 0;
  bytes[0] = RECORD_HEADER;
  bytes[1] = LITTLE_ENDIAN_MARK;
  memcpy(bytes + FIRST_EVENT_AT, &first, sizeof first);
  memcpy(bytes + LAST_EVENT_AT, &last, sizeof last);
}

void chunk_fill(unsigned char *bytes, size_t used, size_t count, uint64_t last_event) {
  memcpy(bytes + LAST_EVENT_AT, &last_event, sizeof last_event);
  memset(bytes + used, END_OF_CHUNK, count - used);
}

static bool follows(const unsigned char *bytes, size_t count, uint64_t events) {
  return count >= CHUNK_HEADER_BYTES && chunk_is_open(bytes, events);
}

/* The bytes of the record at `bytes`, which is no time and no end; 0 if it is cut. */
static size_t record_bytes(const unsigned char *bytes, size_t count) {
  if (count < 2)
    return 0;
  uint64_t head = 2, length = bytes[1];
  if (length == LONG_LENGTH && !chunk_has_length(bytes[0])) {
    length = 0; /* it is that of the only number, and this is the undefined one */
  } else if (length == LONG_LENGTH) {
    head = 2 + sizeof length;
    length = count < head ? UINT64_MAX : number_at(bytes + 2);
  }
  return length <= count && head + length <= count ? head + length : 0;
}

/* After the last event of a chunk that states which it is: the last chunk of a file is cut off after its
 * mark. */
static enum chunk_end end_of_full(const unsigned char *bytes, size_t count, size_t at) {
  bool is_marked = at < count && bytes[at] == RECORD_END_OF_FILE && count - at <= 2;
  return is_marked ? CHUNK_LAST : CHUNK_FULL;
}

/* The bytes of the record at `bytes`, 0 if it is cut or none that could be there; *ticks may move. */
static size_t next_record(const unsigned char *bytes, size_t count, uint64_t *ticks) {
  if (bytes[0] == CHUNK_ATTRIBUTES || bytes[0] >= CHUNK_FIRST_EVENT)
    return record_bytes(bytes, count);
  if (bytes[0] != CHUNK_TICKS || count < 1 + sizeof *ticks || number_at(bytes + 1) < *ticks)
    return 0;
  *ticks = number_at(bytes + 1);
  return 1 + sizeof *ticks;
}

/* Zeros may be where bytes have not been written: they may have started within the record that ends at
 * `at`. */
static bool may_be_cut(const unsigned char *bytes, size_t count, size_t at) {
  return at < count && bytes[at] == 0 && bytes[at - 1] == 0;
}

enum chunk_end chunk_walk(const unsigned char *bytes, size_t count, uint64_t most,
                          struct chunk_position *position, size_t *ret_bytes) {
  size_t at = CHUNK_HEADER_BYTES, length;
  uint64_t ticks = position->ticks;
  struct chunk_position before = *position;
  size_t bytes_before = 0;
  *ret_bytes = 0;
  if (!follows(bytes, count, position->events))
    return CHUNK_CUT;
  *ret_bytes = at;
  uint64_t last = chunk_last_event(bytes);
  last = last ? last : UINT64_MAX; /* not full yet */
  while (at < count && position->events != most && position->events != last &&
         (length = next_record(bytes + at, count - at, &ticks)) > 0) {
    bool is_event = bytes[at] >= CHUNK_FIRST_EVENT;
    at += length;
    if (!is_event)
      continue;
    before = *position;
    bytes_before = *ret_bytes;
    position->events++;
    position->ticks = ticks;
    *ret_bytes = at;
  }
  bool is_short = most != UINT64_MAX && position->events < most && position->events != last;
  if (is_short && bytes_before && may_be_cut(bytes, count, *ret_bytes)) {
    *position = before;
    *ret_bytes = bytes_before;
  }
  return position->events == last ? end_of_full(bytes, count, *ret_bytes) : CHUNK_CUT;
}

size_t chunk_finish(unsigned char *bytes, size_t used, uint64_t last_event) {
  memcpy(bytes + LAST_EVENT_AT, &last_event, sizeof last_event);
  bytes[used] = RECORD_END_OF_FILE;
  return used + 1;
}
