/* Parallel regions, and the worksharing in them. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/callers.h"
#include "report/collect/collect.h"
#include "report/collect/serial.h"
#include "report/collect/serialised.h"

/* -- live teams -- */

struct live_team *teams_live(struct collector *collector, uint32_t slot) {
  array_reserve_zeroed(&collector->live_teams, &collector->live_team_capacity, (size_t)slot + 1,
                       sizeof *collector->live_teams);
  return &collector->live_teams[slot];
}

static void clear_paths(struct collector *collector, struct live_team *live_team) {
  path_clear(&collector->paths, &live_team->start);
  path_clear(&collector->paths, &live_team->finished);
  for (int i = 0; i < BARRIER_ROUNDS; i++)
    path_clear(&collector->paths, &live_team->arrived[i]);
}

/* The first team that is open ends a serial part: at its fork, but where that has been forked before another
 * team ended that was open alone, which only that one's end shows. */
static void open_live_team(struct collector *collector, struct live_process *process,
                           const struct replay_team *team) {
  process->led_teams++;
  if (process->open_teams++ > 0)
    return;
  process->open_ticks = team->fork_ticks > process->closed_ticks ? team->fork_ticks : process->closed_ticks;
  process->opener = team->id;
  serial_end(collector, (size_t)(process - collector->processes), process->open_ticks);
}

static struct live_process *live_process_of(const struct collector *collector, size_t location) {
  return &collector->processes[collector->report->threads[location].process];
}

/* How many threads it has that are more than the processors, which none but it uses. */
static uint32_t crowd_of(const struct collector *collector, const struct replay_team *team) {
  bool is_crowd = collector->processors > 0 && team->size > collector->processors;
  return is_crowd ? team->size - (uint32_t)collector->processors : 0;
}

static struct live_team *live_team_of(struct collector *collector, const struct replay_team *team,
                                      struct live_process *process) {
  struct live_team *live_team = teams_live(collector, team->slot);
  if (live_team->id == team->id)
    return live_team;
  clear_paths(collector, live_team);
  uint64_t begin_ticks = collector_cut(collector, team->begin_ticks);
  *live_team = (struct live_team){.id = team->id,
                                  .process = process,
                                  .size = (uint32_t)team->size,
                                  .crowd = crowd_of(collector, team),
                                  .context = TRACE_NO_REF,
                                  .begin_ticks = begin_ticks,
                                  .ready = {.ticks = begin_ticks},
                                  .phase_end_ticks = begin_ticks};
  path_join(&collector->paths, &live_team->start, &process->fork);
  open_live_team(collector, process, team);
  return live_team;
}

static struct live_member *push_member(struct report_location *here) {
  array_reserve(&here->members, &here->member_capacity, (size_t)here->member_count + 1,
                sizeof *here->members);
  return &here->members[here->member_count++];
}

struct live_member *teams_member(struct collector *collector, size_t location) {
  struct report_location *here = &collector->locations[location];
  return here->member_count ? &here->members[here->member_count - 1] : NULL;
}

/* What is between two teams counts as the second one's, not as the work of the one around. Accepts NULL. */
static void leave_to_forked(struct live_member *member) {
  if (!member)
    return;
  member->own = member->own_before;
  member->own_pieces = member->pieces_before;
}

void teams_fork(struct collector *collector, size_t location, uint64_t ticks) {
  struct report_location *here = &collector->locations[location];
  const struct replay_task *task = replay_current_task(collector->replay, location);
  struct live_task *live_task = live_task_of(collector, task);
  struct live_process *process = live_process_of(collector, location);
  path_clear(&collector->paths, &here->fork);
  path_clear(&collector->paths, &process->fork);
  path_join(&collector->paths, &here->fork, &live_task->path);
  path_join(&collector->paths, &process->fork, &live_task->path);
  bool has_joined =
      here->joined_ticks && collector->report->threads[location].last_ticks == here->joined_ticks;
  here->since_end = has_joined ? ticks - here->ended_ticks : 0;
  here->is_forking = true;
  if (has_joined)
    leave_to_forked(teams_member(collector, location));
  here->fork_ticks = ticks;
  here->fork_creator = task->id;
  here->fork_creator_slot = task->slot;
  collector->report->forks +=
      collector_is_inside(collector, ticks) && !collector->report->threads[location].is_runtimes;
  collector->report->threads[location].is_in_teams = true;
}

