/* Who waits for what devices do: threads, and streams for one another. */
#ifndef STAVE_WRITER_CORRELATE_CUDA_WAITS_H
#define STAVE_WRITER_CORRELATE_CUDA_WAITS_H

#include "writer/correlate/correlate.h"
#include "writer/model/event.h"

enum { SHAPE_NUMBERS = 6 };

/* What a device did. */
struct cuda_work {
  uint64_t begin_ns, end_ns, order;
  int32_t device;
  uint32_t context, stream, correlation;
  struct event begin, end;
  bool is_kernel, is_orphan;     /* is_orphan: the call that has started it was unknown when it came */
  uint32_t shape[SHAPE_NUMBERS]; /* of a kernel's grid and its blocks; else 0 */
};

/* Correlations are numbers of their own: no other matching id has the bit that this sets. */
static inline uint64_t cuda_matching_id(uint32_t correlation) {
  return UINT64_C(1) << 62 | correlation;
}

/* Marks works[number], the next one to be put on its stream, with the call that waits until it is done, and
 * with what its stream has to wait for. All in front of it have been requested. */
void cuda_waits_mark(struct cuda_waits *waits, struct cuda_work *works, size_t count, size_t number);

void cuda_waits_free(struct cuda_waits *waits);

#endif
