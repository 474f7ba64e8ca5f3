#include "recover/unwind.h"

#include <stdlib.h>

#include <otf2/otf2.h>

#include "base/map.h"
#include "base/memory.h"
#include "recover/unwind_held.h"

struct open_task {
  uint32_t comm, thread, generation;
  uint32_t location; /* where it ran last */
  uint64_t key;
  unsigned running; /* levels that run it */
  uint32_t *regions;
  size_t count, capacity;
};

struct level {
  uint32_t comm;
  uint64_t instance;      /* this is the n-th team of this comm on this location, from 1 */
  bool is_forked;         /* on this location, and so is its join */
  uint32_t region;        /* that was entered first */
  uint64_t barrier_ticks; /* of the last end of what stands in that region: its barrier; 0: none has ended */
  struct open_task *own, *current;
};

struct open_location {
  struct level *levels; /* the first one is outside of all teams */
  size_t count, capacity;
  uint64_t ticks;
  unsigned joins; /* due */
  bool is_program, has_events;
  /* a fork, held back until it is known that a team follows, and what came behind it */
  struct trace_event *waiting;
  size_t waiting_count, waiting_capacity;
};

/* A team's end on its primary: workers end then, though their events come later. */
struct team_end {
  uint64_t count, ticks;
};

struct unwind {
  struct definitions *definitions;
  struct open_location *locations;
  size_t location_count;
  unwind_write write;
  void *data;
  struct map tasks;      /* explicit ones */
  struct map instances;  /* comm and location -> how many teams have begun */
  struct team_end *ends; /* by comm */
  size_t end_capacity;
  struct unwind_held held;
  uint64_t end_ticks; /* the trace's, once it ends */
  uint64_t added, left_out;
};

static struct level *top(struct open_location *location) {
  return &location->levels[location->count - 1];
}

static void push_level(struct open_location *location, struct level level) {
  memory_grow(&location->levels, &location->capacity, location->count + 1, sizeof *location->levels);
  level.own = level.current = memory_get(1, sizeof *level.own);
  location->levels[location->count++] = level;
}

static void free_task(struct open_task *task) {
  free(task->regions);
  free(task);
}

static void pop_level(struct open_location *location) {
  struct level *level = top(location);
  if (level->current != level->own)
    level->current->running--;
  free_task(level->own);
  location->count--;
}

struct unwind *unwind_open(struct definitions *definitions, size_t locations, unwind_write write,
                           void *data) {
  struct unwind *unwind = memory_get(1, sizeof *unwind);
  *unwind = (struct unwind){.definitions = definitions,
                            .locations = memory_get(locations, sizeof *unwind->locations),
                            .location_count = locations,
                            .write = write,
                            .data = data};
  for (size_t i = 0; i < locations; i++)
    push_level(&unwind->locations[i], (struct level){.comm = OTF2_UNDEFINED_COMM});
  return unwind;
}

static void drop_waiting(struct open_location *location) {
  for (size_t i = 0; i < location->waiting_count; i++)
    OTF2_AttributeList_Delete((OTF2_AttributeList *)location->waiting[i].attributes);
  location->waiting_count = 0;
}

void unwind_close(struct unwind *unwind) {
  size_t position = 0;
  if (!unwind)
    return;
  for (size_t i = 0; i < unwind->location_count; i++) {
    while (unwind->locations[i].count)
      pop_level(&unwind->locations[i]);
    drop_waiting(&unwind->locations[i]);
    free(unwind->locations[i].waiting);
    free(unwind->locations[i].levels);
  }
  for (struct map_entry *entry; (entry = map_next(&unwind->tasks, &position));)
    free_task(entry->value);
  map_clear(&unwind->tasks);
  map_clear(&unwind->instances);
  free(unwind->ends);
  unwind_held_close(&unwind->held);
  free(unwind->locations);
  free(unwind);
}

/* -- tasks -- */

static struct open_task *find_task(struct unwind *unwind, uint32_t comm, uint32_t thread, uint32_t generation,
                                   uint64_t *ret_key) {
  struct open_task *task;
  *ret_key = (((uint64_t)comm << 32 | thread) * UINT64_C(0x9e3779b97f4a7c15)) ^ generation;
  for (; (task = map_get(&unwind->tasks, *ret_key)); ++*ret_key)
    if (task->comm == comm && task->thread == thread && task->generation == generation)
      break;
  return task;
}

