/* `stave info --json`. */
#include "cli/info/info.h"
#include "cli/info/info_devices.h"
#include "cli/info/info_kept.h"
#include "cli/info/info_processes.h"

#include "cli/common/json.h"

#include <stdlib.h>

/* null if it is absent or empty. */
static json_t *text_or_null(const char *from) {
  return json_from_text(from && *from != '\0' ? from : NULL);
}

static json_t *number_or_null(const struct info *info, const char *name) {
  return info_property(info, name) ? json_from_number(info_number(info, name)) : json_null();
}

static json_t *kinds(const struct tally *tally) {
  json_t *object = json_object();
  for (size_t i = 0; i < TRACE_KIND_COUNT; i++)
    if (tally->kinds[i].events > 0)
      json_put(object, trace_kind_name((enum trace_kind)i),
               json_pack("{s:o,s:o}", "events", json_from_number(tally->kinds[i].events), "bytes",
                         json_from_number(tally->kinds[i].bytes)));
  return object;
}

static json_t *location_properties(const struct trace *trace, uint64_t ref) {
  json_t *object = json_object();
  for (size_t i = 0; i < trace->location_property_count; i++)
    if (trace->location_properties[i].owner == ref && !trace_is_series(trace->location_properties[i].name))
      json_put(object, trace->location_properties[i].name,
               json_from_text(trace->location_properties[i].text));
  return object;
}

static json_t *location_object(const struct info *info, size_t index) {
  const struct trace *trace = info->trace;
  const struct trace_location *location = &trace->locations[index];
  const struct tally_location *one = &info->tally.locations[index];
  return json_pack(
      "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "location", json_from_number(location->ref), "name",
      json_from_text(location->name), "events", json_from_number(one->events), "bytes",
      json_from_number(one->bytes), "begin_ns", json_from_number(trace_ns(trace, one->first_ticks)),
      "duration_ns", json_from_number(trace_span_ns(trace, one->last_ticks - one->first_ticks)), "stalls",
      json_from_number(one->stalls), "stall_ns", json_from_number(trace_span_ns(trace, one->stall_ticks)),
      "properties", location_properties(trace, location->ref));
}

static bool is_thread(const struct trace_location *location) {
  return !trace_location_is_device(location) && !trace_location_is_metric(location);
}

static json_t *locations(const struct info *info, bool (*is_requested)(const struct trace_location *)) {
  json_t *array = json_array();
  for (size_t i = 0; i < info->trace->location_count; i++)
    if (is_requested(&info->trace->locations[i]))
      json_array_append_new(array, location_object(info, i));
  return array;
}

static json_t *attributes(const struct info *info) {
  json_t *object = json_object();
  for (size_t i = 0; i < info->trace->attribute_count; i++)
    json_put(object, info->trace->attributes[i].name, json_from_number(info->tally.attribute_uses[i]));
  return object;
}

static json_t *states(const struct info *info) {
  json_t *object = json_object();
  for (size_t i = 0; i < info->tally.state_count; i++)
    json_put(object, trace_string(info->trace, info->tally.states[i].name),
             json_from_number(info->tally.states[i].samples));
  return object;
}

static json_t *properties(const struct trace *trace) {
  json_t *object = json_object();
  for (size_t i = 0; i < trace->archive_property_count; i++)
    json_put(object, trace->archive_properties[i].name, json_from_text(trace->archive_properties[i].value));
  return object;
}

static void add_record(void *data, const char *rest, const char *value) {
  char name[64];
  json_put(data, info_record_name(name, rest), json_from_number(strtoull(value, NULL, 10)));
}

static void add_callback(void *data, const char *rest, const char *value) {
  const char *name = info_callback_name((unsigned)strtoul(rest, NULL, 10));
  json_put(data, name ? name : rest, json_from_text(value));
}

static json_t *collected(const struct info *info, const char *prefix,
                         void (*each)(void *, const char *, const char *)) {
  json_t *object = json_object();
  info_each_property(info, prefix, each, object);
  return object;
}

static void add_file(void *data, const char *rest, const char *value) {
  (void)rest;
  json_array_append_new(data, json_from_text(value));
}

static json_t *runtime_files(const struct info *info) {
  json_t *array = json_array();
  info_each_property(info, "RUNTIME_FILE", add_file, array);
  return array;
}

static json_t *runtime(const struct info *info) {
  return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "files", runtime_files(info), "in_place_of",
                   text_or_null(info_property(info, "RUNTIME_INSTEAD_OF")), "name",
                   text_or_null(info->runtime.name), "evidence", text_or_null(info->runtime.evidence),
                   "version_string", json_from_text(info_property(info, "RUNTIME")), "callbacks",
                   collected(info, "SET_CALLBACK", add_callback), "not_asked",
                   collected(info, "NOT_ASKED", add_callback));
}

static json_t *origin(const struct info *info) {
  const struct trace *trace = info->trace;
  bool has_date = trace->clock.realtime_ns != UINT64_MAX;
  return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "archive", json_from_text(info->found.anchor),
                   "creator", text_or_null(trace->creator), "otf2",
                   json_from_text(info_property(info, "OTF2")), "program",
                   json_from_text(info_property(info, "PROGRAM")), "arguments",
                   json_from_text(info_property(info, "ARGUMENTS")), "process",
                   number_or_null(info, "PROCESS_ID"), "host", text_or_null(trace->machine), "start_ns",
                   has_date ? json_from_number(trace->clock.realtime_ns) : json_null(), "compiler",
                   text_or_null(info->compiler), "runtime", runtime(info));
}

static json_t *outcome(const struct info *info) {
  const struct tally *tally = &info->tally;
  return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "ending",
                   json_from_text(info_property(info, "ENDING")), "stopped",
                   json_from_text(info_property(info, "STOPPED")), "record_log",
                   json_from_text(info_property(info, "RECORD_LOG")), "duration_ns",
                   json_from_number(info->duration_ns), "events", json_from_number(tally->events),
                   "event_bytes", json_from_number(tally->file_bytes), "encoded_bytes",
                   json_from_number(tally->encoded_bytes), "bytes", json_from_number(info->found.bytes),
                   "lost", json_from_number(trace_lost_events(info->trace)), "stalls",
                   json_from_number(info->stalls), "stall_ns", json_from_number(info->stall_ns),
                   "added_at_end", number_or_null(info, "CLOSED_BY_WRITER"), "miscounted_locations",
                   json_from_number(tally->miscounted), "backward_events", json_from_number(tally->backward));
}

void info_print_json(const struct info *info) {
  json_t *object = origin(info);
  json_t *rest = outcome(info);
  json_object_update(object, rest);
  json_decref(rest);
  json_put(object, "kept", info_kept_json(info));
  json_put(object, "kinds", kinds(&info->tally));
  json_put(object, "processes", info_processes_json(info));
  json_put(object, "threads", locations(info, is_thread));
  json_put(object, "metrics", locations(info, trace_location_is_metric));
  json_put(object, "devices", info_devices_json(info, location_object));
  json_put(object, "device_recording", info_device_recording_json(info));
  json_put(object, "records", collected(info, "RECORDS", add_record));
  json_put(object, "attributes", attributes(info));
  json_put(object, "sampled_states", states(info));
  json_put(object, "properties", properties(info->trace));
  json_print(object);
}
