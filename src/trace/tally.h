/* Counting what is in an archive: events of each kind and location, their bytes, waits for room,
 * attributes. */
#ifndef STAVE_TRACE_TALLY_H
#define STAVE_TRACE_TALLY_H

#include "trace/trace.h"

struct tally_kind {
  uint64_t events;
  uint64_t bytes; /* as encoded, with the times that they changed */
};

struct tally_location {
  uint64_t events;
  uint64_t bytes; /* size of the event file */
  uint64_t first_ticks, last_ticks;
  uint64_t stalls, stall_ticks; /* BufferFlush */
};

/* Samples that found threads in one state, by the attribute "thread state" (an approximation:
 * docs/DESIGN.md). */
struct tally_state {
  uint64_t name; /* ref of the string */
  uint64_t samples;
};

enum { TALLY_STATES_MAX = 64 };

struct tally {
  struct tally_kind kinds[TRACE_KIND_COUNT];
  struct tally_location *locations; /* as in the trace */
  uint64_t *attribute_uses;         /* the same for its attributes */
  struct tally_state states[TALLY_STATES_MAX];
  size_t state_count;
  uint64_t events, encoded_bytes, file_bytes;
  uint64_t miscounted; /* locations whose definition states another number of events */
  uint64_t backward;   /* events earlier than the one before in their location */
};

/* Reads all events. Returns 0, or -EIO; then one line is in `error`, and *ret holds what was read
 * until there. tally_free in every case. */
int tally_read(struct tally *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]);

/* Frees what it owns. */
void tally_free(struct tally *tally);

#endif
