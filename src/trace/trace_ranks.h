/* An archive that the ranks of an MPI job read together: rank 0 replays, the others decode its share of the
 * locations each, merge them by time and send what they have. The order is that of one process. */
#ifndef STAVE_TRACE_TRACE_RANKS_H
#define STAVE_TRACE_TRACE_RANKS_H

#include "trace/ranks.h"
#include "trace/trace.h"

/* As trace_open, by each of the ranks. Rank 0 then uses its trace as any other, and closes it. */
int trace_open_by_ranks(const char *anchor, struct ranks_job *ranks, _Atomic uint64_t *progress,
                        struct trace **ret, char error[TRACE_ERROR_BYTES]);

/* Of the other ranks: reads for rank 0 until that closes its trace. NULL: it could not be opened here,
 * because of `why`, which becomes an error of rank 0's readings. Returns 0 or -ENOMEM: rank 0 then waits for
 * ever, but for the launcher, which ends a job in which a process has failed. */
int trace_serve(struct trace *trace, struct ranks_job *ranks, const char *why);

#endif
