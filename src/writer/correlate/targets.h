/* Target regions and operations on devices, as their threads report them. */
#ifndef STAVE_WRITER_CORRELATE_TARGETS_H
#define STAVE_WRITER_CORRELATE_TARGETS_H

#include "writer/correlate/devices.h"
#include "writer/correlate/model.h"

/* An operation on data as a device's record has it. */
struct device_data_op {
  uint64_t source, destination, bytes, matching_id, codeptr;
  uint32_t remote;     /* location */
  uint32_t region;     /* of the host's part, or REGION_NONE */
  bool is_from_device; /* the device of the record is the source alone */
};

/* What represents it on a stream, without its times. */
struct operation data_op_on_stream(struct correlator *c, uint32_t kind, const struct device_data_op *record);

#endif
