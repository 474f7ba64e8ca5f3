/* `stave report --json`. All times are seconds; stave-report(1) has the schema. */
#include "cli/report/report_print.h"
#include "cli/report/report_values.h"

#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the object: greater when what has been there goes or means something else, not when something is
 * added. */

/* Who used the processors; null: not known. */
static void put_processor_time(json_t *object, const struct report *report) {
  json_put(object, "has_too_many_threads", json_boolean(report_crowding_threads(report) > 0));
  const struct report_processors *processors = &report->processors;
  json_t *time = processors->is_known ? json_object() : json_null();
  json_put(object, "processor_time", time);
  if (!processors->is_known)
    return;
  report_put_seconds(time, "own_s", report, processors->own);
  report_put_seconds(time, "others_s", report, processors->others);
  report_put_seconds(time, "all_s", report, processors->all);
}

/* threads: at a time. */
static void put_processors(json_t *object, const struct report *report) {
  uint64_t count = report->processors.count;
  json_put(object, "threads", json_from_number(report->cpus));
  json_put(object, "threads_ever", json_from_number(report->threads_ever));
  json_put(object, "processors", count ? json_from_number(count) : json_null());
  put_processor_time(object, report);
}

/* -- overview -- */

static void put_runtime(json_t *object, const struct report *report) {
  const struct runtimes *runtimes = &report->caveats.runtimes;
  const struct device_facts *devices = &report->caveats.devices;
  json_put(object, "runtime", json_from_text(runtimes->traced));
  json_put(object, "runtime_in_place_of", json_from_text(runtimes->instead_of));
  json_put(object, "runtimes_not_traced",
           json_from_text(runtimes->untraced_count ? runtimes->untraced : NULL));
  json_put(object, "devices_not_recorded",
           json_from_text(devices->refused || !devices->lacks_targets ? devices->refused
                                                                      : device_facts_no_targets));
}

static void put_factor(json_t *object, const char *name, bool is_known, double value) {
  json_put(object, name, is_known ? json_real(value) : json_null());
}

static json_t *efficiency(const struct report *report) {
  bool is_known = report_has_efficiency(report), has_teams = is_known && report->parallel > 0;
  bool has_mpi = is_known && report->activity[ACTIVITY_MPI] > 0;
  bool has_clock = has_mpi && !report_lacks_clock(report);
  json_t *object = json_object();
  put_factor(object, "parallel", is_known, report->parallel_efficiency);
  put_factor(object, "serial", is_known, report->serial_efficiency);
  put_factor(object, "thread", has_teams, report->thread_efficiency);
  put_factor(object, "load_balance", has_teams, report->load_balance);
  put_factor(object, "serialisation", has_teams, report->serialisation);
  put_factor(object, "runtime", has_teams, report->runtime_efficiency);
  put_factor(object, "mpi", is_known, report->mpi_efficiency);
  put_factor(object, "device", is_known, report->device_efficiency);
  put_factor(object, "mpi_load_balance", has_mpi, report->mpi_load_balance);
  put_factor(object, "mpi_serialisation", has_clock, report->mpi_serialisation);
  put_factor(object, "mpi_transfer", has_clock, report->mpi_transfer);
  put_factor(object, "mpi_start_end", has_clock, report->mpi_start_end);
  return object;
}

/* Of the run, or the mean of its processes. */
static void put_times(json_t *object, const struct report *report) {
  report_put_seconds(object, "wall_s", report, (double)report->wall);
  report_put_seconds(object, "serial_s", report, (double)report->serial);
  report_put_seconds(object, "parallel_s", report, (double)report->parallel);
  report_put_seconds(object, "mpi_s", report, (double)report->mpi);
  report_put_seconds(object, "not_known_s", report, (double)report->unknown);
  report_put_seconds(object, "device_wait_s", report, (double)report->device_wait);
}

