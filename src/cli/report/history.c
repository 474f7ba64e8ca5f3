#include "cli/report/history.h"

#include "base/memory.h"
#include "cli/common/usage.h"
#include "cli/report/data_page.h"
#include "cli/report/pages.h"

#include <stdlib.h>

/* -- what the page needs of a run's report -- */

static void copy_members(json_t *to, const json_t *from, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    json_t *value = json_object_get(from, names[i]);
    json_put(to, names[i], value ? json_incref(value) : json_null());
  }
}

static json_t *findings_of(const json_t *report) {
  static const char *const names[] = {"cause", "region", "gain_s", "what"};
  json_t *array = json_array();
  const json_t *findings = json_object_get(report, "findings");
  for (size_t i = 0; i < json_array_size(findings); i++) {
    json_t *one = json_object();
    copy_members(one, json_array_get(findings, i), names, sizeof names / sizeof *names);
    json_array_append_new(array, one);
  }
  return array;
}

/* Wall time of parallel regions, time of all threads in worksharing; others have none. */
static const json_t *seconds_of(const json_t *region) {
  const json_t *spread = json_object_get(json_object_get(region, "parallel"), "duration");
  if (!spread)
    spread = json_object_get(json_object_get(region, "worksharing"), "time");
  return json_object_get(spread, "sum_s");
}

static json_t *regions_of(const json_t *report) {
  json_t *array = json_array();
  const json_t *regions = json_object_get(report, "regions");
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *region = json_array_get(regions, i), *seconds = seconds_of(region);
    if (!seconds)
      continue;
    json_t *one = json_object();
    json_put(one, "name", json_incref(json_object_get(region, "name")));
    json_put(one, "s", json_real(json_number_value(seconds)));
    json_array_append_new(array, one);
  }
  return array;
}

static json_t *run_of(const json_t *report, const char *path) {
  static const char *const names[] = {"start_ns", "wall_s", "serial_s", "threads", "efficiency"};
  json_t *run = json_object();
  json_put(run, "name", json_from_text(path));
  copy_members(run, report, names, sizeof names / sizeof *names);
  json_put(run, "lost_events",
           json_incref(json_object_get(json_object_get(report, "disturbances"), "lost_events")));
  json_put(run, "findings", findings_of(report));
  json_put(run, "regions", regions_of(report));
  return run;
}

/* -- all runs -- */

struct dated {
  json_t *run;
  size_t position;
};

/* Runs of unknown date come first; else those of one date stay as they were given. */
static int by_date(const void *left, const void *right) {
  const struct dated *a = left, *b = right;
  json_int_t one = json_integer_value(json_object_get(a->run, "start_ns"));
  json_int_t other = json_integer_value(json_object_get(b->run, "start_ns"));
  int order = (one > other) - (one < other);
  return order ? order : (a->position > b->position) - (a->position < b->position);
}

static bool read_all(const struct compare_request *requested, struct dated *ret) {
  for (size_t i = 0; i < requested->count; i++) {
    json_t *report = compare_read_run(requested, requested->paths[i]);
    if (!report)
      return false;
    ret[i] = (struct dated){run_of(report, requested->paths[i]), i};
    json_decref(report);
  }
  qsort(ret, requested->count, sizeof *ret, by_date);
  return true;
}

int history_write(const struct compare_request *requested, const char *output) {
  const struct data_page page = {.before = history_before_about,
                                 .before_bytes = history_before_about_bytes,
                                 .after = history_after_about,
                                 .after_bytes = history_after_about_bytes};
  struct dated *all = memory_get(requested->count, sizeof *all);
  json_t *data = json_object(), *runs = json_array();
  bool is_read = read_all(requested, all);
  for (size_t i = 0; i < requested->count; i++)
    if (is_read)
      json_array_append(runs, all[i].run);
  json_put(data, "runs", runs);
  int status = is_read ? data_page_write(&page, data, output) : EXIT_FAILED;
  for (size_t i = 0; i < requested->count; i++)
    json_decref(all[i].run);
  json_decref(data);
  free(all);
  return status;
}
