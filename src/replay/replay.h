/* Replaying a trace: from the events of all locations in time order to regions, tasks and teams.
 *
 *   replay_create -> replay_process for every event from the beginning, in order -> replay_finish ->
 * replay_free
 *
 * Keeps for every location which regions are open, which task runs and in which teams it is, and calls an
 * observer when something ends or begins. Regions belong to tasks: a suspended task keeps its open ones, on
 * whichever thread it is resumed.
 *
 * Tolerates everything: regions that are not nested, ends without beginnings, unknown references, unknown
 * tasks, times that go backwards. replay_anomalies counts them. Memory is bounded by locations, definitions,
 * live tasks and open regions. */
#ifndef STAVE_REPLAY_REPLAY_H
#define STAVE_REPLAY_REPLAY_H

#include "replay/dependences.h"
#include "replay/links.h"
#include "trace/constructs.h"
#include "trace/trace.h"

/* No region, no slot, no lock, no thread. */
#define REPLAY_NONE TRACE_NO_POSITION

/* A region that has been entered and not yet left. */
struct replay_frame {
  uint64_t begin_ticks; /* of its Enter */
  /* since when it is on this thread: later than begin_ticks if its task was suspended */
  uint64_t slice_ticks;
  uint32_t region;   /* position in the trace's regions; REPLAY_NONE: its reference refers to nothing */
  uint16_t depth;    /* on the location, from 0 */
  uint8_t construct; /* enum construct */
  uint8_t activity;  /* what the region itself is */
  uint8_t inner;     /* what regions inside of it inherit where they show nothing */
};

/* A task, explicit or implicit. Lives until it is complete. */
struct replay_task {
  uint64_t id;   /* counted from 1 in order of appearance, never given twice */
  uint32_t slot; /* from 0, dense; given to another task when this one is gone */
  /* of its task construct (implicit: of its parallel region); REPLAY_NONE until it is entered */
  uint32_t region;
  uint32_t create_region;            /* where it was created; REPLAY_NONE: unknown, or implicit */
  uint32_t comm, thread, generation; /* as in the events; an implicit task has generation 0 */
  uint64_t creator;                  /* id of the task that created it; 0: unknown */
  uint32_t creator_slot;             /* of that, if it still lives */
  /* locations; SIZE_MAX: unknown. location: where it runs or ran last */
  size_t created_on, started_on, location;
  uint64_t created_ticks, start_ticks; /* valid if is_created, has_started */
  uint64_t resumed_ticks;              /* since when it runs, if is_running */
  uint64_t run_ticks;                  /* how long it has run until it was last suspended */
  uint32_t resumptions, migrations;    /* migrations: resumed on another location than before */
  bool is_implicit, is_created, has_started, is_running;
  bool has_left_region; /* its task region is over */
  bool is_taskwait;     /* what a taskwait with dependences is for the runtime */
  struct replay_frame *frames;
  size_t frame_capacity;
  uint32_t frame_count;
};

/* As dependences name it. */
static inline struct dependences_task replay_task_name(const struct replay_task *task) {
  return (struct dependences_task){task->id, task->slot, task->create_region};
}

/* One barrier of a team: all members come to it, once each. */
struct replay_round {
  uint64_t last_ticks;  /* when the last one so far has come, */
  size_t last_location; /* and which that was */
  uint32_t arrivals;    /* so far */
  /* as last_ticks and last_location, but for who runs tasks there: when that is done; links alone keep this
   */
  struct replay_moment ready;
};

/* Nobody comes to a barrier while one of so many before it is not left by all. */
enum { REPLAY_ROUNDS = 4 };

/* A team while a member of it is in its region. */
struct replay_team {
  uint64_t id;                               /* counted from 1 */
  uint32_t slot;                             /* as of tasks */
  uint32_t comm;                             /* position in the trace's comms; REPLAY_NONE: undefined */
  uint32_t region;                           /* of the parallel construct; REPLAY_NONE until it is entered */
  uint32_t size;                             /* as its group states; 0: unknown */
  uint32_t started, open;                    /* members that have started; that have not ended */
  size_t primary;                            /* location that forked; SIZE_MAX: unknown */
  uint64_t creator;                          /* id of the task that forked */
  uint64_t fork_ticks;                       /* the first member's begin if there is no fork */
  uint64_t begin_ticks;                      /* of the first member */
  bool is_runtimes;                          /* own_threads.h */
  struct replay_round rounds[REPLAY_ROUNDS]; /* by number modulo REPLAY_ROUNDS */
  uint32_t rounds_entered, rounds_left;      /* to which somebody has come; which somebody has left */
};