static json_t *not_looked_for(const struct report *report) {
  static const char *const because[] = {[UNSEEN_RUNTIME] = "not reported",
                                        [UNSEEN_DECLINED] = "not asked for",
                                        [UNSEEN_KERNEL] = "kernel",
                                        [UNSEEN_HOST] = "host"};
  json_t *array = json_array();
  for (size_t i = 0; i < report->unseen_count; i++) {
    json_t *object = json_object();
    json_put(object, "cause", json_string(report_cause_name(report->unseen[i].cause)));
    json_put(object, "because", json_string(because[report->unseen[i].why]));
    json_put(object, "event", json_from_text(report->unseen[i].event));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *overview(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = json_object();
  json_put(object, "schema_version", json_from_number(REPORT_SCHEMA_VERSION));
  json_put(object, "archive", json_from_text(print->anchor));
  put_runtime(object, report);
  uint64_t start_ns = report->trace->clock.realtime_ns;
  json_put(object, "start_ns", start_ns == UINT64_MAX ? json_null() : json_from_number(start_ns));
  put_times(object, report);
  json_put(object, "processes", json_from_number(report->process_count));
  report_put_seconds(object, "useful_s", report, (double)report->useful);
  report_put_seconds(object, "lost_in_work_s", report, report->lost_in_work);
  json_put(object, "findings_left_out", json_from_number(report->chance_findings));
  report_put_seconds(object, "untold_s", report, report->shared[SHARED_WITH_THREADS].unattributed);
  json_put(object, "lacks_chunks", json_boolean(report->caveats.lacks_chunks));
  json_put(object, "not_looked_for", not_looked_for(report));
  put_processors(object, report);
  json_put(object, "account", report_account_json(report));
  json_put(object, "events", json_from_number(report->anomalies.events));
  json_put(object, "has_openmp", json_boolean(report->has_openmp));
  json_put(object, "parallel_regions", json_from_number(report->forks));
  json_put(object, "tasks_created", json_from_number(report->tasks_created));
  report_put_seconds(object, "task_dispatch_cost_s", report, (double)report->dispatch_cost);
  json_put(object, "efficiency", efficiency(report));
  json_put(object, "activities", report_activities_json(report, report->activity));
  report_put_seconds(object, "work_s", report, (double)report->work);
  report_put_seconds(object, "span_s", report, (double)report->span);
  double work;
  json_put(object, "is_slower_than_its_work", json_boolean(report_is_slower_than_work(report, &work)));
  json_put(object, "span_process",
           report->process_count > 1 && report->longest_process < report->trace->location_group_count
               ? json_from_text(report->trace->location_groups[report->longest_process].name)
               : json_null());
  json_put(object, "parallelism", json_real(report->span ? (double)report->work / (double)report->span : 0));
  return object;
}

static json_t *peak(const struct report *report, const struct variation_peak *one) {
  double first_ticks = (double)report->trace->clock.first_ticks;
  json_t *object = json_object();
  json_put(object, "first", json_from_number(one->first));
  json_put(object, "last", json_from_number(one->last));
  json_put(object, "of", json_from_number(one->count));
  json_put(object, "share", json_real(one->share));
  report_put_seconds(object, "begin_s", report, (double)one->begin_ticks - first_ticks);
  report_put_seconds(object, "end_s", report, (double)one->end_ticks - first_ticks);
  return object;
}

static void put_uncertainty(json_t *object, const struct report *report,
                            const struct report_finding *finding) {
  if (finding->uncertainty_ticks >= 0)
    report_put_seconds(object, "uncertainty_s", report, finding->uncertainty_ticks);
  else
    json_put(object, "uncertainty_s", json_null());
  json_put(object, "confidence", json_string(report_confidence_name(finding->confidence)));
  json_put(object, "reason", json_string(finding->reason));
}

json_t *report_findings_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->finding_count; i++) {
    const struct report_finding *finding = &report->findings[i];
    json_t *object = json_object();
    json_put(object, "cause", json_string(report_cause_name(finding->cause)));
    report_put_seconds(object, "gain_s", report, finding->gain_ticks);
    put_uncertainty(object, report, finding);
    json_put(object, "gain_share", json_real(report->wall ? finding->gain_ticks / (double)report->wall : 0));
    report_put_place(object, report, finding->region);
    json_put(object, "call_site", report_call_site_json(report, finding->site));
    json_put(object, "thread", report_location_json(report, finding->location));
    json_put(object, "instances", finding->has_peak ? peak(report, &finding->peak) : json_null());
    json_put(object, "samples", report_finding_samples_json(report, finding));
    json_put(object, "what", json_from_text(finding->what));
    json_put(object, "evidence", json_from_text(finding->evidence));
    json_put(object, "advice", json_from_text(finding->advice));
    json_array_append_new(array, object);
  }
  return array;
}

/* -- threads and the rest -- */

