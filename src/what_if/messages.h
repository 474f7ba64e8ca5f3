/* What calls of MPI wait for: when other calls begin, be it of the one that sends, or of the last member of a
 * collective operation. Found in a pass of its own, as who has sent a message is often known only when its
 * receiver goes on. Calls are numbered as in mpi.h. */
#ifndef STAVE_WHAT_IF_MESSAGES_H
#define STAVE_WHAT_IF_MESSAGES_H

#include "replay/mpi.h"

/* A moment is when a call begins, by its number, or when the last of several has started. */
#define MESSAGE_OF_SEVERAL (UINT64_C(1) << 63)

/* At its end the call waits for the moment; or it is one of those that the moment is of. */
struct message_wait {
  uint64_t call, moment;
  uint64_t bytes; /* of a send that waits for its receiver, and 1; else 0 */
};

struct messages {
  struct message_wait *waits, *parts; /* by call; parts: of moments of several calls */
  size_t wait_count, wait_capacity, part_count, part_capacity;
  uint64_t *awaited; /* moments, ascending, each as often as it is waited for */
};

/* Reads the trace. Returns 0, or -EIO with a line in `error`; messages_free in every case. Of a
 * trace without MPI there are none. */
int messages_find(struct messages *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]);
void messages_free(struct messages *messages);

/* The position of the first wait, or part, of the call or a later one. */
size_t messages_first(const struct message_wait *waits, size_t count, uint64_t call);

/* How often the moment is waited for. */
size_t messages_awaited(const struct messages *messages, uint64_t moment);

#endif