void teams_join(struct collector *collector, size_t location, uint64_t ticks) {
  collector->locations[location].joined_ticks = ticks;
}

/* Its members outside of other teams may begin before the one that is in one and has forked. Those use the
 * processors, too. */
static void become_nested(struct live_team *live_team) {
  live_team->is_nested = true;
  live_team->crowd = 0;
}

static void begin(struct collector *collector, const struct replay_team_event *event) {
  struct report_location *here = &collector->locations[event->location];
  struct live_process *process = live_process_of(collector, event->location);
  struct live_team *live_team = live_team_of(collector, event->team, process);
  if (here->member_count > 0)
    become_nested(live_team);
  struct live_member *member = push_member(here);
  struct live_task *live_task = live_task_of(collector, event->task);
  uint64_t late = collector_cut(collector, event->ticks) - live_team->begin_ticks;
  uint64_t preempted =
      running_preempted_since(collector, event->location, event->team->fork_ticks, event->ticks);
  *member = (struct live_member){.begin_ticks = event->ticks,
                                 .late_in_phase = late > preempted ? late - preempted : 0,
                                 .preempted_in_phase = preempted,
                                 .is_serialised = event->team->size == 1};
  live_team->latest_begin_ticks = event->ticks;
  process->in_teams += here->member_count == 1;
  live_team->at_once = process->in_teams > live_team->at_once ? process->in_teams : live_team->at_once;
  collector->report->threads[event->location].is_in_teams = true;
  if (event->team->primary == event->location) {
    path_join(&collector->paths, &live_team->start, &here->fork);
    live_team->context = callers_of_fork(collector, event->location);
    live_team->since_end = here->since_end;
    here->is_forking = false;
    live_team->creator = here->fork_creator;
    live_team->creator_slot = here->fork_creator_slot;
  }
  path_join(&collector->paths, &live_task->path, &live_team->start);
}

/* -- worksharing regions -- */

static void add_by_location(const struct collector *collector, struct report_loop *loop, size_t location,
                            uint64_t ticks) {
  if (!loop->by_location)
    loop->by_location = memory_get(collector->trace->location_count, sizeof *loop->by_location);
  loop->by_location[location] += ticks;
}

/* A recursion: the outermost one has it. */
static bool is_inside_itself(const struct collector *collector, const struct replay_slice *slice) {
  const struct replay_frame *outer = collector->locations[slice->location].member_count > 1
                                         ? replay_outer_frame(collector->replay, slice->location)
                                         : NULL;
  return outer && outer->region == slice->region;
}

static void add_loop(struct collector *collector, const struct replay_slice *slice) {
  struct report_location *here = &collector->locations[slice->location];
  uint64_t ticks = slice->end_ticks - slice->begin_ticks;
  struct report_loop *loop = collector_loop(collector, slice->region);
  if (!loop)
    return;
  loop->encounters += slice->is_first;
  if (slice->is_last)
    spread_add(&loop->time, ticks);
  if (!is_inside_itself(collector, slice))
    add_by_location(collector, loop, slice->location, ticks);
  if (here->member_count > 0 && slice->task->is_implicit)
    phases_add_loop(collector, slice);
}

static void add_chunk(struct collector *collector, const struct replay_slice *slice) {
  const struct replay_task *task = slice->task;
  uint32_t region = slice->is_last ? phases_loop_around(collector, task, task->frame_count) : REPLAY_NONE;
  struct report_loop *loop = collector_loop(collector, region);
  if (loop)
    spread_add(&loop->chunk_time, slice->end_ticks - slice->begin_ticks);
}

