/* The backlog: records that the writer has removed from the rings and not merged yet, packed (packed.h), in
 * segments of the writer's own memory. To move a record costs a few ns, to encode it 40 to 90: so threads
 * that make events faster than they can be encoded need not wait for that.
 *
 * A chain has the waiting records of one ring. Its positions are the ring's; it is read from its front while
 * more is put after its end. The records that are read next are unpacked in its window. Segments that were
 * unpacked are used again, the last one first: fresh memory costs more than the packing.
 *
 * Where a log has all records (record_log.h) they wait in that, in no memory but the kernel's, which may
 * write them to the disk. */
#ifndef STAVE_WRITER_PIPELINE_BACKLOG_H
#define STAVE_WRITER_PIPELINE_BACKLOG_H

#include <stdbool.h>

#include "session/records.h"

struct log_blocks;
struct record_log;
struct backlog;
struct backlog_ends;

/* All zero: nothing waits. */
struct backlog_chain {
  uint64_t begin, end;   /* positions: of the first record, and after the last one */
  uint64_t unpacked;     /* positions before this are in the window */
  struct record *window; /* by position, masked */
  uint64_t window_mask;
  struct backlog_ends *ends; /* of what is packed; NULL if nothing waits */
  uint64_t *waiting;         /* in all chains */
};

/* Room for so many bytes, not touched yet; less if the limits of the process allow no more. NULL is a backlog
 * without any. */
struct backlog *backlog_create(uint64_t bytes);

/* NULL is fine. Chains in which something waits are the backlog's to free. */
void backlog_destroy(struct backlog *backlog);

/* Puts n records after the chain's end; the first one's position is that end, or anything if nothing waits.
 * Returns how many had room: memory is the first thing to be had no more of. */
uint64_t backlog_put(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                     const struct record *records, uint64_t n);

/* Records [position, end), which follow the chain's end, wait where the log has them, in these blocks of the
 * chain's own, whose front is the chain's to drop. False: the chain goes on in memory. */
bool backlog_leave_in_log(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                          uint64_t end, const struct record_log *log, struct log_blocks *blocks);

/* Whether the record at this position is in the chain. */
static inline bool backlog_has(const struct backlog_chain *chain, uint64_t position) {
  return position - chain->begin < chain->end - chain->begin;
}

/* Unpacks what the chain has up to this position, and some more. Threads may do so at the same time with
 * chains of their own, and nothing else. */
void backlog_unpack(struct backlog *backlog, struct backlog_chain *chain, uint64_t position);

/* The record at a position that the chain has; quick near the front. The next call may move it. */
static inline const struct record *backlog_at(struct backlog *backlog, struct backlog_chain *chain,
                                              uint64_t position) {
  if (position - chain->begin >= chain->unpacked - chain->begin)
    backlog_unpack(backlog, chain, position);
  return &chain->window[position & chain->window_mask];
}

void backlog_free_more(struct backlog *backlog, struct backlog_chain *chain, uint64_t position);

/* Everything below the position was read, and is not requested again. */
static inline void backlog_free_below(struct backlog *backlog, struct backlog_chain *chain,
                                      uint64_t position) {
  if (position - chain->begin >= chain->unpacked - chain->begin) {
    backlog_free_more(backlog, chain, position);
    return;
  }
  *chain->waiting -= position - chain->begin;
  chain->begin = position;
}

/* Whether a segment more is to be had without waiting for memory to be read. */
bool backlog_has_room(const struct backlog *backlog);

/* Records that wait now; that have waited at most; that have ever waited. */
uint64_t backlog_waiting(const struct backlog *backlog);
uint64_t backlog_most(const struct backlog *backlog);
uint64_t backlog_total(const struct backlog *backlog);

/* Nothing waits: gives the memory back to the system. */
void backlog_shrink(struct backlog *backlog);

#endif
