/* What of devices an archive has, and what it has not, as its properties have it. */
#ifndef STAVE_TRACE_DEVICE_FACTS_H
#define STAVE_TRACE_DEVICE_FACTS_H

#include "trace/trace.h"

struct device_facts {
  uint64_t targets, data_operations, submissions; /* callbacks of OMPT that came, each begin and each end */
  uint64_t runtime_records;       /* of devices, by the runtime's own trace (ompt_start_trace) */
  uint64_t kernels, copies, sets; /* records of CUPTI */
  bool lacks_targets;             /* libomptarget was loaded, and no such callback came */
  /* One line each, what is not recorded and why; NULL: nothing of that kind. */
  const char *refused, *calls, *waits, *delivery;
  uint64_t dropped; /* records that CUPTI had no room for */
};

/* The texts are the trace's. */
void device_facts_read(struct device_facts *ret, const struct trace *trace);

/* What `lacks_targets` means for the user. */
extern const char device_facts_no_targets[];

#endif
