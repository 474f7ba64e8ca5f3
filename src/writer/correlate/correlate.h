/* From records in time order to events: what each record means for the thread, team, task or lock that it
 * belongs to.
 *
 * correlate.c holds the switch over record types; threads.c, teams.c, tasks.c, sync.c and locks.c hold one
 * subject each, frames.c what they build on; closing.c ends what is open when the process is over. They share
 * struct correlator and call each other through this header. */
#ifndef STAVE_WRITER_CORRELATE_CORRELATE_H
#define STAVE_WRITER_CORRELATE_CORRELATE_H

#include "base/map.h"
#include "session/layout.h"
#include "writer/correlate/emit.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/regions.h"
#include "writer/model/model.h"

struct modules;

struct correlator {
  struct emitter *emitter;
  struct definitions *definitions;
  struct regions *regions;
  struct modules *modules;
  struct recovery *recovery; /* or NULL */
  struct contexts *contexts;
  const struct session_name *states; /* SESSION_NAMES of the runtime's names */
  struct location **by_slot;         /* the thread that has the slot now, or NULL */
  size_t by_slot_capacity;
  struct location *primary; /* the first thread of the program: it carries ProgramBegin and ProgramEnd */
  struct map teams;         /* by parallel id */
  struct map tasks;         /* by task id: implicit and explicit ones that live */
  struct map locks;         /* by wait id */
  struct map devices;       /* by number */
  struct map host_ops;      /* operations on devices that the host has begun, by host_op */
  struct host_op *first_host_op, *last_host_op; /* of these, as they began */
  struct pool task_pool;
  uint32_t lock_count;
  uint64_t first_ticks, last_ticks; /* of the process */
  unsigned initial_threads, foreign_threads, workers_named;
  /* figures for the summary */
  uint64_t records, unknown_records, ignored_ends, closed_by_writer, samples_missed;
  uint64_t user_regions_begun, user_regions_ended, user_ends_refused, pauses;
  uint64_t records_by_type[RECORD_TYPE_COUNT];
  uint64_t discarded; /* events that came after correlate_end */
  bool has_ended;
  bool is_closing;          /* the process is over: events written now are counted in closed_by_writer */
  const char *command_line; /* of the program: arguments, each with a zero behind it */
  size_t command_line_bytes;
  bool starts_paused; /* STAVE_START=paused */
  bool is_paused;
  uint64_t paused_ticks, started_ticks; /* of the last pause; UINT64_MAX: none, or it lasts */
  bool is_over;                         /* omp_control_tool(omp_control_tool_end): paused for good */
};

/* All pointers stay the caller's. */
void correlator_open(struct correlator *correlator, struct emitter *emitter, struct definitions *definitions,
                     struct regions *regions, struct modules *modules, struct contexts *contexts,
                     const struct session_name *states);

/* Takes the next record in time order: a merge_sink. */
void correlate(void *correlator, uint32_t slot, uint64_t id, const struct record *record,
               const uint64_t *words);

/* The process is over: ends everything that is open, and closes every location. exit_status as in
 * ProgramEnd. */
void correlate_end(struct correlator *correlator, int64_t exit_status);

/* Frees what is alive. */
void correlator_close(struct correlator *correlator);

/* -- what the subjects use of each other -- */

/* The record's time, never before the thread's last one. */
static inline uint64_t location_now(struct correlator *c, struct location *location, uint64_t ticks) {
  ticks = ticks < location->last_ticks ? location->last_ticks : ticks;
  c->first_ticks = ticks < c->first_ticks ? ticks : c->first_ticks;
  c->last_ticks = ticks > c->last_ticks ? ticks : c->last_ticks;
  return location->last_ticks = ticks;
}

/* Short ways to emit. */
void emit_enter(struct correlator *correlator, struct location *location, uint64_t ticks, uint32_t region);
void emit_leave(struct correlator *correlator, struct location *location, uint64_t ticks, uint32_t region);
static inline void emit_event(struct correlator *correlator, struct location *location,
                              const struct event *event) {
  if (!location->writer)
    return;
  correlator->closed_by_writer += correlator->is_closing;
  emit(correlator->emitter, location, event);
}

/* A point: Enter and Leave at once, of the region that event->id names; its attributes go on the Enter. */
void emit_point(struct correlator *correlator, struct location *location, const struct event *event);

/* Whether nothing is written of a frame that begins in a pause. (pause.c) */
bool pause_hides(const struct task *task, const struct frame *frame);

/* Something of the task must be written: in a pause, switches to it first if another task seems to run.
 * (pause.c) */
