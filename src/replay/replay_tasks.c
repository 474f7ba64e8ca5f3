/* Tasks: their ids, the threads that run them, and their open regions. */
#include <stdlib.h>

#include "replay/replay_state.h"

/* A task is known by its team, its creator's number there and what it is for the creator. Where no team is
 * named (EZTrace) the creator's number is that of whoever runs it, and shows nothing. */
static uint64_t key_high(uint32_t comm, uint32_t number) {
  return comm == REPLAY_NONE ? UINT64_MAX : (uint64_t)comm << 32 | number;
}

static struct replay_task *find(const struct replay *replay, uint32_t comm, uint32_t number,
                                uint32_t generation) {
  return pair_map_get(&replay->task_table, key_high(comm, number), generation);
}

const struct replay_task *replay_find_task(const struct replay *replay, uint32_t comm, uint32_t thread,
                                           uint32_t generation) {
  return find(replay, comm, thread, generation);
}

struct replay_task *replay_new_task(struct replay *replay) {
  uint32_t slot;
  struct replay_task *task = pool_new(&replay->tasks, &slot);
  *task = (struct replay_task){.id = ++replay->task_count,
                               .slot = slot,
                               .region = REPLAY_NONE,
                               .create_region = REPLAY_NONE,
                               .comm = REPLAY_NONE,
                               .thread = REPLAY_NONE,
                               .created_on = SIZE_MAX,
                               .started_on = SIZE_MAX,
                               .location = SIZE_MAX,
                               .frames = task->frames,
                               .frame_capacity = task->frame_capacity};
  return task;
}

void replay_drop_task(struct replay *replay, struct replay_task *task) {
  if (replay->links)
    replay_link_drop(replay, task);
  if (!task->is_implicit)
    pair_map_remove(&replay->task_table, key_high(task->comm, task->thread), task->generation);
  pool_put(&replay->tasks, task->slot);
}

static struct replay_task *new_explicit(struct replay *replay, uint32_t comm, uint32_t number,
                                        uint32_t generation) {
  struct replay_task *task = replay_new_task(replay);
  task->comm = comm;
  task->thread = number;
  task->generation = generation;
  pair_map_put(&replay->task_table, key_high(comm, number), generation, task);
  return task;
}

static void notify(const struct replay *replay, enum replay_task_step step, size_t location, uint64_t ticks,
                   const struct replay_task *task, const struct replay_task *other,
                   const struct trace_event *event) {
  struct replay_task_event happened = {step, location, ticks, task, other, event};
  if (replay->observer.task)
    replay->observer.task(replay->data, &happened);
}

static bool is_in_taskwait(const struct replay_task *task) {
  for (uint32_t i = 1; i <= 2 && i <= task->frame_count; i++)
    if (task->frames[task->frame_count - i].construct == CONSTRUCT_taskwait_depend)
      return true;
  return false;
}

/* The thread's explicit task stops running. */
static void stop(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                 uint64_t ticks) {
  struct replay_context *context = top_context(thread);
  replay_flush(replay, thread, ticks);
  replay_cut_slices(replay, thread, task, ticks);
  task->run_ticks += ticks - task->resumed_ticks;
  task->is_running = false;
  context->current = context->implicit;
}

/* Some writers know no Complete: a task whose region is over is complete when it is left. */
static bool is_over(const struct replay_task *task) {
  return task->has_left_region && task->frame_count == 0;
}

/* The task that runs there does so no more. Returns it if it is over, and to be dropped; else NULL. */
static struct replay_task *leave(struct replay *replay, struct replay_thread *thread,
                                 const struct trace_event *event, uint64_t ticks) {
  struct replay_task *task = top_context(thread)->current;
  size_t location = location_of(replay, thread);
  if (task->is_implicit)
    return NULL;
  stop(replay, thread, task, ticks);
  bool has_ended = is_over(task);
  if (has_ended && replay->links)
    replay_link_complete(replay, task, (struct replay_moment){ticks, location});
  notify(replay, has_ended ? REPLAY_TASK_COMPLETED : REPLAY_TASK_SUSPENDED, location, ticks, task, NULL,
         event);
  return has_ended ? task : NULL;
}

void replay_suspend_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                         uint64_t ticks) {
  struct replay_task *over = leave(replay, thread, event, ticks);
  if (over)
    replay_drop_task(replay, over);
}

void replay_create_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                        uint64_t ticks, uint32_t comm, uint32_t number, uint32_t generation) {
  const struct replay_task *creator = top_context(thread)->current;
  const struct replay_frame *frame = top_frame(creator);
  struct replay_task *known = find(replay, comm, number, generation);
  if (known) {
    replay->anomalies.unknown_task++;
    return;
  }
  struct replay_task *task = new_explicit(replay, comm, number, generation);
  task->is_created = true;
  task->creator = creator->id;
  task->creator_slot = creator->slot;
  task->created_on = location_of(replay, thread);
  task->created_ticks = ticks;
  task->create_region = frame ? frame->region : REPLAY_NONE;
  task->is_taskwait = is_in_taskwait(creator);
  if (replay->links)
    replay_link_create(replay, task, creator);
  notify(replay, REPLAY_TASK_CREATED, task->created_on, ticks, task, creator, event);
}

