/* `stave report --json`. All times are seconds; stave-report(1) has the schema. */
#include "cli/report/report_print.h"

#include "analysis/detail.h"
#include "analysis/utf8.h"
#include "cli/common/memory.h"
#include "report/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Names may hold any bytes, JSON only UTF-8. */
static json_t *text(const char *from) {
  char *clean = memory_needed(utf8_clean(from));
  json_t *string = json_string(clean);
  free(clean);
  return string;
}

static json_t *number(uint64_t value) {
  return json_integer((json_int_t)value);
}

static json_t *seconds(const struct report *report, double ticks) {
  uint64_t per_second = report->trace->clock.ticks_per_second;
  return json_real(per_second ? ticks / (double)per_second : 0);
}

static void put(json_t *object, const char *name, json_t *value) {
  json_object_set_new(object, name, value);
}

static void put_seconds(json_t *object, const char *name, const struct report *report, double ticks) {
  put(object, name, seconds(report, ticks));
}

static json_t *spread(const struct report *report, const struct spread *from) {
  json_t *object = json_object();
  put(object, "count", number(from->count));
  put_seconds(object, "sum_s", report, (double)from->sum);
  put_seconds(object, "mean_s", report, spread_mean(from));
  put_seconds(object, "min_s", report, (double)from->min);
  put_seconds(object, "max_s", report, (double)from->max);
  return object;
}

/* The same of what is no time. */
static json_t *range(const struct spread *from) {
  json_t *object = json_object();
  put(object, "count", number(from->count));
  put(object, "sum", number(from->sum));
  put(object, "min", number(from->min));
  put(object, "max", number(from->max));
  return object;
}

static json_t *activities(const struct report *report, const uint64_t *activity) {
  json_t *object = json_object();
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    put_seconds(object, activity_name((enum activity)i), report, (double)activity[i]);
  return object;
}

static json_t *location_name(const struct report *report, uint32_t location) {
  return location < report->trace->location_count ? text(report->trace->locations[location].name)
                                                  : json_null();
}

static json_t *region_name(const struct report *report, uint32_t region) {
  return region < report->trace->region_count ? text(report->trace->regions[region].name) : json_null();
}

static json_t *by_location(const struct report *report, const uint64_t *ticks) {
  json_t *object = json_object();
  for (size_t i = 0; ticks && i < report->trace->location_count; i++) {
    char *name = memory_needed(utf8_clean(report->trace->locations[i].name));
    if (ticks[i] > 0 && name)
      put_seconds(object, name, report, (double)ticks[i]);
    free(name);
  }
  return object;
}

/* -- overview -- */

static json_t *efficiency(const struct report *report) {
  return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "parallel", report->parallel_efficiency, "serial",
                   report->serial_efficiency, "thread", report->thread_efficiency, "load_balance",
                   report->load_balance, "serialisation", report->serialisation, "runtime",
                   report->runtime_efficiency);
}

static json_t *overview(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = json_object();
  put(object, "archive", text(print->anchor));
  put_seconds(object, "wall_s", report, (double)report->wall);
  put_seconds(object, "serial_s", report, (double)report->serial);
  put_seconds(object, "parallel_s", report, (double)report->parallel);
  put_seconds(object, "useful_s", report, (double)report->useful);
  put(object, "threads", number(report->cpus));
  put(object, "events", number(report->anomalies.events));
  put(object, "has_openmp", json_boolean(report->has_openmp));
  put(object, "parallel_regions", number(report->forks));
  put(object, "tasks_created", number(report->tasks_created));
  put_seconds(object, "task_dispatch_cost_s", report, (double)report->dispatch_cost);
  put(object, "efficiency", efficiency(report));
  put(object, "activities", activities(report, report->activity));
  put_seconds(object, "work_s", report, (double)report->work);
  put_seconds(object, "span_s", report, (double)report->span);
  put(object, "parallelism", json_real(report->span ? (double)report->work / (double)report->span : 0));
  return object;
}

static json_t *findings(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->finding_count; i++) {
    const struct report_finding *finding = &report->findings[i];
    json_t *object = json_object();
    put(object, "cause", json_string(report_cause_name(finding->cause)));
    put_seconds(object, "gain_s", report, finding->gain_ticks);
    put(object, "gain_share", json_real(report->wall ? finding->gain_ticks / (double)report->wall : 0));
    put(object, "region", region_name(report, finding->region));
    put(object, "what", text(finding->what));
    put(object, "evidence", text(finding->evidence));
    put(object, "advice", text(finding->advice));
    json_array_append_new(array, object);
  }
  return array;
}

