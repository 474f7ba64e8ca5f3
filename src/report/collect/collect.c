/* The pass over the events. Every event first charges the time since the last one on its location to what the
 * location was doing: to its thread, team, region and path. Then the event changes what it is doing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/account.h"
#include "report/collect/analyser.h"
#include "report/collect/serialised.h"
#include "stave/names.h"

/* -- charging -- */

/* The region that is waited in: `barrier wait` states that the barrier around it is. */
static uint32_t waiting_region(const struct collector *collector, const struct replay_now *now) {
  const struct replay_task *task = now->task;
  uint32_t region = now->frame->region;
  bool is_inside = region != REPLAY_NONE && collector->interests[region].is_wait_inside;
  return is_inside && task->frame_count > 1 ? task->frames[task->frame_count - 2].region : region;
}

void collector_note_wait(struct collector *collector, uint32_t region, size_t location, uint64_t ticks) {
  struct report_region *base = &collector->report->regions[region];
  if (ticks <= base->longest_wait)
    return;
  base->longest_wait = ticks;
  base->longest_location = (uint32_t)location;
  if (collector->posting)
    collector->posting->wait(collector, region, location, ticks);
}

static void charge_wait(struct collector *collector, size_t location, const struct replay_now *now,
                        uint64_t ticks, struct live_member *member) {
  uint32_t region = waiting_region(collector, now);
  if (region == REPLAY_NONE)
    return;
  if (now->activity == ACTIVITY_DEVICE)
    collector->report->device_wait += ticks;
  struct report_location *here = &collector->locations[location];
  struct report_region *base = &collector->report->regions[region];
  base->wait += ticks;
  here->wait_ticks = here->wait_region == region ? here->wait_ticks + ticks : ticks;
  here->wait_region = region;
  if (here->wait_ticks > base->longest_wait)
    collector_note_wait(collector, region, location, here->wait_ticks);
  if (!member || now->activity != ACTIVITY_BARRIER_WAIT)
    return;
  if (collector->interests[region].construct == CONSTRUCT_barrier)
    member->explicit_wait += ticks;
  else
    member->implicit_wait += ticks;
}

/* For each event: in both of its callers. */
static inline __attribute__((always_inline)) void
charge_useful(struct collector *collector, size_t location, const struct replay_now *now, uint64_t ticks) {
  struct report *report = collector->report;
  uint32_t region = now->frame ? now->frame->region : REPLAY_NONE;
  struct live_task *live_task = live_task_of(collector, now->task);
  if (collector->waits)
    mpi_waits_useful(collector, report->threads[location].process, ticks);
  if (region != REPLAY_NONE)
    report->regions[region].useful += ticks;
  if (now->activity != ACTIVITY_SERIAL) /* some writers record teams only for the primary */
    report->threads[location].useful_in_teams += ticks;
  if (live_task) {
    live_task->process = (uint32_t)report->threads[location].process;
    path_extend(&collector->paths, &live_task->path, region, ticks);
  }
}

/* What is useful and not a device's. */
static bool is_work(enum activity activity) {
  return activity == ACTIVITY_WORK || activity == ACTIVITY_SERIAL || activity == ACTIVITY_TASK;
}

static bool is_waiting(enum activity activity) {
  return activity == ACTIVITY_BARRIER_WAIT || activity == ACTIVITY_TASK_WAIT;
}

static bool is_device_wait(const struct collector *collector, const struct replay_now *now) {
  return now->activity == ACTIVITY_DEVICE && now->frame->region != REPLAY_NONE &&
         collector->interests[now->frame->region].is_device_wait;
}

/* NULL: work in a region, which is seldom blocked. */
static double *by_reading_of(const struct account_line *line, enum activity activity) {
  return activity == ACTIVITY_SERIAL ? line->serial : is_work(activity) ? NULL : line->waiting;
}