/* It runs elsewhere, by the trace: it cannot do so twice. */
static void suspend_on_other(struct replay *replay, struct replay_task *task, uint64_t ticks) {
  struct replay_thread *other = &replay->threads[task->location];
  replay->anomalies.unknown_task++;
  if (top_context(other)->current == task) {
    stop(replay, other, task, ticks > other->since_ticks ? ticks : other->since_ticks);
    other->activity = replay_activity(replay, task->location);
    return;
  }
  for (uint32_t i = 0; i < other->context_count; i++)
    if (other->contexts[i].current == task)
      other->contexts[i].current = other->contexts[i].implicit;
  task->is_running = false;
}

static void resume_frames(const struct replay_thread *thread, struct replay_task *task, uint64_t ticks) {
  uint32_t depth = replay_base_depth(thread);
  for (uint32_t i = 0; i < task->frame_count; i++) {
    task->frames[i].slice_ticks = ticks;
    task->frames[i].depth = (uint16_t)(depth + i < UINT16_MAX ? depth + i : UINT16_MAX);
  }
}

static void run(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                const struct replay_task *prior, const struct trace_event *event, uint64_t ticks) {
  size_t location = location_of(replay, thread);
  bool is_first = !task->has_started;
  top_context(thread)->current = task;
  top_context(thread)->has_run_task = replay->observer.link != NULL;
  if (is_first) {
    task->has_started = true;
    task->start_ticks = ticks;
    task->started_on = location;
  } else {
    task->resumptions++;
    task->migrations += task->location != location;
    resume_frames(thread, task, ticks);
  }
  task->location = location;
  task->resumed_ticks = ticks;
  task->is_running = true;
  if (is_first && replay->links)
    replay_link_begin(replay, task, (struct replay_moment){ticks, location});
  notify(replay, is_first ? REPLAY_TASK_STARTED : REPLAY_TASK_RESUMED, location, ticks, task, prior, event);
}

/* The implicit task goes on. */
static void come_back(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  struct replay_context *context = top_context(thread);
  if (context->has_run_task)
    replay_link_return(replay, context, (struct replay_moment){ticks, location_of(replay, thread)});
  context->has_run_task = false;
}

/* The task to switch to; NULL: the implicit one. */
static struct replay_task *next_task(struct replay *replay, uint32_t comm, uint32_t number,
                                     uint32_t generation) {
  if (generation == 0)
    return NULL;
  struct replay_task *task = find(replay, comm, number, generation);
  if (task)
    return task;
  replay->anomalies.unknown_task++;
  return new_explicit(replay, comm, number, generation);
}

void replay_switch_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                        uint64_t ticks, uint32_t comm, uint32_t number, uint32_t generation) {
  struct replay_task *task = next_task(replay, comm, number, generation);
  struct replay_task *prior = top_context(thread)->current;
  thread->is_between = false;
  if (!task && prior->is_implicit)
    come_back(replay, thread, ticks); /* which goes on elsewhere by now */
  if (task == prior || (!task && prior->is_implicit))
    return;
  if (task && task->is_running)
    suspend_on_other(replay, task, ticks);
  replay_flush(replay, thread, ticks);
  struct replay_task *over = leave(replay, thread, event, ticks);
  if (task)
    run(replay, thread, task, prior, event, ticks);
  if (over)
    replay_drop_task(replay, over);
  if (!task)
    come_back(replay, thread, ticks);
  thread->activity = replay_activity(replay, location_of(replay, thread));
}

void replay_complete_task(struct replay *replay, const struct trace_event *event, uint64_t ticks,
                          uint32_t comm, uint32_t number, uint32_t generation) {
  struct replay_task *task = find(replay, comm, number, generation);
  if (generation == 0)
    return;
  if (!task) {
    replay->anomalies.unknown_task++;
    return;
  }
  size_t location = task->is_running ? task->location : event->location;
  struct replay_thread *thread = &replay->threads[location];
  ticks = ticks > thread->last_ticks ? ticks : thread->last_ticks;
  if (task->is_running && top_context(thread)->current == task) {
    replay_leave_down_to(replay, thread, task, 0, ticks);
    stop(replay, thread, task, ticks);
    come_back(replay, thread, ticks);
    thread->activity = replay_activity(replay, location);
  } else if (task->is_running) {
    suspend_on_other(replay, task, ticks);
  }
  if (replay->links)
    replay_link_complete(replay, task, (struct replay_moment){ticks, location});
  notify(replay, REPLAY_TASK_COMPLETED, location, ticks, task, NULL, event);
  replay_drop_task(replay, task);
}
