#include "writer/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "writer/memory.h"
#include "writer/modules.h"

void correlator_open(struct correlator *c, struct emitter *emitter, struct definitions *definitions,
                     struct regions *regions, struct modules *modules) {
  *c = (struct correlator){.emitter = emitter,
                           .definitions = definitions,
                           .regions = regions,
                           .modules = modules,
                           .first_ticks = UINT64_MAX};
}

/* -- frames and events -- */

void emit_event(struct correlator *c, struct location *location, const struct event *event) {
  if (!location->writer)
    return;
  c->closed_by_writer += c->is_closing;
  emit(c->emitter, location, event);
}

void emit_enter(struct correlator *c, struct location *location, uint64_t ticks, uint32_t region) {
  emit_event(c, location, &(struct event){.kind = EVENT_ENTER, .ticks = ticks, .id = region});
}

void emit_leave(struct correlator *c, struct location *location, uint64_t ticks, uint32_t region) {
  emit_event(c, location, &(struct event){.kind = EVENT_LEAVE, .ticks = ticks, .id = region});
}

void emit_point(struct correlator *c, struct location *location, const struct event *event) {
  struct event enter = *event;
  enter.kind = EVENT_ENTER;
  emit_event(c, location, &enter);
  emit_leave(c, location, event->ticks, event->id);
}

void frame_enter_with(struct correlator *c, struct location *location, struct task *task, struct frame frame,
                      struct event enter) {
  struct stack *stack = &task->stack;
  memory_grow(&stack->frames, &stack->capacity, stack->count + 1, sizeof *stack->frames);
  stack->frames[stack->count++] = frame;
  enter.kind = EVENT_ENTER;
  enter.id = frame.region;
  emit_event(c, location, &enter);
}

void frame_enter(struct correlator *c, struct location *location, struct task *task, uint64_t ticks,
                 struct frame frame) {
  frame_enter_with(c, location, task, frame, (struct event){.ticks = ticks});
}

void frame_leave(struct correlator *c, struct location *location, struct task *task, uint64_t ticks) {
  struct frame frame = task->stack.frames[--task->stack.count];
  emit_leave(c, location, ticks, frame.region);
}

/* A mutex that is still held when its region is left is released there. */
void frames_leave_above(struct correlator *c, struct location *location, struct task *task, uint64_t ticks,
                        size_t count) {
  while (task->stack.count > count) {
    struct frame *top = &task->stack.frames[task->stack.count - 1];
    if (top->kind == FRAME_MUTEX)
      locks_release_all(c, location, ticks, top->wait_id);
    frame_leave(c, location, task, ticks);
  }
}

struct frame *frame_find(struct task *task, enum frame_kind kind) {
  for (size_t i = task->stack.count; i-- > 0;)
    if (task->stack.frames[i].kind == kind)
      return &task->stack.frames[i];
  return NULL;
}

/* -- tasks and teams of a location -- */

struct task *task_new(void) {
  return memory_get(1, sizeof(struct task));
}

void task_free(struct task *task) {
  if (!task)
    return;
  team_release(task->team);
  free(task->stack.frames);
  free(task);
}

/* An explicit task runs in front of the implicit one, which its `outer` names. */
struct task *implicit_task_of(struct location *location) {
  struct task *task = location->current;
  while (!task->is_implicit && task != location->base)
    task = task->outer ? task->outer : location->base;
  return task;
}

static struct team *serial_team(struct correlator *c, struct location *location) {
  if (location->serial_team)
    return location->serial_team;
  struct team *team = memory_get(1, sizeof *team);
  team->references = 1;
  team->is_serial = true;
  team->primary = location;
  team->comm = definitions_comm(c->definitions, &location->id, 1, COMM_UNKNOWN, true);
  return location->serial_team = team;
}

struct team *team_of(struct correlator *c, struct location *location) {
  struct task *task = implicit_task_of(location);
  return task->team && !task->is_initial ? task->team : serial_team(c, location);
}

uint32_t thread_number_of(struct location *location) {
  struct task *task = implicit_task_of(location);
  return task->team && !task->is_initial ? task->creator : 0;
}

uint32_t region_at(struct correlator *c, struct location *location, enum construct construct, uint64_t codeptr,
                   uint32_t detail) {
  if (regions_is_nowhere(c->regions, codeptr)) {
    const struct team *team = implicit_task_of(location)->team;
    codeptr = team ? team->codeptr : 0;
  }
  return regions_get(c->regions, construct, codeptr, detail);
}