/* Of the team's region. */
static void charge_account(struct collector *collector, size_t location, const struct replay_now *now,
                           uint64_t begin, uint64_t end) {
  double ran, ready;
  struct report_parallel *parallel = now->team ? collector_parallel(collector, now->team->region) : NULL;
  struct account_line *line = &collector->account.lines[location];
  double *by_reading = collector->locations[location].is_first ? by_reading_of(line, now->activity) : NULL;
  double known = account_line_share(line, (double)begin, (double)end, by_reading, &ran, &ready);
  if (!parallel)
    return;
  if (!parallel->accounted_of)
    parallel->accounted_of = memory_get(collector->trace->location_count, sizeof *parallel->accounted_of);
  struct report_accounted *accounted = &parallel->accounted_of[location];
  accounted->ticks += known;
  accounted->ran += ran;
  accounted->ready += ready;
  accounted->ready_useful += activity_is_useful(now->activity) ? ready : 0;
}

static void add_up_accounts(struct report *report) {
  for (size_t i = 0; i < report->trace->region_count; i++) {
    struct report_parallel *parallel = report->regions[i].parallel;
    for (size_t j = 0; parallel && parallel->accounted_of && j < report->trace->location_count; j++) {
      parallel->accounted += parallel->accounted_of[j].ticks;
      parallel->ran += parallel->accounted_of[j].ran;
      parallel->ready += parallel->accounted_of[j].ready;
    }
  }
}

/* What the process did before the first event of its first thread. */
static void charge_before(struct collector *collector, size_t location, struct replay_now now,
                          uint64_t first) {
  uint64_t started = collector->report->life.start_ticks;
  if (started == 0 || started >= first)
    return;
  struct report_thread *thread = &collector->report->threads[location];
  struct report_process *process = &collector->report->processes[thread->process];
  now.activity = ACTIVITY_SERIAL;
  now.frame = NULL;
  process->first_ticks = started;
  process->serial_useful += first - started;
  thread->activity[ACTIVITY_SERIAL] += first - started;
  charge_useful(collector, location, &now, first - started);
}

static void see(struct collector *collector, size_t location, const struct replay_now *now, uint64_t ticks) {
  struct report_thread *thread = &collector->report->threads[location];
  struct live_process *process = &collector->processes[thread->process];
  if (trace_location_is_metric(&collector->trace->locations[location]))
    return;
  if (process->first_location == SIZE_MAX && !thread->is_device) {
    process->first_location = location;
    collector->locations[location].is_first = true;
    charge_before(collector, location, *now, ticks);
  }
  thread->is_seen = true;
}

/* Ticks until `end` in which the process had a team. */
static uint64_t parallel_until(const struct collector *collector, size_t process, uint64_t end) {
  const struct live_process *live = &collector->processes[process];
  uint64_t open = collector_cut(collector, live->open_ticks);
  return collector->report->processes[process].parallel +
         (live->open_teams > 0 && end > open ? end - open : 0);
}

/* A process is in a pause, or in no region where there are no teams, when its first thread is and no other
 * one has a team. `ticks` are until `end`. */
static void charge_unknown(struct collector *collector, size_t process, uint64_t end, uint64_t ticks) {
  uint64_t parallel = parallel_until(collector, process, end) - collector->processes[process].parallel_before;
  collector->report->processes[process].unknown += ticks > parallel ? ticks - parallel : 0;
}

static void charge_outside(struct collector *collector, size_t location, enum activity activity, uint64_t end,
                           uint64_t ticks) {
  size_t number = collector->report->threads[location].process;
  struct report_process *process = &collector->report->processes[number];
  if (activity == ACTIVITY_MPI)
    process->mpi += ticks;
  else if (activity == ACTIVITY_DEVICE)
    process->offload += collector->processes[number].first_location == location ? ticks : 0;
  else if (activity_is_useful(activity))
    process->serial_useful += ticks;
  else if (activity == ACTIVITY_UNKNOWN && collector->processes[number].first_location == location)
    charge_unknown(collector, number, end, ticks);
}