/* -- regions -- */

static json_t *parallel(const struct report *report, const struct report_parallel *one) {
  json_t *object = json_object();
  put(object, "instances", number(one->instances));
  put(object, "smallest_team", number(one->smallest));
  put(object, "largest_team", number(one->largest));
  put(object, "is_nested", json_boolean(one->is_nested));
  put(object, "duration", spread(report, &one->duration));
  put_seconds(object, "thread_time_s", report, (double)one->thread_time);
  put(object, "activities", activities(report, one->activity));
  put_seconds(object, "implicit_barrier_s", report, (double)one->implicit_wait);
  put_seconds(object, "explicit_barrier_s", report, (double)one->explicit_wait);
  put_seconds(object, "barrier_release_s", report, (double)one->release);
  put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  put_seconds(object, "late_start_s", report, (double)one->late);
  put_seconds(object, "potential_gain_s", report, one->gain);
  put(object, "tasks_created", number(one->tasks));
  put(object, "useful_by_thread_s", by_location(report, one->useful));
  return object;
}

static json_t *loop(const struct report *report, const struct report_loop *one, uint32_t index) {
  json_t *object = json_object();
  put(object, "schedule", json_string(detail_schedule(&report->trace->regions[index])));
  put(object, "entered", number(one->encounters));
  put(object, "teams", number(one->teams));
  put(object, "time", spread(report, &one->time));
  put(object, "iterations", range(&one->trips));
  put(object, "chunk_sizes", range(&one->chunks));
  put(object, "chunk_time", spread(report, &one->chunk_time));
  put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  put_seconds(object, "longest_s", report, (double)one->longest);
  put(object, "parallel", region_name(report, one->parallel));
  put(object, "time_by_thread_s", by_location(report, one->by_location));
  return object;
}

