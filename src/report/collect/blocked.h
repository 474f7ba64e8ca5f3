#ifndef STAVE_REPORT_COLLECT_BLOCKED_H
#define STAVE_REPORT_COLLECT_BLOCKED_H

#include "report/report.h"

/* How much of the time in which one thread works outside of parallel regions, in the mean of the processes,
 * it is blocked in the kernel: ticks; 0 where the archive has no counts of the kernel's. More threads do not
 * make that shorter. When all analysers have finished. */
double blocked_in_serial(const struct report *report);

/* For how much longer it may be: where that is most of it, it is left out above. */
double blocked_besides(const struct report *report);

/* As blocked_in_serial, of the time in which threads of the process ran that are none of OpenMP's. */
double beside_in_serial(const struct report *report);

#endif