/* What an explicit task waits is none of what it runs. */
static void charge_activity(struct collector *collector, struct report_thread *thread,
                            const struct replay_now *now, uint64_t ticks) {
  bool is_counted = is_waiting(now->activity) || now->activity == ACTIVITY_LOCK_WAIT;
  struct live_task *live_task =
      is_counted && !now->task->is_implicit ? live_task_of(collector, now->task) : NULL;
  thread->activity[now->activity] += ticks;
  if (live_task)
    live_task->waited += ticks;
}

static void extend(struct report_process *process, uint64_t ticks) {
  if (ticks < process->first_ticks)
    process->first_ticks = ticks;
  if (ticks > process->last_ticks)
    process->last_ticks = ticks;
}

/* Work in the region itself, not in constructs inside; from a fork to its begin is the forked team's. Accepts
 * NULL. */
static void charge_serialised(const struct report_location *here, struct live_member *member,
                              const struct replay_now *now, uint64_t ticks) {
  if (!member || !member->is_serialised || !is_work(now->activity) || !now->frame || !now->team ||
      now->frame->region != now->team->region || here->is_forking)
    return;
  member->own += ticks;
  member->own_pieces++;
}

static void charge(struct collector *collector, size_t location, const struct replay_now *now,
                   uint64_t event_ticks) {
  struct report_location *here = &collector->locations[location];
  const struct report *report = collector->report;
  struct report_thread *thread = &report->threads[location];
  struct report_process *process = &report->processes[thread->process];
  uint64_t end = collector_cut(collector, event_ticks), begin = here->charged_ticks;
  extend(process, end);
  if (!thread->is_seen || end <= begin) {
    here->charged_ticks = end > begin ? end : begin;
    see(collector, location, now, end);
    return;
  }
  here->charged_ticks = end;
  uint64_t ticks = end - begin;
  struct live_member *member = here->member_count ? &here->members[here->member_count - 1] : NULL;
  charge_activity(collector, thread, now, ticks);
  if (thread->is_device)
    return;
  if (report->has_running)
    running_charge(collector, location, now, member, begin, end);
  if ((member || here->is_first) && collector->account.is_any && collector->account.lines[location].process)
    charge_account(collector, location, now, begin, end);
  if (member)
    member->activity[now->activity] += ticks;
  else
    charge_outside(collector, location, now->activity, end, ticks);
  if (here->is_first)
    collector->processes[thread->process].parallel_before = parallel_until(collector, thread->process, end);
  if (member && collector->has_taskwaits && is_waiting(now->activity) && now->team &&
      now->team->slot < collector->live_team_capacity)
    taskwaits_charge(collector, location, &collector->live_teams[now->team->slot], begin, end);
  if (now->frame && (is_waiting(now->activity) || is_device_wait(collector, now)))
    charge_wait(collector, location, now, ticks, member);
  else
    here->wait_region = REPLAY_NONE;
  if (is_work(now->activity))
    charge_useful(collector, location, now, ticks);
  charge_serialised(here, member, now, ticks);
}

/* -- events -- */

static void before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  const struct interest *interest = &collector->interests[region];
  if (interest->analysers)
    analysers_before_enter(collector, event, region, now);
  if (interest->is_target)
    offload_before_enter(collector, event, region, now);
  if (interest->is_loop || interest->is_chunk)
    teams_before_enter(collector, event, region, now);
  if (interest->is_reduction)
    barriers_reduce(collector, event->location, now);
  if (interest->is_barrier || interest->is_depend)
    tasks_before_enter(collector, event, region, now);
}

static void before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  if (!now->frame || now->frame->region != region)
    return;
  if (collector->interests[region].analysers)
    analysers_before_leave(collector, event, region, now);
  if (collector->interests[region].is_target)
    offload_before_leave(collector, event, region);
  if (collector->interests[region].is_barrier) {
    tasks_before_leave(collector, event, region, now);
  }
}

