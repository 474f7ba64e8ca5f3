#include "replay/replay.h"

#include <stdlib.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "base/memory.h"
#include "replay/replay_state.h"

/* A Leave looks for its region in so many open ones at most: what is nested deeper was never meant. */
enum { SEARCH_MAX = 256, DEPTH_MAX = UINT16_MAX };

/* -- regions -- */

static enum activity around(const struct replay_thread *thread, const struct replay_task *task) {
  const struct replay_frame *frame = top_frame(task);
  if (frame)
    return (enum activity)frame->inner;
  if (!task->is_implicit)
    return ACTIVITY_TASK;
  return thread->context_count == 1 ? thread->base : ACTIVITY_WORK;
}

/* What is done around a region, but for the program's own outside of all teams: that it does. */
static enum activity inherited(enum activity outer, enum construct construct) {
  bool is_own =
      construct == CONSTRUCT_other || construct == CONSTRUCT_user_region || construct == CONSTRUCT_program;
  if (outer == ACTIVITY_UNKNOWN || (outer == ACTIVITY_IDLE && is_own))
    return ACTIVITY_SERIAL;
  return outer;
}

static bool is_serial_task(const struct replay_thread *thread, enum construct construct) {
  return construct == CONSTRUCT_implicit_task && thread->context_count == 1 &&
         thread->base == ACTIVITY_SERIAL;
}

static struct replay_frame *push_frame(struct replay_task *task) {
  array_reserve(&task->frames, &task->frame_capacity, (size_t)task->frame_count + 1, sizeof *task->frames);
  return &task->frames[task->frame_count++];
}

static struct region_meaning meaning_of(const struct replay *replay, uint32_t region) {
  if (region == REPLAY_NONE)
    return (struct region_meaning){CONSTRUCT_other, 0, .is_around = true};
  return replay->meanings[region];
}

/* A task gets the region of its construct, an implicit one that of its parallel region, which its team gets
 * too. */
static void name_task(struct replay_thread *thread, struct replay_task *task, enum construct construct,
                      uint32_t region) {
  struct replay_team *team = top_context(thread)->team;
  if (task->region == REPLAY_NONE && !task->is_implicit && construct_class(construct) == CONSTRUCT_CLASS_task)
    task->region = region;
  if (construct != CONSTRUCT_parallel || !task->is_implicit || !team)
    return;
  if (task->region == REPLAY_NONE)
    task->region = region;
  if (team->region == REPLAY_NONE)
    team->region = region;
}

static void enter(struct replay *replay, struct replay_thread *thread, uint64_t ticks,
                  const struct trace_event *event) {
  struct replay_task *task = top_context(thread)->current;
  uint32_t region = trace_region_position(replay->trace, event->Enter.region),
           depth = replay_base_depth(thread) + task->frame_count;
  replay->anomalies.unknown_region += region == REPLAY_NONE;
  struct region_meaning meaning = meaning_of(replay, region);
  enum activity outer = around(thread, task);
  bool is_around = meaning.is_around || is_serial_task(thread, meaning.construct);
  /* what a device is in, it is at work on */
  if (thread->is_device && meaning.construct != CONSTRUCT_program) {
    meaning.activity = ACTIVITY_DEVICE;
    is_around = false;
  }
  struct replay_frame *frame = push_frame(task);
  *frame = (struct replay_frame){.begin_ticks = ticks,
                                 .slice_ticks = ticks,
                                 .region = region,
                                 .depth = (uint16_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX),
                                 .construct = meaning.construct,
                                 .activity = is_around ? (uint8_t)inherited(outer, meaning.construct)
                                                       : meaning.activity};
  frame->inner = meaning.is_mutex ? (uint8_t)outer : frame->activity;
  if (task->frame_count == 1)
    name_task(thread, task, meaning.construct, region);
  thread->is_between = false;
  replay_update(replay, thread, ticks);
  if (is_barrier(meaning.construct))
    replay_arrive(replay, thread, frame, ticks);
  if (meaning.is_depend)
    replay_link_depend(replay, event, (enum construct)meaning.construct);
}

static void leave(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t ref) {
  struct replay_task *task = top_context(thread)->current;
  enum activity before = thread->activity;
  uint32_t region = trace_region_position(replay->trace, ref), place = task->frame_count;
  uint32_t lowest = place > SEARCH_MAX ? place - SEARCH_MAX : 0;
  while (place > lowest && task->frames[place - 1].region != region)
    place--;
  thread->is_between = false;
  if (place == lowest) {
    replay->anomalies.unmatched_leave++;
    return;
  }
  if (place < task->frame_count)
    replay_leave_down_to(replay, thread, task, place, ticks);
  if (is_barrier(task->frames[place - 1].construct))
    replay_pass(replay, thread, top_frame(task), ticks);
  replay_pop_frame(replay, thread, task, ticks);
  replay_update(replay, thread, ticks);
  if (before == ACTIVITY_TASK_WAIT && thread->activity != before && replay->links)
    replay_link_end_wait(replay, task, (struct replay_moment){ticks, location_of(replay, thread)});
}

