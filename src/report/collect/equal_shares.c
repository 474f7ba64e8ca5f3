/* Loops whose schedule gives all threads as many iterations: how much of their time is none of the work's. */
#include "report/collect/equal_shares.h"

#include <string.h>

#include "report/report.h"
#include "trace/detail.h"

/* Fewer do not show what threads mostly need. */
enum { INSTANCES = 8 };

bool has_equal_shares(const struct report *report, uint32_t region) {
  const struct trace_region *loop = &report->trace->regions[region];
  return strcmp(detail_schedule(loop), "static") == 0 && detail_chunk(loop) == 0;
}

/* Iterations that cost differently make the same threads slow each time. */
static bool is_mostly_even(const struct report_loop *loop) {
  return loop->shared >= INSTANCES && 2 * loop->even >= loop->shared;
}

double ticks_beyond_equal_shares(const struct report *report) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_loop *loop = report->regions[i].loop;
    if (loop && is_mostly_even(loop) && has_equal_shares(report, i))
      ticks += loop->beyond;
  }
  return (double)ticks;
}
