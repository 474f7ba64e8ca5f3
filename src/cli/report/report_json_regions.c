/* What `stave report --json` has of regions: parallel ones, loops, mutexes, tasks. */
#include "cli/report/report_print.h"
#include "cli/report/report_values.h"

#include "report/text.h"
#include "trace/detail.h"

#include <inttypes.h>

static json_t *ready_tasks(const struct report *report, const struct report_ready *one) {
  json_t *object = json_object(), *means = json_array();
  for (int i = 0; i < REPORT_READY_SLICES; i++) {
    const struct ready_slice *slice = &one->slices[i];
    json_array_append_new(means, slice->ticks > 0 ? json_real(slice->tasks / slice->ticks) : json_null());
  }
  json_put(object, "most", json_from_number(one->most));
  report_put_seconds(object, "waited_beside_s", report, one->beside);
  report_put_seconds(object, "waited_without_s", report, one->without);
  report_put_seconds(object, "slice_s", report, (double)one->slice_ticks);
  json_put(object, "over_time", means);
  return object;
}

static json_t *parallel(const struct report *report, const struct report_parallel *one) {
  json_t *object = json_object();
  json_put(object, "instances", json_from_number(one->instances));
  json_put(object, "smallest_team", json_from_number(one->smallest));
  json_put(object, "largest_team", json_from_number(one->largest));
  json_put(object, "is_nested", json_boolean(one->is_nested));
  json_put(object, "duration", report_spread_json(report, &one->duration));
  report_put_seconds(object, "thread_time_s", report, (double)one->thread_time);
  json_put(object, "activities", report_activities_json(report, one->activity));
  report_put_seconds(object, "implicit_barrier_s", report, (double)one->implicit_wait);
  report_put_seconds(object, "explicit_barrier_s", report, (double)one->explicit_wait);
  report_put_seconds(object, "barrier_release_s", report, (double)one->release);
  report_put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  report_put_seconds(object, "preempted_s", report, one->preempted);
  report_put_seconds(object, "accounted_s", report, one->accounted);
  report_put_seconds(object, "ran_s", report, one->ran);
  report_put_seconds(object, "ready_s", report, one->ready);
  report_put_seconds(object, "stall_s", report, (double)one->stalled);
  report_put_seconds(object, "late_start_s", report, (double)one->late);
  report_put_seconds(object, "potential_gain_s", report, one->gain);
  json_put(object, "tasks_created", json_from_number(one->tasks));
  json_put(object, "ready_tasks", one->tasks ? ready_tasks(report, &one->ready_tasks) : json_null());
  json_put(object, "callers", report_callers_json(report, one));
  json_put(object, "useful_by_thread_s", report_by_location_json(report, one->useful));
  return object;
}

static json_t *loop(const struct report *report, const struct report_loop *one, uint32_t index) {
  json_t *object = json_object();
  json_put(object, "schedule", json_string(detail_schedule(&report->trace->regions[index])));
  json_put(object, "entered", json_from_number(one->encounters));
  json_put(object, "teams", json_from_number(one->teams));
  json_put(object, "instances", json_from_number(one->instances));
  json_put(object, "time", report_spread_json(report, &one->time));
  json_put(object, "iterations", report_range_json(&one->trips));
  json_put(object, "chunk_sizes", report_range_json(&one->chunks));
  json_put(object, "chunk_time", report_spread_json(report, &one->chunk_time));
  report_put_seconds(object, "imbalance_s", report, (double)one->imbalance);
  report_put_seconds(object, "longest_s", report, (double)one->longest);
  json_put(object, "parallel", report_region_json(report, one->parallel));
  json_put(object, "time_by_thread_s", report_by_location_json(report, one->by_location));
  return object;
}

static json_t *blamed(const struct report *report, const struct report_mutex *one) {
  json_t *array = json_array();
  for (int i = 0; i < REPORT_BLAMED && one->blamed[i].ticks > 0; i++) {
    json_t *object = json_object();
    json_put(object, "region", report_region_json(report, one->blamed[i].region));
    json_put(object, "thread", report_location_json(report, one->blamed[i].location));
    report_put_seconds(object, "waited_for_s", report, (double)one->blamed[i].ticks);
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
  json_put(object, "wait", report_spread_json(report, &one->wait));
  json_put(object, "hold", report_spread_json(report, &one->hold));
  json_put(object, "holder",
           one->holder.ticks ? report_location_json(report, one->holder.location) : json_null());
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
  json_put(object, "wait", report_spread_json(report, &one->wait));
  json_put(object, "hold", report_spread_json(report, &one->hold));
  json_put(object, "longest_wait_by", report_location_json(report, one->longest_location));
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
  json_put(object, "construct", report_region_json(report, one->task_region));
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
  json_put(object, "run", report_spread_json(report, &one->run));
  json_put(object, "until_begin", report_spread_json(report, &one->delay));
  report_put_seconds(object, "creation_cost_s", report, (double)one->creation_cost);
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
    json_put(object, "call_site", report_call_site_json(report, wait->site));
    json_put(object, "count", json_from_number(wait->count));
    report_put_seconds(object, "wait_s", report, wait->ticks);
    report_put_seconds(object, "longest_wait_s", report, wait->longest);
    json_put(object, "longest_wait_by", report_location_json(report, wait->location));
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
  json_put(object, "function", report_function_json(definition));
  json_put(object, "module", json_from_text(*definition->module ? definition->module : NULL));
  json_put(object, "entered", json_from_number(one->visits));
  report_put_seconds(object, "inclusive_s", report, (double)one->inclusive);
  report_put_seconds(object, "useful_s", report, (double)one->useful);
  report_put_seconds(object, "wait_s", report, (double)one->wait + in_mpi);
  report_put_seconds(object, "longest_wait_s", report, (double)one->longest_wait);
  json_put(object, "longest_wait_by",
           one->wait ? report_location_json(report, one->longest_location) : json_null());
  report_put_seconds(object, "on_path_s", report, (double)one->path);
  json_put(object, "mpi_waits", waits);
  if (one->parallel && one->parallel->instances > 0)
    json_put(object, "parallel", parallel(report, one->parallel));
  if (one->loop && one->loop->encounters > 0)
    json_put(object, "worksharing", loop(report, one->loop, index));
  if (one->mutex && one->mutex->acquisitions > 0)
    json_put(object, "lock", mutex(report, one->mutex));
  if (one->task)
    json_put(object, "task", task(report, one->task));
  if (one->kernels.count > 0)
    json_put(object, "kernels", report_spread_json(report, &one->kernels));
  if (one->offload)
    json_put(object, "offload", report_offload_json(report, one->offload));
  return object;
}

json_t *report_regions_json(const struct report_print *print) {
  const struct report *report = print->report;
  json_t *array = json_array();
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_region *one = &report->regions[i];
    bool is_in = one->visits > 0 || one->inclusive > 0; /* open for all of the window: not entered in it */
    if ((is_in || one->parallel || one->mutex || one->task) && report_print_includes(print, i))
      json_array_append_new(array, region(report, i));
  }
  return array;
}
