/* Worksharing regions, synchronisation regions and the waiting in them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/correlate/sync.h"
#include "writer/correlate/tasks.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

/* -- work -- */

static enum construct construct_of_work(uint32_t kind) {
  switch (kind) {
  case OMPT_WORK_sections:
    return CONSTRUCT_sections;
  case OMPT_WORK_single_executor:
  case OMPT_WORK_single_other:
    return CONSTRUCT_single;
  case OMPT_WORK_workshare:
    return CONSTRUCT_workshare;
  case OMPT_WORK_distribute:
    return CONSTRUCT_distribute;
  case OMPT_WORK_taskloop:
    return CONSTRUCT_taskloop;
  case OMPT_WORK_workdistribute:
    return CONSTRUCT_workdistribute;
  case OMPT_WORK_scope:
    return CONSTRUCT_scope;
  default:
    return kind == OMPT_WORK_loop || (kind >= OMPT_WORK_loop_static && kind <= OMPT_WORK_loop_other)
               ? CONSTRUCT_loop
               : CONSTRUCT_unknown;
  }
}

/* The schedule kinds of loops show in the description, unknown kinds in it and on the event. */
static uint32_t detail_of_work(uint32_t kind, enum construct construct) {
  bool has_kind = (construct == CONSTRUCT_loop && kind != OMPT_WORK_loop) || construct == CONSTRUCT_unknown;
  return has_kind ? kind : 0;
}

static void leave_frame(struct correlator *c, struct traced_thread *thread, const struct frame *frame,
                        uint64_t now) {
  struct task *task = thread->current;
  frames_leave_above(c, thread, task, now, (size_t)(frame - task->stack.frames));
}

/* In case that its end comes after all. */
static void remember_unended(struct traced_thread *thread) {
  const struct frame *frame = frame_of_work(thread->current);
  if (frame && frame->detail != OMPT_WORK_taskloop)
    thread->unended[thread->unended_count++ % UNENDED_MAX] =
        (struct unended){thread->current->id, frame->codeptr, frame->detail};
}

/* The end of a region that was over already: it had not been, and what it was ended for was inside. */
static void add_late_end(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  unsigned known = thread->unended_count < UNENDED_MAX ? thread->unended_count : UNENDED_MAX;
  const struct unended *last = &thread->unended[(thread->unended_count - 1) % UNENDED_MAX];
  if (known == 0 || last->task != thread->current->id) {
    c->ignored_ends++;
    return;
  }
  thread->unended_count--;
  emit_point(c, thread,
             &(struct event){.ticks = now,
                             .region = region_at(c, thread, CONSTRUCT_late_end, last->codeptr, last->kind)});
}

/* A critical or ordered region ends in any case: one that is open is inside of the work, and so does what
 * comes now. */
static bool is_in_mutex_of_work(const struct stack *stack) {
  for (size_t i = stack->count; i-- > 0 && stack->frames[i].kind != FRAME_WORK;)
    if (stack->frames[i].kind == FRAME_MUTEX)
      return true;
  return false;
}

/* The work was over when the program began its own regions in front of it: they go on. */
static __attribute__((noinline)) void abandon_open_work(struct correlator *c, struct traced_thread *thread,
                                                        uint64_t now) {
  struct stack *stack = &thread->current->stack;
  size_t count = 0;
  if (is_in_mutex_of_work(stack))
    return;
  remember_unended(thread);
  while (count < stack->count && stack->frames[stack->count - count - 1].kind == FRAME_USER)
    count++;
  if (count == 0 || count == stack->count || stack->frames[stack->count - count - 1].kind != FRAME_SBLOCK) {
    frames_leave_unended_work(c, thread, now);
    return;
  }
  struct frame *own = memory_get(count, sizeof *own);
  memcpy(own, stack->frames + stack->count - count, count * sizeof *own);
  frames_leave_unended_work(c, thread, now);
  for (size_t i = 0; i < count; i++) {
    own[i].is_hidden = false;
    frame_enter(c, thread, thread->current, now, own[i]);
  }
  free(own);
}