static json_t *threads(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *one = &report->threads[i];
    if (!one->is_seen || one->is_device)
      continue;
    json_t *object = json_object();
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    json_put(object, "is_of_runtime", json_boolean(one->is_runtimes));
    json_put(object, "activities", report_activities_json(report, one->activity));
    report_put_seconds(object, "useful_in_teams_s", report, (double)one->useful_in_teams);
    json_put(object, "stalls", json_from_number(one->stalls));
    report_put_seconds(object, "stall_s", report, (double)one->stall_ticks);
    const struct report_kernel *kernel = &one->kernel;
    json_put(object, "page_faults",
             kernel->is_known ? json_from_number((uint64_t)kernel->faults) : json_null());
    json_put(object, "kernel_s", kernel->is_known ? report_seconds_json(report, kernel->ticks) : json_null());
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *states(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->state_count; i++)
    json_array_append_new(array, json_pack("{s:o,s:o}", "state", json_from_text(report->states[i].name),
                                           "samples", json_from_number(report->states[i].samples)));
  return array;
}

static json_t *gaps(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->gap_count; i++) {
    json_t *object = json_object();
    json_put(object, "after", report_region_json(report, report->gaps[i].before));
    json_put(object, "before", report_region_json(report, report->gaps[i].after));
    json_put(object, "time", report_spread_json(report, &report->gaps[i].time));
    report_sampled_json(object, report, &report->gaps[i].sampled);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *disturbances(const struct report *report) {
  const struct replay_anomalies *anomalies = &report->anomalies;
  json_t *object = json_object();
  json_put(object, "lost_events", json_from_number(report->caveats.lost_events));
  json_put(object, "is_incomplete", json_boolean(report->caveats.is_incomplete));
  json_put(object, "stalls", json_from_number(report->caveats.stalls));
  report_put_seconds(object, "stall_s", report, (double)report->caveats.stall_ticks);
  json_put(object, "pauses", json_from_number(report->caveats.recording_pauses));
  json_put(object, "switches_missed", json_from_number(report->caveats.switches_missed));
  json_put(object, "mutexes_withheld", json_from_number(report->caveats.mutexes_withheld));
  json_put(object, "dependences_withheld", json_from_number(report->caveats.dependences_withheld));
  json_put(object, "lacks_teams", json_boolean(report->caveats.lacks_teams));
  report_put_seconds(object, "clock_error_s", report,
                     report_lacks_clock(report) ? (double)report->caveats.clock_ticks : 0);
  json_put(object, "lacks_dependences", json_boolean(report->caveats.lacks_dependences));
  json_put(object, "tasks_not_completed", json_from_number(report->tasks_live));
  json_put(object, "backward_events", json_from_number(anomalies->backward));
  json_put(object, "unmatched_leaves", json_from_number(anomalies->unmatched_leave));
  json_put(object, "unclosed_regions", json_from_number(anomalies->unclosed));
  json_put(object, "unknown_regions", json_from_number(anomalies->unknown_region));
  json_put(object, "unknown_tasks", json_from_number(anomalies->unknown_task));
  json_put(object, "unknown_teams", json_from_number(anomalies->unknown_team));
  json_put(object, "unmatched_locks", json_from_number(anomalies->unmatched_lock));
  return object;
}

/* Stave's own cost. */
static json_t *tracing(const struct report *report) {
  json_t *object = json_object();
  report_put_seconds(object, "stall_s", report, (double)report->caveats.stall_ticks);
  json_put(object, "callbacks", json_from_number(report->caveats.callbacks));
  report_put_seconds(object, "callback_s", report, (double)report->caveats.callback_ticks);
  report_put_seconds(object, "event_every_s", report, report_event_ticks(report));
  return object;
}

json_t *report_print_object(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = overview(print);
  json_put(object, "ending", report_ending_json(report));
  json_put(object, "findings", report_findings_json(report));
  json_put(object, "regions", report_regions_json(print));
  json_put(object, "serial_parts", gaps(report));
  json_put(object, "threads_of_the_run", threads(report));
  json_put(object, "devices", report_devices_json(report));
  json_put(object, "device_use", report_device_use_json(report));
  json_put(object, "mpi", report_mpi_json(report));
  json_put(object, "sampled_states", states(report));
  json_put(object, "samples", report_samples_json(print));
  json_put(object, "running", report_running_json(print));
  json_put(object, "counters", report_counters_json(print));
  json_put(object, "tracing", tracing(report));
  json_put(object, "disturbances", disturbances(report));
  return object;
}

void report_print_json(const struct report_print *print) {
  json_print(report_print_object(print));
}