/* -- devices -- */

static void begin_operation(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  thread->open_operations++;
  replay_update(replay, thread, ticks);
}

static void end_operation(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  thread->open_operations -= thread->open_operations > 0;
  replay_update(replay, thread, ticks);
}

/* -- pauses -- */

static void process_pause(struct replay *replay, struct replay_thread *thread,
                          const struct trace_event *event, uint64_t ticks) {
  thread->is_paused = trace_is_pause(event);
  if (thread->is_first)
    replay->processes[thread->process].is_paused = thread->is_paused;
  replay_update(replay, thread, ticks);
  for (size_t i = 0; thread->is_first && i < replay->trace->location_count; i++)
    if (replay->threads[i].has_started && replay->threads[i].process == thread->process)
      replay_update(replay, &replay->threads[i], ticks);
}

/* -- events -- */

/* Whoever comes first in a process does what is outside of all teams; where no teams are known, nobody knows
 * what threads do that are in no region. */
static void begin_thread(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  struct replay_process *process = &replay->processes[thread->process];
  const struct trace_location *location = &replay->trace->locations[location_of(replay, thread)];
  thread->is_first = !process->has_started && !thread->is_device && !trace_location_is_metric(location);
  process->has_started |= thread->is_first;
  if (!replay->has_openmp && !(thread->is_first && replay->has_calls))
    thread->base = thread->is_device ? ACTIVITY_IDLE : ACTIVITY_UNKNOWN;
  else
    thread->base = thread->is_first ? ACTIVITY_SERIAL : ACTIVITY_IDLE;
  thread->has_started = true;
  thread->since_ticks = ticks;
  thread->activity = replay_activity(replay, location_of(replay, thread));
}

static uint64_t time_of(struct replay *replay, struct replay_thread *thread,
                        const struct trace_event *event) {
  uint64_t ticks = event->ticks;
  if (!thread->has_started) {
    begin_thread(replay, thread, ticks);
  } else if (ticks < thread->last_ticks) {
    replay->anomalies.backward++;
    ticks = thread->last_ticks;
  }
  thread->last_ticks = ticks;
  replay->last_ticks = ticks > replay->last_ticks ? ticks : replay->last_ticks;
  return ticks;
}

/* OTF2 1 had one number for a task. */
static void process_otf2_1_task(struct replay *replay, struct replay_thread *thread,
                                const struct trace_event *event, uint64_t ticks) {
  uint64_t task = event->OmpTaskSwitch.task; /* the three kinds have the same fields */
  uint32_t number = (uint32_t)(task >> 32), generation = (uint32_t)task;
  if (event->kind == TRACE_OmpTaskCreate)
    replay_create_task(replay, thread, event, ticks, REPLAY_NONE, number, generation);
  else if (event->kind == TRACE_OmpTaskSwitch)
    replay_switch_task(replay, thread, event, ticks, REPLAY_NONE, number, generation);
  else
    replay_complete_task(replay, event, ticks, REPLAY_NONE, number, generation);
}

/* The kinds that come less often than Enter and Leave. */
static void process_other(struct replay *replay, struct replay_thread *thread,
                          const struct trace_event *event, uint64_t ticks) {
  switch ((int)event->kind) {
  case TRACE_ThreadTaskCreate:
    replay_create_task(replay, thread, event, ticks, event->ThreadTaskCreate.comm,
                       event->ThreadTaskCreate.thread, event->ThreadTaskCreate.generation);
    return;
  case TRACE_ThreadTaskSwitch:
    replay_switch_task(replay, thread, event, ticks, event->ThreadTaskSwitch.comm,
                       event->ThreadTaskSwitch.thread, event->ThreadTaskSwitch.generation);
    return;
  case TRACE_ThreadTaskComplete:
    replay_complete_task(replay, event, ticks, event->ThreadTaskComplete.comm,
                         event->ThreadTaskComplete.thread, event->ThreadTaskComplete.generation);
    return;
  case TRACE_ThreadAcquireLock:
    replay_acquire(replay, thread, event, ticks);
    return;
  case TRACE_ThreadReleaseLock:
    replay_release(replay, thread, ticks, event->ThreadReleaseLock.lock, event->ThreadReleaseLock.order);
    return;
  case TRACE_OmpAcquireLock:
    replay_acquire(replay, thread, event, ticks);
    return;
  case TRACE_OmpReleaseLock:
    replay_release(replay, thread, ticks, event->OmpReleaseLock.lock, event->OmpReleaseLock.order);
    return;
  case TRACE_OmpTaskCreate:
  case TRACE_OmpTaskSwitch:
  case TRACE_OmpTaskComplete:
    process_otf2_1_task(replay, thread, event, ticks);
    return;
  case TRACE_ThreadFork:
  case TRACE_OmpFork:
    replay_fork(replay, thread, ticks);
    return;
  case TRACE_ThreadJoin:
  case TRACE_OmpJoin:
    replay_join(replay, thread, ticks);
    return;
  case TRACE_ThreadTeamBegin:
    replay_begin_team(replay, thread, ticks, event->ThreadTeamBegin.comm);
    return;
  case TRACE_ThreadTeamEnd:
    replay_end_team(replay, thread, ticks, event->ThreadTeamEnd.comm);
    return;
  case TRACE_MeasurementOnOff:
    process_pause(replay, thread, event, ticks);
    return;
  case TRACE_RmaGet:
  case TRACE_RmaPut:
  case TRACE_RmaAtomic:
    begin_operation(replay, thread, ticks);
    return;
  case TRACE_RmaOpCompleteBlocking:
  case TRACE_RmaOpCompleteNonBlocking:
    end_operation(replay, thread, ticks);
    return;
  default: /* shows nothing of what the thread does */
    return;
  }
}