/* Its worker region is left. */
static bool has_ended(const struct report_thread *thread, const struct replay_now *now) {
  return thread->has_life && !now->frame && !now->team;
}

/* Threads that have no events in a pause are in it, too, from here on or up to here. */
static void charge_paused(struct collector *collector, const struct trace_event *event) {
  const struct report_thread *threads = collector->report->threads;
  for (size_t i = 0; i < collector->trace->location_count; i++) {
    struct replay_now now = replay_now(collector->replay, i);
    if (i != event->location && threads[i].is_seen && !has_ended(&threads[i], &now) &&
        threads[i].process == threads[event->location].process)
      charge(collector, i, &now, event->ticks);
  }
}

static void on_other_event(struct collector *collector, const struct trace_event *event, uint64_t ticks) {
  analysers_before_other(collector, event);
  switch ((int)event->kind) {
  case TRACE_ThreadFork:
  case TRACE_OmpFork:
    teams_fork(collector, event->location, ticks);
    return;
  case TRACE_ThreadTeamBegin: /* EZTrace's: of the primary threads only */
    collector->report->caveats.lacks_teams |= event->ThreadTeamBegin.comm == OTF2_UNDEFINED_COMM;
    return;
  case TRACE_ThreadJoin:
    teams_join(collector, event->location, ticks);
    return;
  case TRACE_ThreadTaskSwitch:
    collector->report->has_openmp = true;
    return;
  case TRACE_MeasurementOnOff:
    collector->report->caveats.recording_pauses += trace_is_pause(event);
    running_on_pause(collector, event);
    charge_paused(collector, event);
    return;
  case TRACE_Metric:
    running_on_metric(collector, event);
    return;
  case TRACE_RmaGet:
  case TRACE_RmaPut:
  case TRACE_RmaOpCompleteBlocking:
  case TRACE_RmaOpCompleteNonBlocking:
    devices_on_event(collector, event);
    return;
  default:
    return;
  }
}

static void before_event(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  bool is_requested = region != REPLAY_NONE &&
                      (collector->interests[region].is_requested || collector->interests[region].analysers);
  if (event->kind == TRACE_Enter) {
    if (is_requested)
      before_enter(collector, event, region, now);
  } else if (event->kind == TRACE_Leave) {
    if (is_requested)
      before_leave(collector, event, region, now);
  } else {
    on_other_event(collector, event, event->ticks);
  }
}

static void note_ticks(struct report *report, const struct trace_event *event) {
  struct report_thread *thread = &report->threads[event->location];
  if (event->ticks < report->first_ticks)
    report->first_ticks = event->ticks;
  if (event->ticks > report->last_ticks)
    report->last_ticks = event->ticks;
  if (thread->last_ticks == 0)
    thread->first_ticks = event->ticks;
  thread->last_ticks = event->ticks;
}

bool collector_on_event(void *data, const struct trace_event *event) {
  struct collector *collector = data;
  struct report *report = collector->report;
  if (event->ticks > collector->now_ticks)
    collector->now_ticks = event->ticks;
  uint32_t region = collector_region_of(collector, event);
  struct replay_now now = replay_now(collector->replay, event->location);
  analysers_before_every(collector, event, region, &now);
  if (event->kind != TRACE_Metric || report->threads[event->location].is_seen)
    charge(collector, event->location, &now, event->ticks);
  if (collector->waits)
    mpi_waits_on_event(collector, event);
  before_event(collector, event, region, &now);
  if (collector_is_inside(collector, event->ticks))
    note_ticks(report, event);
  replay_process(collector->replay, event);
  if (collector->has_tasks)
    ready_notice(collector, event->location);
  return true;
}

