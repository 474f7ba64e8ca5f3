/* An archive that the ranks of an MPI job read together: each of the others decodes a share of the locations,
 * merges them by time and sends them. Rank 0 receives events to replay in the order of one process, or
 * answers to a question, of ranks that replay their shares themselves. */
#ifndef STAVE_TRACE_TRACE_RANKS_H
#define STAVE_TRACE_TRACE_RANKS_H

#include "trace/ranks.h"
#include "trace/trace.h"

/* As trace_open, by each of the ranks. Rank 0 then uses its trace as any other, and closes it. */
int trace_open_by_ranks(const char *anchor, struct ranks_job *ranks, _Atomic uint64_t *progress,
                        struct trace **ret, char error[TRACE_ERROR_BYTES]);

struct rank_server; /* opaque */
struct packed_event;

/* The meaning of the numbers is known to both sides. */
struct ranks_question {
  uint32_t number;
  uint64_t from_ticks, to_ticks;
};

/* Answers with items. Returns 0 or a negative number with one line in `error`, which rank 0 gets. */
typedef int (*ranks_answer)(void *data, struct rank_server *server, const struct ranks_question *question,
                            char error[TRACE_ERROR_BYTES]);

/* Of the other ranks: reads for rank 0 until that closes its trace, and answers. NULL: it could not be opened
 * here, because of `why`, which becomes an error of rank 0's readings. A rank without memory ends: rank 0
 * then waits without end, but for the launcher, which ends a job in which a process has failed. */
void trace_serve(struct trace *trace, struct ranks_job *ranks, const char *why, ranks_answer answer,
                 void *data);

/* An item is anything that begins as a packed event and is a multiple of 8 long. Those of an answer come in
 * the order of their ticks. False: no more is read. */
bool rank_server_give(struct rank_server *server, const struct packed_event *item);

struct trace *rank_server_trace(const struct rank_server *server);

/* The locations of the rank's share of the processes: from the first up to *ret_end. */
size_t rank_server_first(const struct rank_server *server, size_t *ret_end);

/* Handles an event or an item; it lasts until the return. False stops the reading. */
typedef bool (*trace_on_packed)(void *data, const struct packed_event *packed);

/* Gives the events of the rank's share of the processes, which is of entire ones where those have all of
 * their locations in a row, merged by time, to `on_packed`. Returns 0 or -EIO with `error`. */
int rank_server_read(struct rank_server *server, trace_on_packed on_packed, void *data,
                     char error[TRACE_ERROR_BYTES]);

/* Of rank 0: how many others there are; 0: nobody reads for this process. */
size_t trace_rank_count(const struct trace *trace);

/* Queries all others, and receives their items in the order of ticks; of equal ones those of the lower rank
 * come first. Returns 0, or the first negative result of an answer with its `error`. */
int trace_query_ranks(struct trace *trace, const struct ranks_question *question, trace_on_packed on_item,
                      void *data, char error[TRACE_ERROR_BYTES]);

#endif