void replay_process(struct replay *replay, const struct trace_event *event) {
  struct replay_thread *thread = &replay->threads[event->location];
  replay->anomalies.events++;
  if (event->kind == TRACE_Metric && !thread->has_started)
    return; /* a location that has counters alone is no thread */
  uint64_t ticks = time_of(replay, thread, event);
  if (event->kind == TRACE_Enter)
    enter(replay, thread, ticks, event);
  else if (event->kind == TRACE_Leave)
    leave(replay, thread, ticks, event->Leave.region);
  else
    process_other(replay, thread, event, ticks);
}

/* -- beginning and end -- */

/* The end of the window, if there is more of the trace after it; or the last event. */
static uint64_t end_ticks(const struct replay *replay) {
  const struct trace_clock *clock = &replay->trace->clock;
  return replay->to_ticks < clock->first_ticks + clock->length_ticks ? replay->to_ticks : replay->last_ticks;
}

/* What goes on for as long as a location is open at the end, ends there; a location that has nothing open
 * ended with its last event. */
static void finish_thread(struct replay *replay, struct replay_thread *thread) {
  uint64_t end = end_ticks(replay);
  const struct replay_context *context = top_context(thread);
  bool is_open = thread->context_count > 1 || context->current->frame_count || context->implicit->frame_count;
  uint64_t ticks = is_open && end > thread->last_ticks ? end : thread->last_ticks;
  while (thread->context_count > 1)
    replay_pop_team(replay, thread, ticks);
  replay_suspend_task(replay, thread, NULL, ticks);
  replay_flush(replay, thread, ticks);
  replay_leave_down_to(replay, thread, top_context(thread)->implicit, 0, ticks);
}

void replay_extend(struct replay *replay, uint64_t last_ticks) {
  replay->last_ticks = last_ticks > replay->last_ticks ? last_ticks : replay->last_ticks;
}

void replay_finish(struct replay *replay) {
  uint64_t unclosed = replay->anomalies.unclosed;
  for (size_t i = 0; i < replay->trace->location_count; i++)
    if (replay->threads[i].has_started)
      finish_thread(replay, &replay->threads[i]);
  if (replay->to_ticks < UINT64_MAX) /* what is beyond the window would have closed them */
    replay->anomalies.unclosed = unclosed;
}

static void learn_regions(struct replay *replay) {
  for (size_t i = 0; i < replay->trace->region_count; i++) {
    enum construct construct = construct_of_region(&replay->trace->regions[i]);
    enum activity activity = ACTIVITY_WORK;
    bool is_own = construct_activity(construct, &activity);
    if (construct_is_mpi(&replay->trace->regions[i])) {
      activity = ACTIVITY_MPI;
      is_own = true;
    }
    replay->has_openmp |= construct_is_openmp(construct);
    replay->has_calls |= activity == ACTIVITY_MPI || construct == CONSTRUCT_device_operation;
    replay->meanings[i] =
        (struct region_meaning){.construct = (uint8_t)construct,
                                .activity = (uint8_t)activity,
                                .is_around = !is_own,
                                .is_mutex = construct_class(construct) == CONSTRUCT_CLASS_mutex,
                                .is_depend = construct_class(construct) == CONSTRUCT_CLASS_depend &&
                                             (replay->observer.link || replay->observer.dependence)};
  }
}