/* A piece of time in which a region was open, on one location: from its Enter or its task's resumption to its
 * Leave or its task's suspension. Implicit tasks' regions are in one piece: they stay open while other tasks
 * run above them. */
struct replay_slice {
  size_t location;
  const struct replay_task *task;
  uint32_t region;
  enum construct construct;
  uint32_t depth;
  uint64_t begin_ticks, end_ticks;
  bool is_first, is_last; /* begins with the Enter; ends with the Leave */
};

/* A piece of time with one activity in one task. What follows on the same location begins where it ends. */
struct replay_interval {
  size_t location;
  const struct replay_task *task;
  const struct replay_team *team; /* innermost; NULL outside of all teams */
  enum activity activity;
  uint64_t begin_ticks, end_ticks;
};

enum replay_task_step {
  REPLAY_TASK_CREATED,
  REPLAY_TASK_STARTED,
  REPLAY_TASK_SUSPENDED,
  REPLAY_TASK_RESUMED,
  /* the last that is heard of it; without has_started it was cancelled, or is a taskwait */
  REPLAY_TASK_COMPLETED,
};

/* Explicit tasks only. */
struct replay_task_event {
  enum replay_task_step step;
  size_t location;
  uint64_t ticks;
  const struct replay_task *task;
  const struct replay_task *other; /* created: its creator; started, resumed: which ran before */
  const struct trace_event *event; /* where the step comes from, with its attributes; NULL: from none */
};

enum replay_lock_step {
  REPLAY_LOCK_ACQUIRED,
  REPLAY_LOCK_RELEASED,
};

struct replay_lock_event {
  enum replay_lock_step step;
  size_t location;
  uint64_t ticks;
  const struct replay_task *task;
  /* processes number their own: its process and, in the lower 32 bits, the event's number */
  uint64_t lock;
  uint32_t order;  /* as in the event */
  uint32_t region; /* which needs it: critical, omp_set_lock, ...; of a release: that of its acquire */
  uint64_t requested_ticks; /* since when the task waited for it; equal to acquired_ticks if it did not */
  uint64_t acquired_ticks;  /* of a release without acquire: its own time */
  uint64_t address;         /* of the lock, where the event has it; 0: it does not */
};

enum replay_team_step {
  REPLAY_TEAM_BEGIN,  /* a member begins */
  REPLAY_TEAM_END,    /* a member ends */
  REPLAY_TEAM_JOINED, /* nobody is in it any more: the last that is heard of it */
};

struct replay_team_event {
  enum replay_team_step step;
  size_t location;
  uint64_t ticks;
  const struct replay_team *team;
  const struct replay_task *task; /* the member's implicit task; NULL for joined */
};

enum replay_barrier_step {
  REPLAY_BARRIER_ARRIVED, /* a member enters a barrier */
  REPLAY_BARRIER_LEFT,    /* a member leaves it */
};

struct replay_barrier_event {
  enum replay_barrier_step step;
  size_t location;
  uint64_t ticks;
  const struct replay_team *team;
  const struct replay_task *task; /* the member's implicit task */
  uint32_t region;                /* of the barrier construct */
  uint32_t number;                /* of the team's barriers, from 0 */
  uint64_t arrived_ticks;         /* when this member came */
  bool is_first;                  /* of the team to come, or to leave */
  const struct replay_round *round;
};

/* The observer. Any may be NULL. Slices and intervals are cut to the window of replay_create, and those
 * outside of it left out; the other steps come whenever they are, since what happens in the window may rest
 * on them. */