void undecided_flush(struct correlator *c, struct location *location, struct team *end_of) {
  for (unsigned i = 0; i < location->undecided_count; i++) {
    struct event event = location->undecided[i];
    event.team = end_of;
    event.is_late = end_of != NULL;
    emit_event(c, location, &event);
  }
  location->undecided_count = 0;
}

/* -- threads -- */

static uint64_t program_ticks(struct correlator *c, uint64_t ticks) {
  c->first_ticks = ticks < c->first_ticks ? ticks : c->first_ticks;
  c->last_ticks = ticks > c->last_ticks ? ticks : c->last_ticks;
  return ticks;
}

uint64_t location_now(struct correlator *c, struct location *location, uint64_t ticks) {
  if (ticks < location->last_ticks)
    ticks = location->last_ticks;
  return location->last_ticks = program_ticks(c, ticks);
}

static void begin_program(struct correlator *c, struct location *location, uint64_t ticks) {
  c->primary = location;
  definitions_name_location(c->definitions, location, "Master thread", "");
  uint32_t region = regions_get(c->regions, CONSTRUCT_program, 0, 0);
  uint32_t name = definitions_string(c->definitions, regions_program(c->regions));
  emit_event(c, location, &(struct event){.kind = EVENT_PROGRAM_BEGIN, .ticks = ticks, .id = name});
  frame_enter(c, location, location->base, ticks, (struct frame){.kind = FRAME_BASE, .region = region});
}

static struct location *new_location(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct location *location = definitions_add_location(c->definitions);
  if (!location)
    return NULL;
  location->slot = slot;
  location->place = location->processor = -1;
  location->base = location->current = task_new();
  location->last_ticks = c->first_ticks == UINT64_MAX ? ticks : c->first_ticks;
  memory_grow(&c->by_slot, &c->by_slot_capacity, slot + 1u, sizeof *c->by_slot);
  c->by_slot[slot] = location;
  if (!c->primary)
    begin_program(c, location, location_now(c, location, ticks));
  return location;
}

static struct location *location_of(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct location *location = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return location ? location : new_location(c, slot, ticks);
}

static void on_attach(struct correlator *c, struct location *location, const struct record_attach *record) {
  (void)c;
  location->kernel_tid = record->kernel_tid;
}

static void on_placement(struct location *location, const struct record_placement *record) {
  location->place = (int64_t)record->place;
  location->processor = (int64_t)record->processor;
}

/* A second runtime in the process begins the thread once more: it stays what it was. */
static void on_thread_begin(struct correlator *c, struct location *location, const struct record_thread_begin *record) {
  enum { THREAD_INITIAL = 1, THREAD_WORKER = 2 };
  if (location->has_begun)
    return;
  uint64_t now = location_now(c, location, record->ticks);
  location->has_begun = true;
  location->thread_type = record->thread_type;
  location->kernel_tid = record->kernel_tid ? record->kernel_tid : location->kernel_tid;
  if (record->thread_type == THREAD_INITIAL)
    return;
  uint32_t region = regions_get(c->regions, CONSTRUCT_worker, 0, 0);
  frame_enter(c, location, location->base, now, (struct frame){.kind = FRAME_BASE, .region = region});
}

static void on_thread_end(struct correlator *c, struct location *location, const struct record_thread_end *record) {
  uint64_t now = location_now(c, location, record->ticks);
  undecided_flush(c, location, NULL);
  c->by_slot[location->slot] = NULL;
  if (location == c->primary)
    return; /* its program ends when the process does */
  while (location->current != location->base)
    implicit_task_end(c, location, implicit_task_of(location), now, false);
  frames_leave_above(c, location, location->base, now, 0);
  location->has_ended = true;
  if (location->queue_begin == location->queue_end)
    definitions_close_location(c->definitions, location);
}

/* -- the tool's own records -- */