static inline void abandon_work(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  if (frame_of_work(thread->current))
    abandon_open_work(c, thread, now);
}

/* A kind that no specification names is kept on the event. (What reports an event fills it in place: a copy
 * of what was just put together costs more than all the rest.) */
static inline void set_kind(struct event *enter, enum construct construct, uint32_t kind) {
  if (construct != CONSTRUCT_unknown)
    return;
  enter->attribute = ATTRIBUTE_kind;
  enter->value = kind;
}

static __attribute__((noinline)) void enter_unknown(struct correlator *c, struct traced_thread *thread,
                                                    uint64_t now, struct frame frame) {
  struct event enter = {.ticks = now};
  set_kind(&enter, CONSTRUCT_unknown, frame.detail);
  frame_enter_with(c, thread, thread->current, frame, &enter);
}

/* Every single region has the count 1, which would only repeat what the construct states. */
static bool is_count_shown(const struct record_work *record) {
  bool is_single = record->kind == OMPT_WORK_single_executor || record->kind == OMPT_WORK_single_other;
  return record->count != (is_single ? 1 : 0);
}

static inline void enter_counted(struct correlator *c, struct traced_thread *thread, uint64_t now,
                                 struct frame frame, enum construct construct, uint64_t count) {
  struct event enter = {.ticks = now};
  set_kind(&enter, construct, frame.detail);
  if (enter.attribute == ATTRIBUTE_NONE) {
    enter.attribute = ATTRIBUTE_iterations;
    enter.value = count;
  } else {
    enter.attribute2 = ATTRIBUTE_iterations;
    enter.value2 = count;
  }
  frame_enter_with(c, thread, thread->current, frame, &enter);
}

static void begin_work(struct correlator *c, struct traced_thread *thread, const struct record_work *record,
                       uint64_t now) {
  enum construct construct = construct_of_work(record->kind);
  if (record->kind != OMPT_WORK_taskloop)
    abandon_work(c, thread, now);
  uint32_t detail = detail_of_work(record->kind, construct);
  struct frame frame = {.kind = FRAME_WORK,
                        .detail = record->kind,
                        .codeptr = record->codeptr,
                        .region = region_at(c, thread, construct, record->codeptr, detail)};
  if (is_count_shown(record))
    enter_counted(c, thread, now, frame, construct, record->count);
  else if (construct != CONSTRUCT_unknown)
    frame_enter(c, thread, thread->current, now, frame);
  else
    enter_unknown(c, thread, now, frame);
  if (record->kind == OMPT_WORK_single_executor)
    frame_enter(c, thread, thread->current, now,
                (struct frame){.kind = FRAME_SBLOCK,
                               .region = region_at(c, thread, CONSTRUCT_single_sblock, record->codeptr, 0)});
}

/* By kind if there is one of it, else the innermost: clang 14 ends `distribute parallel for` as
 * distribute. */
static struct frame *find_work(struct task *task, uint32_t kind) {
  for (size_t i = task->stack.count; i-- > 0;)
    if (task->stack.frames[i].kind == FRAME_WORK && task->stack.frames[i].detail == kind)
      return &task->stack.frames[i];
  return frame_of_work(task);
}

static void end_work(struct correlator *c, struct traced_thread *thread, const struct record_work *record,
                     uint64_t now) {
  struct frame *frame = find_work(thread->current, record->kind);
  if (frame)
    leave_frame(c, thread, frame, now);
  else
    add_late_end(c, thread, now);
}

void on_work(struct correlator *c, struct traced_thread *thread, const struct record_work *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (record->endpoint & ENDPOINT_BEGIN)
    begin_work(c, thread, record, now);
  if (record->endpoint & ENDPOINT_END)
    end_work(c, thread, record, now);
  if (!(record->endpoint & ENDPOINT_BEGINEND))
    emit_unknown(c, thread, now, record->codeptr, record->endpoint);
}