struct replay_observer {
  void (*slice)(void *data, const struct replay_slice *slice);
  void (*interval)(void *data, const struct replay_interval *interval);
  void (*task)(void *data, const struct replay_task_event *event);
  void (*lock)(void *data, const struct replay_lock_event *event);
  void (*team)(void *data, const struct replay_team_event *event);
  void (*barrier)(void *data, const struct replay_barrier_event *event);
  void (*link)(void *data, const struct replay_link *link);
  /* as in dependences.h */
  void (*dependence)(void *data, struct dependences_task source, struct dependences_task sink,
                     uint64_t address);
  void (*exclusive)(void *data, struct dependences_task task, uint64_t set);
  bool with_complete_sources; /* dependences on tasks that are complete, too */
};

struct replay_anomalies {
  uint64_t events;          /* taken in all */
  uint64_t backward;        /* earlier than the one before on the location: taken at that one's time */
  uint64_t unmatched_leave; /* of a region that is not open: ignored */
  uint64_t unclosed;        /* regions whose Leave is missing: closed with what is around them */
  uint64_t unknown_region, unknown_task, unknown_team;
  uint64_t unmatched_lock; /* released without having been acquired, or acquired twice */
};

struct replay;

/* `observer` is copied; it gets from_ticks to to_ticks (0 and UINT64_MAX: everything). replay_free. */
struct replay *replay_create(const struct trace *trace, const struct replay_observer *observer, void *data,
                             uint64_t from_ticks, uint64_t to_ticks);

/* Removes the next event. */
void replay_process(struct replay *replay, const struct trace_event *event);

/* Of some of a trace's processes: others have events until then. */
void replay_extend(struct replay *replay, uint64_t last_ticks);

/* Closes what is open, at the end of the window or at the last event. Nothing may be taken afterwards. */
void replay_finish(struct replay *replay);

/* Accepts NULL. */
void replay_free(struct replay *replay);

const struct replay_anomalies *replay_anomalies(const struct replay *replay);

/* -- the present state, also of use in an observer and around replay_process -- */

/* The task that runs on the location; never NULL. */
const struct replay_task *replay_current_task(const struct replay *replay, size_t location);

/* The innermost team that the location is in; NULL: none. */
const struct replay_team *replay_current_team(const struct replay *replay, size_t location);

/* The team around that one; NULL: none. */
const struct replay_team *replay_outer_team(const struct replay *replay, size_t location);

/* The outermost team that the location is in, if its primary thread forked it outside of all others, and that
 * thread's location; NULL: it is in none, or the team is part of another one. */
const struct replay_team *replay_outermost_team(const struct replay *replay, size_t location,
                                                size_t *ret_primary);

/* The implicit task under the current one; the task itself if that is implicit. */
const struct replay_task *replay_implicit_task(const struct replay *replay, size_t location);

/* The innermost region of the running task; NULL: none. */
const struct replay_frame *replay_top_frame(const struct replay *replay, size_t location);

/* The innermost region that is open around the innermost team, where the location was when it came to that;
 * NULL: none. */
const struct replay_frame *replay_outer_frame(const struct replay *replay, size_t location);

/* What the location is doing. */
enum activity replay_activity(const struct replay *replay, size_t location);

/* The team in which the location waits at a barrier or for tasks since its last event; NULL: it does not. */
const struct replay_team *replay_team_waited_in(const struct replay *replay, size_t location);

/* The open regions of the location, innermost first: those of the running task, of the implicit task under
 * it, and so on through the teams that it is in. Returns how many, at most `most`. */
size_t replay_open_frames(const struct replay *replay, size_t location, struct replay_frame *ret,
                          size_t most);

/* All of that together, for those who look at every event. */
struct replay_now {
  const struct replay_task *task, *implicit;
  const struct replay_team *team;   /* NULL: none */
  const struct replay_frame *frame; /* NULL: none */
  enum activity activity;
};
struct replay_now replay_now(const struct replay *replay, size_t location);

/* The explicit task that an event names; NULL: not known or gone. */
const struct replay_task *replay_find_task(const struct replay *replay, uint32_t comm, uint32_t thread,
                                           uint32_t generation);

/* What the region at this position is; REPLAY_NONE is OTHER. */
enum construct replay_construct(const struct replay *replay, uint32_t region);

#endif
