/* Trace records of devices (OpenMP 5.1, 4.4.2 and 4.6.2): a device that offers it collects them in buffers
 * that are ours, and hands these back when they are full. They are copied into the ring of the thread on
 * which that happens. */
#ifndef STAVE_TOOL_DEVICE_TRACE_H
#define STAVE_TOOL_DEVICE_TRACE_H

#include <stdatomic.h>

#include "ompt/types.h"

enum { DEVICE_TRACES_MAX = 256 };

/* A device and its entry points, any of which may be NULL. */
struct device_trace {
  _Atomic int is_used; /* stored with release after the number */
  int number;
  ompt_device_t *handle;
  _Atomic int is_started;
  size_t buffer_bytes;      /* of each of its buffers; 0: the trace was never started */
  size_t recommended_bytes; /* what the device reported of them; 0: nothing */
  int buffers_most;
#define DEVICE_ENTRY_POINT(name, result, parameters) ompt_##name##_t name;
#include "ompt/entry_points.def"
};

/* The device was initialized: requests all of its records, and starts its trace. lookup may be NULL: it has
 * none. */
void device_trace_start(int number, ompt_device_t *handle, ompt_function_lookup_t lookup);

/* The device is about to be finalized: gets what it still has, and stops its trace. */
void device_trace_stop(int number);

/* The program needs less to be recorded for a while, or no longer: the devices may pause too. */
void device_trace_pause(int is_pause);

/* Gets what devices have recorded until now, as far as they hand it over. */
void device_trace_flush(void);

/* The runtime is about to be finalized: after that no buffer may come any more. */
void device_trace_stop_all(void);

#endif