/* -- synchronisation -- */

#define BARRIER                                                                                              \
  { CONSTRUCT_barrier, CONSTRUCT_barrier_wait }
#define IMPLICIT_BARRIER                                                                                     \
  { CONSTRUCT_implicit_barrier, CONSTRUCT_implicit_barrier_wait }
static const struct sync_constructs {
  uint8_t region, wait;
} sync_constructs[] = {
    [OMPT_SYNC_REGION_barrier] = BARRIER,
    [OMPT_SYNC_REGION_barrier_explicit] = BARRIER,
    [OMPT_SYNC_REGION_barrier_implicit] = IMPLICIT_BARRIER,
    [OMPT_SYNC_REGION_barrier_implementation] = IMPLICIT_BARRIER,
    [OMPT_SYNC_REGION_barrier_implicit_workshare] = IMPLICIT_BARRIER,
    [OMPT_SYNC_REGION_barrier_implicit_parallel] = IMPLICIT_BARRIER,
    [OMPT_SYNC_REGION_barrier_teams] = IMPLICIT_BARRIER,
    [OMPT_SYNC_REGION_taskwait] = {CONSTRUCT_taskwait, CONSTRUCT_taskwait_wait},
    [OMPT_SYNC_REGION_taskgroup] = {CONSTRUCT_taskgroup, CONSTRUCT_taskgroup_wait},
    [OMPT_SYNC_REGION_reduction] = {CONSTRUCT_reduction, CONSTRUCT_reduction_wait},
};
#undef BARRIER
#undef IMPLICIT_BARRIER
_Static_assert(CONSTRUCT_COUNT <= UINT8_MAX + 1, "");

static inline struct sync_constructs constructs_of(uint32_t kind) {
  const struct sync_constructs unknown = {CONSTRUCT_unknown, CONSTRUCT_unknown};
  bool is_known = kind >= OMPT_SYNC_REGION_barrier && kind <= OMPT_SYNC_REGION_barrier_teams;
  return is_known ? sync_constructs[kind] : unknown;
}

static inline bool is_barrier_construct(enum construct construct) {
  return construct == CONSTRUCT_barrier || construct == CONSTRUCT_implicit_barrier;
}

static inline bool is_barrier(uint32_t kind) {
  return is_barrier_construct(constructs_of(kind).region);
}

static enum construct construct_of_sync(uint32_t kind) {
  return constructs_of(kind).region;
}

/* The runtime may name another kind of barrier than the one in which the thread waits. */
static enum construct construct_of_wait(struct task *task, uint32_t kind) {
  const struct frame *top = frame_innermost(task);
  if (is_barrier(kind) && top && top->kind == FRAME_SYNC && is_barrier(top->detail))
    kind = top->detail;
  return constructs_of(kind).wait;
}

/* The frame that the end of (frame kind, kind) closes, or NULL: then the end is a late one of a region that
 * its primary has ended, or has no beginning. */
static struct frame *find_sync(struct correlator *c, struct traced_thread *thread, enum frame_kind frame_kind,
                               uint32_t kind, uint64_t task_id) {
  struct task *task = thread->current;
  if (!task_id || !task->id || task_id == task->id) {
    for (size_t i = task->stack.count; i-- > 0;)
      if (task->stack.frames[i].kind == frame_kind && task->stack.frames[i].detail == kind)
        return &task->stack.frames[i];
  }
  c->ignored_ends++;
  thread->unreported -= thread->unreported > 0;
  return NULL;
}

static void leave_undecided(struct correlator *c, struct traced_thread *thread, struct frame *frame,
                            uint64_t now) {
  struct task *task = thread->current;
  frames_leave_above(c, thread, task, now, (size_t)(frame - task->stack.frames) + 1);
  struct event leave = {.kind = EVENT_LEAVE, .ticks = now, .region = frame->region, .is_late = true};
  task->stack.count--;
  if (frame->is_hidden)
    return;
  pause_show(c, thread, task, now);
  undecided_put(c, thread, &leave);
}

