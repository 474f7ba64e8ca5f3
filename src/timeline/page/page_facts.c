#include "timeline/page/page_facts.h"

#include <inttypes.h>
#include <stave/names.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "trace/device_facts.h"
#include "trace/runtimes.h"
#include "trace/sides.h"

json_t *page_text(const char *text) {
  char *clean = utf8_clean(text);
  json_t *string = json_string(clean);
  free(clean);
  return string;
}

static void add(json_t *facts, const char *name, const char *text) {
  if (text && *text)
    json_array_append_new(facts, json_pack("[s,o]", name, page_text(text)));
}

static void add_date(json_t *facts, const struct trace *trace) {
  time_t seconds = (time_t)(trace->clock.realtime_ns / 1000000000);
  struct tm local;
  char date[64];
  if (trace->clock.realtime_ns != UINT64_MAX && localtime_r(&seconds, &local) &&
      strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", &local))
    add(facts, "started", date);
}

static void add_count(json_t *facts, const char *name, uint64_t count) {
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, count);
  if (count)
    add(facts, name, text);
}

static const struct {
  const char *name, *property;
} run_facts[] = {{"program", STAVE_PROPERTY_PROGRAM},
                 {"arguments", STAVE_PROPERTY_ARGUMENTS},
                 {"process", STAVE_PROPERTY_PROCESS_ID},
                 {"ended", STAVE_PROPERTY_ENDING},
                 {"runtime", STAVE_PROPERTY_RUNTIME}};

enum { RUN_FACTS = sizeof run_facts / sizeof *run_facts };

/* What the first process of each run states that is not the same for both. */
static void add_sides(json_t *facts, const struct trace *trace) {
  struct sides sides;
  sides_find(&sides, trace);
  for (size_t side = 0, i = 0; side < sides.count; side++) {
    while (i < trace->location_count && sides_of_location(&sides, trace, i) != side)
      i++;
    for (int k = 0; k < RUN_FACTS && i < trace->location_count; k++) {
      char name[32];
      snprintf(name, sizeof name, "%c: %s", 'A' + (int)side, run_facts[k].name);
      if (!trace_archive_property(trace, run_facts[k].property))
        add(facts, name, trace_process_property(trace, trace->locations[i].group, run_facts[k].property));
    }
  }
}

static void add_runtimes(json_t *facts, const struct trace *trace) {
  struct runtimes runtimes;
  runtimes_read(&runtimes, trace);
  add(facts, "in place of", runtimes.instead_of);
  add(facts, "not traced", runtimes.untraced_count ? runtimes.untraced : NULL);
}

static void add_devices(json_t *facts, const struct trace *trace) {
  struct device_facts devices;
  device_facts_read(&devices, trace);
  add(facts, "devices", devices.refused);
  add(facts, "devices", devices.lacks_targets ? device_facts_no_targets : NULL);
}

json_t *page_facts(const struct timeline *timeline) {
  const struct trace *trace = timeline->trace;
  json_t *facts = json_array();
  for (int i = 0; i < RUN_FACTS; i++)
    add(facts, run_facts[i].name, trace_archive_property(trace, run_facts[i].property));
  add_runtimes(facts, trace);
  add_devices(facts, trace);
  add_sides(facts, trace);
  for (size_t i = 0; i < trace->node_count; i++)
    add(facts, trace->nodes[i].class_name, trace->nodes[i].name);
  add_date(facts, trace);
  add(facts, "recorded by", trace->creator);
  add(facts, "description", trace->description);
  add_count(facts, "events here", timeline->events);
  add_count(facts, "tasks here", timeline->tasks.all);
  return facts;
}

static void warn(json_t *warnings, uint64_t count, const char *what) {
  if (count)
    json_array_append_new(warnings, json_sprintf("%" PRIu64 " %s", count, what));
}

json_t *page_warnings(const struct timeline *timeline) {
  json_t *warnings = json_array();
  const struct replay_anomalies *anomalies = &timeline->anomalies;
  uint64_t too_deep = 0;
  for (size_t i = 0; i < timeline->trace->location_count; i++)
    too_deep += timeline->rows[i].too_deep;
  if (timeline->events == 0)
    json_array_append_new(warnings, json_string("There are no events here."));
  if (trace_lost_events(timeline->trace) > 0)
    json_array_append_new(warnings, json_string("Events were lost while this trace was recorded."));
  warn(warnings, anomalies->backward, "events were earlier than the one before.");
  warn(warnings, anomalies->unmatched_leave, "ends of regions without a begin were ignored.");
  warn(warnings, anomalies->unclosed, "regions without an end were ended with the one around them.");
  warn(warnings, too_deep, "regions nested too deeply are left out.");
  return warnings;
}
