#include "report/counters.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As Stave, which adds ":u" where the user's own code alone counts, and PAPI call it. */
static int find(const struct report_counters *counters, const char *name, const char *papi) {
  size_t length = strlen(name);
  for (size_t i = 0; i < counters->count; i++) {
    const char *found = counters->names[i];
    bool is_named =
        strncmp(found, name, length) == 0 && (!found[length] || strcmp(found + length, ":u") == 0);
    if (is_named || strcmp(found, papi) == 0)
      return (int)i;
  }
  return COUNTER_NONE;
}

int report_counter_instructions(const struct report_counters *counters) {
  return find(counters, "instructions", "PAPI_TOT_INS");
}

int report_counter_cycles(const struct report_counters *counters) {
  return find(counters, "cycles", "PAPI_TOT_CYC");
}

/* Of the last cache before memory, by the names that are surest. */
int report_counter_memory(const struct report_counters *counters) {
  int found = find(counters, "LLC-load-misses", "PAPI_L3_TCM");
  return found != COUNTER_NONE ? found : find(counters, "cache-misses", "PAPI_L3_TCM");
}

static void add(struct report_counter_sums *sums, const struct report_counted *row) {
  sums->rows++;
  sums->ticks += row->ticks;
  sums->ticks_most = row->ticks > sums->ticks_most ? row->ticks : sums->ticks_most;
  for (int i = 0; i < REPORT_COUNTERS_MAX; i++) {
    sums->sums[i] += row->sums[i];
    sums->most[i] = row->sums[i] > sums->most[i] ? row->sums[i] : sums->most[i];
  }
}

void report_counters_by_region(const struct report_counters *counters, size_t regions,
                               struct report_counter_sums *ret) {
  for (size_t i = 0; i < counters->row_count; i++)
    add(&ret[counters->rows[i]->region < regions ? counters->rows[i]->region : regions], counters->rows[i]);
}

void report_counters_by_thread(const struct report_counters *counters, struct report_counter_sums *ret) {
  for (size_t i = 0; i < counters->row_count; i++)
    add(&ret[counters->rows[i]->location], counters->rows[i]);
}

void report_counters_free(struct report_counters *counters) {
  for (size_t i = 0; i < counters->row_count; i++)
    free(counters->rows[i]);
  free(counters->rows);
  *counters = (struct report_counters){0};
}
