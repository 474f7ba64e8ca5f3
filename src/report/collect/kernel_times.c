#include "report/collect/kernel_times.h"

#include <math.h>

#include "report/finding.h"
#include "stave/names.h"
#include "trace/kernel_sums.h"

/* Most kernels have a tick each 4 ms. */
#define TICK_S 0.004

/* Fewer ticks do not show which thread had them. */
enum { TICKS_MIN = 8 };

static struct report_kernel sum_of(const struct report *report, const char *text) {
  struct kernel_sums sums = kernel_sums_of(text);
  double us = (double)report->trace->clock.ticks_per_second / 1e6;
  return (struct report_kernel){
      .is_known = sums.readings > 0, .faults = (double)sums.faults, .ticks = (double)sums.us * us};
}

/* Of what one thread has at least, or of what the others have together, which are so many. */
static double largest_part(double own, double all, double others) {
  double rest = others > 0 ? (all - own) / others : 0;
  return all > 0 ? fmin(1, fmax(own, rest) / all) : 0;
}

/* One thread may have most of the faults, and another one most of the time in the kernel. The last readings
 * of threads that have ended are missing, but not that of the first one: what the process has more is theirs.
 */
static void find_busiest(struct report *report) {
  struct report_kernel *kernel = &report->kernel;
  struct report_kernel most = {0};
  double others = finding_team(report) - 1;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_kernel *thread = &report->threads[i].kernel;
    most.is_known = most.is_known || thread->is_known;
    most.faults = fmax(most.faults, thread->faults);
    most.ticks = fmax(most.ticks, thread->ticks);
  }
  if (!most.is_known || others < 0)
    return;
  kernel->busiest_faults = largest_part(most.faults, kernel->faults, others);
  if (kernel->ticks >= TICKS_MIN * TICK_S * (double)report->trace->clock.ticks_per_second)
    kernel->busiest = largest_part(most.ticks, kernel->ticks, others);
}

/* The readings are too far from each other for a part of the run. */
void kernel_times_find(struct report *report) {
  const struct trace *trace = report->trace;
  if (report->from_ticks > 0 || report->to_ticks < UINT64_MAX)
    return;
  for (size_t i = 0; i < trace->location_count; i++)
    report->threads[i].kernel =
        sum_of(report, trace_location_property(trace, trace->locations[i].ref, STAVE_PROPERTY_SYSTEM_TIMES));
  if (trace->location_group_count != 1)
    return;
  report->kernel = sum_of(
      report, trace_process_property(trace, trace->location_groups[0].ref, STAVE_PROPERTY_SYSTEM_TIMES));
  if (report->kernel.is_known)
    find_busiest(report);
}

double kernel_times_deviation(const struct report *report, double ticks) {
  return sqrt(fmax(0, ticks) * TICK_S * (double)report->trace->clock.ticks_per_second);
}
