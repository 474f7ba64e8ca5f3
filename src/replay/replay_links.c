/* Links: what lets a location go on, or begin something. What they lead from is kept here until it is known
 * where they lead to: by task, by barrier, by lock. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "replay/replay_state.h"

/* A task that was created, or has created one, while it lives. */
struct linked_task {
  uint64_t id;                    /* 0: none */
  struct dependences_task *sinks; /* which have to wait for it */
  size_t sink_count;
  struct replay_moment *sources; /* where those were complete that it had to wait for */
  size_t source_count;
  struct replay_moment last_child; /* of those that are complete; ticks 0: none */
};

/* What a location created last: dependences that it enters are that task's. */
struct link_maker {
  struct dependences_task created;
  uint64_t creator; /* 0: nothing yet */
};

struct replay_links {
  struct dependences *dependences;
  struct linked_task *tasks; /* by slot */
  size_t task_count;
  struct link_maker *makers; /* by location */
  struct pair_map released;  /* by lock: a struct replay_moment */
  uint64_t address;          /* ref of the attribute that has a dependence's */
  size_t early_count;
  struct link_early {
    uint64_t team; /* which the location has started before its primary did; 0: none */
    uint64_t ticks, since;
  } * early; /* by location */
};

static void add(const struct replay *replay, enum replay_link_kind kind, struct replay_moment from,
                struct replay_moment to, uint64_t since, bool has_waited) {
  struct replay_link link = {kind, from, to, since, has_waited};
  if (replay->observer.link)
    replay->observer.link(replay->data, &link);
}

static uint64_t busy_until(const struct replay *replay, size_t location) {
  return replay->threads[location].busy_until;
}

/* -- tasks -- */

/* NULL: it is complete, or nothing of it is known. */
static struct linked_task *living(const struct replay_links *links, uint32_t slot, uint64_t id) {
  struct linked_task *found = slot < links->task_count ? &links->tasks[slot] : NULL;
  return found && id > 0 && found->id == id ? found : NULL;
}

static void empty(struct linked_task *task) {
  free(task->sinks);
  free(task->sources);
  *task = (struct linked_task){0};
}

static void learn(struct replay *replay, const struct replay_task *task) {
  struct replay_links *links = replay->links;
  if (living(links, task->slot, task->id))
    return;
  array_reserve_zeroed(&links->tasks, &links->task_count, (size_t)task->slot + 1, sizeof *links->tasks);
  empty(&links->tasks[task->slot]);
  links->tasks[task->slot].id = task->id;
}

void replay_link_create(struct replay *replay, const struct replay_task *task,
                        const struct replay_task *creator) {
  learn(replay, task);
  learn(replay, creator);
  replay->links->makers[task->created_on] = (struct link_maker){replay_task_name(task), creator->id};
}

/* Of what it needed the last one lets it begin, if the thread has waited then: tasks complete one after
 * another. */
void replay_link_begin(struct replay *replay, const struct replay_task *task, struct replay_moment now) {
  const struct linked_task *linked = living(replay->links, task->slot, task->id);
  struct replay_moment created = {task->created_ticks, task->created_on};
  uint64_t since = busy_until(replay, now.location);
  size_t count = linked ? linked->source_count : 0;
  uint64_t last = count > 0 ? linked->sources[count - 1].ticks : 0;
  for (size_t i = 0; i < count; i++)
    add(replay, REPLAY_LINK_DEPENDENCE, linked->sources[i], now, since,
        i + 1 == count && last > created.ticks && last > since);
  if (task->is_created && created.ticks > since && last <= created.ticks)
    add(replay, REPLAY_LINK_CREATION, created, now, since, true);
}

static void satisfy_sinks(struct replay *replay, const struct linked_task *source, struct replay_moment now) {
  for (size_t i = 0; i < source->sink_count; i++) {
    struct linked_task *sink = living(replay->links, source->sinks[i].slot, source->sinks[i].id);
    if (sink)
      *(struct replay_moment *)array_add(&sink->sources, &sink->source_count, sizeof now) = now;
  }
}

void replay_link_complete(struct replay *replay, const struct replay_task *task, struct replay_moment now) {
  const struct linked_task *linked = living(replay->links, task->slot, task->id);
  struct linked_task *creator = living(replay->links, task->creator_slot, task->creator);
  if (creator)
    creator->last_child = now;
  if (linked)
    satisfy_sinks(replay, linked, now);
}

void replay_link_drop(struct replay *replay, const struct replay_task *task) {
  struct linked_task *linked = living(replay->links, task->slot, task->id);
  if (!linked)
    return;
  dependences_forget(replay->links->dependences, task->id);
  empty(linked);
}

void replay_link_end_wait(struct replay *replay, const struct replay_task *task, struct replay_moment now) {
  const struct linked_task *linked = living(replay->links, task->slot, task->id);
  uint64_t since = busy_until(replay, now.location);
  if (linked && linked->last_child.ticks > since)
    add(replay, REPLAY_LINK_TASKS, linked->last_child, now, since, true);
}

/* -- dependences -- */

static bool is_living(void *data, struct dependences_task task) {
  const struct replay *replay = data;
  return living(replay->links, task.slot, task.id) != NULL;
}

/* A pair may come again, one after the other. */
static void on_before(void *data, struct dependences_task source, struct dependences_task sink,
                      uint64_t address) {
  struct replay *replay = data;
  struct linked_task *task = living(replay->links, source.slot, source.id);
  if (replay->observer.dependence)
    replay->observer.dependence(replay->data, source, sink, address);
  if (!replay->observer.link || !task ||
      (task->sink_count > 0 && task->sinks[task->sink_count - 1].id == sink.id))
    return;
  *(struct dependences_task *)array_add(&task->sinks, &task->sink_count, sizeof sink) = sink;
}