void pause_show_now(struct correlator *c, struct location *location, struct task *task, uint64_t ticks);
static inline void pause_show(struct correlator *c, struct location *location, struct task *task,
                              uint64_t ticks) {
  if (c->is_paused)
    pause_show_now(c, location, task, ticks);
}

/* A place for one region more on top. */
void stack_grow(struct stack *stack);
static inline struct frame *stack_push(struct stack *stack) {
  if (stack->count == stack->capacity)
    stack_grow(stack);
  return &stack->frames[stack->count++];
}

/* Enters a region with an Enter of the caller's, or leaves the innermost one with a Leave of the caller's:
 * kind and region are set here, time and attributes are the caller's. (Inline, and field by field: to copy a
 * frame that was just put together costs more than all the rest.) */
static inline void frame_enter_with(struct correlator *correlator, struct location *location,
                                    struct task *task, struct frame frame, struct event *enter) {
  struct frame *top = stack_push(&task->stack);
  top->region = frame.region;
  top->detail = frame.detail;
  top->wait_id = frame.wait_id;
  top->codeptr = frame.codeptr;
  top->kind = frame.kind;
  top->is_hidden = false;
  if (correlator->is_paused && (top->is_hidden = pause_hides(task, top)))
    return;
  enter->kind = EVENT_ENTER;
  enter->id = frame.region;
  emit_event(correlator, location, enter);
}
void frame_leave_with(struct correlator *correlator, struct location *location, struct task *task,
                      struct event *leave);

/* Enters a region of the task, or leaves the innermost one. */
static inline void frame_enter(struct correlator *correlator, struct location *location, struct task *task,
                               uint64_t ticks, struct frame frame) {
  frame_enter_with(correlator, location, task, frame, &(struct event){.ticks = ticks});
}
void frame_leave(struct correlator *correlator, struct location *location, struct task *task, uint64_t ticks);

/* Ends all that is open on the location, from the inside out, until it is back at its base. Regions that it
 * has forked are joined. */
void location_unwind(struct correlator *correlator, struct location *location, uint64_t ticks);

/* A number that no specification names where something begins or ends: a point `unknown`. */
void emit_unknown(struct correlator *correlator, struct location *location, uint64_t ticks, uint64_t codeptr,
                  uint32_t number);

/* Leaves everything above the first `count` regions. */
void frames_leave_above(struct correlator *correlator, struct location *location, struct task *task,
                        uint64_t ticks, size_t count);

/* The innermost frame of the kind in the task, or NULL; its index is frame - task->stack.frames. */
struct frame *frame_find(struct task *task, enum frame_kind kind);

struct task *task_new(struct correlator *correlator);
void task_free(struct task *task);

/* Whether the location runs the task, or will come back to it. */
bool location_has_open(const struct location *location, const struct task *task);

/* The implicit or initial task in whose team the location works now, or its base. */
struct task *implicit_task_of(struct location *location);

/* The team for what the location's tasks refer to: the innermost one, or its serial part's. */
struct team *team_of(struct correlator *correlator, struct location *location);

/* The location's own team of one, for tasks outside of parallel regions. */
struct team *serial_team_of(struct correlator *c, struct location *location);

/* The location's thread number in that team. */
uint32_t thread_number_of(struct location *location);

/* A region that is not a team's own: `codeptr` or, where that says nothing, the enclosing parallel region's
 * address. */
uint32_t region_at(struct correlator *correlator, struct location *location, enum construct construct,
                   uint64_t codeptr, uint32_t detail);

/* Writes, or drops into the end of the team, the Leaves of a barrier that was perhaps the region's last. */
void undecided_write(struct correlator *correlator, struct location *location, struct team *end_of);
/* One more: the Leave of a barrier is marked as late, what the tool says for itself is not. */
void undecided_put(struct correlator *correlator, struct location *location, const struct event *event);
/* Whether the location is in a barrier that may turn out to be its region's last, and that it left earlier
 * than its own records say. (sync.c) */
bool may_end_late(const struct location *location);
/* What the tool says for itself, and the thread has not done: it decides nothing. */
void emit_own(struct correlator *correlator, struct location *location, const struct event *event);
static inline void undecided_flush(struct correlator *correlator, struct location *location,
                                   struct team *end_of) {
  if (location->undecided_count)
    undecided_write(correlator, location, end_of);
}