static void keep_region_end(struct traced_thread *thread, uint32_t kind, uint64_t now) {
  const struct task *task = thread->current;
  if (may_end_region(kind) && task->is_implicit && task->team && thread == task->team->primary)
    task->team->end_ticks = now;
}

static bool is_wait_of(const struct frame *frame, uint32_t detail) {
  return frame->kind == FRAME_WAIT || (frame->kind == FRAME_SYNC && frame->detail != detail);
}

/* How many regions of the task can still be open when a region of synchronisation begins in it: a task that
 * waits begins nothing, only a taskgroup has others in it, and a reduction is in a barrier. */
static size_t open_at_sync(const struct stack *stack, uint32_t kind) {
  size_t open = 0;
  while (open < stack->count && (kind == OMPT_SYNC_REGION_reduction ||
                                 !is_wait_of(&stack->frames[open], OMPT_SYNC_REGION_taskgroup)))
    open++;
  bool is_in_wait = open < stack->count && stack->frames[open].kind == FRAME_WAIT;
  return is_in_wait && open > 0 && stack->frames[open - 1].kind == FRAME_SYNC ? open - 1 : open;
}

/* Events were dropped, which may have been the ends of these. */
static void abandon_waits(struct correlator *c, struct traced_thread *thread, enum frame_kind frame_kind,
                          uint32_t kind, uint64_t now) {
  struct task *task = thread->current;
  size_t open = task->stack.count;
  if (frame_kind == FRAME_SYNC)
    open = open_at_sync(&task->stack, kind);
  else
    while (open > 0 && is_wait_of(&task->stack.frames[open - 1], kind))
      open--;
  frames_leave_above(c, thread, task, now, open);
}

static inline void begin_sync(struct correlator *c, struct traced_thread *thread, enum frame_kind frame_kind,
                              enum construct construct, const struct record_sync_region *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (is_barrier_construct(construct))
    abandon_work(c, thread, now);
  if (thread->has_gap)
    abandon_waits(c, thread, frame_kind, record->kind, now);
  struct frame frame = {.kind = frame_kind,
                        .detail = record->kind,
                        .region = region_at(c, thread, construct, record->codeptr, record->kind)};
  if (construct != CONSTRUCT_unknown)
    frame_enter(c, thread, thread->current, now, frame);
  else
    enter_unknown(c, thread, now, frame);
}

static void begin_region(struct correlator *c, struct traced_thread *thread,
                         const struct record_sync_region *record) {
  undecided_flush(c, thread, NULL);
  begin_sync(c, thread, FRAME_SYNC, construct_of_sync(record->kind), record);
}

static void end_sync(struct correlator *c, struct traced_thread *thread,
                     const struct record_sync_region *record) {
  struct frame *frame = find_sync(c, thread, FRAME_SYNC, record->kind, record->task);
  if (!frame)
    return;
  uint64_t now = thread_now(c, thread, record->ticks);
  keep_region_end(thread, record->kind, now);
  if (is_undecided(thread, frame)) {
    leave_undecided(c, thread, frame, now);
  } else {
    undecided_flush(c, thread, NULL);
    leave_frame(c, thread, frame, now);
  }
}

static void end_wait(struct correlator *c, struct traced_thread *thread,
                     const struct record_sync_region *record) {
  struct frame *frame = find_sync(c, thread, FRAME_WAIT, record->kind, record->task);
  if (!frame)
    return;
  uint64_t now = thread_now(c, thread, record->ticks);
  if (frame - thread->current->stack.frames == 2 && is_undecided(thread, frame - 1)) {
    leave_undecided(c, thread, frame, now);
  } else {
    undecided_flush(c, thread, NULL);
    leave_frame(c, thread, frame, now);
  }
}

