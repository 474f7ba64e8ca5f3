/* What `stave report --json` has of devices. */
#include "cli/report/report_print.h"
#include "cli/report/report_values.h"

json_t *report_devices_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_device *one = &report->devices[i];
    if (!report->threads[i].is_seen || !report->threads[i].is_device)
      continue;
    json_t *object = json_object();
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    json_put(object, "to_bytes", json_from_number(one->to_bytes));
    json_put(object, "from_bytes", json_from_number(one->from_bytes));
    json_put(object, "timed_by", json_string(one->is_timed ? "device" : "host"));
    json_put(object, one->is_timed ? "to" : "until_sent", report_spread_json(report, &one->to));
    json_put(object, one->is_timed ? "from" : "until_back", report_spread_json(report, &one->from));
    json_put(object, one->is_timed ? "kernels" : "submissions", report_spread_json(report, &one->kernels));
    json_put(object, "other", report_spread_json(report, &one->others));
    json_put(object, "pageable_bytes", json_from_number(one->pageable_bytes));
    report_put_seconds(object, "waited_for_streams_s", report, (double)one->waited);
    if (one->is_timed)
      report_put_seconds(object, "idle_s", report, (double)report->threads[i].activity[ACTIVITY_IDLE]);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *copies(const struct report *report, const struct report_copies *one) {
  json_t *object =
      json_pack("{s:o,s:o,s:o}", "bytes", json_from_number(one->bytes), "pageable_bytes",
                json_from_number(one->pageable_bytes), "time", report_spread_json(report, &one->time));
  return object;
}

json_t *report_offload_json(const struct report *report, const struct report_offload *offload) {
  json_t *object = json_pack("{s:o,s:o,s:o}", "kernels", report_spread_json(report, &offload->kernels), "to",
                             copies(report, &offload->copies[COPIES_TO]), "from",
                             copies(report, &offload->copies[COPIES_FROM]));
  json_put(object, "timed_by", json_string(offload->is_timed ? "device" : "host"));
  json_put(object, "again", json_from_number(offload->again.count));
  json_put(object, "needless", json_from_number(offload->needless));
  return object;
}

static json_t *device_gaps(const struct report *report, const struct report_accelerator *device) {
  json_t *array = json_array();
  for (size_t i = 0; i < device->gap_count; i++) {
    const struct report_device_gap *gap = &device->gaps[i];
    json_t *object = json_pack("{s:o,s:o}", "in", report_region_json(report, gap->region), "behind",
                               report_region_json(report, gap->last));
    report_put_seconds(object, "time_s", report, (double)gap->ticks);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *accelerators(const struct report *report) {
  const struct report_accelerator *devices = report->device_use.accelerators;
  json_t *array = json_array();
  for (size_t i = 0; devices && i < report->trace->location_group_count; i++) {
    if (!devices[i].is_used)
      continue;
    json_t *object = json_pack("{s:o}", "name", json_from_text(report->trace->location_groups[i].name));
    report_put_seconds(object, "in_use_s", report, (double)(devices[i].last_ticks - devices[i].first_ticks));
    report_put_seconds(object, "computing_s", report, (double)devices[i].computing);
    report_put_seconds(object, "copying_s", report, (double)devices[i].copying);
    report_put_seconds(object, "kernels_wait_s", report, (double)devices[i].kernels_wait);
    report_put_seconds(object, "both_s", report, (double)devices[i].both);
    report_put_seconds(object, "not_begun_s", report, (double)devices[i].late);
    report_put_seconds(object, "nothing_to_do_s", report, (double)devices[i].idle);
    json_put(object, "host_meanwhile", device_gaps(report, &devices[i]));
    json_array_append_new(array, object);
  }
  return array;
}

json_t *report_device_use_json(const struct report *report) {
  const struct report_device_use *use = &report->device_use;
  uint64_t start = use->start_end > use->start_begin ? use->start_end - use->start_begin : 0;
  json_t *object = json_pack("{s:o}", "devices", accelerators(report));
  report_put_seconds(object, "waited_s", report, (double)use->waited);
  report_put_seconds(object, "start_s", report, (double)start);
  return object;
}
