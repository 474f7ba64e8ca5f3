#include "cli/report/report_values.h"

#include "base/memory.h"
#include "trace/detail.h"

#include <stdlib.h>
#include <string.h>

json_t *report_seconds_json(const struct report *report, double ticks) {
  uint64_t per_second = report->trace->clock.ticks_per_second;
  return json_real(per_second ? ticks / (double)per_second : 0);
}

void report_put_seconds(json_t *object, const char *name, const struct report *report, double ticks) {
  json_put(object, name, report_seconds_json(report, ticks));
}

json_t *report_spread_json(const struct report *report, const struct spread *from) {
  json_t *object = json_object();
  json_put(object, "count", json_from_number(from->count));
  report_put_seconds(object, "sum_s", report, (double)from->sum);
  report_put_seconds(object, "mean_s", report, spread_mean(from));
  report_put_seconds(object, "min_s", report, (double)from->min);
  report_put_seconds(object, "max_s", report, (double)from->max);
  return object;
}

json_t *report_range_json(const struct spread *from) {
  json_t *object = json_object();
  json_put(object, "count", json_from_number(from->count));
  json_put(object, "sum", json_from_number(from->sum));
  json_put(object, "min", json_from_number(from->min));
  json_put(object, "max", json_from_number(from->max));
  return object;
}

json_t *report_activities_json(const struct report *report, const uint64_t *activity) {
  json_t *object = json_object();
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    report_put_seconds(object, activity_name((enum activity)i), report, (double)activity[i]);
  return object;
}

json_t *report_location_json(const struct report *report, uint32_t location) {
  return location < report->trace->location_count ? json_from_text(report->trace->locations[location].name)
                                                  : json_null();
}

json_t *report_region_json(const struct report *report, uint32_t region) {
  return region < report->trace->region_count ? json_from_text(report->trace->regions[region].name)
                                              : json_null();
}

json_t *report_by_location_json(const struct report *report, const uint64_t *ticks) {
  json_t *object = json_object();
  for (size_t i = 0; ticks && i < report->trace->location_count; i++)
    if (ticks[i] > 0)
      report_put_seconds(object, report->trace->locations[i].name, report, (double)ticks[i]);
  return object;
}

json_t *report_function_json(const struct trace_region *region) {
  size_t length = detail_function_length(region);
  char *function = length ? memory_given(strndup(region->description, length)) : NULL;
  json_t *text = json_from_text(function);
  free(function);
  return text;
}

void report_put_place(json_t *object, const struct report *report, uint32_t region) {
  bool is_known = region < report->trace->region_count;
  const struct trace_region *place = is_known ? &report->trace->regions[region] : NULL;
  json_put(object, "region", report_region_json(report, region));
  json_put(object, "file", json_from_text(place && *place->file ? place->file : NULL));
  json_put(object, "line", place && place->begin_line ? json_from_number(place->begin_line) : json_null());
  json_put(object, "module", json_from_text(place && *place->module ? place->module : NULL));
  json_put(object, "function", place ? report_function_json(place) : json_null());
}

json_t *report_call_site_json(const struct report *report, uint64_t site) {
  const struct trace_code_line *line = site == TRACE_NO_REF ? NULL : trace_code_line(report->trace, site);
  if (!line)
    return json_null();
  return json_pack("{s:o,s:I}", "file", json_from_text(line->file), "line", (json_int_t)line->line);
}