static void on_module(struct correlator *c, const struct record_module *record, const uint64_t *words) {
  size_t bytes = record->more * (size_t)RECORD_BYTES - 2 * sizeof *words;
  uint64_t build_id_bytes = words[1];
  char path[RECORD_SLOTS_MAX * RECORD_BYTES];
  if (record->more == 0 || build_id_bytes > MODULE_BUILD_ID_MAX || build_id_bytes > bytes ||
      record->path_bytes > bytes - build_id_bytes)
    return;
  const uint8_t *build_id = (const uint8_t *)(words + 2);
  memcpy(path, build_id + build_id_bytes, record->path_bytes);
  path[record->path_bytes] = '\0';
  modules_add(c->modules, record->base, record->size, words[0], path, build_id, (unsigned)build_id_bytes);
  regions_modules_changed(c->regions);
}

static void on_stall(struct correlator *c, struct location *location, const struct record_stall *record) {
  uint64_t begin = location_now(c, location, record->begin), end = location_now(c, location, record->ticks);
  emit_event(c, location, &(struct event){.kind = EVENT_BUFFER_FLUSH, .ticks = begin, .value = end});
}

static void on_gap(struct correlator *c, struct location *location, const struct record_gap *record) {
  uint64_t now = location_now(c, location, record->ticks);
  emit_point(c, location, &(struct event){.ticks = now,
                                          .id = regions_get(c->regions, CONSTRUCT_lost_events, 0, 0),
                                          .attribute = ATTRIBUTE_lost_events,
                                          .value = record->lost});
}

/* -- the switch -- */

/* What a record's predecessor left undecided is decided by what the record is. */
static void settle(struct correlator *c, struct location *location, const struct record *record) {
  if (location->undecided_count && record->type != RECORD_implicit_task_end && record->type != RECORD_sync_region)
    undecided_flush(c, location, NULL);
  bool is_set = record->type == RECORD_mutex_acquired ||
                (record->type == RECORD_nest_lock && record->endpoint == ENDPOINT_BEGIN);
  if (location->acquire_ticks && !is_set)
    lock_attempt_ends(c, location);
}

void correlate(void *correlator, uint32_t slot, uint64_t id, const struct record *record, const uint64_t *words) {
  struct correlator *c = correlator;
  c->records++;
  c->records_by_type[record->type < RECORD_TYPE_COUNT ? record->type : RECORD_TYPE_NONE]++;
  struct location *location = location_of(c, slot, record->ticks);
  if (!location)
    return;
  settle(c, location, record);
#define CASE(id, ...)                                                                                                  \
  case RECORD_##id:                                                                                                    \
    on_##id(c, __VA_ARGS__);                                                                                           \
    return;
#define AS(id) (const struct record_##id *)record
  switch ((enum record_type)record->type) {
    CASE(thread_begin, location, AS(thread_begin))
    CASE(thread_end, location, AS(thread_end))
    CASE(parallel_begin, location, AS(parallel_begin), id)
    CASE(parallel_end, location, AS(parallel_end))
    CASE(implicit_task_begin, location, AS(implicit_task_begin), id)
    CASE(implicit_task_end, location, AS(implicit_task_end))
    CASE(task_create, location, AS(task_create), id)
    CASE(task_schedule, location, AS(task_schedule))
    CASE(work, location, AS(work))
    CASE(sync_region, location, AS(sync_region))
    CASE(sync_region_wait, location, AS(sync_region_wait))
    CASE(mutex_acquire, location, AS(mutex_acquire), words)
    CASE(mutex_acquired, location, AS(mutex_acquired))
    CASE(mutex_released, location, AS(mutex_released))
    CASE(dependence, location, AS(dependence))
    CASE(task_dependence, location, AS(task_dependence))
    CASE(dispatch, location, AS(dispatch))
    CASE(masked, location, AS(masked))
    CASE(reduction, location, AS(reduction))
    CASE(lock_init, location, AS(lock_init), words)
    CASE(lock_destroy, location, AS(lock_destroy))
    CASE(nest_lock, location, AS(nest_lock))
    CASE(flush, location, AS(flush))
    CASE(cancel, location, AS(cancel))
    CASE(error, location, AS(error), words)
    CASE(attach, location, AS(attach))
  case RECORD_placement:
    on_placement(location, AS(placement));
    return;
    CASE(module, AS(module), words)
    CASE(stall, location, AS(stall))
    CASE(gap, location, AS(gap))
  case RECORD_TYPE_NONE:
  case RECORD_TYPE_COUNT:
    break;
  }
#undef CASE
#undef AS
  c->unknown_records++;
}
