/* libstave-cuda.so: what NVIDIA's devices do, reported by CUPTI, as records in the session of libstave.so. */
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
  bool is_own_clock; /* times of records are CUPTI's: it has no callback for another clock */
  void *subscriber;
  bool has_externals; /* there is none: CUPTI reports in which target region calls are made */
  atomic_bool is_on;
  /* Of the functions that are followed, by their domain; else NULL. They live as long as CUPTI. */
  const char *names[CUPTI_DOMAIN_RUNTIME + 1][CUDA_FUNCTIONS_MAX];
};

extern struct cuda cuda;

/* library.c: finds CUPTI. Returns false and has printed why not. */
bool cuda_open_cupti(void);

/* clock.c: chooses the clock of CUPTI's records. Returns CUPTI's error where neither is there. */
int cuda_set_clock(void);
void cuda_put_clock(void);

/* activity.c: requests what devices do. Returns false and has reported why not. */
bool cuda_request_activity(void);

/* Reports that CUPTI gave this error, so that nothing is recorded. False. */
bool cuda_refuse(int error);

/* One line on stderr, and in the archive, if there is one: what is not recorded. The numbers are cuda_note's.
 */
enum cuda_subject { CUDA_ALL = 1, CUDA_CALLS, CUDA_WAITS, CUDA_DELIVERY };
void cuda_note(enum cuda_subject about, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts a record with so many words into the calling thread's ring. */
void cuda_put(struct record record, const uint64_t *words, unsigned count);

/* The session is there: what comes from now on is recorded. Or there is none. */
void cuda_begin(void);
void cuda_withdraw(void);

/* The process ends: has everything delivered that is done. */
void cuda_end(void);

/* calls.c, before cuda_begin: requests the calls of the driver that start, move or wait for something;
 * without them, which target region the calls are made in. Where that is not to be had either, it has
 * reported why. */
void cuda_start_calls(void);

#endif
