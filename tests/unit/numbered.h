/* Events that carry their number, and the check that all numbers arrive: each once, complete and in order. */
#ifndef STAVE_TESTS_NUMBERED_H
#define STAVE_TESTS_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "session/ring.h"
#include "tool/thread.h"

/* Who makes events, each numbering its own. */
enum stream { STREAM_THREAD, STREAM_HANDLER, STREAMS };

/* Records one event of n slots the way the callbacks do. False: it was dropped. */
bool numbered_put(enum stream stream, uint64_t number, uint64_t n);

/* The same as the sampling handler does. False: there was no place. */
bool numbered_put_sample(enum stream stream, uint64_t number, uint64_t n);

/* What has arrived. */
struct numbered_check {
  uint64_t next[STREAMS];    /* number that is due */
  uint64_t missing[STREAMS]; /* numbers passed over */
  uint64_t arrived[STREAMS];
  uint64_t lost; /* as the gap records report */
  uint64_t gaps, stalls, attaches;
  char problem[256]; /* the first thing that was wrong; empty: none */
};

/* Reads the ring's new records, checks complete ones up to `most` slots and gives the room back. Returns
 * the number of records. */
uint64_t numbered_read(struct numbered_check *check, struct ring_view *view, uint64_t most);

#endif
