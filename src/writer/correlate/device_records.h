/* What devices record themselves. */
#ifndef STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H
#define STAVE_WRITER_CORRELATE_DEVICE_RECORDS_H

struct correlator;

/* No record follows: puts what is pending on the devices' streams, and what they did not record as the host
 * saw it. */
void device_records_end(struct correlator *c);

#endif