static struct open_task *get_task(struct unwind *unwind, uint32_t comm, uint32_t thread,
                                  uint32_t generation) {
  uint64_t key;
  struct open_task *task = find_task(unwind, comm, thread, generation, &key);
  if (task)
    return task;
  task = memory_get(1, sizeof *task);
  *task = (struct open_task){.comm = comm, .thread = thread, .generation = generation, .key = key};
  map_put(&unwind->tasks, key, task);
  return task;
}

static void run(struct open_location *location, struct open_task *task) {
  struct level *level = top(location);
  if (level->current != level->own)
    level->current->running--;
  level->current = task;
  if (task != level->own)
    task->running++;
}

static void on_switch(struct unwind *unwind, uint32_t index, const struct trace_event *event) {
  struct open_location *location = &unwind->locations[index];
  if (event->ThreadTaskSwitch.generation == 0) {
    run(location, top(location)->own);
    return;
  }
  struct open_task *task = get_task(unwind, event->ThreadTaskSwitch.comm, event->ThreadTaskSwitch.thread,
                                    event->ThreadTaskSwitch.generation);
  task->location = index;
  run(location, task);
}

/* It is forgotten unless another level runs it, which a damaged trace may say. */
static void on_complete(struct unwind *unwind, struct open_location *location,
                        const struct trace_event *event) {
  uint64_t key;
  struct open_task *task = find_task(unwind, event->ThreadTaskComplete.comm, event->ThreadTaskComplete.thread,
                                     event->ThreadTaskComplete.generation, &key);
  if (!task)
    return;
  if (top(location)->current == task)
    run(location, top(location)->own);
  task->count = 0;
  if (task->running)
    return;
  map_remove(&unwind->tasks, task->key);
  free_task(task);
}

static void enter(struct open_task *task, uint32_t region) {
  memory_grow(&task->regions, &task->capacity, task->count + 1, sizeof *task->regions);
  task->regions[task->count++] = region;
}

/* -- teams -- */

static struct team_end *end_of(struct unwind *unwind, uint32_t comm) {
  if (comm >= definitions_comm_count(unwind->definitions))
    return NULL;
  memory_grow(&unwind->ends, &unwind->end_capacity, comm + 1u, sizeof *unwind->ends);
  return &unwind->ends[comm];
}

static void on_team_begin(struct unwind *unwind, uint32_t index, uint32_t comm, bool is_forked) {
  uint64_t key = (uint64_t)comm << 32 | index;
  uintptr_t instance = (uintptr_t)map_get(&unwind->instances, key) + 1;
  map_put(&unwind->instances, key, (void *)instance);
  push_level(&unwind->locations[index], (struct level){.comm = comm,
                                                       .instance = instance,
                                                       .is_forked = is_forked,
                                                       .region = OTF2_UNDEFINED_REGION});
}

static void on_team_end(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  if (location->count == 1)
    return;
  struct level *level = top(location);
  struct team_end *end = level->is_forked ? end_of(unwind, level->comm) : NULL;
  if (end)
    *end = (struct team_end){level->instance, ticks};
  location->joins += level->is_forked;
  pop_level(location);
}

static void add(struct unwind *unwind, uint32_t index, uint64_t ticks, struct trace_event event) {
  event.location = index;
  event.ticks = ticks;
  event.attributes = NULL;
  unwind->added++;
  unwind->write(unwind->data, &event);
}

/* -- members that are missing -- */

/* A thread whose events are all gone is in the team when the primary leaves its barrier: readers count on all
 * members.
 */
static void add_absent(struct unwind *unwind, struct level primary, uint64_t ticks) {
  const struct trace_event events[] = {
      {.kind = TRACE_ThreadTeamBegin, .ThreadTeamBegin = {primary.comm}},
      {.kind = TRACE_Enter, .Enter = {primary.region}},
      {.kind = TRACE_Leave, .Leave = {primary.region}},
      {.kind = TRACE_ThreadTeamEnd, .ThreadTeamEnd = {primary.comm}},
  };
  size_t count;
  const uint32_t *members = definitions_comm_members(unwind->definitions, primary.comm, &count);
  ticks = primary.barrier_ticks ? primary.barrier_ticks : ticks;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
      if (members[i] < unwind->location_count && !unwind->locations[members[i]].has_events)
        add(unwind, members[i], ticks, events[k]);
}

