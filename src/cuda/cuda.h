/* libstave-cuda.so: what NVIDIA's devices do, told by CUPTI, as records in the session of libstave.so. */
#ifndef STAVE_CUDA_CUDA_H
#define STAVE_CUDA_CUDA_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cuda/cupti.h"
#include "session/recorder.h"

enum { CUDA_FUNCTIONS_MAX = 1024 }; /* of the driver, of the runtime, by CUPTI's numbers */

struct cuda {
  const struct recorder *recorder;
  struct cupti cupti;
  uint32_t version;
  void *subscriber;
  atomic_bool is_on;
  /* Of the functions that are followed, by their domain; else NULL. They live as long as CUPTI. */
  const char *names[CUPTI_DOMAIN_RUNTIME + 1][CUDA_FUNCTIONS_MAX];
};

extern struct cuda cuda;

/* library.c: finds CUPTI. Returns false and has said why not. */
bool cuda_open_cupti(void);

/* activity.c: asks for what devices do, with CLOCK_MONOTONIC. Returns false and has said why not. */
bool cuda_ask(void);

/* The session is there: what comes from now on is recorded. Or there is none. */
void cuda_begin(void);
void cuda_withdraw(void);

/* Has everything delivered that is done. */
void cuda_flush(void);

/* calls.c: asks for the calls of the driver that start, move or wait for something. Without them it is not
 * known which construct a kernel is of: then it has said why. */
void cuda_start_calls(void);

#endif
