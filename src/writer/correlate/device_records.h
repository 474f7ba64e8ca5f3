/* What devices record themselves. */
#ifndef STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H
#define STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H

#include "writer/correlate/devices.h"
#include "writer/correlate/model.h"

/* Puts what is pending on the device's streams. */
void device_flush(struct correlator *c, struct device *device);

#endif
