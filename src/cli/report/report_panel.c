/* The report's first screen for the page of stave timeline. */
#include "analysis/replay.h"
#include "cli/report/report_print.h"
#include "report/text.h"

static void put_text(json_t *array, const char *text) {
  if (text)
    json_array_append_new(array, json_from_text(text));
}

/* How the run ended, and what its figures depend on: sentences. */
static json_t *remarks(const struct report *report) {
  char circle[DEADLOCK_BYTES], account[ACCOUNT_BYTES], caveat[CAVEAT_BYTES];
  json_t *array = json_array();
  if (report->has_ended_badly)
    put_text(array, report->ending);
  if (report_deadlock_text(circle, sizeof circle, report))
    json_array_append_new(array, json_pack("s+", "deadlock, each waits for the next: ", circle));
  if (report->account.is_known)
    json_array_append_new(array,
                          json_pack("s+", "threads x wall time: ", report_print_account(account, report)));
  put_text(array, report_print_caveat(caveat, report));
  return array;
}

/* Those of report_findings_json, with the number of their region in the trace. */
static json_t *placed_findings(const struct report *report) {
  json_t *array = report_findings_json(report);
  for (size_t i = 0; i < report->finding_count; i++) {
    uint32_t region = report->findings[i].region;
    json_put(json_array_get(array, i), "place",
             region < report->trace->region_count ? json_from_number(region) : json_null());
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
  json_put(object, "findings", placed_findings(report));
  return object;
}
