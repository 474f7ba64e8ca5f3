/* Where records wait that the writer has taken out of the rings and not merged yet, as they were there: 32
 * bytes each, in segments of the writer's own memory. To copy a record takes a few ns, to encode it 40 to 90:
 * so threads that make events faster than they can be encoded need not wait for that.
 *
 * A chain is what waits of one ring. Its positions are the ring's; it is read from its front while more is
 * put behind its end. Segments that were read are used again, the last one first: fresh memory costs more
 * than the copy. */
#ifndef STAVE_WRITER_BACKLOG_H
#define STAVE_WRITER_BACKLOG_H

#include <stdbool.h>

#include "session/records.h"

struct backlog;

/* All zero: nothing waits. */
struct backlog_chain {
  uint32_t first, last; /* segments; mean something if begin != end */
  uint64_t begin, end;  /* positions: of what `first` begins with, and behind the last record */
};

/* Room for so many bytes, not touched yet; less if the limits of the process allow no more. NULL is a backlog
 * without any. */
struct backlog *backlog_create(uint64_t bytes);

/* NULL is fine. */
void backlog_destroy(struct backlog *backlog);

/* Puts n records behind the chain's end; the first one's position is that end, or anything if nothing waits.
 * Returns how many had room: memory is the first thing to be had no more of. */
uint64_t backlog_put(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                     const struct record *records, uint64_t n);

/* Whether the record at this position is in the chain. */
static inline bool backlog_has(const struct backlog_chain *chain, uint64_t position) {
  return position - chain->begin < chain->end - chain->begin;
}

/* The record at a position that the chain has; quick near the front. */
const struct record *backlog_at(const struct backlog *backlog, const struct backlog_chain *chain,
                                uint64_t position);

/* Everything below the position was read, and is not asked for again. */
void backlog_free_below(struct backlog *backlog, struct backlog_chain *chain, uint64_t position);

/* Whether a segment more is to be had without waiting for memory to be read. */
bool backlog_has_room(const struct backlog *backlog);

/* Records that wait now; that have waited at most; that have ever waited. */
uint64_t backlog_waiting(const struct backlog *backlog);
uint64_t backlog_most(const struct backlog *backlog);
uint64_t backlog_total(const struct backlog *backlog);

/* Nothing waits: gives the memory back to the system. */
void backlog_shrink(struct backlog *backlog);

#endif
