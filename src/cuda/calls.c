/* Calls of CUDA's driver and runtime by the program, on its threads: what they start has their correlation.
 * CUPTI reports what calls the runtime, not always of the driver's functions inside. */
#include <stdio.h>
#include <string.h>

#include "cuda/cuda.h"

enum { NAME_BYTES = 64 };

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Calls that start an operation on a device, and calls that may be long. Queries are frequent and short: to
 * record them would cost more than they show. */
static bool is_followed(const char *name) {
  static const char *const starts[] = {"Launch",
                                       "Memcpy",
                                       "Memset",
                                       "MemAlloc",
                                       "MemFree",
                                       "MemHost",
                                       "Malloc",
                                       "Free",
                                       "Host",
                                       "GraphLaunch",
                                       "StreamSync",
                                       "CtxSync",
                                       "EventSync",
                                       "DeviceSync",
                                       "ModuleLoad",
                                       "LibraryLoad",
                                       "CtxCreate",
                                       "LinkComplete",
                                       "DevicePrimaryCtxRetain"};
  const char *rest = name + (begins_with(name, "cuda") ? 4 : 2);
  for (size_t i = 0; i < sizeof starts / sizeof *starts && begins_with(name, "cu"); i++)
    if (begins_with(rest, starts[i]))
      return true;
  return false;
}

static const char *name_of(int domain, uint32_t function) {
  bool is_known =
      (domain == CUPTI_DOMAIN_DRIVER || domain == CUPTI_DOMAIN_RUNTIME) && function < CUDA_FUNCTIONS_MAX;
  return is_known ? cuda.names[domain][function] : NULL;
}

/* CUPTI adds the version of CUDA in which the function came: cudaMemcpyAsync_v3020. */
static size_t name_length(const char *name) {
  const char *version = strstr(name, "_v");
  size_t length = version && begins_with(name, "cuda") ? (size_t)(version - name) : strlen(name);
  return length < NAME_BYTES ? length : NAME_BYTES;
}

static void on_call(void *data, int domain, uint32_t function, const void *call_data) {
  const struct cupti_call *call = call_data;
  struct {
    uint64_t words[NAME_BYTES / 8];
  } rest = {{0}};
  (void)data;
  const char *name = name_of(domain, function);
  if (!name || !atomic_load(&cuda.is_on))
    return;
  struct record_cuda_call record = {.type = RECORD_cuda_call,
                                    .endpoint = call->site == CUPTI_ENTER ? 1 : 2,
                                    .correlation = call->correlation,
                                    .function = function};
  if (call->site == CUPTI_ENTER) {
    size_t length = name_length(name);
    memcpy(rest.words, name, length);
    record.name_bytes = length;
    record.more = (uint8_t)((length + 31) / 32);
  }
  cuda.recorder->put((const struct record *)&record, rest.words, 0, NULL);
}

/* How many. `error`: what CUPTI gives where it refuses one, else where it has no name for a number, which is
 * so after the last function. */
static int follow_all(int domain, int *error) {
  const char *name;
  int count = 0;
  for (uint32_t i = 1; i < CUDA_FUNCTIONS_MAX; i++) {
    int result = cuda.cupti.cuptiGetCallbackName(domain, i, &name);
    *error = *error == CUPTI_OK ? result : *error;
    if (result != CUPTI_OK || !name || !is_followed(name))
      continue;
    cuda.names[domain][i] = name;
    result = cuda.cupti.cuptiEnableCallback(1, cuda.subscriber, domain, i);
    count += result == CUPTI_OK;
    *error = result != CUPTI_OK ? result : *error;
  }
  return count;
}

/* -- without the calls: CUPTI notes with each the target region that it is made in -- */

static void on_target(uint64_t id, bool is_begin) {
  uint64_t last;
  if (is_begin)
    cuda.cupti.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, id);
  else
    cuda.cupti.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CUSTOM0, &last);
}

/* The records come for the calls of the driver, so these are requested, too. */
static bool follow_targets(void) {
  bool is_there = cuda.cupti.cuptiActivityPushExternalCorrelationId &&
                  cuda.cupti.cuptiActivityPopExternalCorrelationId &&
                  cuda.cupti.cuptiActivityEnable(CUPTI_EXTERNAL) == CUPTI_OK &&
                  cuda.cupti.cuptiActivityEnable(CUPTI_DRIVER) == CUPTI_OK;
  if (is_there)
    cuda.recorder->follow_targets(on_target);
  return is_there;
}

static void be_refused(int error) {
  char why[80] = "another tool follows CUDA's calls in this process";
  if (error != CUPTI_SUBSCRIBERS)
    snprintf(why, sizeof why, "CUPTI reports no calls of CUDA (error %d)", error);
  cuda.has_externals = follow_targets();
  cuda_note(CUDA_CALLS, "%s: %s", why,
            cuda.has_externals ? "they are not recorded, kernels have the line of their target region"
                               : "which construct a kernel is of is not recorded");
}

void cuda_start_calls(void) {
  int error = cuda.cupti.cuptiSubscribe(&cuda.subscriber, on_call, NULL);
  if (error != CUPTI_OK) {
    be_refused(error);
    return;
  }
  int count = follow_all(CUPTI_DOMAIN_DRIVER, &error) + follow_all(CUPTI_DOMAIN_RUNTIME, &error);
  if (count > 0)
    return;
  cuda.cupti.cuptiUnsubscribe(cuda.subscriber);
  be_refused(error);
}
