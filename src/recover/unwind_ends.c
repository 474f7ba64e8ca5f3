#include "recover/unwind_ends.h"

/* Writes an event that the trace does not have; only who calls changes what is open. */
static void unwind_add(struct unwind *unwind, uint32_t index, uint64_t ticks, struct trace_event event) {
  event.location = index;
  event.ticks = ticks;
  unwind->added++;
  unwind->write(unwind->data, &event);
}

void unwind_act(struct unwind *unwind, uint32_t index, uint64_t ticks, struct trace_event event) {
  struct open_location *location = &unwind->locations[index];
  bool is_forked = location->last == TRACE_ThreadFork;
  location->ticks = ticks > location->ticks ? ticks : location->ticks;
  event.location = index;
  event.ticks = location->ticks;
  unwind_note(unwind, index, &event, is_forked);
  unwind_held_note(&unwind->held, &event);
  unwind_add(unwind, index, location->ticks, event);
}

/* OTF2 empties a list of attributes when it writes the event. */
void unwind_add_release(struct unwind *unwind, uint32_t index, uint64_t ticks,
                        const struct trace_event *release) {
  struct trace_event event = *release;
  uint32_t attribute = definitions_attribute(unwind->source.definitions, ATTRIBUTE_added);
  if (!unwind->mark)
    unwind->mark = OTF2_AttributeList_New();
  OTF2_AttributeList_RemoveAllAttributes(unwind->mark);
  OTF2_AttributeList_AddUint64(unwind->mark, attribute, 1);
  event.attributes = unwind->mark;
  unwind_act(unwind, index, ticks, event);
}

/* -- tasks -- */

static void leave_all(struct unwind *unwind, uint32_t index, struct open_task *task, uint64_t ticks) {
  while (task->count > 0)
    unwind_add(unwind, index, ticks,
               (struct trace_event){.kind = TRACE_Leave, .Leave = {task->regions[--task->count]}});
}

static void switch_to(struct unwind *unwind, uint32_t index, uint64_t ticks, uint32_t comm, uint32_t thread,
                      uint32_t generation) {
  unwind_add(
      unwind, index, ticks,
      (struct trace_event){.kind = TRACE_ThreadTaskSwitch, .ThreadTaskSwitch = {comm, thread, generation}});
}

/* Outside of all teams a location's tasks are those of a team of its own. */
static void switch_to_own(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct definitions *definitions = unwind->source.definitions;
  uint32_t comm = unwind_top(&unwind->locations[index])->comm;
  if (comm == OTF2_UNDEFINED_COMM)
    comm = definitions_comm(definitions, &index, 1, COMM_UNKNOWN, true);
  switch_to(unwind, index, ticks, comm, definitions_comm_rank(definitions, comm, index), 0);
}

/* At the end of the trace nobody knows whether the task was done. */
static void end_task(struct unwind *unwind, uint32_t index, struct open_task *task, uint64_t ticks) {
  leave_all(unwind, index, task, ticks);
  if (!unwind->is_ending)
    unwind_add(unwind, index, ticks,
               (struct trace_event){.kind = TRACE_ThreadTaskComplete,
                                    .ThreadTaskComplete = {task->comm, task->thread, task->generation}});
}

static void end_suspended(struct unwind *unwind, struct open_task *task, uint64_t ticks) {
  uint32_t index = task->location;
  struct level *level = unwind_top(&unwind->locations[index]);
  const struct open_task *running = level->current;
  if (task->count == 0 || task->running)
    return;
  switch_to(unwind, index, ticks, task->comm, task->thread, task->generation);
  end_task(unwind, index, task, ticks);
  if (running == level->own)
    switch_to_own(unwind, index, ticks);
  else
    switch_to(unwind, index, ticks, running->comm, running->thread, running->generation);
}

static void end_suspended_of(struct unwind *unwind, uint32_t index, uint32_t comm, uint64_t ticks) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(&unwind->tasks, &position));) {
    struct open_task *task = entry->value;
    if (task->location == index && task->comm == comm)
      end_suspended(unwind, task, ticks);
  }
}

void unwind_switch_to_own(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  struct level *level = unwind_top(location);
  if (level->current == level->own)
    return;
  switch_to_own(unwind, index, ticks);
  unwind_run(location, level->own);
}

/* -- levels -- */

/* The joins that are due. */
static void unwind_join(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  for (; location->joins > 0; location->joins--)
    unwind_add(unwind, index, ticks,
               (struct trace_event){.kind = TRACE_ThreadJoin, .ThreadJoin = {OTF2_PARADIGM_OPENMP}});
}

/* A team ends with a barrier: without one of its own, its primary would seem to end with the one that is its
 * last by chance, before the others do. */
static void add_barrier(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  const struct level *level = unwind_top(&unwind->locations[index]);
  if (unwind->is_ending || !level->is_forked || level->own->count != 1 || level->barrier_ticks == 0 ||
      level->barrier_ticks >= ticks ||
      !regions_is(unwind->source.regions, level->barrier, CONSTRUCT_implicit_barrier))
    return;
  unwind_add(unwind, index, ticks, (struct trace_event){.kind = TRACE_Enter, .Enter = {level->barrier}});
  unwind_add(unwind, index, ticks, (struct trace_event){.kind = TRACE_Leave, .Leave = {level->barrier}});
}

static void end_current(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct level *level = unwind_top(&unwind->locations[index]);
  unwind_join(unwind, index, ticks);
  if (level->current != level->own) {
    end_task(unwind, index, level->current, ticks);
    unwind_switch_to_own(unwind, index, ticks);
  }
  add_barrier(unwind, index, ticks);
  leave_all(unwind, index, level->own, ticks);
}

