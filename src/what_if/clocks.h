/* The clocks of a location: of the trace, and for each scenario what it would be. */
#ifndef STAVE_WHAT_IF_CLOCKS_H
#define STAVE_WHAT_IF_CLOCKS_H

#include "base/pair_map.h"
#include "replay/dependences.h"
#include "replay/replay.h"
#include "report/collect/path.h"
#include "report/stats/scatter.h"
#include "what_if/messages.h"
#include "what_if/team_phases.h"
#include "what_if/what_if.h"

/* A moment on all clocks. Of another one's a location goes on. */
struct clock_moment {
  bool is_known;
  uint64_t ticks;     /* in the trace */
  double *times;      /* by scenario */
  struct path *paths; /* by scenario: what it follows; NULL where it is not needed */
};

/* A location. */
struct clock_row {
  struct clock_moment now;   /* until then it has been looked at */
  struct clock_moment busy;  /* when it worked last */
  struct clock_moment fork;  /* its last one */
  struct clock_moment call;  /* when it has called MPI */
  struct clock_moment phase; /* when the team's present phase has started for it */
  double *useful,
      *counted; /* by scenario, of the present phase: work to be balanced; what the round has of it */
  bool has_started, has_had_team, is_in_barrier, has_run_task, has_resumed;
  uint32_t round;
  struct phase_member member; /* of what is to be scheduled otherwise */
  uint32_t process;           /* position of its location group */
  uint32_t place;             /* of paths: where it is */
  /* where it has worked longest in the present phase at a stretch, of what is to be shared otherwise; where
   * now */
  uint32_t shared, shared_now;
  double shared_most, shared_ticks;
};

/* A barrier of a team, while its members come and leave. */
struct clock_round {
  struct clock_moment last; /* who came last */
  /* by scenario: the latest that members came without the work to be shared; all of that; of one member at
   * most */
  double *begins, *useful, *most;
  uint32_t arrivals;
  bool has_tasks; /* which any thread could have run */
};

struct clock_team {
  uint64_t id;
  struct clock_round rounds[2]; /* of the present barrier and the one before */
  struct phase_graph phases[2]; /* as rounds, if there is a scenario with other threads */
};

struct clock_task {
  uint64_t id, creator;
  uint32_t creator_slot;
  struct clock_moment ready;      /* created, and all complete that it depends on */
  struct clock_moment last_child; /* of those that are complete */
  struct dependences_task *sinks; /* that depend on it */
  size_t sink_count;
};

/* A moment in which other calls of MPI end: that of one call, or of the last of several. */
struct clock_awaited {
  struct clock_moment moment;
  size_t waiting; /* calls that have not ended */
};

/* What paths lead through: a region of a process, of MPI's where it is called. */
struct clock_place {
  uint32_t region, process;
  uint64_t site;
};

/* A process. */
struct clock_process {
  struct clock_moment fork; /* the last of all */
  struct scatter *gains;    /* by scenario, from join to join, or from meeting to meeting of ranks */
  double *gained;           /* by scenario */
  double *shorter, *longer; /* by scenario: by what its phases may be, of what is not known */
  bool has_team;
};

struct clocks {
  const struct trace *trace;
  struct replay *replay;
  struct what_if *scenarios; /* the first changes nothing */
  size_t count;
  struct clock_row *rows;
  struct clock_team *teams; /* by slot */
  size_t team_count;
  struct clock_task *tasks; /* by slot */
  size_t task_count;
  struct pair_map locks; /* struct clock_moment: its last release */
  struct clock_process *processes;
  double *before; /* by scenario: while a lock is acquired */
  /* calls of MPI: what they wait for, their numbers (NULL: there are none), the moments by number */
  struct messages messages;
  struct mpi_replay *mpi;
  struct pair_map awaited;
  size_t next_part;
  struct clock_moment latest; /* while a call ends */
  bool has_threads;           /* a scenario with another number of them */
  size_t creator;             /* location: of the last task */
  /* where paths lead */
  bool has_paths;
  struct path_store paths;
  struct pair_map place_numbers;
  struct clock_place *places;
  size_t place_count, place_capacity;
  uint64_t first_ticks, last_ticks;
};

/* -- clocks.c -- */