static void on_slice(void *data, const struct replay_slice *slice) {
  struct collector *collector = data;
  bool is_runtimes = collector->report->threads[slice->location].is_runtimes && slice->task->is_implicit;
  if (slice->region == REPLAY_NONE || is_runtimes)
    return;
  struct report_region *region = &collector->report->regions[slice->region];
  region->visits += slice->is_first;
  region->inclusive += slice->end_ticks - slice->begin_ticks;
  if (collector->report->threads[slice->location].is_device)
    devices_on_slice(collector, slice);
  else if (collector->interests[slice->region].is_loop || collector->interests[slice->region].is_chunk)
    teams_on_slice(data, slice);
}

/* -- beginning and end -- */

void collector_prepare(struct collector *collector) {
  static const struct replay_observer observer = {.slice = on_slice,
                                                  .task = tasks_on_event,
                                                  .lock = analysers_on_lock,
                                                  .team = teams_on_event,
                                                  .barrier = barriers_on_event,
                                                  .dependence = tasks_on_dependence};
  struct report *report = collector->report;
  struct trace *trace = collector->trace;
  report->threads = memory_get(trace->location_count, sizeof *report->threads);
  report->devices = memory_get(trace->location_count, sizeof *report->devices);
  report->regions = memory_get(trace->region_count, sizeof *report->regions);
  report->first_parallel = REPLAY_NONE;
  report->processes = memory_get(PROCESS_COUNT(trace), sizeof *report->processes);
  collector->processes = memory_get(PROCESS_COUNT(trace), sizeof *collector->processes);
  collector->locations = memory_get(trace->location_count, sizeof *collector->locations);
  collector->interests = memory_get(trace->region_count, sizeof *collector->interests);
  collector->replay = replay_create(trace, &observer, collector, report->from_ticks, report->to_ticks);
  tasks_prepare(collector);
  account_lines_read(&collector->account, trace);
  collector->processors = trace_archive_number(trace, STAVE_PROPERTY_PROCESSORS);
  learn_definitions(collector);
  analysers_prepare(collector);
  mpi_waits_prepare(collector);
}

uint64_t collector_end(const struct collector *collector) {
  const struct trace_clock *clock = &collector->trace->clock;
  bool is_cut = collector->report->to_ticks < clock->first_ticks + clock->length_ticks;
  return is_cut ? collector->report->to_ticks : collector->now_ticks;
}

/* What is open goes on until the end of the window. */
void collector_charge_rest(struct collector *collector, uint64_t end) {
  const struct report *report = collector->report;
  for (size_t i = 0; i < collector->trace->location_count; i++) {
    struct replay_now now = replay_now(collector->replay, i);
    bool is_open = now.team || now.frame || now.activity == ACTIVITY_UNKNOWN;
    if (report->threads[i].is_seen && is_open && !has_ended(&report->threads[i], &now))
      charge(collector, i, &now, end);
  }
}

static void set_span(struct collector *collector) {
  struct report *report = collector->report;
  bool is_amid =
      report->from_ticks > collector->trace->clock.first_ticks; /* with or without an event in it */
  if (report->first_ticks == UINT64_MAX && !is_amid) {
    report->first_ticks = report->last_ticks = 0;
    return;
  }
  report->last_ticks = collector_end(collector);
  if (report->life.start_ticks)
    report->first_ticks = report->life.start_ticks;
  if (is_amid)
    report->first_ticks = report->from_ticks;
}

static void add_path(void *data, uint32_t region, uint64_t ticks) {
  struct report *report = data;
  if (region != REPLAY_NONE)
    report->regions[region].path += ticks;
}

/* Of the process whose path is the longest: one process's threads are no help to another's. */
static void find_span(struct collector *collector) {
  struct report *report = collector->report;
  for (size_t i = 1; i <= collector->trace->location_group_count; i++)
    if (collector->processes[i].longest.length > collector->processes[report->longest_process].longest.length)
      report->longest_process = i;
  const struct path *longest = &collector->processes[report->longest_process].longest;
  report->work = report->processes[report->longest_process].useful;
  if (report->caveats.lacks_teams) /* what waits for what is not known */
    return;
  report->span = longest->length;
  path_each(longest, add_path, report);
}