void on_sync_region(struct correlator *c, struct traced_thread *thread,
                    const struct record_sync_region *record) {
  task_infer_suspend(c, thread, record->task, record->ticks);
  switch (record->endpoint & ENDPOINT_BEGINEND) {
  case ENDPOINT_BEGIN:
    begin_region(c, thread, record);
    return;
  case ENDPOINT_END:
    end_sync(c, thread, record);
    return;
  case ENDPOINT_BEGINEND:
    begin_region(c, thread, record);
    end_sync(c, thread, record);
    return;
  default:
    emit_unknown(c, thread, thread_now(c, thread, record->ticks), record->codeptr, record->endpoint);
  }
}

/* The rows sync_region and sync_region_wait of the record table have the same fields. */
void on_sync_region_wait(struct correlator *c, struct traced_thread *thread,
                         const struct record_sync_region_wait *record) {
  _Static_assert(
      offsetof(struct record_sync_region_wait, kind) == offsetof(struct record_sync_region, kind) &&
          offsetof(struct record_sync_region_wait, task) == offsetof(struct record_sync_region, task),
      "read alike below");
  const struct record_sync_region *alike = (const struct record_sync_region *)record;
  task_infer_suspend(c, thread, record->task, record->ticks);
  if (record->endpoint == ENDPOINT_END) {
    end_wait(c, thread, alike);
    return;
  }
  if (record->endpoint & ENDPOINT_BEGIN)
    begin_sync(c, thread, FRAME_WAIT, construct_of_wait(thread->current, record->kind), alike);
  if (record->endpoint & ENDPOINT_END)
    end_wait(c, thread, alike);
}

void on_reduction(struct correlator *c, struct traced_thread *thread, const struct record_reduction *record) {
  _Static_assert(offsetof(struct record_reduction, kind) == offsetof(struct record_sync_region, kind) &&
                     offsetof(struct record_reduction, task) == offsetof(struct record_sync_region, task),
                 "read alike below");
  on_sync_region(c, thread, (const struct record_sync_region *)record);
}

/* -- masked, chunks, points -- */

void on_masked(struct correlator *c, struct traced_thread *thread, const struct record_masked *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (record->endpoint & ENDPOINT_BEGIN)
    frame_enter(c, thread, thread->current, now,
                (struct frame){.kind = FRAME_MASKED,
                               .region = region_at(c, thread, CONSTRUCT_masked, record->codeptr, 0)});
  struct frame *frame = record->endpoint & ENDPOINT_END ? frame_find(thread->current, FRAME_MASKED) : NULL;
  if (frame)
    leave_frame(c, thread, frame, now);
}

/* An iteration is a chunk of one. */
static enum construct construct_of_dispatch(uint32_t kind) {
  switch (kind) {
  case OMPT_DISPATCH_section:
    return CONSTRUCT_section;
  case OMPT_DISPATCH_iteration:
  case OMPT_DISPATCH_ws_loop_chunk:
    return CONSTRUCT_loop_chunk;
  case OMPT_DISPATCH_taskloop_chunk:
    return CONSTRUCT_taskloop_chunk;
  case OMPT_DISPATCH_distribute_chunk:
    return CONSTRUCT_distribute_chunk;
  default:
    return CONSTRUCT_unknown;
  }
}

/* A chunk lasts until the next one, or until the work ends, which leaves it too. A section's start is its
 * address. */
void on_dispatch(struct correlator *c, struct traced_thread *thread, const struct record_dispatch *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct stack *stack = &thread->current->stack;
  if (stack->count && stack->frames[stack->count - 1].kind == FRAME_CHUNK)
    frame_leave(c, thread, thread->current, now);
  enum construct construct = construct_of_dispatch(record->kind);
  bool is_section = construct == CONSTRUCT_section;
  const struct frame *work = frame_of_work(thread->current);
  /* a chunk has no address of its own */
  uint64_t codeptr = is_section ? record->start : work ? work->codeptr : 0;
  uint32_t region =
      region_at(c, thread, construct, codeptr, construct == CONSTRUCT_unknown ? record->kind : 0);
  struct event enter = {.ticks = now};
  if (!is_section) {
    enter.attribute = ATTRIBUTE_chunk_start;
    enter.value = record->start;
    enter.attribute2 = ATTRIBUTE_chunk_size;
    enter.value2 = record->iterations;
  }
  frame_enter_with(c, thread, thread->current, (struct frame){.kind = FRAME_CHUNK, .region = region}, &enter);
}

