/* Whose times are on the streams of devices. */
#ifndef STAVE_TRACE_DEVICE_TIMES_H
#define STAVE_TRACE_DEVICE_TIMES_H

#include "trace/trace.h"

/* Whether the times on the device's streams are the device's. Else they are the host's: how long it was in
 * the calls that submit kernels and transfers, which may return before these are done, or wait for others. */
bool device_is_timed(const struct trace *trace, const struct trace_location_group *group);

/* Whether the device records what it does itself, by OMPT or CUPTI. Accepts NULL. */
bool device_records_itself(const struct trace *trace, const struct trace_location_group *group);

/* Calls kernels submissions where no device of the archive has times of its own. */
void device_times_name(struct trace *trace);
void device_times_free(struct trace *trace);

#endif
