/* One instant on the session's clock and on that of CUPTI's records: CLOCK_MONOTONIC where CUPTI has the
 * callback for it, else CUPTI's own. */
#include <time.h>

#include "cuda/cuda.h"

static uint64_t monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t now(void) {
  uint64_t time = 0;
  if (!cuda.is_own_clock)
    return monotonic();
  return cuda.cupti.cuptiGetTimestamp(&time) == CUPTI_OK ? time : 0;
}

int cuda_set_clock(void) {
  int error = cuda.cupti.cuptiActivityRegisterTimestampCallback
                  ? cuda.cupti.cuptiActivityRegisterTimestampCallback(monotonic)
                  : CUPTI_NOT_THERE;
  uint64_t time;
  if (error == CUPTI_OK || !cuda.cupti.cuptiGetTimestamp || cuda.cupti.cuptiGetTimestamp(&time) != CUPTI_OK)
    return error;
  cuda.is_own_clock = true;
  return CUPTI_OK;
}

/* Of a few tries the one in which the least time passes. */
void cuda_put_clock(void) {
  enum { TRIES = 5 };
  uint64_t narrowest = UINT64_MAX, ticks = 0, time = 0;
  for (int i = 0; i < TRIES; i++) {
    uint64_t before = cuda.recorder->ticks(), middle = now(), after = cuda.recorder->ticks();
    if (middle == 0 || after - before >= narrowest)
      continue;
    narrowest = after - before;
    ticks = before + narrowest / 2;
    time = middle;
  }
  const uint64_t words[4] = {ticks, narrowest};
  const struct record_cuda_clock record = {.type = RECORD_cuda_clock, .time = time};
  if (time)
    cuda_put(*(const struct record *)&record, words, 2);
}
