#include "cli/info/info_counters.h"

#include <string.h>

#include "cli/common/summary.h"
#include "cli/common/table.h"

enum { NUMBER_BYTES = 32 };

/* What was counted for threads, and how much of the time. */
void info_print_counters(const struct info *info) {
  char without[NUMBER_BYTES];
  const char *refused = info_property(info, "COUNTERS::REFUSED");
  uint64_t requested = info_number(info, "COUNTERS::ASKED_NS"),
           counted = info_number(info, "COUNTERS::COUNTED_NS");
  if (!info_property(info, "COUNTERS"))
    return;
  table_fact("counters", "%s; counted %.0f %% of the time, %s threads without",
             info_property(info, "COUNTERS"), requested ? 100 * (double)counted / (double)requested : 0,
             summary_number(without, info_number(info, "COUNTERS::THREADS_WITHOUT")));
  if (refused)
    table_fact("not counted", "%s", refused);
}
