#include "cli/info/info_kept.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/common/summary.h"
#include "cli/common/table.h"

enum { NUMBER_BYTES = 32 };

void info_print_kept(const struct info *info) {
  char duration[NUMBER_BYTES], before[NUMBER_BYTES], records[NUMBER_BYTES];
  const char *limits = info_property(info, "KEPT");
  const char *why = info_property(info, "KEPT::WHY");
  if (!limits)
    return;
  table_fact("kept", "the last %s of the run (STAVE_KEEP: %s)", summary_duration(duration, info->duration_ns),
             limits);
  table_fact("  before", "%s and %s records", summary_duration(before, info_number(info, "KEPT::BEFORE_NS")),
             summary_number(records, info_number(info, "KEPT::RECORDS_BEFORE")));
  table_fact("  because", "%s", why ? why : "not recorded");
}

json_t *info_kept_json(const struct info *info) {
  const char *limits = info_property(info, "KEPT");
  if (!limits)
    return json_null();
  return json_pack("{s:o,s:o,s:o,s:o}", "limits", json_from_text(limits), "because",
                   json_from_text(info_property(info, "KEPT::WHY")), "before_ns",
                   json_from_number(info_number(info, "KEPT::BEFORE_NS")), "records_before",
                   json_from_number(info_number(info, "KEPT::RECORDS_BEFORE")));
}
