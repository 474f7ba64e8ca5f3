/* Which regions a report's tables have, and in which order. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool report_print_includes(const struct report_print *print, uint32_t region) {
  const struct trace_region *one = &print->report->trace->regions[region];
  char place[512];
  if (!print->only)
    return true;
  snprintf(place, sizeof place, "%s:%" PRIu32, one->file, one->begin_line);
  return regexec(print->only, one->name, 0, NULL, 0) == 0 || regexec(print->only, place, 0, NULL, 0) == 0 ||
         regexec(print->only, one->description, 0, NULL, 0) == 0;
}

struct weighed {
  double weight;
  uint32_t region;
};

static int heaviest(const void *left, const void *right) {
  const struct weighed *a = left, *b = right;
  if (a->weight != b->weight)
    return a->weight < b->weight ? 1 : -1;
  return (a->region > b->region) - (a->region < b->region);
}

size_t report_print_order(const struct report_print *print, bool (*is_in)(const struct report_region *),
                          double (*weight)(const struct report_region *), uint32_t **ret) {
  const struct report *report = print->report;
  struct weighed *all = memory_get(report->trace->region_count + 1, sizeof *all);
  uint32_t *order = memory_get(report->trace->region_count + 1, sizeof *order);
  size_t count = 0;
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (is_in(&report->regions[i]) && report_print_includes(print, i))
      all[count++] = (struct weighed){weight(&report->regions[i]), i};
  if (count > 1)
    qsort(all, count, sizeof *all, heaviest);
  for (size_t i = 0; i < count; i++)
    order[i] = all[i].region;
  free(all);
  *ret = order;
  return count;
}
