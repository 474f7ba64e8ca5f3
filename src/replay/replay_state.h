/* What the files of the replay share. */
#ifndef STAVE_REPLAY_REPLAY_STATE_H
#define STAVE_REPLAY_REPLAY_STATE_H

#include "base/pair_map.h"
#include "base/pool.h"
#include "replay/replay.h"

/* A team that a location is in, or, at the bottom, none. */
struct replay_context {
  struct replay_team *team;
  struct replay_task *implicit, *current;
  uint32_t barriers;      /* of the team that this member has come to */
  bool is_in_barrier;     /* in the last one; links alone keep this */
  bool has_run_task;      /* since it came back to the implicit one; links alone keep this */
  uint64_t arrived_ticks; /* at the last one */
  uint64_t waiting_since; /* in the last one: since its last task there; links alone keep this */
};

struct replay_thread {
  struct replay_context *contexts; /* the innermost is the last; there is always one */
  size_t context_capacity;
  uint32_t context_count;
  uint32_t outer_depth;     /* open regions below the innermost context */
  uint32_t open_operations; /* transfers on a device */
  enum activity base;       /* outside of all regions and teams */
  enum activity activity;   /* since since_ticks */
  uint64_t since_ticks, last_ticks;
  uint64_t fork_ticks, fork_creator;
  uint32_t fork_region;
  uint32_t process; /* a number of its own for each */
  bool has_started, is_device, has_forked;
  bool is_first;       /* of its process: what is outside of all teams is its */
  bool is_paused;      /* its recording */
  bool is_between;     /* from fork to begin of the team, or from its end to the join */
  uint64_t busy_until; /* when it worked last in the window; links alone keep this */
};

struct replay_process {
  bool has_started; /* a thread of it */
  bool is_paused;   /* the recording of its first thread */
};

struct held_lock {
  struct held_lock *next_free;
  size_t location;
  uint64_t requested_ticks, acquired_ticks;
  uint32_t region;
};

/* What entering a region does, by the region's position. */
struct region_meaning {
  uint8_t construct, activity;
  bool is_around; /* the activity is the one around it */
  bool is_mutex;
  bool is_depend; /* and somebody needs to know of dependences */
};

struct replay_links; /* replay_links.c */

struct replay {
  const struct trace *trace;
  struct replay_observer observer;
  void *data;
  uint64_t from_ticks, to_ticks, last_ticks;
  struct replay_thread *threads;
  struct region_meaning *meanings;
  struct pool tasks, teams;
  struct pair_map task_table, lock_table;
  struct held_lock *free_locks;
  struct replay_team **live_teams; /* by position of the comm */
  uint64_t task_count, team_count;
  struct replay_anomalies anomalies;
  struct replay_process *processes;
  struct replay_links *links; /* NULL: nobody needs them */
  bool has_openmp, has_calls; /* regions of OpenMP; of MPI or of libraries for devices */
  bool enters_before_fork;    /* how parallel regions are written here */
  bool has_runtimes_teams;    /* one was the runtime's, see own_threads.h */
  bool uses_intervals;        /* the observer, or links */
};

static inline struct replay_context *top_context(const struct replay_thread *thread) {
  return &thread->contexts[thread->context_count - 1];
}

static inline struct replay_frame *top_frame(const struct replay_task *task) {
  return task->frame_count ? &task->frames[task->frame_count - 1] : NULL;
}

/* -- replay_regions.c -- */

/* Reports the interval that ends now. */
void replay_flush(struct replay *replay, struct replay_thread *thread, uint64_t ticks);

/* Reports the slice of a region, which ends now. */
void replay_end_slice(struct replay *replay, struct replay_thread *thread, const struct replay_task *task,
                      const struct replay_frame *frame, uint64_t ticks, bool is_last);

/* Some writers record pauses of the first thread alone: those without a team are paused with it. */
static inline bool is_paused(const struct replay *replay, const struct replay_thread *thread) {
  return thread->is_paused || (thread->context_count == 1 && replay->processes[thread->process].is_paused);
}

static inline enum activity activity_now(const struct replay *replay, const struct replay_thread *thread) {
  const struct replay_context *context = top_context(thread);
  const struct replay_frame *frame = top_frame(context->current);
  if (thread->is_device && thread->open_operations)
    return ACTIVITY_DEVICE;
  if (is_paused(replay, thread))
    return ACTIVITY_UNKNOWN;
  if (replay->has_runtimes_teams && context->team && context->team->is_runtimes &&
      context->current->is_implicit)
    return ACTIVITY_IDLE;
  if (thread->is_between)
    return ACTIVITY_OVERHEAD;
  if (frame)
    return (enum activity)frame->activity;
  if (!context->current->is_implicit)
    return ACTIVITY_TASK;
  return thread->context_count == 1 ? thread->base : ACTIVITY_WORK;
}

/* Finds out what the thread does now. */
static inline void replay_update(struct replay *replay, struct replay_thread *thread, uint64_t ticks) {
  enum activity activity = activity_now(replay, thread);
  if (activity == thread->activity)
    return;
  replay_flush(replay, thread, ticks);
  thread->activity = activity;
}