void clocks_prepare(struct clocks *ret, struct trace *trace, struct what_if *scenarios, size_t count,
                    bool has_paths, const struct replay_observer *causes);
void clocks_free(struct clocks *clocks);

/* The moment is that of the row now. */
void clock_set(struct clocks *clocks, struct clock_moment *moment, const struct clock_row *row);

/* The same, if that is later than what it is: on each clock by itself. */
void clock_raise(struct clocks *clocks, struct clock_moment *moment, const struct clock_row *row);
void clock_raise_to(struct clocks *clocks, struct clock_moment *moment, const struct clock_moment *other);

void clock_moment_free(struct clocks *clocks, struct clock_moment *moment);

/* In the scenario the row's path leads from the phase's begin through its work to the present time. */
void clock_path_shared(struct clocks *clocks, struct clock_row *row, size_t scenario);

/* What the process has gained since the last call is one more of its gains. */
void clock_gain(struct clocks *clocks, const struct clock_row *row);

/* The row's time until `ticks` is work: in so many open regions. */
void clock_work(struct clocks *clocks, struct clock_row *row, const struct replay_frame *frames, size_t count,
                bool is_useful, bool is_serial, uint64_t ticks);

/* The row has waited since `since` and goes on at `ticks`: because of `cause` (NULL: of nothing known). */
void clock_resume(struct clocks *clocks, struct clock_row *row, const struct clock_moment *since,
                  const struct clock_moment *cause, uint64_t ticks);

struct clock_team *clock_team(struct clocks *clocks, const struct replay_team *team);
struct clock_task *clock_task(struct clocks *clocks, uint64_t id, uint32_t slot);
struct clock_moment *clock_lock(struct clocks *clocks, uint64_t lock);

/* -- depends.c: which tasks wait for which -- */

/* As the replay's observer. */
void clock_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                         uint64_t address);

/* The row's task is complete. */
void clock_depends_complete(struct clocks *clocks, struct dependences_task task, const struct clock_row *row);

/* -- call_waits.c: what calls of MPI wait for -- */

/* Before the replay has the event, when its row is at its time. */
void clock_calls_event(struct clocks *clocks, const struct trace_event *event);
void clock_calls_free(struct clocks *clocks);

/* -- places.c: what paths lead through -- */

/* The number of what the row does in these regions. */
uint32_t clock_place(struct clocks *clocks, const struct clock_row *row, const struct replay_frame *frames,
                     size_t count, uint64_t site);

/* The longest parts of a path, by their place. */
void clock_path_of(struct clocks *clocks, const struct path *path, struct what_if *ret);

/* -- rescheduling.c: other numbers of threads; nothing without has_threads -- */

/* The scenario's number of threads; 0: it is as it was. */
double clock_phase_threads(const struct what_if *scenario);

/* The row has worked in its team: since its clocks were at `before`. */
void clock_phase_work(struct clocks *clocks, size_t location, const struct replay_frame *frames, size_t count,
                      const double *before);

/* An Enter, which may be a chunk's. */
void clock_phase_chunk(struct clocks *clocks, const struct trace_event *event);

/* A task is created, complete, or depends on another one; a taskwait ends. */
void clock_phase_create(struct clocks *clocks, const struct replay_task_event *event);
void clock_phase_complete(struct clocks *clocks, const struct replay_task_event *event, uint64_t creator,
                          const struct clock_task *task);
void clock_phase_depend(struct clocks *clocks, size_t location, uint64_t source, uint64_t sink);
void clock_phase_taskwait(struct clocks *clocks, size_t location);

/* The member begins the phase that ends with this barrier of its team; comes to it; leaves it: by scenario,
 * how long the phase lasts; NULL: not known. */
void clock_phase_begin(struct clocks *clocks, size_t location, uint32_t number);
void clock_phase_arrive(struct clocks *clocks, size_t location);
const double *clock_phase_lengths(struct clocks *clocks, size_t location, uint32_t number, size_t members);

/* -- causes.c: what others do -- */

extern const struct replay_observer clock_causes;

/* The event has been replayed: `before` is what its location did until then. */
void clock_after_event(struct clocks *clocks, const struct trace_event *event, enum activity before);

#endif