void teams_on_slice(void *data, const struct replay_slice *slice) {
  struct collector *collector = data;
  if (collector->interests[slice->region].is_loop)
    add_loop(collector, slice);
  else
    add_chunk(collector, slice);
}

void teams_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now) {
  const struct interest *interest = &collector->interests[region];
  uint64_t iterations;
  if (!collector_is_inside(collector, event->ticks))
    return;
  if (interest->is_loop && collector_attribute(event, collector->iterations_attribute, &iterations)) {
    struct report_loop *loop = collector_loop(collector, region);
    if (loop)
      spread_add(&loop->trips, iterations);
  }
  if (interest->is_chunk && collector_attribute(event, collector->chunk_size_attribute, &iterations)) {
    uint32_t around = phases_loop_around(collector, now->task, now->task->frame_count);
    struct report_loop *loop = collector_loop(collector, around);
    if (loop)
      spread_add(&loop->chunks, iterations);
  }
}

/* -- ends -- */

static uint64_t useful_of(const struct live_member *member) {
  return member->activity[ACTIVITY_WORK] + member->activity[ACTIVITY_TASK] +
         member->activity[ACTIVITY_SERIAL];
}

static uint64_t waited_of(const uint64_t activity[ACTIVITY_COUNT]) {
  return activity[ACTIVITY_BARRIER_WAIT] + activity[ACTIVITY_TASK_WAIT];
}

static void fold_member(struct collector *collector, struct live_team *live_team,
                        const struct live_member *member, uint64_t ticks) {
  uint64_t useful = useful_of(member);
  live_team->members++;
  live_team->useful += useful;
  live_team->longest_useful = useful > live_team->longest_useful ? useful : live_team->longest_useful;
  live_team->member_time += collector_cut(collector, ticks) - collector_cut(collector, member->begin_ticks);
  live_team->implicit_wait += member->implicit_wait;
  live_team->explicit_wait += member->explicit_wait;
  live_team->release += member->release;
  live_team->reduced += member->reduced;
  live_team->reduction_wait += member->reduction_wait;
  live_team->stalled += member->stalled;
  live_team->last_late += member->late_in_phase;
  live_team->inner_waited += member->inner_waited;
  live_team->passages += member->barriers;
  live_team->is_serialised = member->is_serialised;
  live_team->own += member->own;
  live_team->own_pieces += member->own_pieces;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    live_team->activity[i] += member->activity[i];
}

static void add_useful(struct collector *collector, uint32_t region, size_t location, uint64_t ticks) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  if (!parallel)
    return;
  if (!parallel->useful)
    parallel->useful = memory_get(collector->trace->location_count, sizeof *parallel->useful);
  parallel->useful[location] += ticks;
}

static void join_creator(struct collector *collector, struct live_team *live_team) {
  struct live_task *creator = live_team->creator_slot < collector->live_task_capacity
                                  ? &collector->live_tasks[live_team->creator_slot]
                                  : NULL;
  if (live_team->creator && creator && creator->id == live_team->creator)
    path_join(&collector->paths, &creator->path, &live_team->finished);
}