/* The depth of the running task's first region. */
static inline uint32_t replay_base_depth(const struct replay_thread *thread) {
  const struct replay_context *context = top_context(thread);
  return thread->outer_depth + (context->current != context->implicit ? context->implicit->frame_count : 0);
}

static inline void leave_outermost(struct replay_thread *thread, struct replay_task *task,
                                   enum construct construct) {
  task->has_left_region |= construct_class(construct) == CONSTRUCT_CLASS_task;
  /* the first thread has left the program when it ended, which may be long before the others do */
  if (construct == CONSTRUCT_program && thread->base == ACTIVITY_SERIAL && thread->context_count == 1)
    thread->base = ACTIVITY_IDLE;
}

static inline void replay_pop_frame(struct replay *replay, struct replay_thread *thread,
                                    struct replay_task *task, uint64_t ticks) {
  const struct replay_frame *frame = &task->frames[task->frame_count - 1];
  replay_end_slice(replay, thread, task, frame, ticks, true);
  if (task->frame_count == 1)
    leave_outermost(thread, task, (enum construct)frame->construct);
  task->frame_count--;
}

/* Reports the slices of all open regions of a task that stops running here. */
void replay_cut_slices(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                       uint64_t ticks);

/* Leaves regions until `count` are open. */
void replay_leave_down_to(struct replay *replay, struct replay_thread *thread, struct replay_task *task,
                          uint32_t count, uint64_t ticks);

/* -- replay_tasks.c -- */

/* A task that nobody knows yet. */
struct replay_task *replay_new_task(struct replay *replay);

void replay_drop_task(struct replay *replay, struct replay_task *task);

void replay_create_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                        uint64_t ticks, uint32_t comm, uint32_t number, uint32_t generation);

void replay_switch_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                        uint64_t ticks, uint32_t comm, uint32_t number, uint32_t generation);

void replay_complete_task(struct replay *replay, const struct trace_event *event, uint64_t ticks,
                          uint32_t comm, uint32_t number, uint32_t generation);

/* The task stops running, and the thread goes back to its implicit task. */
void replay_suspend_task(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                         uint64_t ticks);

/* -- replay_teams.c -- */

void replay_fork(struct replay *replay, struct replay_thread *thread, uint64_t ticks);
void replay_join(struct replay *replay, struct replay_thread *thread, uint64_t ticks);
void replay_begin_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t comm);
void replay_end_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t comm);

/* Ends the innermost team of the thread, whichever it is. */
void replay_pop_team(struct replay *replay, struct replay_thread *thread, uint64_t ticks);

/* Makes the context outside of all teams. */
void replay_push_base(struct replay *replay, struct replay_thread *thread);

/* -- replay_barriers.c -- */

static inline bool is_barrier(uint8_t construct) {
  return construct == CONSTRUCT_barrier || construct == CONSTRUCT_implicit_barrier;
}

/* The running task has entered, and is about to leave, such a region: it may be its team's. */
void replay_arrive(struct replay *replay, struct replay_thread *thread, const struct replay_frame *frame,
                   uint64_t ticks);
void replay_pass(struct replay *replay, struct replay_thread *thread, const struct replay_frame *frame,
                 uint64_t ticks);

/* -- replay_locks.c -- */

void replay_acquire(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                    uint64_t ticks);
void replay_release(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t number,
                    uint32_t order);
void replay_free_locks(struct replay *replay);

/* -- replay_links.c: nothing but opening and closing may be called where replay->links is NULL -- */

void replay_links_open(struct replay *replay);
void replay_links_close(struct replay *replay);

/* Steps of tasks, before they are reported. The thread's location enters a dependence. */
void replay_link_create(struct replay *replay, const struct replay_task *task,
                        const struct replay_task *creator);
void replay_link_begin(struct replay *replay, const struct replay_task *task, struct replay_moment now);
void replay_link_complete(struct replay *replay, const struct replay_task *task, struct replay_moment now);
void replay_link_drop(struct replay *replay, const struct replay_task *task);
void replay_link_depend(struct replay *replay, const struct trace_event *event, enum construct construct);

/* The running task does not wait for others any more. */
void replay_link_end_wait(struct replay *replay, const struct replay_task *task, struct replay_moment now);

/* A member comes to a barrier, is done with a task in it, leaves it. */
void replay_link_arrive(struct replay *replay, struct replay_context *context, struct replay_moment now);
void replay_link_return(struct replay *replay, struct replay_context *context, struct replay_moment now);
void replay_link_pass(struct replay *replay, struct replay_context *context, struct replay_moment now);

void replay_link_lock(struct replay *replay, const struct replay_lock_event *event);
void replay_link_fork(struct replay *replay, const struct replay_team *team, struct replay_moment now);

static inline size_t location_of(const struct replay *replay, const struct replay_thread *thread) {
  return (size_t)(thread - replay->threads);
}

#endif
