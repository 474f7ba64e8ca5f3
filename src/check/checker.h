/* What the parts of a check share. checker.c drives; each of the others looks after some of the rules. */
#ifndef STAVE_CHECK_CHECKER_H
#define STAVE_CHECK_CHECKER_H

#include "base/pair_map.h"
#include "check/check.h"
#include "replay/dependences.h"
#include "replay/mpi.h"
#include "replay/replay.h"

/* A task in the tree of who created whom. One that is complete is kept for its children's sake, and
 * skipped. */
struct ancestor {
  uint64_t id;
  struct ancestor *parent;
  uint32_t references; /* by its children, and by its task while that lives */
  bool is_complete;
};

/* A lock that a task holds. */
struct held_by_task {
  uint64_t lock;          /* as in replay_lock_event */
  uint32_t order, region; /* region: where it was acquired */
  uint64_t ticks;
};

/* What the checks know of a live task, by its slot in the replay. */
struct task_state {
  uint64_t id; /* 0: none */
  struct ancestor *ancestor;
  struct dependences_task *before; /* tasks that must be complete when it begins */
  size_t before_count, before_capacity;
  uint64_t *sets; /* of tasks that exclude each other */
  size_t set_count, set_capacity;
  struct held_by_task *holds;
  size_t hold_count, hold_capacity;
  /* the child that has to be complete before this task goes on; id 0: none */
  struct dependences_task undeferred;
  uint64_t encountered;   /* worksharing and barrier regions of its team */
  uint64_t started_there; /* tasks that had run on the location when it was suspended */
  size_t suspended_on;
  uint32_t suspended_in, region, create_region;
  bool has_started;
};

/* A task that waits for others of its dependences and began a moment ago (task_orders.c). It has what its
 * state had of these, until that moment is over. */
struct fresh_task {
  struct dependences_task task;
  struct dependences_task *before;
  uint64_t *sets;
  size_t before_count, set_count, location, created_on;
  uint64_t ticks, end; /* end: UINT64_MAX: it is not complete */
  uint32_t generation, place;
};

/* A tied task that has started on a location and is not complete. */
struct tied {
  struct dependences_task task;
  uint64_t team;
  bool is_chained; /* it descends from the one below, if that is of the same team */
};

/* A fork whose join has not come. */
struct fork {
  uint64_t ticks;
  uint32_t region; /* parallel region; CHECK_NO_REGION: not entered yet */
  bool is_over;    /* the team has ended: nothing but the join may follow */
};

/* A worksharing region that was left where the location entered another region directly. */
struct followed {
  uint32_t work, follower;
  bool is_before_sections; /* of sections, and none of them had started on the thread */
};

enum { FOLLOWED_MAX = 4 };

/* Of a location. */
struct location_state {
  struct tied *tied; /* the latest last */
  size_t tied_count, tied_capacity;
  uint64_t runs;                    /* of explicit tasks, started or resumed */
  uint64_t last_ticks, prior_ticks; /* of the last event, and of the last one at another time */
  struct fork *forks;               /* the innermost last */
  size_t fork_count, fork_capacity;
  bool has_event, is_closing; /* is_closing: the writer has started to close what is open */
  bool is_unforked;           /* no fork belongs to the last join */
  uint32_t
      left_work; /* the worksharing region that was left last of all; CHECK_NO_REGION: it was another one */
  uint64_t left_ticks;
  uint64_t sections; /* a bit of each entered region: a section was started; lowest: innermost */
  bool has_section;  /* had one of those that were left last */
  struct followed followed[FOLLOWED_MAX]; /* the latest at followed_count - 1, modulo FOLLOWED_MAX */
  unsigned followed_count;
  uint64_t team, barriers; /* the outermost team, or the last there was; barriers of it that were passed */
  bool holds_requested;    /* the task that needs the nestable lock here holds it already */
  bool is_lock_requested;  /* the next one, when the program was ended */
  uint64_t requested_lock;
};

/* Threads that are kept of an order of locks; of more it is known only that there are more. */
enum { EDGE_THREADS = 4 };

/* A part of the run that barriers, forks and joins keep apart from the others with the same primary thread,
 * which come before or after it. */
struct phase {
  size_t primary;    /* location; SIZE_MAX: it may be at one time with any other */
  uint64_t team;     /* the outermost, or the last one of the serial part */
  uint64_t barriers; /* that its threads have passed; UINT64_MAX: after the team, in the serial part */
};

