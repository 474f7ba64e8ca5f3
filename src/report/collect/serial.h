/* Serial parts, for those who keep teams. */
#ifndef STAVE_REPORT_COLLECT_SERIAL_H
#define STAVE_REPORT_COLLECT_SERIAL_H

#include "report/collect/collect.h"

/* A team is forked where the process had none. Then, when all is known of it, its region, which has ended the
 * serial part before; and no team is left. */
void serial_end(struct collector *collector, size_t process, uint64_t ticks);
void serial_add(struct collector *collector, size_t process, uint32_t region);
void serial_begin(struct collector *collector, size_t process, uint64_t ticks);

/* Most of the part lies before the first use of OpenMP, and with it before Stave's begin. */
bool serial_is_before_openmp(const struct report *report, const struct report_gap *gap);

/* A sample outside of all teams. */
void serial_sample(struct collector *collector, size_t location, uint32_t context);

/* The last region that has ended a serial part of the process; REPLAY_NONE: there was none. */
uint32_t serial_last_region(const struct collector *collector, size_t process);

#endif
