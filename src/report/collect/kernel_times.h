/* Page faults of threads, and their time in the kernel, as the archive has them of a reading a second. */
#ifndef STAVE_REPORT_COLLECT_KERNEL_TIMES_H
#define STAVE_REPORT_COLLECT_KERNEL_TIMES_H

#include "report/report.h"

/* Fills report->kernel, of one process, and that of each thread, where the archive has it. */
void kernel_times_find(struct report *report);

/* How far time in the kernel may be off: it is counted where a clock's tick comes. */
double kernel_times_deviation(const struct report *report, double ticks);

#endif