/* An order in which two locks were acquired. */
struct lock_edge {
  uint64_t first, second;
  uint32_t first_region, second_region;
  uint64_t gates[4]; /* locks that were held in addition each time */
  uint32_t gate_count, thread_count;
  size_t threads[EDGE_THREADS]; /* locations that acquired in this order, that of the first time first */
  bool has_more_threads;
  struct phase first_phase, last_phase; /* of the first time and the last */
  bool is_concurrent;                   /* the opposite order was at one time with it */
  uint64_t count, ticks;
  struct lock_edge *next_of_first; /* from the same lock */
};

/* One acquisition of a lock. */
struct acquisition {
  uint32_t order; /* its number; 0: none */
  uint32_t region;
  uint64_t task; /* id */
  size_t location;
  uint64_t ticks;
  bool is_released;  /* by the program; what the writer adds at the end does not count */
  bool is_destroyed; /* meanwhile the lock was destroyed; the next three are of that, too */
  uint32_t destroyed_in;
  size_t destroyed_on;
  uint64_t destroyed_ticks;
};

/* The runtime may report a release after the next acquisitions. */
enum { RECENT_MAX = 4 };

#define NO_LOCK UINT64_MAX

/* Where a lock is in the program's memory. */
struct lock_memory {
  enum { LOCK_UNKNOWN, LOCK_INITIALISED, LOCK_DESTROYED } state;
  bool is_nestable;
  uint32_t region; /* in which it came into its state, on which location */
  size_t location;
  uint64_t lock; /* as in replay_lock_event; NO_LOCK: it was not acquired yet */
};

struct lock_state {
  uint64_t lock;
  struct acquisition recent[RECENT_MAX]; /* by order, modulo RECENT_MAX */
  uint32_t order, first_order;           /* the greatest and the least number of an acquisition */
  uint32_t region;                       /* of the last acquisition, as are the next two */
  size_t location;
  uint64_t ticks, acquisitions;
  uint64_t acquirer;       /* the first explicit task that acquired it; 0: none */
  bool is_by_many;         /* several explicit tasks have */
  struct lock_edge *edges; /* from it to another */
  struct lock_state *next;
};

/* Regions that the threads of a team encounter, from the first that not all have encountered. */
struct team_state {
  uint64_t id, base;
  struct region_round {
    uint32_t region, threads;
  } * regions;
  size_t count, capacity;
  uint32_t threads;
  bool is_given_up; /* cancelled, or reported already */
};

struct checker {
  struct trace *trace;
  struct replay *replay;
  struct check_result *result;
  uint64_t rules;         /* that are checked: a set */
  uint64_t end_ticks;     /* from here on nothing is checked; UINT64_MAX: everything is */
  uint64_t *process_ends; /* the last event of each process, if they have been ended; NULL: there is one */
  struct task_state *tasks;
  size_t task_count;
  struct fresh_task *fresh; /* in turn, from fresh_first on */
  size_t fresh_first, fresh_count, fresh_capacity;
  struct location_state *locations; /* by location */
  struct team_state *teams;
  size_t team_count;
  const struct trace_event *event;                      /* that is being processed */
  struct pair_map lock_memories;                        /* by location group and address */
  struct pair_map locks, edges, running_sets, findings; /* findings: position + 1 */
  struct lock_state *all_locks;
  uint64_t edge_count;
  bool *tests; /* by region: who requested a lock there went on without it once, and did not wait */
  /* something was cancelled or not recorded: threads need not have passed the same barriers */
  bool has_no_phases;
  struct check_mpi *mpi; /* NULL: there is none in the trace */
};

/* -- state.c -- */

/* True if the rule is to be checked. */
static inline bool checks(const struct checker *checker, enum check_rule rule) {
  return checker->rules >> rule & 1;
}

/* The state of a task. Lasts until the next call. */
struct task_state *checker_task(struct checker *checker, const struct replay_task *task);

/* The same, if it lives and has a state. */
struct task_state *checker_known_task(struct checker *checker, struct dependences_task task);

/* The region's name without "!$omp "; where a task is created, that of the task. */
const char *checker_name(const struct checker *checker, uint32_t region);

/* Position of the region, or CHECK_NO_REGION. */
uint32_t checker_region(const struct checker *checker, uint64_t ref);

/* Position of the location group, or after all. */
size_t checker_process(const struct checker *checker, size_t location);

/* A place in the source that the task is known by: its construct. */
uint32_t checker_place_of(const struct task_state *task);

/* One reference to it less; without any it is freed. */
void checker_drop(struct ancestor *ancestor);

/* Frees what the state owns. */
void checker_release_task(struct task_state *task);

/* The lock's state, which is made if there is none. */
struct lock_state *check_locks_state(struct checker *checker, uint64_t lock);

