/* `stave report --json`. All times are seconds; stave-report(1) has the schema. */
#include "cli/report/report_print.h"

#include "analysis/detail.h"
#include "cli/common/json.h"
#include "cli/common/memory.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the object: greater when what has been there goes or means something else, not when something is
 * added. */

static json_t *seconds(const struct report *report, double ticks) {
  uint64_t per_second = report->trace->clock.ticks_per_second;
  return json_real(per_second ? ticks / (double)per_second : 0);
}

static void put_seconds(json_t *object, const char *name, const struct report *report, double ticks) {
  json_put(object, name, seconds(report, ticks));
}

/* Who used the processors; null: not known. */
static void put_processor_time(json_t *object, const struct report *report) {
  json_put(object, "has_too_many_threads", json_boolean(report_crowding_threads(report) > 0));
  const struct report_processors *processors = &report->processors;
  json_t *time = processors->is_known ? json_object() : json_null();
  json_put(object, "processor_time", time);
  if (!processors->is_known)
    return;
  put_seconds(time, "own_s", report, processors->own);
  put_seconds(time, "others_s", report, processors->others);
  put_seconds(time, "all_s", report, processors->all);
}

static json_t *spread(const struct report *report, const struct spread *from) {
  json_t *object = json_object();
  json_put(object, "count", json_from_number(from->count));
  put_seconds(object, "sum_s", report, (double)from->sum);
  put_seconds(object, "mean_s", report, spread_mean(from));
  put_seconds(object, "min_s", report, (double)from->min);
  put_seconds(object, "max_s", report, (double)from->max);
  return object;
}

/* The same of what is no time. */
static json_t *range(const struct spread *from) {
  json_t *object = json_object();
  json_put(object, "count", json_from_number(from->count));
  json_put(object, "sum", json_from_number(from->sum));
  json_put(object, "min", json_from_number(from->min));
  json_put(object, "max", json_from_number(from->max));
  return object;
}

static json_t *activities(const struct report *report, const uint64_t *activity) {
  json_t *object = json_object();
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    put_seconds(object, activity_name((enum activity)i), report, (double)activity[i]);
  return object;
}

static json_t *location_name(const struct report *report, uint32_t location) {
  return location < report->trace->location_count ? json_from_text(report->trace->locations[location].name)
                                                  : json_null();
}

static json_t *region_name(const struct report *report, uint32_t region) {
  return region < report->trace->region_count ? json_from_text(report->trace->regions[region].name)
                                              : json_null();
}

static json_t *by_location(const struct report *report, const uint64_t *ticks) {
  json_t *object = json_object();
  for (size_t i = 0; ticks && i < report->trace->location_count; i++)
    if (ticks[i] > 0)
      put_seconds(object, report->trace->locations[i].name, report, (double)ticks[i]);
  return object;
}

static json_t *function_of(const struct trace_region *region) {
  size_t length = detail_function_length(region);
  char *function = length ? memory_needed(strndup(region->description, length)) : NULL;
  json_t *text = json_from_text(function);
  free(function);
  return text;
}

/* Where a finding is. */
static void put_place(json_t *object, const struct report *report, uint32_t region) {
  bool is_known = region < report->trace->region_count;
  const struct trace_region *place = is_known ? &report->trace->regions[region] : NULL;
  json_put(object, "region", region_name(report, region));
  json_put(object, "file", json_from_text(place && *place->file ? place->file : NULL));
  json_put(object, "line", place && place->begin_line ? json_from_number(place->begin_line) : json_null());
  json_put(object, "module", json_from_text(place && *place->module ? place->module : NULL));
  json_put(object, "function", place ? function_of(place) : json_null());
}

/* -- overview -- */

static void put_runtime(json_t *object, const struct runtimes *runtimes) {
  json_put(object, "runtime", json_from_text(runtimes->traced));
  json_put(object, "runtime_in_place_of", json_from_text(runtimes->instead_of));
  json_put(object, "runtimes_not_traced",
           json_from_text(runtimes->untraced_count ? runtimes->untraced : NULL));
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
  put_seconds(object, "wall_s", report, (double)report->wall);
  put_seconds(object, "serial_s", report, (double)report->serial);
  put_seconds(object, "parallel_s", report, (double)report->parallel);
  put_seconds(object, "mpi_s", report, (double)report->mpi);
  put_seconds(object, "not_known_s", report, (double)report->unknown);
  put_seconds(object, "device_wait_s", report, (double)report->device_wait);
}