/* threads.c */
/* A thread that has a new slot goes on where it was if it is one that the archive still has. */
void thread_attaches(struct correlator *c, uint32_t slot, const struct record_attach *record);
/* The thread that has the slot now; a new location if none has. NULL if OTF2 cannot. */
struct location *location_new(struct correlator *c, uint32_t slot, uint64_t ticks);
static inline struct location *location_of(struct correlator *c, uint32_t slot, uint64_t ticks) {
  struct location *location = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return location ? location : location_new(c, slot, ticks);
}
void on_attach(struct correlator *c, struct location *location, const struct record_attach *record);
void on_thread_begin(struct correlator *c, struct location *location,
                     const struct record_thread_begin *record);
void on_thread_end(struct correlator *c, struct location *location, const struct record_thread_end *record);
void on_frame_flags(struct correlator *c, struct location *location, const struct record_frame_flags *record);
void on_placement(struct correlator *c, struct location *location, const struct record_placement *record,
                  const uint64_t *words);
/* What is new of the thread's placement, as attributes of the Enter of a parallel region that is written
 * now. */
void tell_placement(struct location *location, struct event *enter);

/* teams.c */
void on_parallel_begin(struct correlator *c, struct location *location,
                       const struct record_parallel_begin *record, uint64_t id);
void on_parallel_end(struct correlator *c, struct location *location,
                     const struct record_parallel_end *record);
void on_implicit_task_begin(struct correlator *c, struct location *location,
                            const struct record_implicit_task_begin *record, uint64_t id);
void on_implicit_task_end(struct correlator *c, struct location *location,
                          const struct record_implicit_task_end *record);
/* The primary has left its last barrier: ends the team for all members and, if it has no comm yet, makes
 * one. */
void team_end(struct correlator *c, struct team *team, uint64_t ticks);
/* Ends the innermost implicit task of the location and goes back to what ran before it. */
void implicit_task_end(struct correlator *c, struct location *location, struct task *task, uint64_t ticks,
                       bool is_late);
/* The primary begins or has begun; used when a process ends in between. */
void team_begin_primary(struct correlator *c, struct team *team, uint64_t ticks);
void team_join(struct correlator *c, struct team *team, uint64_t ticks);
/* Writes the primary's ThreadFork. */
void team_write_fork(struct correlator *c, const struct team *team, uint64_t ticks);
/* A pause is over that began before the team: from now on all of it is written. */
void team_show(struct correlator *c, struct team *team, uint64_t ticks);

/* tasks.c */
/* A switch to the task on the location, or to the location's own part of a team. */
struct event task_switch_event(struct correlator *c, struct location *location, const struct task *task,
                               uint64_t ticks);
/* Writes the creation of a task that was created in a pause. */
void task_show(struct correlator *c, struct location *location, struct task *task, uint64_t ticks);
void on_task_create(struct correlator *c, struct location *location, const struct record_task_create *record,
                    uint64_t id);
void on_task_schedule(struct correlator *c, struct location *location,
                      const struct record_task_schedule *record);
void task_switch(struct correlator *c, struct location *location, struct task *next, uint64_t ticks,
                 uint32_t status);
/* A record says that the task with the id (0: the implicit one) meets something here: switches to it if the
 * one that ran here was left without a word. */
void task_left_unsaid(struct correlator *c, struct location *location, uint64_t task_id, uint64_t ticks);

void on_dependence(struct correlator *c, struct location *location, const struct record_dependence *record);
void on_task_dependence(struct correlator *c, struct location *location,
                        const struct record_task_dependence *record);
void on_cancel(struct correlator *c, struct location *location, const struct record_cancel *record);

/* sync.c */
void on_reduction(struct correlator *c, struct location *location, const struct record_reduction *record);
void on_masked(struct correlator *c, struct location *location, const struct record_masked *record);
void on_dispatch(struct correlator *c, struct location *location, const struct record_dispatch *record);
void on_flush(struct correlator *c, struct location *location, const struct record_flush *record);
void on_error(struct correlator *c, struct location *location, const struct record_error *record,
              const uint64_t *words);
/* Ends the worksharing region that the location's task has not ended itself. */
void leave_unended_work(struct correlator *c, struct location *location, uint64_t now);
void on_work(struct correlator *c, struct location *location, const struct record_work *record);
void on_sync_region(struct correlator *c, struct location *location, const struct record_sync_region *record);
void on_sync_region_wait(struct correlator *c, struct location *location,
                         const struct record_sync_region_wait *record);

/* pause.c */
void on_control_tool(struct correlator *c, struct location *location,
                     const struct record_control_tool *record, const uint64_t *words);