/* A lock's number, which is the archive's and by process, and the variable that it is if that is known. */
struct lock_text {
  char text[80];
};
struct lock_text check_lock_text(const struct checker *checker, uint64_t lock);

/* -- violations.c -- */

/* Counts a finding at these regions. Returns it when it is the first there, so that its detail be filled in;
 * else
 * NULL. */
struct check_finding *checker_find(struct checker *checker, enum check_rule rule, size_t location,
                                   uint64_t ticks, uint32_t region, uint32_t other);

/* The same for a call of MPI: its place in the source is where it is called. */
struct check_finding *checker_find_called(struct checker *checker, enum check_rule rule,
                                          const struct mpi_call *call, uint64_t ticks);

/* -- tasks.c -- */

void check_tasks_on_step(struct checker *checker, const struct replay_task_event *step);
void check_tasks_before_event(struct checker *checker, const struct trace_event *event);
/* As the replay's observers. */
void check_tasks_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                               uint64_t address);
void check_tasks_on_exclusive(void *data, struct dependences_task sink, uint64_t set);
void check_tasks_end_implicit(struct checker *checker, const struct replay_task *task);

/* -- task_orders.c -- */

void check_task_orders_begin(struct checker *checker, const struct replay_task_event *step,
                             struct task_state *task);
void check_task_orders_complete(struct checker *checker, const struct task_state *task, uint64_t ticks);

/* Before each event: what the moment that is over now makes certain. */
void check_task_orders_settle(struct checker *checker, uint64_t ticks);
void check_task_orders_close(struct checker *checker);

/* -- locks.c -- */

void check_locks_on_step(struct checker *checker, const struct replay_lock_event *step);
void check_locks_on_switch(struct checker *checker, const struct replay_task_event *step);
void check_locks_finish(struct checker *checker);
void check_locks_close(struct checker *checker);

/* -- stuck.c -- */

/* Events that the writer added at the end: the lock that a thread requested. */
void check_stuck_on_added(struct checker *checker, const struct trace_event *event);

/* After all other rules: it shows nothing where one of them gives the reason. */
void check_stuck_finish(struct checker *checker);

/* -- lock_states.c -- */

void check_lock_routine(struct checker *checker, const struct trace_event *event, enum construct construct);
void check_lock_routine_left(struct checker *checker, const struct trace_event *event);
void check_lock_acquired(struct checker *checker, const struct trace_event *event, uint64_t lock,
                         uint32_t region);
void check_lock_released(struct checker *checker, const struct replay_lock_event *step);
void check_lock_states_finish(struct checker *checker);
void check_lock_states_close(struct checker *checker);

/* The acquisition by which the lock is held; NULL: it is not, or NO_LOCK. */
struct acquisition *check_lock_held(struct checker *checker, uint64_t number);

/* The number that the event has as this attribute; false: it has none. */
bool check_attribute(const struct checker *checker, const struct trace_event *event, const char *name,
                     uint64_t *ret);

/* -- lock_orders.c -- */

/* Keeps count of the barriers that threads pass. */
void check_lock_orders_before_event(struct checker *checker, const struct trace_event *event);
void check_lock_orders_on_barrier(struct checker *checker, const struct replay_barrier_event *event);

/* The task acquires a lock while it holds another one. */
void check_lock_orders_note(struct checker *checker, const struct task_state *task,
                            const struct held_by_task *held, const struct replay_lock_event *step);
void check_lock_orders_finish(struct checker *checker);

/* -- left_out.c -- */

/* Finds out what cannot be checked, and where to stop. Returns 0 or a negative errno. */
int check_leave_out(struct checker *checker, char error[TRACE_ERROR_BYTES]);

/* -- form.c -- */

void check_form_before_event(struct checker *checker, const struct trace_event *event);

/* What holds of every archive, whatever is missing in it: also after what is checked otherwise. */
void check_form_always(struct checker *checker, const struct trace_event *event);
void check_form_finish(struct checker *checker);

/* -- mpi.c -- */
void check_mpi_open(struct checker *checker);
void check_mpi_on_event(struct checker *checker, const struct trace_event *event);
void check_mpi_finish(struct checker *checker);
void check_mpi_close(struct checker *checker);

/* -- teams.c -- */

void check_teams_on_enter(struct checker *checker, const struct trace_event *event, enum construct construct);
void check_teams_on_leave(struct checker *checker, const struct trace_event *event, enum construct construct);
void check_teams_on_step(struct checker *checker, const struct replay_team_event *step);
void check_teams_close(struct checker *checker);

#endif