static json_t *not_looked_for(const struct report *report) {
  static const char *const because[] = {
      [UNSEEN_RUNTIME] = "not reported", [UNSEEN_DECLINED] = "not asked for", [UNSEEN_KERNEL] = "kernel"};
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
  put_runtime(object, &report->caveats.runtimes);
  uint64_t start_ns = report->trace->clock.realtime_ns;
  json_put(object, "start_ns", start_ns == UINT64_MAX ? json_null() : json_from_number(start_ns));
  put_times(object, report);
  json_put(object, "processes", json_from_number(report->process_count));
  put_seconds(object, "useful_s", report, (double)report->useful);
  put_seconds(object, "lost_in_work_s", report, report->lost_in_work);
  json_put(object, "findings_left_out", json_from_number(report->chance_findings));
  put_seconds(object, "untold_s", report, report->shared[SHARED_WITH_THREADS].unattributed);
  json_put(object, "lacks_chunks", json_boolean(report->caveats.lacks_chunks));
  json_put(object, "not_looked_for", not_looked_for(report));
  json_put(object, "threads", json_from_number(report->cpus));
  json_put(object, "processors",
           report->processors.count ? json_from_number(report->processors.count) : json_null());
  put_processor_time(object, report);
  json_put(object, "account", report_account_json(report));
  json_put(object, "events", json_from_number(report->anomalies.events));
  json_put(object, "has_openmp", json_boolean(report->has_openmp));
  json_put(object, "parallel_regions", json_from_number(report->forks));
  json_put(object, "tasks_created", json_from_number(report->tasks_created));
  put_seconds(object, "task_dispatch_cost_s", report, (double)report->dispatch_cost);
  json_put(object, "efficiency", efficiency(report));
  json_put(object, "activities", activities(report, report->activity));
  put_seconds(object, "work_s", report, (double)report->work);
  put_seconds(object, "span_s", report, (double)report->span);
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
  put_seconds(object, "begin_s", report, (double)one->begin_ticks - first_ticks);
  put_seconds(object, "end_s", report, (double)one->end_ticks - first_ticks);
  return object;
}

static void put_uncertainty(json_t *object, const struct report *report,
                            const struct report_finding *finding) {
  if (finding->uncertainty_ticks >= 0)
    put_seconds(object, "uncertainty_s", report, finding->uncertainty_ticks);
  else
    json_put(object, "uncertainty_s", json_null());
  json_put(object, "confidence", json_string(report_confidence_name(finding->confidence)));
  json_put(object, "reason", json_string(finding->reason));
}

/* Where a function of MPI is called; null: not known, or none. */
static json_t *call_site(const struct report *report, uint64_t site) {
  const struct trace_code_line *line = site == TRACE_NO_REF ? NULL : trace_code_line(report->trace, site);
  if (!line)
    return json_null();
  return json_pack("{s:o,s:I}", "file", json_from_text(line->file), "line", (json_int_t)line->line);
}

json_t *report_findings_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->finding_count; i++) {
    const struct report_finding *finding = &report->findings[i];
    json_t *object = json_object();
    json_put(object, "cause", json_string(report_cause_name(finding->cause)));
    put_seconds(object, "gain_s", report, finding->gain_ticks);
    put_uncertainty(object, report, finding);
    json_put(object, "gain_share", json_real(report->wall ? finding->gain_ticks / (double)report->wall : 0));
    put_place(object, report, finding->region);
    json_put(object, "call_site", call_site(report, finding->site));
    json_put(object, "thread", location_name(report, finding->location));
    json_put(object, "instances", finding->has_peak ? peak(report, &finding->peak) : json_null());
    json_put(object, "samples", report_finding_samples_json(report, finding));
    json_put(object, "what", json_from_text(finding->what));
    json_put(object, "evidence", json_from_text(finding->evidence));
    json_put(object, "advice", json_from_text(finding->advice));
    json_array_append_new(array, object);
  }
  return array;
}

/* -- regions -- */