/* Recording pauses on all locations. */
void pause_begin(struct correlator *c, uint64_t ticks);
/* A location that is made in a pause. */
void pause_on_location(struct correlator *c, struct location *location, uint64_t ticks);
/* The location switches to `next` in a pause: written only if it leaves a task that seems to run. */
void pause_switch(struct correlator *c, struct location *location, const struct task *next, uint64_t ticks);
/* The task goes on after a pause: enters what it had entered in that. */
void pause_enter_hidden(struct correlator *c, struct location *location, struct task *task, uint64_t ticks);

/* Whether an operation of a device is not written: it began and ended in the last pause. One that began in it
 * and ended after it begins at the pause's end. */
bool pause_covers(const struct correlator *c, uint64_t *begin, uint64_t end);

/* user.c */
void on_control_tool_region(struct correlator *c, struct location *location,
                            const struct record_control_tool_region *record, const uint64_t *words);
void on_control_tool_message(struct correlator *c, struct location *location,
                             const struct record_control_tool_message *record, const uint64_t *words);
void on_control_tool_counter(struct correlator *c, struct location *location,
                             const struct record_control_tool_counter *record, const uint64_t *words);

/* locks.c */
/* The location's acquisition of the lock, made in a pause, is written now if it is not yet. */
void lock_show(struct correlator *c, struct location *location, uint64_t wait_id, uint64_t ticks);
/* The same for all locks that a routine has set. */
void locks_show(struct correlator *c, struct location *location, uint64_t ticks);
void on_mutex_acquire(struct correlator *c, struct location *location,
                      const struct record_mutex_acquire *record, const uint64_t *words);
void on_mutex_acquired(struct correlator *c, struct location *location,
                       const struct record_mutex_acquired *record);
void on_mutex_released(struct correlator *c, struct location *location,
                       const struct record_mutex_released *record);
void on_lock_init(struct correlator *c, struct location *location, const struct record_lock_init *record,
                  const uint64_t *words);
void on_lock_destroy(struct correlator *c, struct location *location,
                     const struct record_lock_destroy *record);
void on_nest_lock(struct correlator *c, struct location *location, const struct record_nest_lock *record);
/* A lock routine that nothing followed has failed: it ends when it began. */
void lock_attempt_ends(struct correlator *c, struct location *location);
/* Releases what the location still holds; with a wait id only that lock. */
void locks_release_all(struct correlator *c, struct location *location, uint64_t ticks, uint64_t wait_id);
/* The number under which the archive has the lock; false if it was never acquired. */
bool lock_number(struct correlator *c, uint64_t wait_id, uint32_t *ret);
void locks_free(struct correlator *c);

/* targets.c */
void on_target(struct correlator *c, struct location *location, const struct record_target *record,
               uint64_t id, const uint64_t *words);
void on_target_data_op(struct correlator *c, struct location *location,
                       const struct record_target_data_op *record, uint64_t id, const uint64_t *words);
void on_target_submit(struct correlator *c, struct location *location,
                      const struct record_target_submit *record, uint64_t id);
void on_target_map(struct correlator *c, struct location *location, const struct record_target_map *record,
                   const uint64_t *words);

/* devices.c */
void on_device_initialize(struct correlator *c, struct location *location,
                          const struct record_device_initialize *record, const uint64_t *words);
void on_device_finalize(struct correlator *c, struct location *location,
                        const struct record_device_finalize *record);
void on_device_load(struct correlator *c, struct location *location, const struct record_device_load *record,
                    const uint64_t *words);
void on_device_unload(struct correlator *c, struct location *location,
                      const struct record_device_unload *record);

/* device_records.c */
void on_device_tracing(struct correlator *c, struct location *location,
                       const struct record_device_tracing *record, const uint64_t *words);
void on_device_clock(struct correlator *c, struct location *location,
                     const struct record_device_clock *record, const uint64_t *words);
void on_device_buffer(struct correlator *c, struct location *location,
                      const struct record_device_buffer *record);
void on_device_record(struct correlator *c, struct location *location,
                      const struct record_device_record *record, uint64_t id, const uint64_t *words);
void on_device_native(struct correlator *c, struct location *location,
                      const struct record_device_native *record, const uint64_t *words);
void on_device_unreadable(struct correlator *c, struct location *location,
                          const struct record_device_unreadable *record);

/* host_ops.c: the begin of the first operation that is on no stream yet; UINT64_MAX if there is none. */
uint64_t host_ops_held_since(const struct correlator *c);

/* host_ops.c: the process is over: ends what is under way on devices. */
void host_ops_end(struct correlator *c, uint64_t now);

/* samples.c */
void on_sample(struct correlator *c, struct location *location, const struct record_sample *record,
               const uint64_t *words);

#endif