/* -- events -- */

static void note(struct unwind *unwind, uint32_t index, const struct trace_event *event, bool is_forked) {
  struct open_location *location = &unwind->locations[index];
  struct open_task *task = top(location)->current;
  switch ((unsigned)event->kind) { /* only what opens or ends something */
  case TRACE_ProgramBegin:
    location->is_program = true;
    return;
  case TRACE_ProgramEnd:
    location->is_program = false;
    return;
  case TRACE_Enter:
    enter(task, event->Enter.region);
    if (top(location)->region == OTF2_UNDEFINED_REGION)
      top(location)->region = event->Enter.region;
    return;
  case TRACE_Leave:
    task->count -= task->count > 0;
    if (task->count == 1)
      top(location)->barrier_ticks = event->ticks;
    return;
  case TRACE_ThreadTeamBegin:
    on_team_begin(unwind, index, event->ThreadTeamBegin.comm, is_forked);
    return;
  case TRACE_ThreadTeamEnd:
    on_team_end(unwind, index, event->ticks);
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

/* -- forks -- */

/* May come between a fork and the team's begin. */
static bool is_point(const struct trace_event *event) {
  return event->kind == TRACE_CallingContextSample || event->kind == TRACE_MeasurementOnOff ||
         event->kind == TRACE_BufferFlush;
}

static OTF2_AttributeList *copy_attributes(const struct trace_event *event) {
  const OTF2_AttributeList *from = event->attributes;
  OTF2_AttributeList *copy = from ? OTF2_AttributeList_New() : NULL;
  for (uint32_t i = 0; copy && i < OTF2_AttributeList_GetNumberOfElements(from); i++) {
    OTF2_AttributeRef attribute;
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (OTF2_AttributeList_GetAttributeByIndex(from, i, &attribute, &type, &value) == OTF2_SUCCESS)
      OTF2_AttributeList_AddAttribute(copy, attribute, type, value);
  }
  return copy;
}

static void wait(struct open_location *location, const struct trace_event *event) {
  memory_grow(&location->waiting, &location->waiting_capacity, location->waiting_count + 1,
              sizeof *location->waiting);
  struct trace_event *waiting = &location->waiting[location->waiting_count++];
  *waiting = *event;
  waiting->attributes = copy_attributes(event);
}

static bool must_wait(const struct open_location *location, const struct trace_event *event) {
  return event->kind == TRACE_ThreadFork || (location->waiting_count > 0 && is_point(event));
}

static void write_waiting(struct unwind *unwind, struct open_location *location, size_t first) {
  for (size_t i = first; i < location->waiting_count; i++)
    unwind->write(unwind->data, &location->waiting[i]);
  drop_waiting(location);
}

void unwind_event(struct unwind *unwind, const struct trace_event *event) {
  uint32_t index = (uint32_t)event->location;
  struct open_location *location = &unwind->locations[index];
  bool is_forked = location->waiting_count > 0;
  location->ticks = event->ticks;
  location->has_events = true;
  if (event->kind == TRACE_ThreadTeamEnd && top(location)->is_forked)
    add_absent(unwind, *top(location), event->ticks);
  if (event->kind == TRACE_ThreadFork)
    write_waiting(unwind, location, 0);
  if (must_wait(location, event)) {
    wait(location, event);
    return;
  }
  write_waiting(unwind, location, 0);
  note(unwind, index, event, is_forked);
  unwind_held_note(&unwind->held, event);
  unwind->write(unwind->data, event);
}

/* -- the end -- */

static void leave_all(struct unwind *unwind, uint32_t index, struct open_task *task, uint64_t ticks) {
  while (task->count > 0)
    add(unwind, index, ticks,
        (struct trace_event){.kind = TRACE_Leave, .Leave = {task->regions[--task->count]}});
}

static void switch_to(struct unwind *unwind, uint32_t index, uint64_t ticks, uint32_t comm, uint32_t thread,
                      uint32_t generation) {
  add(unwind, index, ticks,
      (struct trace_event){.kind = TRACE_ThreadTaskSwitch, .ThreadTaskSwitch = {comm, thread, generation}});
}

/* Outside of all teams a location's tasks are those of a team of its own. */
static void switch_to_own(struct unwind *unwind, uint32_t index, const struct level *level, uint64_t ticks) {
  uint32_t comm = level->comm == OTF2_UNDEFINED_COMM ? level->current->comm : level->comm;
  switch_to(unwind, index, ticks, comm, definitions_comm_rank(unwind->definitions, comm, index), 0);
}

static void leave_suspended(struct unwind *unwind, struct open_task *task, uint64_t ticks) {
  uint32_t index = task->location;
  struct level *level = top(&unwind->locations[index]);
  struct open_task *running = level->current;
  if (task->count == 0 || task->running)
    return;
  switch_to(unwind, index, ticks, task->comm, task->thread, task->generation);
  leave_all(unwind, index, task, ticks);
  if (running != level->own) {
    switch_to(unwind, index, ticks, running->comm, running->thread, running->generation);
    return;
  }
  level->current = task; /* names the comm outside of all teams */
  switch_to_own(unwind, index, level, ticks);
  level->current = running;
}

static void end_current(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  struct level *level = top(location);
  for (; location->joins > 0; location->joins--)
    add(unwind, index, ticks,
        (struct trace_event){.kind = TRACE_ThreadJoin, .ThreadJoin = {OTF2_PARADIGM_OPENMP}});
  leave_all(unwind, index, level->current, ticks);
  if (level->current != level->own)
    switch_to_own(unwind, index, level, ticks);
  run(location, level->own);
  leave_all(unwind, index, level->own, ticks);
}

/* When the team has ended: with its primary, or now. */
static uint64_t end_ticks(struct unwind *unwind, const struct open_location *location,
                          const struct level *level, uint64_t now) {
  const struct team_end *end = level->is_forked ? NULL : end_of(unwind, level->comm);
  if (!end || end->count < level->instance)
    return now;
  return end->ticks > location->ticks ? end->ticks : location->ticks;
}

static void end_location(struct unwind *unwind, uint32_t index, uint64_t now) {
  struct open_location *location = &unwind->locations[index];
  while (location->count > 1) {
    const struct level *level = top(location);
    uint64_t ticks = end_ticks(unwind, location, level, now);
    end_current(unwind, index, ticks);
    if (level->is_forked)
      add_absent(unwind, *level, ticks);
    add(unwind, index, ticks,
        (struct trace_event){.kind = TRACE_ThreadTeamEnd, .ThreadTeamEnd = {level->comm}});
    location->ticks = ticks;
    on_team_end(unwind, index, ticks);
  }
  end_current(unwind, index, now);
  if (location->is_program)
    add(unwind, index, now,
        (struct trace_event){.kind = TRACE_ProgramEnd, .ProgramEnd = {OTF2_UNDEFINED_INT64}});
}

/* No team follows any more. */
static void leave_out_fork(struct unwind *unwind, struct open_location *location) {
  unwind->left_out += location->waiting_count > 0;
  write_waiting(unwind, location, 1);
}

static void add_now(void *data, const struct trace_event *event) {
  struct unwind *unwind = data;
  add(unwind, (uint32_t)event->location, unwind->end_ticks, *event);
}

uint64_t unwind_end(struct unwind *unwind, uint64_t ticks) {
  size_t position = 0;
  for (size_t i = 0; i < unwind->location_count; i++)
    leave_out_fork(unwind, &unwind->locations[i]);
  unwind->end_ticks = ticks;
  unwind_held_end(&unwind->held, add_now, unwind);
  for (struct map_entry *entry; (entry = map_next(&unwind->tasks, &position));)
    leave_suspended(unwind, entry->value, ticks);
  for (size_t i = unwind->location_count; i-- > 0;)
    end_location(unwind, (uint32_t)i, ticks);
  return unwind->added;
}

uint64_t unwind_left_out(const struct unwind *unwind) {
  return unwind->left_out;
}
