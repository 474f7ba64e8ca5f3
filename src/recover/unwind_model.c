#include "recover/unwind_model.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

/* -- levels -- */

struct level *unwind_top(struct open_location *location) {
  return &location->levels[location->count - 1];
}

struct level *unwind_level(struct open_location *location, uint32_t comm, uint64_t instance) {
  for (size_t i = location->count; i-- > 1;)
    if (location->levels[i].comm == comm && location->levels[i].instance == instance)
      return &location->levels[i];
  return NULL;
}

static void push_level(struct open_location *location, struct level level) {
  array_reserve_zeroed(&location->levels, &location->capacity, location->count + 1, sizeof *location->levels);
  level.own = level.current = memory_get(1, sizeof *level.own);
  location->levels[location->count++] = level;
}

static void free_task(struct open_task *task) {
  free(task->regions);
  free(task);
}

static void pop_level(struct open_location *location) {
  struct level *level = unwind_top(location);
  if (level->current != level->own)
    level->current->running--;
  free_task(level->own);
  location->count--;
}

void unwind_model_begin(struct open_location *location) {
  push_level(location, (struct level){.comm = OTF2_UNDEFINED_COMM});
}

void unwind_model_close(struct unwind *unwind) {
  size_t position = 0;
  for (size_t i = 0; i < unwind->source.location_count; i++) {
    while (unwind->locations[i].count)
      pop_level(&unwind->locations[i]);
    free(unwind->locations[i].levels);
  }
  for (struct map_entry *entry; (entry = map_next(&unwind->tasks, &position));)
    free_task(entry->value);
  map_clear(&unwind->tasks);
  map_clear(&unwind->instances);
  free(unwind->ends);
}

/* -- tasks -- */

static struct open_task *find_task(const struct unwind *unwind, uint32_t comm, uint32_t thread,
                                   uint32_t generation, uint64_t *ret_key) {
  struct open_task *task;
  *ret_key = (((uint64_t)comm << 32 | thread) * UINT64_C(0x9e3779b97f4a7c15)) ^ generation;
  for (; (task = map_get(&unwind->tasks, *ret_key)); ++*ret_key)
    if (task->comm == comm && task->thread == thread && task->generation == generation)
      break;
  return task;
}

struct open_task *unwind_known_task(const struct unwind *unwind, uint32_t comm, uint32_t thread,
                                    uint32_t generation) {
  uint64_t key;
  return find_task(unwind, comm, thread, generation, &key);
}

struct open_task *unwind_task(struct unwind *unwind, uint32_t comm, uint32_t thread, uint32_t generation) {
  uint64_t key;
  struct open_task *task = find_task(unwind, comm, thread, generation, &key);
  if (task)
    return task;
  task = memory_get(1, sizeof *task);
  *task = (struct open_task){.comm = comm, .thread = thread, .generation = generation, .key = key};
  map_put(&unwind->tasks, key, task);
  return task;
}

void unwind_run(struct open_location *location, struct open_task *task) {
  struct level *level = unwind_top(location);
  if (level->current != level->own)
    level->current->running--;
  level->current = task;
  if (task != level->own)
    task->running++;
}

static void on_switch(struct unwind *unwind, uint32_t index, const struct trace_event *event) {
  struct open_location *location = &unwind->locations[index];
  if (event->ThreadTaskSwitch.generation == 0) {
    unwind_run(location, unwind_top(location)->own);
    return;
  }
  struct open_task *task = unwind_task(unwind, event->ThreadTaskSwitch.comm, event->ThreadTaskSwitch.thread,
                                       event->ThreadTaskSwitch.generation);
  task->location = index;
  unwind_run(location, task);
}

/* It is forgotten unless another level runs it, which a damaged trace may report. */
static void on_complete(struct unwind *unwind, struct open_location *location,
                        const struct trace_event *event) {
  struct open_task *task =
      unwind_known_task(unwind, event->ThreadTaskComplete.comm, event->ThreadTaskComplete.thread,
                        event->ThreadTaskComplete.generation);
  if (!task)
    return;
  location->is_between_tasks = unwind_top(location)->current == task;
  if (location->is_between_tasks)
    unwind_run(location, unwind_top(location)->own);
  task->count = 0;
  if (task->running)
    return;
  map_remove(&unwind->tasks, task->key);
  free_task(task);
}

static void on_enter(struct level *level, uint32_t region) {
  struct open_task *task = level->current;
  array_reserve_zeroed(&task->regions, &task->capacity, task->count + 1, sizeof *task->regions);
  task->regions[task->count++] = region;
  if (level->region == OTF2_UNDEFINED_REGION)
    level->region = region;
}

static void on_leave(struct level *level, uint32_t region, uint64_t ticks) {
  level->current->count -= level->current->count > 0;
  if (level->current->count != 1)
    return;
  level->barrier_ticks = ticks;
  level->barrier = region;
}

/* -- teams -- */

uint64_t unwind_instances(const struct unwind *unwind, uint32_t comm, uint32_t index) {
  return (uintptr_t)map_get(&unwind->instances, (uint64_t)comm << 32 | index);
}

struct team_end *unwind_end_of(struct unwind *unwind, uint32_t comm) {
  if (comm >= definitions_comm_count(unwind->source.definitions))
    return NULL;
  array_reserve_zeroed(&unwind->ends, &unwind->end_capacity, comm + 1u, sizeof *unwind->ends);
  return &unwind->ends[comm];
}

static void on_team_begin(struct unwind *unwind, uint32_t index, uint32_t comm, bool is_forked) {
  uintptr_t instance = (uintptr_t)unwind_instances(unwind, comm, index) + 1;
  map_put(&unwind->instances, (uint64_t)comm << 32 | index, (void *)instance);
  push_level(&unwind->locations[index], (struct level){.comm = comm,
                                                       .instance = instance,
                                                       .is_forked = is_forked,
                                                       .region = OTF2_UNDEFINED_REGION});
}

void unwind_team_ends(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  if (location->count == 1)
    return;
  struct level *level = unwind_top(location);
  struct team_end *end = level->is_forked ? unwind_end_of(unwind, level->comm) : NULL;
  if (end)
    *end = (struct team_end){level->instance, ticks};
  location->joins += level->is_forked;
  pop_level(location);
}

/* -- events -- */

void unwind_note(struct unwind *unwind, uint32_t index, const struct trace_event *event, bool is_forked) {
  struct open_location *location = &unwind->locations[index];
  location->last = event->kind;
  location->is_between_tasks = false;
  switch ((unsigned)event->kind) { /* only what opens or ends something */
  case TRACE_ProgramBegin:
    location->is_program = true;
    return;
  case TRACE_ProgramEnd:
    location->is_program = false;
    return;
  case TRACE_Enter:
    on_enter(unwind_top(location), event->Enter.region);
    return;
  case TRACE_Leave:
    on_leave(unwind_top(location), event->Leave.region, event->ticks);
    return;
  case TRACE_ThreadTeamBegin:
    on_team_begin(unwind, index, event->ThreadTeamBegin.comm, is_forked);
    return;
  case TRACE_ThreadTeamEnd:
    unwind_team_ends(unwind, index, event->ticks);
    return;
  case TRACE_ThreadJoin:
    location->joins -= location->joins > 0;
    return;
  case TRACE_ThreadTaskSwitch:
    on_switch(unwind, index, event);
    return;
  case TRACE_ThreadTaskComplete:
    on_complete(unwind, location, event);
    return;
  }
}
