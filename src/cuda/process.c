/* The beginning and the end. The driver loads what CUDA_INJECTION64_PATH names, and calls InitializeInjection
 * in cuInit. */
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "mpi/find_recorder.h"

static void end(void) {
  cuda_end();
  atomic_store(&cuda.is_on, false);
  cuda.recorder->leave();
}

/* Before the session has read its configuration, which states what is wrong about a value. */
static bool is_off(void) {
  const char *requested = getenv("STAVE_DEVICE");
  return requested && strcmp(requested, "off") == 0;
}

/* Without anything to record there is no session. */
static void start(void) {
  if (is_off())
    return;
  cuda.recorder = recorder_find(NULL);
  if (!cuda.recorder) {
    recorder_stderr(
        "libstave-cuda.so finds no libstave.so of its own build: what the devices do is not recorded");
    return;
  }
  if (!cuda_open_cupti() || !cuda_request_activity())
    return;
  if (!cuda.recorder->join()) {
    cuda_withdraw();
    return;
  }
  atexit(end);
  cuda_start_calls();
  cuda_begin();
}

/* 1: the driver goes on, whatever became of this. */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void) {
  static atomic_flag is_started = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&is_started))
    start();
  return 1;
}
