/* Messages between rank 0 and the others:
 *
 *   rank 0 -> others   a command: read up to a time; answer a question; stop, no more is read; end
 *   others -> rank 0   batches of events or of an answer's items, the last one of each without any: it has
 *                      the result
 *
 * Each other rank has two batches in progress: one is sent while the next is filled. Rank 0 always has room
 * for two of each, also between readings; so after the last command each rank sends two that are empty. */
#ifndef STAVE_TRACE_RANK_BATCHES_H
#define STAVE_TRACE_RANK_BATCHES_H

#include <stdlib.h>

#include "base/memory.h"
#include "trace/events.h"
#include "trace/ranks.h"

enum { TAG_COMMAND = 1, TAG_BATCH, TAG_LARGE };

/* In flight from and to each rank; of all that rank 0 has room for. */
enum { RANK_BATCHES = 2, BATCH_BYTES_MIN = 1 << 14, BATCH_BYTES_MAX = 1 << 18, BATCHES_BYTES = 1 << 27 };

enum command_kind { COMMAND_READ, COMMAND_QUERY, COMMAND_STOP, COMMAND_END };

struct rank_command {
  uint64_t from_ticks, to_ticks;
  uint32_t kind, question; /* question: of a query */
};

/* Before the events, or before the reason why there are no more. */
struct batch_head {
  uint64_t used;   /* bytes of events; of more than fit, one event, they come in a message of their own */
  uint64_t events; /* how many */
  int32_t result;  /* of the last one */
  uint32_t is_last;
};

struct rank_batch {
  struct batch_head *head; /* then the events, and what packed_get reads after the last one */
  struct ranks_transfer transfer;
};

static inline size_t rank_batch_bytes(const struct ranks_job *ranks) {
  size_t share = BATCHES_BYTES / RANK_BATCHES / ranks_count(ranks);
  return share > BATCH_BYTES_MAX ? BATCH_BYTES_MAX : share < BATCH_BYTES_MIN ? BATCH_BYTES_MIN : share;
}

static inline void rank_batches_make(struct rank_batch batches[RANK_BATCHES], const struct ranks_job *ranks) {
  for (int i = 0; i < RANK_BATCHES; i++)
    batches[i].head =
        memory_get(1, sizeof *batches[i].head + rank_batch_bytes(ranks) + sizeof(struct trace_event));
}

static inline void rank_batches_free(struct rank_batch batches[RANK_BATCHES]) {
  for (int i = 0; i < RANK_BATCHES; i++)
    free(batches[i].head);
}

static inline char *rank_batch_events(const struct rank_batch *batch) {
  return (char *)(batch->head + 1);
}

/* -- rank_sources.c -- */

/* Of rank 0: what comes from one other rank. */
struct rank_source {
  unsigned rank;
  struct rank_batch batches[RANK_BATCHES];
  size_t reading;
  const char *at, *end; /* of the events that are taken */
  char *large;          /* one that came alone */
  bool is_reading;      /* its last batch has not come */
};

/* From all of them. */
struct rank_sources {
  struct ranks_job *ranks;
  size_t count;
  struct rank_source sources[];
};

/* rank_sources_free lets the other ranks go; it accepts NULL. */
struct rank_sources *rank_sources_make(struct ranks_job *ranks);
void rank_sources_free(struct rank_sources *sources);

void rank_command_send(struct ranks_job *ranks, unsigned to, struct rank_command command);

/* Removes the next batch and counts its events in `progress` (or NULL); is_reading: whether there was one.
 * Returns the rank's result as its reading ends, with `error`. */
int rank_source_next(struct ranks_job *ranks, struct rank_source *source, _Atomic uint64_t *progress,
                     char error[RANKS_ERROR_BYTES]);

#endif
