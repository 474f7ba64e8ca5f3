/* What devices tell themselves. */
#ifndef STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H
#define STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H

#include "writer/correlate/devices.h"
#include "writer/model/model.h"

/* Puts what is pending on the device's streams. */
void device_flush(struct correlator *c, struct device *device);

void on_device_tracing(struct correlator *c, struct location *location,
                       const struct record_device_tracing *record, const uint64_t *words);
void on_device_clock(struct correlator *c, struct location *location,
                     const struct record_device_clock *record, const uint64_t *words);
void on_device_buffer(struct correlator *c, struct location *location,
                      const struct record_device_buffer *record);
void on_device_record(struct correlator *c, struct location *location,
                      const struct record_device_record *record, uint64_t id, const uint64_t *words);
void on_device_native(struct correlator *c, struct location *location,
                      const struct record_device_native *record, const uint64_t *words);
void on_device_unreadable(struct correlator *c, struct location *location,
                          const struct record_device_unreadable *record);

#endif
