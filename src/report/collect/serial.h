/* Serial parts, for those who keep teams. */
#ifndef STAVE_REPORT_COLLECT_SERIAL_H
#define STAVE_REPORT_COLLECT_SERIAL_H

#include "report/collect/collect.h"

/* A team is forked where the process had none. Then, when all is known of it, its region, which has ended the
 * serial part before; and no team is left. */
void serial_end(struct collector *collector, size_t process, uint64_t ticks);
void serial_add(struct collector *collector, size_t process, uint32_t region);
void serial_begin(struct collector *collector, size_t process, uint64_t ticks);

/* A serial part that has counted, between these regions, and how long it was without what counts apart. */
struct serial_part {
  uint32_t before, after;
  uint64_t begin, end, ticks;
};

/* Adds it to those between the same regions; NULL: there is no memory. */
struct report_gap *serial_add_part(struct collector *collector, const struct serial_part *part);

/* The part of a process that is not over: since when, what was apart until then, the region before it. */
struct serial_open {
  uint64_t begin, begin_apart;
  uint32_t last_region;
};
struct serial_open serial_open_part(const struct collector *collector, size_t process);
void serial_set_open_part(struct collector *collector, size_t process, const struct serial_open *part);

/* Most of the part lies before the first use of OpenMP, and with it before Stave's begin. */
bool serial_is_before_openmp(const struct report *report, const struct report_gap *gap);

/* A sample outside of all teams. */
void serial_sample(struct collector *collector, size_t location, uint32_t context);

/* The last region that has ended a serial part of the process; REPLAY_NONE: there was none. */
uint32_t serial_last_region(const struct collector *collector, size_t process);

#endif