static json_t *ready_tasks(const struct report *report, const struct report_ready *one) {
  json_t *object = json_object(), *means = json_array();
  for (int i = 0; i < REPORT_READY_SLICES; i++) {
    const struct ready_slice *slice = &one->slices[i];
    json_array_append_new(means, slice->ticks > 0 ? json_real(slice->tasks / slice->ticks) : json_null());
  }
  json_put(object, "most", json_from_number(one->most));
  put_seconds(object, "waited_beside_s", report, one->beside);
  put_seconds(object, "waited_without_s", report, one->without);
  put_seconds(object, "slice_s", report, (double)one->slice_ticks);
  json_put(object, "over_time", means);
  return object;
}

static json_t *parallel(const struct report *report, const struct report_parallel *one) {
  json_t *object = json_object();
  json_put(object, "instances", json_from_number(one->instances));
  json_put(object, "smallest_team", json_from_number(one->smallest));
  json_put(object, "largest_team", json_from_number(one->largest));
  json_put(object, "is_nested", json_boolean(one->is_nested));
  json_put(object, "duration", spread(report, &one->duration));
  put_seconds(object, "thread_time_s", report, (double)one->thread_time);
  json_put(object, "activities", activities(report, one->activity));
  put_seconds(object, "implicit_barrier_s", report, (double)one->implicit_wait);
  put_seconds(object, "explicit_barrier_s", report, (double)one->explicit_wait);
  put_seconds(object, "barrier_release_s", report, (double)one->release);
  put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  put_seconds(object, "preempted_s", report, one->preempted);
  put_seconds(object, "accounted_s", report, one->accounted);
  put_seconds(object, "ran_s", report, one->ran);
  put_seconds(object, "ready_s", report, one->ready);
  put_seconds(object, "stall_s", report, (double)one->stalled);
  put_seconds(object, "late_start_s", report, (double)one->late);
  put_seconds(object, "potential_gain_s", report, one->gain);
  json_put(object, "tasks_created", json_from_number(one->tasks));
  json_put(object, "ready_tasks", one->tasks ? ready_tasks(report, &one->ready_tasks) : json_null());
  json_put(object, "callers", report_callers_json(report, one));
  json_put(object, "useful_by_thread_s", by_location(report, one->useful));
  return object;
}

static json_t *loop(const struct report *report, const struct report_loop *one, uint32_t index) {
  json_t *object = json_object();
  json_put(object, "schedule", json_string(detail_schedule(&report->trace->regions[index])));
  json_put(object, "entered", json_from_number(one->encounters));
  json_put(object, "teams", json_from_number(one->teams));
  json_put(object, "instances", json_from_number(one->instances));
  json_put(object, "time", spread(report, &one->time));
  json_put(object, "iterations", range(&one->trips));
  json_put(object, "chunk_sizes", range(&one->chunks));
  json_put(object, "chunk_time", spread(report, &one->chunk_time));
  put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  put_seconds(object, "longest_s", report, (double)one->longest);
  json_put(object, "parallel", region_name(report, one->parallel));
  json_put(object, "time_by_thread_s", by_location(report, one->by_location));
  return object;
}