void on_flush(struct correlator *c, struct traced_thread *thread, const struct record_flush *record) {
  emit_point(c, thread,
             &(struct event){.ticks = thread_now(c, thread, record->ticks),
                             .region = region_at(c, thread, CONSTRUCT_flush, record->codeptr, 0)});
}

void on_error(struct correlator *c, struct traced_thread *thread, const struct record_error *record) {
  char message[RECORD_SLOTS_MAX * RECORD_BYTES];
  size_t bytes = record->more * (size_t)RECORD_BYTES;
  bytes = record->length < bytes ? record->length : bytes;
  memcpy(message, c->words, bytes);
  message[bytes] = '\0';
  emit_point(
      c, thread,
      &(struct event){.ticks = thread_now(c, thread, record->ticks),
                      .region = region_at(c, thread, CONSTRUCT_error, record->codeptr, record->severity),
                      .attribute = ATTRIBUTE_error_message,
                      .value = definitions_string(c->definitions, message)});
}

/* -- whether something would be named for the first time -- */

static bool is_work_known(struct correlator *c, const struct traced_thread *thread,
                          const struct record_work *record) {
  enum construct construct = construct_of_work(record->kind);
  if (record->endpoint == ENDPOINT_END)
    return find_work(thread->current, record->kind) != NULL;
  return construct != CONSTRUCT_unknown &&
         region_is_known(c, construct, record->codeptr, detail_of_work(record->kind, construct)) &&
         (record->kind != OMPT_WORK_single_executor ||
          region_is_known(c, CONSTRUCT_single_sblock, record->codeptr, 0)) &&
         (!is_count_shown(record) || definitions_has_attribute(c->definitions, ATTRIBUTE_iterations));
}

static bool is_chunk_known(struct correlator *c, const struct traced_thread *thread,
                           const struct record_dispatch *record) {
  enum construct construct = construct_of_dispatch(record->kind);
  const struct frame *work = frame_of_work(thread->current);
  if (construct == CONSTRUCT_unknown)
    return false;
  if (construct == CONSTRUCT_section)
    return region_is_known(c, construct, record->start, 0);
  return work && region_is_known(c, construct, work->codeptr, 0) &&
         definitions_has_attribute(c->definitions, ATTRIBUTE_chunk_start) &&
         definitions_has_attribute(c->definitions, ATTRIBUTE_chunk_size);
}

static bool is_sync_known(struct correlator *c, const struct traced_thread *thread,
                          const struct record_sync_region *record) {
  if (record->endpoint == ENDPOINT_END)
    return true;
  enum construct construct = record->type == RECORD_sync_region_wait
                                 ? construct_of_wait(thread->current, record->kind)
                                 : construct_of_sync(record->kind);
  return construct != CONSTRUCT_unknown && region_is_known(c, construct, record->codeptr, record->kind);
}

bool sync_is_known(struct correlator *c, const struct traced_thread *thread, const struct record *record) {
  switch (record->type) {
  case RECORD_work:
    return is_work_known(c, thread, (const struct record_work *)record);
  case RECORD_dispatch:
    return is_chunk_known(c, thread, (const struct record_dispatch *)record);
  case RECORD_masked:
    return record->endpoint == ENDPOINT_END || region_is_known(c, CONSTRUCT_masked, record->b, 0);
  case RECORD_flush:
    return region_is_known(c, CONSTRUCT_flush, record->b, 0);
  default:
    return is_sync_known(c, thread, (const struct record_sync_region *)record);
  }
}
