/* Where the fields lie that are read of CUPTI's records: compared with the headers of CUDA 12 and 13, where
 * these are. Nothing of this runs. */
#include <cuda.h>

#include <cupti.h>

#include <cupti_activity_deprecated.h>

#include "cuda/cupti.h"

#define SAME(own, own_field, type, field)                                                                    \
  _Static_assert(offsetof(struct own, own_field) == offsetof(type, field), #type "." #field " lies there");  \
  _Static_assert(sizeof(((struct own *)0)->own_field) >= sizeof(((type *)0)->field),                         \
                 #type "." #field " is as large")

#define KERNEL(type)                                                                                         \
  SAME(cupti_kernel, kind, type, kind);                                                                      \
  SAME(cupti_kernel, start, type, start);                                                                    \
  SAME(cupti_kernel, end, type, end);                                                                        \
  SAME(cupti_kernel, device, type, deviceId);                                                                \
  SAME(cupti_kernel, context, type, contextId);                                                              \
  SAME(cupti_kernel, stream, type, streamId);                                                                \
  SAME(cupti_kernel, grid, type, gridX);                                                                     \
  SAME(cupti_kernel, block, type, blockX);                                                                   \
  SAME(cupti_kernel, correlation, type, correlationId);                                                      \
  SAME(cupti_kernel, name, type, name)
KERNEL(CUpti_ActivityKernel9);

#define MEMCPY(type)                                                                                         \
  SAME(cupti_memcpy, kind, type, kind);                                                                      \
  SAME(cupti_memcpy, copy_kind, type, copyKind);                                                             \
  SAME(cupti_memcpy, source_kind, type, srcKind);                                                            \
  SAME(cupti_memcpy, destination_kind, type, dstKind);                                                       \
  SAME(cupti_memcpy, flags, type, flags);                                                                    \
  SAME(cupti_memcpy, bytes, type, bytes);                                                                    \
  SAME(cupti_memcpy, start, type, start);                                                                    \
  SAME(cupti_memcpy, end, type, end);                                                                        \
  SAME(cupti_memcpy, device, type, deviceId);                                                                \
  SAME(cupti_memcpy, context, type, contextId);                                                              \
  SAME(cupti_memcpy, stream, type, streamId)
MEMCPY(CUpti_ActivityMemcpy5);
MEMCPY(CUpti_ActivityMemcpyPtoP4);
_Static_assert(offsetof(CUpti_ActivityMemcpy5, correlationId) == CUPTI_MEMCPY_CORRELATION, "a copy's");
_Static_assert(offsetof(CUpti_ActivityMemcpyPtoP4, correlationId) == CUPTI_PEER_CORRELATION,
               "of one between devices");

#define MEMSET(type)                                                                                         \
  SAME(cupti_memset, kind, type, kind);                                                                      \
  SAME(cupti_memset, value, type, value);                                                                    \
  SAME(cupti_memset, bytes, type, bytes);                                                                    \
  SAME(cupti_memset, start, type, start);                                                                    \
  SAME(cupti_memset, end, type, end);                                                                        \
  SAME(cupti_memset, device, type, deviceId);                                                                \
  SAME(cupti_memset, context, type, contextId);                                                              \
  SAME(cupti_memset, stream, type, streamId);                                                                \
  SAME(cupti_memset, correlation, type, correlationId)
MEMSET(CUpti_ActivityMemset3);

#define DEVICE(type)                                                                                         \
  SAME(cupti_device, kind, type, kind);                                                                      \
  SAME(cupti_device, multiprocessors, type, numMultiprocessors);                                             \
  SAME(cupti_device, id, type, id);                                                                          \
  SAME(cupti_device, uuid, type, uuid);                                                                      \
  SAME(cupti_device, name, type, name)
DEVICE(CUpti_ActivityDevice4);

#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
MEMCPY(CUpti_ActivityMemcpy6);
MEMSET(CUpti_ActivityMemset4);
DEVICE(CUpti_ActivityDevice5);
_Static_assert(offsetof(CUpti_ActivityMemcpy6, correlationId) == CUPTI_MEMCPY_CORRELATION, "a copy's");
#endif

#define WAIT(type_)                                                                                          \
  SAME(cupti_wait, kind, type_, kind);                                                                       \
  SAME(cupti_wait, type, type_, type);                                                                       \
  SAME(cupti_wait, start, type_, start);                                                                     \
  SAME(cupti_wait, end, type_, end);                                                                         \
  SAME(cupti_wait, correlation, type_, correlationId);                                                       \
  SAME(cupti_wait, context, type_, contextId);                                                               \
  SAME(cupti_wait, stream, type_, streamId);                                                                 \
  SAME(cupti_wait, event, type_, cudaEventId)
WAIT(CUpti_ActivitySynchronization);

#define EVENT(type)                                                                                          \
  SAME(cupti_event, kind, type, kind);                                                                       \
  SAME(cupti_event, correlation, type, correlationId);                                                       \
  SAME(cupti_event, context, type, contextId);                                                               \
  SAME(cupti_event, stream, type, streamId);                                                                 \
  SAME(cupti_event, event, type, eventId)
EVENT(CUpti_ActivityCudaEvent);

#if CUPTI_API_VERSION >= 130000
WAIT(CUpti_ActivitySynchronization2);
EVENT(CUpti_ActivityCudaEvent2);
#endif

SAME(cupti_external, kind, CUpti_ActivityExternalCorrelation, kind);
SAME(cupti_external, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME(cupti_external, external, CUpti_ActivityExternalCorrelation, externalId);
SAME(cupti_external, correlation, CUpti_ActivityExternalCorrelation, correlationId);

SAME(cupti_call, site, CUpti_CallbackData, callbackSite);
SAME(cupti_call, function, CUpti_CallbackData, functionName);
SAME(cupti_call, symbol, CUpti_CallbackData, symbolName);
SAME(cupti_call, context_uid, CUpti_CallbackData, contextUid);
SAME(cupti_call, correlation, CUpti_CallbackData, correlationId);

_Static_assert((int)CUPTI_KERNEL == (int)CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kinds");
_Static_assert((int)CUPTI_MEMCPY == (int)CUPTI_ACTIVITY_KIND_MEMCPY, "kinds");
_Static_assert((int)CUPTI_MEMSET == (int)CUPTI_ACTIVITY_KIND_MEMSET, "kinds");
_Static_assert((int)CUPTI_DEVICE == (int)CUPTI_ACTIVITY_KIND_DEVICE, "kinds");
_Static_assert((int)CUPTI_MEMCPY_PEER == (int)CUPTI_ACTIVITY_KIND_MEMCPY2, "kinds");
_Static_assert((int)CUPTI_EVENT == (int)CUPTI_ACTIVITY_KIND_CUDA_EVENT, "kinds");
_Static_assert((int)CUPTI_WAIT == (int)CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "kinds");
_Static_assert((int)CUPTI_EXTERNAL == (int)CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "kinds");
_Static_assert((int)CUPTI_EXTERNAL_CUSTOM0 == (int)CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, "kinds");
_Static_assert((int)CUPTI_DOMAIN_DRIVER == (int)CUPTI_CB_DOMAIN_DRIVER_API, "domains");
_Static_assert((int)CUPTI_EXIT == (int)CUPTI_API_EXIT && (int)CUPTI_ENTER == (int)CUPTI_API_ENTER, "sites");
_Static_assert((int)CUPTI_PRIVILEGES == (int)CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "errors");
_Static_assert((int)CUPTI_SUBSCRIBERS == (int)CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "errors");
