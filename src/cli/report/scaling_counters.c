#include "cli/report/scaling_counters.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Those that are surest first. */
static const char *const instructions[] = {"instructions", "PAPI_TOT_INS", NULL};
static const char *const cycles[] = {"cycles", "PAPI_TOT_CYC", NULL};
static const char *const misses[] = {"LLC-load-misses", "cache-misses", "PAPI_L3_TCM", NULL};

/* "instructions:u" are instructions. */
static bool is_named(const char *counter, const char *name) {
  size_t length = strlen(name);
  return strncmp(counter, name, length) == 0 && (counter[length] == '\0' || counter[length] == ':');
}

/* NAN: not counted. */
static double count_of(const json_t *sums, const char *const *names) {
  for (; *names; names++) {
    const char *counter;
    json_t *value;
    json_object_foreach((json_t *)sums, counter, value) {
      if (is_named(counter, *names))
        return json_number_value(value);
    }
  }
  return NAN;
}

static void add(double *sum, double count) {
  if (!isnan(count))
    *sum = (isnan(*sum) ? 0 : *sum) + count;
}

static void add_region(struct computation *ret, const json_t *region) {
  const json_t *sums = json_object_get(region, "sums");
  add(&ret->instructions, count_of(sums, instructions));
  add(&ret->cycles, count_of(sums, cycles));
  add(&ret->misses, count_of(sums, misses));
}

/* NULL is outside of all regions, where threads without a team wait. */
static bool is_waiting(const char *region) {
  static const char *const words[] = {"barrier", "taskwait",     "taskgroup", "critical",
                                      "ordered", "omp_set_lock", "reduction"};
  bool is_code = region && strstr(region, "sblock");
  for (size_t i = 0; region && !is_code && i < sizeof words / sizeof *words; i++)
    if (strstr(region, words[i]))
      return true;
  return region == NULL;
}

static const json_t *regions_of(const json_t *report) {
  return json_object_get(json_object_get(report, "counters"), "regions");
}

void scaling_count_run(struct computation *ret, const json_t *report) {
  const json_t *regions = regions_of(report);
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *region = json_array_get(regions, i);
    if (!is_waiting(json_string_value(json_object_get(region, "region"))))
      add_region(ret, region);
  }
}

void scaling_count_region(struct computation *ret, const json_t *report, const char *name) {
  const json_t *regions = regions_of(report);
  for (size_t i = 0; name && i < json_array_size(regions); i++) {
    const json_t *region = json_array_get(regions, i);
    const char *other = json_string_value(json_object_get(region, "region"));
    if (other && strcmp(other, name) == 0)
      add_region(ret, region);
  }
}
