/* Chunks of events as OTF2 lays them out, as far as we have to know: where records begin and end.
 *
 * A chunk begins with a header (18 bytes): 0x03, 0x42 for little endian, number of the first event (from
 * 1), of the last one (0 until the chunk is full). Records follow: 0x05 and 8 bytes, the time of what
 * follows; 0x02, the end of the file; any other number, the length of its data in one byte (0xFF: in the 8
 * bytes that follow) and the data. Numbers from 10 on are events, a list of attributes precedes its event.
 * What follows the last event of a full chunk means nothing. */
#ifndef STAVE_WRITER_ARCHIVE_CHUNK_H
#define STAVE_WRITER_ARCHIVE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/otf2_events.h"

enum {
  CHUNK_HEADER_BYTES = 18,
  CHUNK_TICKS = 0x05,
  CHUNK_ATTRIBUTES = 0x06,
  CHUNK_FIRST_EVENT = TRACE_NUMBER_BufferFlush,
};

enum chunk_end {
  CHUNK_FULL, /* another chunk follows */
  CHUNK_LAST, /* the file ends here */
  CHUNK_CUT,  /* what follows is missing, or makes no sense */
};

/* How far a location has been read. */
struct chunk_position {
  uint64_t events;
  uint64_t ticks; /* of the last event */
};

/* Of an event's record: the oldest kinds have none where their only field, a number, states its own. */
static inline bool chunk_has_length(unsigned char kind) {
  switch (kind) {
  case TRACE_NUMBER_Enter:
  case TRACE_NUMBER_Leave:
  case TRACE_NUMBER_MpiIsendComplete:
  case TRACE_NUMBER_MpiIrecvRequest:
  case TRACE_NUMBER_MpiRequestTest:
  case TRACE_NUMBER_MpiRequestCancelled:
  case TRACE_NUMBER_OmpFork:
  case TRACE_NUMBER_OmpTaskCreate:
  case TRACE_NUMBER_OmpTaskSwitch:
  case TRACE_NUMBER_OmpTaskComplete:
    return false;
  }
  return true;
}

/* How many events the location has before this chunk. */
uint64_t chunk_events_before(const unsigned char *bytes);

/* The number of the last event of a full chunk. */
uint64_t chunk_last_event(const unsigned char *bytes);

/* Whether a chunk begins there that follows so many events. */
bool chunk_is_open(const unsigned char *bytes, uint64_t events);

/* Makes the header of a chunk that follows so many events of its location. */
void chunk_begin(unsigned char *bytes, uint64_t events);

/* The chunk of `count` bytes is full at `used` of them; its last event has the number `last_event`. */
void chunk_fill(unsigned char *bytes, size_t used, size_t count, uint64_t last_event);

/* Goes through the chunk of `count` bytes, which is to follow *position, but not after event number `most`.
 * Moves *position after the last complete event; *ret_bytes is where that ends in the chunk, 0 if this chunk
 * does not follow there at all. Where there must be more (of a known `most`) and are zeros, an event that
 * ends with zeros counts as cut. */
enum chunk_end chunk_walk(const unsigned char *bytes, size_t count, uint64_t most,
                          struct chunk_position *position, size_t *ret_bytes);

/* Ends the file at `used` bytes of the chunk, which has room for one more there: its last event has the
 * number `last_event`. Returns the bytes of the chunk. */
size_t chunk_finish(unsigned char *bytes, size_t used, uint64_t last_event);

#endif