static void end_level(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  end_current(unwind, index, ticks);
  unwind_add(
      unwind, index, ticks,
      (struct trace_event){.kind = TRACE_ThreadTeamEnd, .ThreadTeamEnd = {unwind_top(location)->comm}});
  location->ticks = ticks;
  unwind_team_ends(unwind, index, ticks);
}

/* -- in the middle of the trace -- */

static void end_members(struct unwind *unwind, uint32_t primary, struct level team, uint64_t ticks) {
  size_t count;
  const uint32_t *members = definitions_comm_members(unwind->source.definitions, team.comm, &count);
  for (size_t i = 0; i < count; i++) {
    bool is_known = members[i] < unwind->source.location_count && members[i] != primary;
    struct open_location *member = is_known ? &unwind->locations[members[i]] : NULL;
    const struct level *level =
        member && member->is_over ? unwind_level(member, team.comm, team.instance) : NULL;
    if (level)
      unwind_end_through(unwind, members[i], level, ticks);
  }
}

/* Members may be each other's primaries where the numbers are damaged. */
static bool end_innermost(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  struct level *level = unwind_top(location);
  size_t count = location->count;
  if (level->is_ending)
    return false;
  level->is_ending = true;
  if (level->is_forked)
    end_members(unwind, index, *level, ticks);
  if (location->count != count)
    return false;
  end_suspended_of(unwind, index, level->comm, ticks);
  end_level(unwind, index, ticks);
  unwind_join(unwind, index, ticks);
  return true;
}

void unwind_end_through(struct unwind *unwind, uint32_t index, const struct level *level, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  size_t left = (size_t)(level - location->levels);
  unwind_flush_pending(unwind, index);
  ticks = ticks > location->ticks ? ticks : location->ticks;
  while (location->count > left && end_innermost(unwind, index, ticks))
    ;
}

static void enter_program(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  uint32_t region = regions_get(unwind->source.regions, CONSTRUCT_program, 0, 0);
  unwind_act(unwind, index, ticks, (struct trace_event){.kind = TRACE_Enter, .Enter = {region}});
}

static void leave_innermost(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  const struct open_task *task = unwind_top(&unwind->locations[index])->current;
  unwind_act(unwind, index, ticks,
             (struct trace_event){.kind = TRACE_Leave, .Leave = {task->regions[task->count - 1]}});
}

/* No switch follows if it was not the running one. */
static void switch_from_completed(struct unwind *unwind, uint32_t index) {
  struct open_location *location = &unwind->locations[index];
  if (location->is_between_tasks)
    switch_to_own(unwind, index, location->ticks);
  location->is_between_tasks = false;
}

void unwind_flush_pending(struct unwind *unwind, uint32_t index) {
  struct open_location *location = &unwind->locations[index];
  struct level *level = unwind_top(location);
  bool is_own = level->current == level->own;
  if (location->is_tidy)
    return;
  location->is_tidy = true;
  switch ((unsigned)location->last) { /* the others are complete in themselves */
  case TRACE_ProgramBegin:
    enter_program(unwind, index, location->ticks);
    return;
  case TRACE_Enter: /* but not of the region of a team, a task or the program */
  case TRACE_ThreadTaskCreate:
    if (level->current->count > 1)
      leave_innermost(unwind, index, location->ticks);
    return;
  case TRACE_ThreadTaskComplete:
    switch_from_completed(unwind, index);
    return;
  case TRACE_Leave: /* of the team's region, or the task's */
    if (level->current->count == 0 && !is_own) {
      end_task(unwind, index, level->current, location->ticks);
      unwind_switch_to_own(unwind, index, location->ticks);
    } else if (level->own->count == 0 && is_own && location->count > 1) {
      unwind_end_through(unwind, index, level, location->ticks);
    }
    return;
  case TRACE_ThreadTeamEnd:
    unwind_join(unwind, index, location->ticks);
    return;
  }
}

/* -- at its end -- */

/* When the team has ended: with its primary, or now. */
static uint64_t end_ticks(struct unwind *unwind, const struct open_location *location,
                          const struct level *level, uint64_t now) {
  const struct team_end *end = level->is_forked ? NULL : unwind_end_of(unwind, level->comm);
  if (!end || end->count < level->instance)
    return now;
  return end->ticks > location->ticks ? end->ticks : location->ticks;
}

static void end_location(struct unwind *unwind, uint32_t index, uint64_t now) {
  struct open_location *location = &unwind->locations[index];
  while (location->count > 1)
    end_level(unwind, index, end_ticks(unwind, location, unwind_top(location), now));
  end_current(unwind, index, now);
  if (location->is_program)
    unwind_add(unwind, index, now,
               (struct trace_event){.kind = TRACE_ProgramEnd, .ProgramEnd = {OTF2_UNDEFINED_INT64}});
}

static void add_now(void *data, const struct trace_event *event) {
  struct unwind *unwind = data;
  if (event->kind == TRACE_ThreadReleaseLock)
    unwind_add_release(unwind, (uint32_t)event->location, unwind->end_ticks, event);
  else
    unwind_add(unwind, (uint32_t)event->location, unwind->end_ticks, *event);
}

void unwind_end_all(struct unwind *unwind, uint64_t ticks) {
  size_t position = 0;
  unwind->end_ticks = ticks;
  unwind->is_ending = true;
  unwind_held_end(&unwind->held, add_now, unwind);
  for (struct map_entry *entry; (entry = map_next(&unwind->tasks, &position));)
    end_suspended(unwind, entry->value, ticks);
  for (size_t i = unwind->source.location_count; i-- > 0;)
    end_location(unwind, (uint32_t)i, ticks);
}
