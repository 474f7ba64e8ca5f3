/* What `stave info` has of devices: which there are, which records of them came, and what is missing. */
#include "cli/info/info_devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "stave/names.h"
#include "trace/device_facts.h"

enum { NUMBER_BYTES = 32, LIST_BYTES = 256 };

/* -- text -- */

static bool has_location(const struct trace *trace, uint64_t group) {
  for (size_t i = 0; i < trace->location_count; i++)
    if (trace->locations[i].group == group)
      return true;
  return false;
}

static void print_count(const struct trace *trace, const struct device_facts *facts) {
  size_t count = 0, used = 0;
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const struct trace_location_group *group = &trace->location_groups[i];
    count += trace_group_is_device(group);
    used += trace_group_is_device(group) && has_location(trace, group->ref);
  }
  for (size_t i = 0; i < trace->node_count; i++)
    count += trace_node_is_idle_device(trace, &trace->nodes[i]);
  if (count > 0)
    table_fact("devices", "%zu, of which the program used %zu", count, used);
  else if (facts->refused || facts->lacks_targets)
    table_fact("devices", "none is recorded");
}

/* "150 target, 252 target_data_op": of what there is. */
struct callback_count {
  uint64_t number;
  const char *name;
};

static const char *list(char text[LIST_BYTES], const struct callback_count *some, size_t count) {
  char number[NUMBER_BYTES];
  size_t used = 0;
  for (size_t i = 0; i < count && used < LIST_BYTES; i++)
    if (some[i].number)
      used += (size_t)snprintf(text + used, LIST_BYTES - used, "%s%s %s", used ? ", " : "",
                               summary_number(number, some[i].number), some[i].name);
  return text;
}

static void print_events(const struct device_facts *facts) {
  char text[LIST_BYTES];
  const struct callback_count host[] = {{facts->targets, "target"},
                                        {facts->data_operations, "target_data_op"},
                                        {facts->submissions, "target_submit"}};
  const struct callback_count device[] = {
      {facts->kernels, "kernels"}, {facts->copies, "copies"}, {facts->sets, "memsets"}};
  if (facts->targets || facts->data_operations || facts->submissions)
    table_fact("  by OMPT", "%s callbacks", list(text, host, sizeof host / sizeof *host));
  if (facts->runtime_records)
    table_fact("  by itself", "%" PRIu64 " records of the runtime's device trace", facts->runtime_records);
  if (facts->kernels || facts->copies || facts->sets)
    table_fact("  by CUPTI", "%s", list(text, device, sizeof device / sizeof *device));
}

/* The events that a kill lost; the same for all devices. */
static const char *undelivered(const struct trace *trace) {
  for (size_t i = 0; i < trace->node_property_count; i++)
    if (strcmp(trace->node_properties[i].name, STAVE_PROPERTY_DEVICE_UNDELIVERED) == 0)
      return trace->node_properties[i].text;
  return NULL;
}

static void print_missing(const struct device_facts *facts, const char *undelivered_ms) {
  char number[NUMBER_BYTES];
  const char *const lines[] = {facts->refused, facts->calls, facts->waits, facts->delivery};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (lines[i])
      table_fact("  missing", "%s", lines[i]);
  if (facts->dropped)
    table_fact("  missing", "%s records of what devices did: CUPTI had no room for them",
               summary_number(number, facts->dropped));
  if (undelivered_ms)
    table_fact("  missing", "what devices did in the last %s ms: the program did not end in order",
               undelivered_ms);
  if (facts->lacks_targets)
    table_fact("  missing", "%s", device_facts_no_targets);
}

void info_print_devices(const struct info *info) {
  struct device_facts facts;
  device_facts_read(&facts, info->trace);
  print_count(info->trace, &facts);
  print_events(&facts);
  print_missing(&facts, undelivered(info->trace));
}

/* -- JSON -- */

/* group: a ref; TRACE_NO_REF if nothing was done on the device. */
static json_t *device(const struct info *info, info_location_json *location, const char *name, uint64_t node,
                      uint64_t group) {
  const struct trace *trace = info->trace;
  json_t *properties = json_object(), *streams = json_array();
  for (size_t i = 0; i < trace->node_property_count; i++)
    if (trace->node_properties[i].owner == node)
      json_put(properties, trace->node_properties[i].name, json_from_text(trace->node_properties[i].text));
  for (size_t i = 0; i < trace->location_count && group != TRACE_NO_REF; i++)
    if (trace->locations[i].group == group)
      json_array_append_new(streams, location(info, i));
  return json_pack("{s:o,s:o,s:o}", "name", json_from_text(name), "properties", properties, "streams",
                   streams);
}

json_t *info_devices_json(const struct info *info, info_location_json *location) {
  const struct trace *trace = info->trace;
  json_t *array = json_array();
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const struct trace_location_group *group = &trace->location_groups[i];
    if (trace_group_is_device(group))
      json_array_append_new(array, device(info, location, group->name, group->node, group->ref));
  }
  for (size_t i = 0; i < trace->node_count; i++) {
    const struct trace_node *node = &trace->nodes[i];
    if (trace_node_is_idle_device(trace, node))
      json_array_append_new(array, device(info, location, node->name, node->ref, TRACE_NO_REF));
  }
  return array;
}

json_t *info_device_recording_json(const struct info *info) {
  struct device_facts facts;
  device_facts_read(&facts, info->trace);
  return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o}", "target",
                   json_from_number(facts.targets), "target_data_op", json_from_number(facts.data_operations),
                   "target_submit", json_from_number(facts.submissions), "runtime_records",
                   json_from_number(facts.runtime_records), "kernels", json_from_number(facts.kernels),
                   "copies", json_from_number(facts.copies), "memsets", json_from_number(facts.sets),
                   "dropped", json_from_number(facts.dropped), "lacks_targets", facts.lacks_targets,
                   "refused", json_from_text(facts.refused), "calls", json_from_text(facts.calls), "waits",
                   json_from_text(facts.waits), "delivery", json_from_text(facts.delivery));
}
