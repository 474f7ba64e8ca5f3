/* The report's first screen for the page of stave timeline. */
#include "cli/report/report_print.h"
#include "replay/replay.h"
#include "report/text.h"

static void put_text(json_t *array, const char *text) {
  if (text)
    json_array_append_new(array, json_from_text(text));
}

/* What its figures depend on: sentences. */
static json_t *remarks(const struct report *report) {
  char account[ACCOUNT_BYTES], caveat[CAVEAT_BYTES];
  json_t *array = json_array();
  if (report->account.is_known)
    json_array_append_new(array,
                          json_pack("s+", "the threads' time: ", report_print_account(account, report)));
  put_text(array, report_print_caveat(caveat, report));
  return array;
}

/* A process may be older than its trace. */
static json_t *seconds(const struct report *report, uint64_t ticks) {
  const struct trace_clock *clock = &report->trace->clock;
  uint64_t since = ticks > clock->first_ticks ? ticks - clock->first_ticks : 0;
  return json_real((double)since / (double)clock->ticks_per_second);
}

/* Where it costs most; null if nobody knows. */
static json_t *interval(const struct report *report, const struct report_finding *finding) {
  const struct report_gap *gap = finding->cause == CAUSE_SERIAL ? report_longest_gap(report) : NULL;
  if (finding->has_peak)
    return json_pack("[o,o]", seconds(report, finding->peak.begin_ticks),
                     seconds(report, finding->peak.end_ticks));
  if (gap && gap->longest_end > gap->longest_begin)
    return json_pack("[o,o]", seconds(report, gap->longest_begin), seconds(report, gap->longest_end));
  return json_null();
}

/* Those of report_findings_json, with the number of their region in the trace. */
static json_t *placed_findings(const struct report *report) {
  json_t *array = report_findings_json(report);
  for (size_t i = 0; i < report->finding_count; i++) {
    uint32_t region = report->findings[i].region;
    json_put(json_array_get(array, i), "place",
             region < report->trace->region_count ? json_from_number(region) : json_null());
    json_put(json_array_get(array, i), "interval_s", interval(report, &report->findings[i]));
  }
  return array;
}

json_t *report_panel_json(const struct report *report) {
  json_t *object = json_object();
  bool has_efficiency = report_has_efficiency(report);
  json_put(object, "wall_s", json_real((double)report->wall / (double)report->trace->clock.ticks_per_second));
  json_put(object, "efficiency", has_efficiency ? json_real(report->parallel_efficiency) : json_null());
  json_put(object, "remarks", remarks(report));
  json_put(object, "nothing",
           report->finding_count ? json_null() : json_from_text(report_print_nothing(report)));
  json_put(object, "problems", report_problems_json(report));
  json_put(object, "findings", placed_findings(report));
  return object;
}
