/* Target regions of CUDA's calls, where no calls are reported: CUPTI names the region's id with each number
 * of a call (external correlation). */
#include <stdlib.h>

#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/cuda.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"

void cuda_target_begins(struct correlator *c, uint64_t id, uint64_t codeptr, uint32_t location) {
  if (!c->cuda.has_externals || c->cuda.targets.count >= CALLS_MAX)
    return;
  struct cuda_call *target = memory_get(1, sizeof *target);
  *target = (struct cuda_call){codeptr, location, false};
  free(map_get(&c->cuda.targets, id));
  map_put(&c->cuda.targets, id, target);
}

void on_cuda_external(struct correlator *c, struct traced_thread *thread,
                      const struct record_cuda_external *record) {
  const struct cuda_call *target = map_get(&c->cuda.targets, record->target);
  thread_now(c, thread, record->ticks);
  if (!target || c->cuda.calls.count >= CALLS_MAX || map_get(&c->cuda.calls, record->correlation))
    return;
  struct cuda_call *call = memory_get(1, sizeof *call);
  *call = *target;
  map_put(&c->cuda.calls, record->correlation, call);
}