static void on_exclusive(void *data, struct dependences_task task, uint64_t set) {
  const struct replay *replay = data;
  replay->observer.exclusive(replay->data, task, set);
}

void replay_link_depend(struct replay *replay, const struct trace_event *event, enum construct construct) {
  struct replay_links *links = replay->links;
  const struct link_maker *maker = &links->makers[event->location];
  uint32_t count = maker->creator > 0 ? trace_event_attribute_count(event) : 0;
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    if (value.attribute == links->address)
      dependences_add(links->dependences, maker->creator, maker->created, construct, value.number);
  }
}

/* -- barriers -- */

static struct replay_moment *last_of(const struct replay_context *context) {
  return &context->team->rounds[(context->barriers - 1) % REPLAY_ROUNDS].ready;
}

void replay_link_arrive(struct replay *replay, struct replay_context *context, struct replay_moment now) {
  (void)replay;
  context->is_in_barrier = true;
  context->waiting_since = now.ticks;
  *last_of(context) = now;
}

void replay_link_return(struct replay *replay, struct replay_context *context, struct replay_moment now) {
  if (context->team && context->is_in_barrier)
    replay_link_arrive(replay, context, now);
}

void replay_link_pass(struct replay *replay, struct replay_context *context, struct replay_moment now) {
  context->is_in_barrier = false;
  if (last_of(context)->ticks > context->waiting_since)
    add(replay, REPLAY_LINK_BARRIER, *last_of(context), now, context->waiting_since, true);
}

/* -- locks -- */

static void note_release(struct replay *replay, const struct replay_lock_event *event) {
  struct replay_moment *released = pair_map_get(&replay->links->released, event->lock, 0);
  if (!released) {
    released = memory_get(1, sizeof *released);
    pair_map_put(&replay->links->released, event->lock, 0, released);
  }
  *released = (struct replay_moment){event->ticks, event->location};
}

void replay_link_lock(struct replay *replay, const struct replay_lock_event *event) {
  const struct replay_moment *released = pair_map_get(&replay->links->released, event->lock, 0);
  struct replay_moment now = {event->acquired_ticks, event->location};
  if (event->step == REPLAY_LOCK_RELEASED)
    note_release(replay, event);
  else if (released && event->requested_ticks < event->acquired_ticks &&
           released->ticks > event->requested_ticks)
    add(replay, REPLAY_LINK_LOCK, *released, now, event->requested_ticks, true);
}

/* -- forks -- */

/* Who has forked is known when that location begins the team. */
static void link_early(struct replay *replay, const struct replay_team *team) {
  struct replay_links *links = replay->links;
  struct replay_moment fork = {team->fork_ticks, team->primary};
  for (size_t i = 0; i < replay->trace->location_count && links->early_count > 0; i++) {
    struct link_early *early = &links->early[i];
    if (early->team != team->id)
      continue;
    add(replay, REPLAY_LINK_FORK, fork, (struct replay_moment){early->ticks, i}, early->since, true);
    early->team = 0;
    links->early_count--;
  }
}

void replay_link_fork(struct replay *replay, const struct replay_team *team, struct replay_moment now) {
  struct link_early *early = &replay->links->early[now.location];
  uint64_t since = busy_until(replay, now.location);
  if (team->primary == SIZE_MAX) {
    replay->links->early_count += early->team == 0;
    *early = (struct link_early){team->id, now.ticks, since};
    return;
  }
  add(replay, REPLAY_LINK_FORK, (struct replay_moment){team->fork_ticks, team->primary}, now, since, true);
  if (now.location == team->primary)
    link_early(replay, team);
}

/* -- all -- */

static bool has_dependences(const struct replay *replay) {
  bool is_any = false;
  for (size_t i = 0; i < replay->trace->region_count; i++)
    is_any |= construct_class((enum construct)replay->meanings[i].construct) == CONSTRUCT_CLASS_depend;
  return is_any && (replay->observer.link || replay->observer.dependence);
}

static uint64_t address_attribute(const struct trace *trace) {
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (strcmp(trace->attributes[i].name, "dependence address") == 0)
      return trace->attributes[i].ref;
  return TRACE_NO_REF;
}

void replay_links_open(struct replay *replay) {
  const struct replay_observer *observer = &replay->observer;
  const struct dependences_observer of_clauses = {.before = on_before,
                                                  .exclusive = observer->exclusive ? on_exclusive : NULL,
                                                  .is_requested =
                                                      observer->with_complete_sources ? NULL : is_living};
  if (!observer->link && !has_dependences(replay))
    return;
  struct replay_links *links = replay->links = memory_get(1, sizeof *links);
  links->address = address_attribute(replay->trace);
  links->dependences = dependences_create(&of_clauses, replay);
  links->makers = memory_get(replay->trace->location_count, sizeof *links->makers);
  links->early = memory_get(replay->trace->location_count, sizeof *links->early);
}

void replay_links_close(struct replay *replay) {
  struct replay_links *links = replay->links;
  if (!links)
    return;
  for (size_t i = 0; i < links->task_count; i++)
    empty(&links->tasks[i]);
  for (size_t i = 0; i < links->released.capacity; i++)
    free(links->released.entries[i].value);
  pair_map_free(&links->released);
  dependences_free(links->dependences);
  free(links->tasks);
  free(links->makers);
  free(links->early);
  free(links);
}
