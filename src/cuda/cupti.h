/* What is used of CUPTI, NVIDIA's interface for tools, declared here so that building needs none of its
 * headers: the few fields that are read of its records lie at the same places in CUDA 12 and 13. Where
 * headers are, the test `cupti-offsets` compares. */
#ifndef STAVE_CUDA_CUPTI_H
#define STAVE_CUDA_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum { CUPTI_OK = 0, CUPTI_AT_END = 12, CUPTI_NOT_THERE = 27, CUPTI_PRIVILEGES = 35, CUPTI_SUBSCRIBERS = 39 };

/* cuptiGetVersion: 18 is CUDA 12.0's; from 13 on it is 10000 times the major version, and more. */
enum { CUPTI_OLDEST = 18, CUPTI_FIRST_UNKNOWN = 140000 };

enum cupti_kind {
  CUPTI_MEMCPY = 1,
  CUPTI_MEMSET = 2,
  CUPTI_DRIVER = 4,
  CUPTI_DEVICE = 8,
  CUPTI_KERNEL = 10, /* CONCURRENT_KERNEL */
  CUPTI_MEMCPY_PEER = 22,
  CUPTI_EVENT = 36, /* CUDA_EVENT; comes with SYNCHRONIZATION */
  CUPTI_WAIT = 38,  /* SYNCHRONIZATION */
  CUPTI_EXTERNAL = 39
};

enum {
  CUPTI_DOMAIN_DRIVER = 1,
  CUPTI_DOMAIN_RUNTIME = 2,
  CUPTI_ENTER = 0,
  CUPTI_EXIT = 1,
  CUPTI_FLUSH_FORCED = 1,
  CUPTI_EXTERNAL_CUSTOM0 = 3
};

/* CUpti_ActivityKernel9 and later. */
struct cupti_kernel {
  uint32_t kind;
  uint32_t unread[3];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char *name;
} __attribute__((packed, aligned(8)));

/* CUpti_ActivityMemcpy5 and later, CUpti_ActivityMemcpyPtoP4: the same up to the correlation. */
struct cupti_memcpy {
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream;
} __attribute__((packed, aligned(8)));

/* Where the correlation is after that: one between devices names these two and their contexts first. */
enum { CUPTI_MEMCPY_CORRELATION = 44, CUPTI_PEER_CORRELATION = 60 };

/* CUpti_ActivityMemset3 and later. */
struct cupti_memset {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
} __attribute__((packed, aligned(8)));

/* CUpti_ActivityDevice4 and later. */
struct cupti_device {
  uint32_t kind;
  uint32_t unread[10];
  uint32_t multiprocessors;
  uint32_t unread_too[16];
  uint32_t id, has_ecc;
  uint8_t uuid[16];
  const char *name;
} __attribute__((packed, aligned(8)));

/* CUpti_ActivitySynchronization and later. */
struct cupti_wait {
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
} __attribute__((packed, aligned(8)));

/* CUpti_ActivityCudaEvent and later. */
struct cupti_event {
  uint32_t kind, correlation, context, stream, event;
} __attribute__((packed, aligned(8)));

/* CUpti_ActivityExternalCorrelation. */
struct cupti_external {
  uint32_t kind, external_kind;
  uint64_t external;
  uint32_t correlation, unused;
} __attribute__((packed, aligned(8)));

/* CUpti_CallbackData. */
struct cupti_call {
  uint32_t site;
  const char *function;
  const void *parameters, *result;
  const char *symbol;
  void *context;
  uint32_t context_uid;
  uint64_t *correlation_data;
  uint32_t correlation;
};

typedef void cupti_callback(void *data, int domain, uint32_t function, const void *call);
typedef void cupti_buffer_requested(uint8_t **buffer, size_t *bytes, size_t *records_most);
typedef void cupti_buffer_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                    size_t valid);

/* FUNCTION(name, result, parameters): what is looked up; the last ones may be missing. */
#define CUPTI_FUNCTIONS                                                                                      \
  FUNCTION(cuptiGetVersion, int, (uint32_t *))                                                               \
  FUNCTION(cuptiActivityEnable, int, (int))                                                                  \
  FUNCTION(cuptiActivityDisable, int, (int))                                                                 \
  FUNCTION(cuptiActivityRegisterCallbacks, int, (cupti_buffer_requested *, cupti_buffer_completed *))        \
  FUNCTION(cuptiActivityGetNextRecord, int, (uint8_t *, size_t, void **))                                    \
  FUNCTION(cuptiActivityFlushAll, int, (uint32_t))                                                           \
  FUNCTION(cuptiSubscribe, int, (void **, cupti_callback *, void *))                                         \
  FUNCTION(cuptiUnsubscribe, int, (void *))                                                                  \
  FUNCTION(cuptiEnableCallback, int, (uint32_t, void *, int, uint32_t))                                      \
  FUNCTION(cuptiGetCallbackName, int, (int, uint32_t, const char **))

#define CUPTI_FUNCTIONS_OF_SOME                                                                              \
  FUNCTION(cuptiActivityRegisterTimestampCallback, int, (uint64_t(*)(void)))                                 \
  FUNCTION(cuptiGetTimestamp, int, (uint64_t *))                                                             \
  FUNCTION(cuptiActivityPushExternalCorrelationId, int, (int, uint64_t))                                     \
  FUNCTION(cuptiActivityPopExternalCorrelationId, int, (int, uint64_t *))                                    \
  FUNCTION(cuptiActivityFlushPeriod, int, (uint32_t))                                                        \
  FUNCTION(cuptiActivityGetNumDroppedRecords, int, (void *, uint32_t, size_t *))

struct cupti {
#define FUNCTION(name, result, parameters) result(*name) parameters;
  CUPTI_FUNCTIONS CUPTI_FUNCTIONS_OF_SOME
#undef FUNCTION
};

#endif