static json_t *blamed(const struct report *report, const struct report_mutex *one) {
  json_t *array = json_array();
  for (int i = 0; i < REPORT_BLAMED && one->blamed[i].ticks > 0; i++) {
    json_t *object = json_object();
    put(object, "region", region_name(report, one->blamed[i].region));
    put(object, "thread", location_name(report, one->blamed[i].location));
    put_seconds(object, "waited_for_s", report, (double)one->blamed[i].ticks);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *mutex(const struct report *report, const struct report_mutex *one) {
  json_t *object = json_object();
  put(object, "acquisitions", number(one->acquisitions));
  put(object, "contended", number(one->contended));
  put(object, "wait", spread(report, &one->wait));
  put(object, "hold", spread(report, &one->hold));
  put(object, "longest_wait_by", location_name(report, one->longest_location));
  put(object, "has_several_locks", json_boolean(one->has_several_locks));
  put(object, "holders", blamed(report, one));
  return object;
}

static json_t *task(const struct report *report, const struct report_task *one) {
  json_t *object = json_object();
  uint64_t ended = one->executed + one->cancelled + one->taskwaits;
  put(object, "construct", region_name(report, one->task_region));
  put(object, "created", number(one->created));
  put(object, "executed", number(one->executed));
  put(object, "included", number(one->included));
  put(object, "merged", number(one->created > ended ? one->created - ended : 0));
  put(object, "cancelled", number(one->cancelled));
  put(object, "untied", number(one->untied));
  put(object, "taskwaits", number(one->taskwaits));
  put(object, "begun_elsewhere", number(one->stolen));
  put(object, "migrations", number(one->migrations));
  put(object, "dependences", number(one->dependences));
  put(object, "run", spread(report, &one->run));
  put(object, "until_begin", spread(report, &one->delay));
  put_seconds(object, "creation_cost_s", report, (double)one->creation_cost);
  return object;
}

static json_t *region(const struct report *report, uint32_t index) {
  const struct trace_region *definition = &report->trace->regions[index];
  const struct report_region *one = &report->regions[index];
  json_t *object = json_object();
  put(object, "name", text(definition->name));
  put(object, "construct", json_string(construct_name(construct_of_region(definition))));
  put(object, "description", text(definition->description));
  put(object, "file", text(definition->file));
  put(object, "line", number(definition->begin_line));
  put(object, "entered", number(one->visits));
  put_seconds(object, "inclusive_s", report, (double)one->inclusive);
  put_seconds(object, "useful_s", report, (double)one->useful);
  put_seconds(object, "wait_s", report, (double)one->wait);
  put_seconds(object, "longest_wait_s", report, (double)one->longest_wait);
  put(object, "longest_wait_by", one->wait ? location_name(report, one->longest_location) : json_null());
  put_seconds(object, "on_path_s", report, (double)one->path);
  if (one->parallel && one->parallel->instances > 0)
    put(object, "parallel", parallel(report, one->parallel));
  if (one->loop && one->loop->encounters > 0)
    put(object, "worksharing", loop(report, one->loop, index));
  if (one->mutex && one->mutex->acquisitions > 0)
    put(object, "lock", mutex(report, one->mutex));
  if (one->task)
    put(object, "task", task(report, one->task));
  return object;
}

static json_t *regions(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *array = json_array();
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_region *one = &report->regions[i];
    if ((one->visits > 0 || one->parallel || one->mutex || one->task) && report_print_wants(print, i))
      json_array_append_new(array, region(report, i));
  }
  return array;
}

/* -- threads, devices, the rest -- */

static json_t *threads(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *one = &report->threads[i];
    if (!one->is_seen || one->is_device)
      continue;
    json_t *object = json_object();
    put(object, "name", text(report->trace->locations[i].name));
    put(object, "activities", activities(report, one->activity));
    put_seconds(object, "useful_in_teams_s", report, (double)one->useful_in_teams);
    put(object, "stalls", number(one->stalls));
    put_seconds(object, "stall_s", report, (double)one->stall_ticks);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *devices(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_device *one = &report->devices[i];
    if (!report->threads[i].is_seen || !report->threads[i].is_device)
      continue;
    json_t *object = json_object();
    put(object, "name", text(report->trace->locations[i].name));
    put(object, "to_bytes", number(one->to_bytes));
    put(object, "from_bytes", number(one->from_bytes));
    put(object, "to", spread(report, &one->to));
    put(object, "from", spread(report, &one->from));
    put(object, "kernels", spread(report, &one->kernels));
    put(object, "other", spread(report, &one->others));
    put_seconds(object, "idle_s", report, (double)report->threads[i].activity[ACTIVITY_IDLE]);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *states(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->state_count; i++)
    json_array_append_new(array, json_pack("{s:o,s:o}", "state", text(report->states[i].name), "samples",
                                           number(report->states[i].samples)));
  return array;
}

static json_t *gaps(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->gap_count; i++) {
    json_t *object = json_object();
    put(object, "after", region_name(report, report->gaps[i].before));
    put(object, "before", region_name(report, report->gaps[i].after));
    put(object, "time", spread(report, &report->gaps[i].time));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *disturbances(const struct report *report) {
  const struct replay_anomalies *anomalies = &report->anomalies;
  json_t *object = json_object();
  put(object, "lost_events", number(report->caveats.lost_events));
  put(object, "is_incomplete", json_boolean(report->caveats.is_incomplete));
  put(object, "stalls", number(report->caveats.stalls));
  put_seconds(object, "stall_s", report, (double)report->caveats.stall_ticks);
  put(object, "pauses", number(report->caveats.recording_pauses));
  put(object, "tasks_not_completed", number(report->tasks_live));
  put(object, "backward_events", number(anomalies->backward));
  put(object, "unmatched_leaves", number(anomalies->unmatched_leave));
  put(object, "unclosed_regions", number(anomalies->unclosed));
  put(object, "unknown_regions", number(anomalies->unknown_region));
  put(object, "unknown_tasks", number(anomalies->unknown_task));
  put(object, "unknown_teams", number(anomalies->unknown_team));
  put(object, "unmatched_locks", number(anomalies->unmatched_lock));
  return object;
}

void report_print_json(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = overview(print);
  put(object, "findings", findings(report));
  put(object, "regions", regions(print));
  put(object, "serial_parts", gaps(report));
  put(object, "threads_of_the_run", threads(report));
  put(object, "devices", devices(report));
  put(object, "sampled_states", states(report));
  put(object, "disturbances", disturbances(report));
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}
