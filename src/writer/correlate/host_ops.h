/* Operations on devices that the host has started, until they are on a stream. */
#ifndef STAVE_WRITER_CORRELATE_HOST_OPS_H
#define STAVE_WRITER_CORRELATE_HOST_OPS_H

#include "writer/correlate/devices.h"
#include "writer/model/event.h"

/* The host begins an operation (device may be NULL: of none that is known), which would begin so on a stream.
 * A stream is reserved for it, unless the device traces itself: then the operation waits for its record. */
void host_op_begin(struct correlator *c, uint64_t id, struct device *device, struct event begin);

/* It has ended, at the time and with the attributes of `ended`. */
void host_op_end(struct correlator *c, uint64_t id, struct event ended);

/* A record of the device is of an operation that the host has started. Returns false if that is not known;
 * else *ret_begin is how it would begin on a stream. */
bool host_op_delivered(struct correlator *c, uint64_t id, struct event *ret_begin);

/* A native record has the times of an operation. */
void host_op_timed(struct correlator *c, uint64_t id, uint64_t begin, uint64_t end);

/* No record of the device follows: what it did not record is put on its streams as the host saw it. */
void host_ops_undelivered(struct correlator *c, const struct device *device);

/* The begin of the first operation that is on no stream yet; UINT64_MAX if there is none. */
uint64_t host_ops_held_since(const struct correlator *c);

/* The process is over, and device_records_end was called: ends what is in progress on devices. */
void host_ops_end(struct correlator *c, uint64_t now);

#endif