static void report_free_parallel(struct report_parallel *parallel) {
  if (!parallel)
    return;
  serialised_free(parallel->serialised);
  free(parallel->useful);
  free(parallel->accounted_of);
  free(parallel->callers);
  free(parallel->creations);
  free(parallel->delays);
  free(parallel->variation);
  free(parallel);
}

static void forget_runtimes_teams(struct report *report) {
  for (size_t i = 0; i < report->trace->region_count; i++) {
    struct report_region *region = &report->regions[i];
    if (!region->is_runtimes)
      continue;
    report_free_parallel(region->parallel);
    region->parallel = NULL;
  }
}

void collector_conclude(struct collector *collector) {
  struct report *report = collector->report;
  set_span(collector);
  if (report->first_ticks > report->last_ticks)
    report->first_ticks = report->last_ticks = 0;
  report->wall = report->last_ticks - report->first_ticks;
  lives_find(report);
  mpi_waits_finish(collector);
  tasks_finish(collector);
  analysers_finish(collector);
  forget_runtimes_teams(report);
  add_up_accounts(report);
  caveats_find(report);
  efficiency_find(report);
  processors_find(report);
  account_find(report, &collector->account);
  unseen_find(report);
  find_span(collector);
  findings_make(collector);
}

void collector_free(struct collector *collector) {
  for (size_t i = 0; i < collector->trace->location_count; i++)
    free(collector->locations[i].members);
  analysers_release(collector);
  tasks_free(collector);
  devices_free(collector);
  mpi_waits_free(collector);
  account_lines_free(&collector->account);
  path_store_free(&collector->paths);
  pair_map_free(&collector->matching);
  pair_map_free(&collector->moved);
  free(collector->dispatch_histogram);
  free(collector->locations);
  free(collector->interests);
  free(collector->processes);
  free(collector->live_teams);
  replay_free(collector->replay);
}

void report_begin(struct report *ret, const struct trace *trace, uint64_t from_ticks, uint64_t to_ticks) {
  *ret = (struct report){
      .trace = trace, .from_ticks = from_ticks, .to_ticks = to_ticks, .first_ticks = UINT64_MAX};
}

/* All events have gone by. */
static void finish(struct collector *collector) {
  collector_charge_rest(collector, collector_end(collector));
  replay_finish(collector->replay);
  collector->report->anomalies = *replay_anomalies(collector->replay);
  collector_conclude(collector);
}

int collector_read(struct report *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  struct collector collector = {.report = ret, .trace = trace};
  collector_prepare(&collector);
  int result = trace_read_in_order(trace, 0, ret->to_ticks, collector_on_event, &collector, error);
  if (result == 0)
    finish(&collector);
  collector_free(&collector);
  return result;
}

static void free_region(struct report_region *region) {
  report_free_parallel(region->parallel);
  if (region->loop) {
    free(region->loop->by_location);
    free(region->loop->variation);
  }
  if (region->task)
    free(region->task->creation_histogram);
  free(region->loop);
  free(region->mutex);
  free(region->task);
  free(region->offload);
  free(region->reduction);
}

void report_free(struct report *report) {
  for (size_t i = 0; report->regions && i < report->trace->region_count; i++)
    free_region(&report->regions[i]);
  free(report->regions);
  free(report->threads);
  free(report->places);
  free(report->processes);
  free(report->devices);
  device_use_free(report);
  free(report->mpi_waits);
  traffic_free(&report->traffic);
  free(report->states);
  free(report->findings);
  free(report->unseen);
  report_ending_free(report);
  report_samples_free(report);
  free(report->gaps);
  report_counters_free(&report->counters);
  *report = (struct report){0};
}