static void end(struct collector *collector, const struct replay_team_event *event) {
  struct report_location *here = &collector->locations[event->location];
  struct live_team *live_team = teams_live(collector, event->team->slot);
  struct live_task *live_task = live_task_of(collector, event->task);
  if (here->member_count == 0)
    return;
  const struct live_member *last = &here->members[here->member_count - 1];
  if (last->shares) /* no barrier after them */
    phases_arrive(collector, live_team, event->team->region, REPLAY_NONE, last->barriers, event->location,
                  event->ticks);
  struct live_member member = here->members[--here->member_count];
  live_process_of(collector, event->location)->in_teams -= here->member_count == 0;
  fold_member(collector, live_team, &member, event->ticks);
  struct live_member *outer = teams_member(collector, event->location);
  add_useful(collector, event->team->region, event->location, useful_of(&member) - member.useful_inside);
  const struct replay_team *outside = replay_outer_team(collector->replay, event->location);
  if (outer && outside && outside->region == event->team->region) /* a recursion */
    outer->useful_inside += useful_of(&member);
  for (int i = 0; outer && i < ACTIVITY_COUNT; i++)
    outer->activity[i] += member.activity[i];
  if (outer) {
    outer->own_before = outer->own;
    outer->pieces_before = outer->own_pieces;
    outer->stalled += member.stalled;
    outer->inner_waited += waited_of(member.activity);
  }
  path_join(&collector->paths, &live_team->finished, &live_task->path);
  path_clear(&collector->paths, &live_task->path);
  live_team->preempted_in_tasks += member.preempted_in_tasks;
  if (event->location == event->team->primary) {
    live_team->preempted = member.preempted_in_phase;
    live_team->late_at_end = member.late_in_phase;
    live_team->end_ticks = event->ticks;
    live_team->process->led_teams--;
    join_creator(collector, live_team);
  }
}

/* Who does not report teams does not report forks (EZTrace). */
static void count_without_fork(struct collector *collector, const struct replay_team *team) {
  struct report *report = collector->report;
  report->forks += report->caveats.lacks_teams && collector_is_inside(collector, team->fork_ticks);
}

/* Nobody else of the process is in a team, by its begin and its end. */
static bool is_alone(const struct live_team *live_team) {
  return live_team->members == 1 && !live_team->is_nested && live_team->at_once == 1 &&
         live_team->process->in_teams == 0;
}

static void count_instance(struct collector *collector, const struct live_team *live_team,
                           const struct replay_team *team, uint64_t finish) {
  struct team_instance instance = {team->region, is_alone(live_team),
                                   collector_cut(collector, team->fork_ticks),
                                   collector_cut(collector, finish)};
  if (!collector_parallel(collector, team->region) || instance.from >= instance.to || live_team->members == 0)
    return;
  if (collector->posting)
    collector->posting->instance(collector, live_team, &instance);
  else
    teams_add_instance(collector, live_team, &instance);
}

static void add_length(struct report_parallel *parallel, uint64_t ticks, bool is_alone) {
  parallel->wall += ticks;
  spread_add(&parallel->duration, ticks);
  if (is_alone)
    scatter_add(&parallel->alone, (double)ticks);
}

static void note_instance(struct report *report, struct report_parallel *parallel, uint32_t region,
                          uint64_t ticks) {
  parallel->instances++;
  if (report->first_parallel != REPLAY_NONE && ticks >= report->first_fork_ticks)
    return;
  report->first_parallel = region;
  report->first_fork_ticks = ticks;
}