static uint32_t process_of(const struct trace *trace, const struct trace_location *location) {
  const struct trace_location_group *group = trace_location_group(trace, location->group);
  return (uint32_t)(group ? (size_t)(group - trace->location_groups) : trace->location_group_count);
}

static void learn_locations(struct replay *replay) {
  const struct trace *trace = replay->trace;
  for (size_t i = 0; i < trace->location_count; i++) {
    struct replay_thread *thread = &replay->threads[i];
    const struct trace_location *location = &trace->locations[i];
    thread->is_device = trace_location_is_device(location);
    thread->base = ACTIVITY_IDLE; /* until it begins */
    thread->fork_region = REPLAY_NONE;
    thread->process = process_of(trace, location);
    replay_push_base(replay, thread);
  }
}

struct replay *replay_create(const struct trace *trace, const struct replay_observer *observer, void *data,
                             uint64_t from_ticks, uint64_t to_ticks) {
  struct replay *replay = memory_get(1, sizeof *replay);
  *replay =
      (struct replay){.trace = trace,
                      .observer = *observer,
                      .uses_intervals = observer->interval || observer->link,
                      .data = data,
                      .from_ticks = from_ticks,
                      .to_ticks = to_ticks,
                      .threads = memory_get(trace->location_count, sizeof *replay->threads),
                      .meanings = memory_get(trace->region_count, sizeof *replay->meanings),
                      .live_teams = memory_get(trace->comm_count, sizeof *replay->live_teams),
                      .processes = memory_get(trace->location_group_count + 1, sizeof *replay->processes),
                      .tasks = {.item_bytes = sizeof(struct replay_task)},
                      .teams = {.item_bytes = sizeof(struct replay_team)}};
  learn_locations(replay);
  learn_regions(replay);
  replay_links_open(replay);
  return replay;
}

static void free_frames(void *task) {
  free(((struct replay_task *)task)->frames);
}

void replay_free(struct replay *replay) {
  if (!replay)
    return;
  for (size_t i = 0; i < replay->trace->location_count; i++)
    free(replay->threads[i].contexts);
  replay_free_locks(replay);
  replay_links_close(replay);
  pool_free(&replay->tasks, free_frames);
  pool_free(&replay->teams, NULL);
  pair_map_free(&replay->task_table);
  free(replay->threads);
  free(replay->meanings);
  free(replay->live_teams);
  free(replay->processes);
  free(replay);
}

/* -- the present state -- */

const struct replay_anomalies *replay_anomalies(const struct replay *replay) {
  return &replay->anomalies;
}

const struct replay_task *replay_current_task(const struct replay *replay, size_t location) {
  return top_context(&replay->threads[location])->current;
}

const struct replay_team *replay_current_team(const struct replay *replay, size_t location) {
  return top_context(&replay->threads[location])->team;
}

const struct replay_team *replay_outer_team(const struct replay *replay, size_t location) {
  const struct replay_thread *thread = &replay->threads[location];
  return thread->context_count > 1 ? thread->contexts[thread->context_count - 2].team : NULL;
}

const struct replay_task *replay_implicit_task(const struct replay *replay, size_t location) {
  return top_context(&replay->threads[location])->implicit;
}

const struct replay_frame *replay_top_frame(const struct replay *replay, size_t location) {
  return top_frame(top_context(&replay->threads[location])->current);
}

const struct replay_frame *replay_outer_frame(const struct replay *replay, size_t location) {
  const struct replay_thread *thread = &replay->threads[location];
  return thread->context_count > 1 ? top_frame(thread->contexts[thread->context_count - 2].current) : NULL;
}

static size_t add_frames(const struct replay_task *task, struct replay_frame *ret, size_t count,
                         size_t most) {
  for (uint32_t i = task->frame_count; i-- > 0 && count < most;)
    ret[count++] = task->frames[i];
  return count;
}

size_t replay_open_frames(const struct replay *replay, size_t location, struct replay_frame *ret,
                          size_t most) {
  const struct replay_thread *thread = &replay->threads[location];
  size_t count = 0;
  for (uint32_t i = thread->context_count; i-- > 0;) {
    const struct replay_context *context = &thread->contexts[i];
    count = add_frames(context->current, ret, count, most);
    if (context->implicit != context->current)
      count = add_frames(context->implicit, ret, count, most);
  }
  return count;
}

const struct replay_team *replay_team_waited_in(const struct replay *replay, size_t location) {
  const struct replay_thread *thread = &replay->threads[location];
  bool is_waiting = thread->activity == ACTIVITY_BARRIER_WAIT || thread->activity == ACTIVITY_TASK_WAIT;
  return is_waiting ? top_context(thread)->team : NULL;
}

enum construct replay_construct(const struct replay *replay, uint32_t region) {
  return (enum construct)meaning_of(replay, region).construct;
}
