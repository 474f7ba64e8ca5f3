/* Page faults and time in the kernel of a process or a thread, as the archive has them of readings
 * (STAVE_PROPERTY_SYSTEM_TIMES). */
#ifndef STAVE_TRACE_KERNEL_SUMS_H
#define STAVE_TRACE_KERNEL_SUMS_H

#include <stdint.h>

struct kernel_sums {
  uint64_t readings, faults, us;
};

/* Since the first event: what was before is left out. NULL is nothing. */
struct kernel_sums kernel_sums_of(const char *text);

#endif