void teams_add_instance(struct collector *collector, const struct live_team *live_team,
                        const struct team_instance *instance) {
  struct report_parallel *parallel = collector_parallel(collector, instance->region);
  uint64_t from = instance->from, to = instance->to;
  if (!parallel)
    return;
  uint32_t size = (uint32_t)live_team->members;
  uint64_t mean = live_team->useful / size, time = size * (to - from);
  uint64_t useful = live_team->useful < time ? live_team->useful : time;
  parallel->smallest = parallel->instances == 0 || size < parallel->smallest ? size : parallel->smallest;
  parallel->largest = size > parallel->largest ? size : parallel->largest;
  parallel->at_once = live_team->at_once > parallel->at_once ? live_team->at_once : parallel->at_once;
  note_instance(collector->report, parallel, instance->region, from);
  parallel->members += size;
  add_length(parallel, to - from, instance->is_alone);
  parallel->thread_time += time;
  parallel->late += time > live_team->member_time ? time - live_team->member_time : 0;
  parallel->implicit_wait += live_team->implicit_wait;
  parallel->explicit_wait += live_team->explicit_wait;
  parallel->latest += collector_cut(collector, live_team->latest_begin_ticks) - from;
  parallel->release += live_team->release;
  parallel->reduced += live_team->reduced;
  parallel->reduction_wait += live_team->reduction_wait;
  scatter_add(&parallel->begins, (double)(collector_cut(collector, live_team->latest_begin_ticks) - from));
  scatter_add(&parallel->reductions, (double)live_team->activity[ACTIVITY_REDUCTION]);
  parallel->passages += live_team->passages;
  parallel->stalled += live_team->stalled;
  phases_end_late(parallel, live_team, live_team->begin_ticks - from);
  if (live_team->is_serialised && size == 1)
    serialised_add(parallel, live_team, live_team->begin_ticks - from);
  parallel->inner_waited += live_team->inner_waited;
  parallel->tasks += live_team->tasks;
  parallel->is_nested |= live_team->is_nested;
  parallel->imbalance += live_team->longest_useful > mean ? live_team->longest_useful - mean : 0;
  parallel->gain += (double)(time - useful) / size;
  parallel->preempted += (double)live_team->preempted + (double)live_team->preempted_in_tasks / size;
  callers_add(collector, instance->region, live_team->context, to - from, (double)(time - useful) / size);
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    parallel->activity[i] += live_team->activity[i];
}

/* The team that began a parallel part ends the serial one before it; the last one that is open begins one. */
static void close_live_team(struct collector *collector, struct live_process *process,
                            const struct replay_team *team, uint64_t finish) {
  size_t number = (size_t)(process - collector->processes);
  if (process->opener == team->id)
    serial_add(collector, number, team->region);
  if (process->open_teams > 0 && --process->open_teams == 0) {
    collector->report->processes[number].parallel +=
        collector_cut(collector, finish) - collector_cut(collector, process->open_ticks);
    process->closed_ticks = finish;
    serial_begin(collector, number, finish);
  }
}

/* The member that has forked the team was held up by what the team has waited in the mean. */
static void add_to_outer(struct collector *collector, const struct replay_team *team,
                         const struct live_team *live_team) {
  bool is_inner = live_team->is_nested && team->primary != SIZE_MAX && team->region != REPLAY_NONE;
  uint64_t waited = waited_of(live_team->activity);
  if (is_inner && live_team->members > 1 && teams_member(collector, team->primary) &&
      waited > live_team->inner_waited)
    phases_add_inner(collector, team->primary, team->region,
                     (waited - live_team->inner_waited) / live_team->members);
}

static void joined(struct collector *collector, const struct replay_team_event *event) {
  struct live_team *live_team = teams_live(collector, event->team->slot);
  if (!live_team || live_team->id != event->team->id)
    return;
  live_team->process->led_teams -= live_team->end_ticks == 0;
  uint64_t finish = live_team->end_ticks ? live_team->end_ticks : event->ticks;
  join_creator(collector, live_team);
  ready_end(collector, live_team);
  collector->locations[event->location].ended_ticks = event->ticks;
  count_without_fork(collector, event->team);
  count_instance(collector, live_team, event->team, finish);
  phases_end(collector, live_team, event->team->region);
  if (event->team->is_runtimes && event->team->region != REPLAY_NONE)
    collector->report->regions[event->team->region].is_runtimes = true;
  add_to_outer(collector, event->team, live_team);
  close_live_team(collector, live_team->process, event->team, finish);
  clear_paths(collector, live_team);
  live_team->id = 0;
}

void teams_on_event(void *data, const struct replay_team_event *event) {
  switch (event->step) {
  case REPLAY_TEAM_BEGIN:
    begin(data, event);
    return;
  case REPLAY_TEAM_END:
    end(data, event);
    return;
  case REPLAY_TEAM_JOINED:
    joined(data, event);
    return;
  }
}