static json_t *blamed(const struct report *report, const struct report_mutex *one) {
  json_t *array = json_array();
  for (int i = 0; i < REPORT_BLAMED && one->blamed[i].ticks > 0; i++) {
    json_t *object = json_object();
    json_put(object, "region", region_name(report, one->blamed[i].region));
    json_put(object, "thread", location_name(report, one->blamed[i].location));
    put_seconds(object, "waited_for_s", report, (double)one->blamed[i].ticks);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *lock_object(const struct report *report, const struct report_lock_object *one) {
  char address[32] = "";
  json_t *object = json_object();
  if (one->address)
    snprintf(address, sizeof address, "0x%" PRIx64, one->address);
  json_put(object, "variable", json_from_text(report_object_name(report, one)));
  json_put(object, "address", json_from_text(one->address ? address : NULL));
  json_put(object, "acquisitions", json_from_number(one->acquisitions));
  json_put(object, "contended", json_from_number(one->contended));
  json_put(object, "wait", spread(report, &one->wait));
  json_put(object, "hold", spread(report, &one->hold));
  json_put(object, "holder", one->holder.ticks ? location_name(report, one->holder.location) : json_null());
  return object;
}

static json_t *lock_objects(const struct report *report, const struct report_mutex *mutex) {
  json_t *array = json_array();
  for (int i = 0; i < REPORT_LOCK_OBJECTS && mutex->objects[i].acquisitions > 0; i++)
    json_array_append_new(array, lock_object(report, &mutex->objects[i]));
  return array;
}

static json_t *mutex(const struct report *report, const struct report_mutex *one) {
  json_t *object = json_object();
  json_put(object, "acquisitions", json_from_number(one->acquisitions));
  json_put(object, "contended", json_from_number(one->contended));
  json_put(object, "wait", spread(report, &one->wait));
  json_put(object, "hold", spread(report, &one->hold));
  json_put(object, "longest_wait_by", location_name(report, one->longest_location));
  json_put(object, "has_several_locks", json_boolean(one->has_several_locks));
  json_put(object, "variable", json_from_text(report_lock_name(report, one)));
  json_put(object, "holders", blamed(report, one));
  json_put(object, "locks", json_from_number(one->locks));
  json_put(object, "objects", lock_objects(report, one));
  return object;
}

static json_t *task(const struct report *report, const struct report_task *one) {
  json_t *object = json_object();
  uint64_t ended = one->executed + one->cancelled + one->taskwaits;
  json_put(object, "construct", region_name(report, one->task_region));
  json_put(object, "created", json_from_number(one->created));
  json_put(object, "executed", json_from_number(one->executed));
  json_put(object, "included", json_from_number(one->included));
  json_put(object, "merged", json_from_number(one->created > ended ? one->created - ended : 0));
  json_put(object, "cancelled", json_from_number(one->cancelled));
  json_put(object, "untied", json_from_number(one->untied));
  json_put(object, "taskwaits", json_from_number(one->taskwaits));
  json_put(object, "begun_elsewhere", json_from_number(one->stolen));
  json_put(object, "migrations", json_from_number(one->migrations));
  json_put(object, "dependences", json_from_number(one->dependences));
  json_put(object, "run", spread(report, &one->run));
  json_put(object, "until_begin", spread(report, &one->delay));
  put_seconds(object, "creation_cost_s", report, (double)one->creation_cost);
  return object;
}

/* What processes wait for each other in a function of MPI, by the place of the call; null: nothing. */
static json_t *mpi_waits(const struct report *report, uint32_t region, double *ret_ticks) {
  json_t *array = json_array();
  *ret_ticks = 0;
  for (size_t i = 0; i < report->mpi_wait_count; i++) {
    const struct report_mpi_wait *wait = &report->mpi_waits[i];
    if (wait->region != region)
      continue;
    json_t *object = json_object();
    json_put(object, "cause", json_string(report_cause_name(wait->cause)));
    json_put(object, "call_site", call_site(report, wait->site));
    json_put(object, "count", json_from_number(wait->count));
    put_seconds(object, "wait_s", report, wait->ticks);
    put_seconds(object, "longest_wait_s", report, wait->longest);
    json_put(object, "longest_wait_by", location_name(report, wait->location));
    json_array_append_new(array, object);
    *ret_ticks += wait->ticks;
  }
  return array;
}

static json_t *region(const struct report *report, uint32_t index) {
  const struct trace_region *definition = &report->trace->regions[index];
  const struct report_region *one = &report->regions[index];
  double in_mpi;
  json_t *object = json_object(), *waits = mpi_waits(report, index, &in_mpi);
  json_put(object, "name", json_from_text(definition->name));
  json_put(object, "construct", json_string(construct_name(construct_of_region(definition))));
  json_put(object, "description", json_from_text(definition->description));
  json_put(object, "file", json_from_text(definition->file));
  json_put(object, "line", json_from_number(definition->begin_line));
  json_put(object, "function", function_of(definition));
  json_put(object, "module", json_from_text(*definition->module ? definition->module : NULL));
  json_put(object, "entered", json_from_number(one->visits));
  put_seconds(object, "inclusive_s", report, (double)one->inclusive);
  put_seconds(object, "useful_s", report, (double)one->useful);
  put_seconds(object, "wait_s", report, (double)one->wait + in_mpi);
  put_seconds(object, "longest_wait_s", report, (double)one->longest_wait);
  json_put(object, "longest_wait_by", one->wait ? location_name(report, one->longest_location) : json_null());
  put_seconds(object, "on_path_s", report, (double)one->path);
  json_put(object, "mpi_waits", waits);
  if (one->parallel && one->parallel->instances > 0)
    json_put(object, "parallel", parallel(report, one->parallel));
  if (one->loop && one->loop->encounters > 0)
    json_put(object, "worksharing", loop(report, one->loop, index));
  if (one->mutex && one->mutex->acquisitions > 0)
    json_put(object, "lock", mutex(report, one->mutex));
  if (one->task)
    json_put(object, "task", task(report, one->task));
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
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    json_put(object, "is_of_runtime", json_boolean(one->is_runtimes));
    json_put(object, "activities", activities(report, one->activity));
    put_seconds(object, "useful_in_teams_s", report, (double)one->useful_in_teams);
    json_put(object, "stalls", json_from_number(one->stalls));
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
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    json_put(object, "to_bytes", json_from_number(one->to_bytes));
    json_put(object, "from_bytes", json_from_number(one->from_bytes));
    json_put(object, "timed_by", json_string(one->is_timed ? "device" : "host"));
    json_put(object, one->is_timed ? "to" : "until_sent", spread(report, &one->to));
    json_put(object, one->is_timed ? "from" : "until_back", spread(report, &one->from));
    json_put(object, one->is_timed ? "kernels" : "submissions", spread(report, &one->kernels));
    json_put(object, "other", spread(report, &one->others));
    if (one->is_timed)
      put_seconds(object, "idle_s", report, (double)report->threads[i].activity[ACTIVITY_IDLE]);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *device_gaps(const struct report *report, const struct report_accelerator *device) {
  json_t *array = json_array();
  for (const struct report_device_gap *gap = device->gaps; gap < device->gaps + device->gap_count; gap++) {
    json_t *object = json_pack("{s:o,s:o}", "in", region_name(report, gap->region), "behind",
                               region_name(report, gap->behind));
    put_seconds(object, "time_s", report, (double)gap->ticks);
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
    put_seconds(object, "in_use_s", report, (double)(devices[i].last_ticks - devices[i].first_ticks));
    put_seconds(object, "computing_s", report, (double)devices[i].computing);
    put_seconds(object, "copying_s", report, (double)devices[i].copying);
    put_seconds(object, "both_s", report, (double)devices[i].both);
    put_seconds(object, "not_begun_s", report, (double)devices[i].late);
    put_seconds(object, "nothing_to_do_s", report, (double)devices[i].idle);
    json_put(object, "host_meanwhile", device_gaps(report, &devices[i]));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *device_use(const struct report *report) {
  const struct report_device_use *use = &report->device_use;
  uint64_t start = use->start_end > use->start_begin ? use->start_end - use->start_begin : 0;
  json_t *object = json_pack("{s:o}", "devices", accelerators(report));
  put_seconds(object, "waited_s", report, (double)use->waited);
  put_seconds(object, "start_s", report, (double)start);
  return object;
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
    json_put(object, "after", region_name(report, report->gaps[i].before));
    json_put(object, "before", region_name(report, report->gaps[i].after));
    json_put(object, "time", spread(report, &report->gaps[i].time));
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
  put_seconds(object, "stall_s", report, (double)report->caveats.stall_ticks);
  json_put(object, "pauses", json_from_number(report->caveats.recording_pauses));
  json_put(object, "mutexes_withheld", json_from_number(report->caveats.mutexes_withheld));
  json_put(object, "dependences_withheld", json_from_number(report->caveats.dependences_withheld));
  json_put(object, "lacks_teams", json_boolean(report->caveats.lacks_teams));
  put_seconds(object, "clock_error_s", report,
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
  put_seconds(object, "stall_s", report, (double)report->caveats.stall_ticks);
  json_put(object, "callbacks", json_from_number(report->caveats.callbacks));
  put_seconds(object, "callback_s", report, (double)report->caveats.callback_ticks);
  return object;
}

json_t *report_print_object(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *object = overview(print);
  json_put(object, "ending", report_ending_json(report));
  json_put(object, "findings", report_findings_json(report));
  json_put(object, "regions", regions(print));
  json_put(object, "serial_parts", gaps(report));
  json_put(object, "threads_of_the_run", threads(report));
  json_put(object, "devices", devices(report));
  json_put(object, "device_use", device_use(report));
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
