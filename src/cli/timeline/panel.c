#include "cli/timeline/panel.h"

#include <stdio.h>

#include "base/plural.h"
#include "check/check.h"
#include "cli/common/summary.h"
#include "cli/report/report_print.h"
#include "trace/label.h"

enum { VIOLATIONS_MAX = 100, NOTE_BYTES = LABEL_BYTES + 96 };

static json_t *seconds(const struct trace *trace, uint64_t ticks) {
  return json_real((double)trace_ns(trace, ticks) / 1e9);
}

/* "3 times, first: MPI_Recv @app.c:12". */
static json_t *note(const struct trace *trace, const struct check_finding *finding) {
  char text[NOTE_BYTES], label[LABEL_BYTES] = "", count[32];
  if (finding->region < trace->region_count)
    label_call(label, trace, finding->region, finding->site);
  snprintf(text, sizeof text, "%s%s%s%s", finding->count > 1 ? summary_number(count, finding->count) : "",
           finding->count > 1 ? " times, first: " : "", label, *label ? "" : "place not known");
  return json_from_text(text);
}

static json_t *texts(const struct check_finding *finding) {
  const struct check_rule_text *rule = check_rule_text(finding->rule);
  json_t *array = json_array();
  json_array_append_new(array, json_from_text(finding->detail));
  json_array_append_new(array, json_from_text(rule->explanation));
  json_array_append_new(array, json_sprintf("stave check: %s; %s", rule->name, rule->place));
  return array;
}

static json_t *problem(const struct trace *trace, const struct check_finding *finding) {
  json_t *object = json_object();
  json_put(object, "kind", json_string(check_severity_name(finding->severity)));
  json_put(object, "what", json_from_text(check_rule_text(finding->rule)->summary));
  json_put(object, "note", note(trace, finding));
  json_put(object, "texts", texts(finding));
  json_put(object, "place",
           finding->region < trace->region_count ? json_from_number(finding->region) : json_null());
  json_put(object, "rows",
           finding->location < trace->location_count ? json_pack("[o]", json_from_number(finding->location))
                                                     : json_null());
  json_put(object, "from_s", seconds(trace, finding->ticks));
  json_put(object, "to_s", seconds(trace, finding->ticks));
  return object;
}

/* Of the interval, the worst first. What is for information is left to stave check. */
static size_t add_violations(json_t *problems, const struct trace *trace, const struct check_result *result,
                             uint64_t from, uint64_t to) {
  size_t left_out = 0;
  for (size_t i = 0; i < result->count; i++) {
    const struct check_finding *finding = &result->findings[i];
    if (finding->severity == CHECK_INFORMATION || finding->ticks < from || finding->ticks > to)
      continue;
    if (json_array_size(problems) < VIOLATIONS_MAX)
      json_array_append_new(problems, problem(trace, finding));
    else
      left_out++;
  }
  return left_out;
}

static int check(const struct archive_job *job, json_t *panel, uint64_t from, uint64_t to,
                 char error[TRACE_ERROR_BYTES]) {
  struct check_result result = {0};
  int failure = check_run(job->trace, CHECK_ALL_RULES, &result, error);
  if (failure == 0 && result.has_openmp) {
    size_t left_out = add_violations(json_object_get(panel, "problems"), job->trace, &result, from, to);
    if (left_out > 0)
      json_array_append_new(json_object_get(panel, "remarks"),
                            json_sprintf("stave check has %zu more place%s.", left_out, plural(left_out)));
  }
  check_free(&result);
  return failure;
}

json_t *panel_read(const struct archive_job *job, uint64_t from, uint64_t to, char error[TRACE_ERROR_BYTES]) {
  struct report report;
  json_t *panel = NULL;
  if (report_read(&report, job->trace, from, to, error) == 0)
    panel = report_panel_json(&report);
  report_free(&report);
  if (panel && check(job, panel, from, to, error) < 0) {
    json_decref(panel);
    panel = NULL;
  }
  return panel;
}
