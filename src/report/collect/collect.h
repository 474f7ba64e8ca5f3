/* What the files that collect a report share: the state of everything that is alive while the events go
 * by. */
#ifndef STAVE_REPORT_COLLECT_COLLECT_H
#define STAVE_REPORT_COLLECT_COLLECT_H

#include "base/pair_map.h"
#include "base/pool.h"
#include "report/collect/account_lines.h"
#include "report/collect/path.h"
#include "report/collect/phases.h"
#include "report/report.h"

/* Time of one thread in one team, by activity; and in the worksharing regions there. */
struct live_member {
  uint64_t begin_ticks;
  uint64_t activity[ACTIVITY_COUNT];
  uint64_t implicit_wait, explicit_wait, release;
  uint64_t reduced, reduction_wait; /* in barriers that reduce: itself; for others when all had come */
  uint64_t reduced_before;          /* that it came to the last barrier */
  uint64_t lock_wait;               /* in this phase */
  uint64_t inner_lost;              /* in this phase: by teams that it has forked, see phases_add_inner */
  uint64_t late_in_phase;           /* that it has started it: after the first member; after all had come */
  uint64_t inner_waited;            /* waiting in those, ever, which its activity has, too */
  uint64_t preempted_in_phase, preempted_in_tasks; /* while it did not wait; tasks: explicit ones, ever */
  uint64_t stalled, stalled_in_phase; /* waits for room in Stave's buffers, which are left out of all else */
  struct share *shares;               /* a list, of this phase */
  uint64_t useful_inside;             /* in teams below it of the same region, which its activity has, too */
  uint32_t barriers;                  /* entered so far */
  bool is_serialised;                 /* its team has no other: what it did in the region itself, in pieces */
  uint64_t own, own_pieces;
  uint64_t own_before, pieces_before; /* when the last team that it had forked ended */
};

/* A taskwait or taskgroup: from when on no task was ready, to its end. */
struct taskwait {
  uint32_t region;
  uint64_t begin_ticks, end_ticks; /* end: 0: it is open, or nothing was lost */
  uint64_t own_ticks;              /* that its own thread was idle; while open: before */
};

enum { BARRIER_ROUNDS = REPLAY_ROUNDS, BLOCKED = 4 };

/* What a team has at this time. */
struct live_ready {
  struct report_ready *sums; /* of its region; NULL: no task was created yet */
  uint32_t tasks, waiting;   /* tasks that could begin; threads that wait */
  uint64_t ticks;            /* up to here it is counted */
  uint64_t emptied_ticks;    /* when there was no such task any more */
  uint64_t idle_ticks;       /* up to when nobody in the team did anything, the last time */
};

/* A team that is alive, by the replay's slot. */
struct live_team {
  /* -- what its instance and its phases add to sums -- */
  uint64_t members, useful, longest_useful;
  uint64_t member_time; /* from begin to end, of all members */
  uint64_t activity[ACTIVITY_COUNT];
  uint64_t implicit_wait, explicit_wait, release, reduced, reduction_wait, passages, stalled, inner_waited;
  uint64_t latest_begin_ticks;            /* of a member */
  uint64_t tasks, ended;                  /* created in it; and complete */
  uint64_t preempted, preempted_in_tasks; /* by the primary after the last barrier; of all members */
  uint64_t last_late, late_at_end; /* that the last barrier has let members go: all of them; the primary */
  uint64_t begin_ticks, phase_end_ticks; /* of the first member; of the last phase that is over */
  uint64_t context;                      /* in which it was forked, as a ref */
  bool is_nested;
  uint32_t size;      /* threads that it was forked with */
  uint32_t crowd;     /* how many members it has more than there are processors; 0: none, or not known */
  uint32_t at_once;   /* threads of the process in any team, at most */
  bool is_serialised; /* of one thread: as its member's; how long after another one's end it was forked */
  uint64_t own, own_pieces, since_end; /* (with nothing but the join in between; 0: there was) */
  /* -- and what nobody else needs -- */
  uint64_t id;                  /* of the replay's team: whether this is still the same */
  bool reduces[BARRIER_ROUNDS]; /* somebody has combined something in it */
  uint64_t task_end_ticks;      /* of the last task that has ended */
  uint64_t end_ticks;           /* of the primary; 0: not yet */
  struct live_ready ready;
  uint64_t tasks_before[BARRIER_ROUNDS]; /* when the first one has left the barrier of this round */
  struct share *loops_seen;              /* one for every worksharing region */
  /* one by number modulo 2: nobody comes to the next but one while one is not over, but events of the same
   * time come in any order */
  struct team_phase phases[2];
  struct live_process *process;     /* whose it is */
  struct taskwait blocked[BLOCKED]; /* the last ones after which more tasks were created, a ring */
  uint64_t blocked_count;
  uint64_t blocked_sum; /* the total duration of these */
  uint64_t creator;     /* id and slot of the task that forked */
  uint32_t creator_slot;
  struct path start;                   /* up to the fork */
  struct path arrived[BARRIER_ROUNDS]; /* the longest of those who have entered the barrier of this round */
  struct path finished;                /* the longest of its tasks and members that have ended */
};

struct edge {
  struct edge *next;
  uint64_t sink;
  uint32_t sink_slot;
};

/* What a task depends on. */
struct dependence {
  struct dependence *next;
  uint64_t address;
  bool is_out;
};

/* The longest paths of the completed tasks that wrote to, and that only read, a dependence's variable. */
struct variable_paths {
  struct path written, read;
};

/* A taskgroup that is open. */
struct group {
  struct group *outer;
  struct path finished;
  uint32_t references;
};

/* A task that is alive, by the replay's slot. */
struct live_task {
  uint64_t id, creator;
  uint32_t creator_slot;
  uint32_t construct; /* position of the region where it was created */
  uint32_t process;   /* whose it is, as struct collector's */
  bool is_included;
  bool is_ready, has_started; /* ready: it could begin */
  uint32_t unmet;             /* tasks that it depends on and that are not complete */
  uint32_t team_slot;         /* where it was created: */
  uint64_t team;
  struct taskwait taskwait, ended_taskwait; /* ended: until more is created after it */
  uint64_t stalled;                         /* it waited for room in Stave's buffers */
  uint64_t waited;                          /* for tasks, in barriers and for locks */
  struct path path;                         /* up to where it is */
  struct path children;                     /* the longest of its children that have completed */
  struct group *group;                      /* innermost */
  struct edge *sinks; /* tasks that depend on it and were created while it was not complete */
  struct dependence *dependences;
  uint64_t location, generation; /* how events on dependences name it */
};

/* One location. */
struct report_location {
  uint32_t kernel_target; /* of a stream: the construct whose kernel runs; REPLAY_NONE: unknown */
  uint64_t kernel_begin;
  uint64_t operation; /* of OpenMP's that the thread is in: its matching id, and what that represents; */
  uintptr_t operation_value; /* 0: it is in none */
  enum report_running running;
  uint64_t faults_before;                  /* of pages, before the part that counts */
  uint64_t ran_since, worked_until;        /* since when it has had its processor; when it did not wait */
  uint64_t preempted_begin, preempted_end; /* the last time */
  uint64_t charged_ticks;                  /* up to here its time is accounted for */
  struct live_member *members;             /* a stack: one for each team that it is in */
  size_t member_capacity;
  uint32_t member_count;
  uint32_t wait_region; /* and since when it waits there */
  uint64_t wait_ticks;
  struct path fork; /* of the last fork */
  uint64_t fork_ticks, fork_creator;
  uint64_t ended_ticks, joined_ticks; /* of its last team, and the join */
  uint64_t since_end;                 /* of its last fork, as a team's */
  uint32_t fork_creator_slot;
  bool is_forking;   /* from that fork to the begin */
  bool is_first;     /* of its process */
  uint64_t waits_in; /* id of the team, and its slot; 0: it does not wait */
  uint32_t waits_in_slot;
  uint64_t blocked_team, blocked_sum;  /* of its team, at its last event */
  uint64_t created_id, created_number; /* the last task it created, by whom, and the event */
  uint64_t created_ticks, created_by;
  uint32_t created_points;
  uint64_t completed_ticks, completed_number; /* number 0: no task could begin then */
  uint32_t created_slot;
};

/* Processes are numbered as location groups; then come that of locations without a group, and one that is in
 * no sum: the threads that runtimes have for themselves. */
#define PROCESS_OF_RUNTIMES(trace) ((trace)->location_group_count + 1)
#define PROCESS_COUNT(trace) ((trace)->location_group_count + 2)

/* The teams of one process. */
struct live_process {
  uint32_t open_teams, led_teams; /* led: whose primary has not left them */
  uint64_t open_ticks;            /* since when there is a team */
  uint64_t closed_ticks;          /* until when there was one before */
  uint64_t opener;                /* which team that was */
  size_t first_location;          /* whose events are the first; SIZE_MAX: none so far */
  uint64_t parallel_before;       /* ticks with a team until its last event */
  uint32_t in_teams;              /* threads that are in any */
  struct path longest, fork;      /* of any task so far; of the last fork */
};

/* What a region's events are observed for, by its position. */
struct interest {
  uint8_t construct;
  bool is_loop, is_chunk, is_barrier, is_depend, is_target, is_reduction, is_wait_inside, is_part,
      is_device_wait, is_kernel, may_start, starts_kernel; /* may_start: an operation of a device */
  bool is_requested;  /* any of these whose Enters and Leaves are looked at */
  uint32_t analysers; /* bits of those that look at them */
};

enum analyser_number {
#define ANALYSER(name) ANALYSER_##name,
#include "report/collect/analysers.def"
#undef ANALYSER
  ANALYSER_COUNT
};

struct barrier_reduction;
struct collector;
struct serial_part;
struct team_instance;

/* What changes sums that have an order, or involves other processes: of who replays some of the processes,
 * and leaves that to another one, who replays none (ranks/posts.h). */
struct posting {
  void (*wait)(struct collector *collector, uint32_t region, size_t location, uint64_t ticks);
  void (*call)(struct collector *collector, const struct trace_event *event); /* it may be one of MPI */
  void (*phase)(struct collector *collector, const struct live_team *live_team,
                const struct team_phase *phase, uint32_t region);
  void (*instance)(struct collector *collector, const struct live_team *live_team,
                   const struct team_instance *instance);
  void (*reduction)(struct collector *collector, const struct barrier_reduction *reduction);
  void (*serial)(struct collector *collector, const struct serial_part *part);
  void (*lock)(struct collector *collector, const struct replay_lock_event *event);
};

struct collector {
  struct report *report;
  struct trace *trace;
  struct replay *replay;
  struct report_location *locations;
  struct interest *interests;
  struct live_team *live_teams;
  size_t live_team_capacity;
  struct live_task *live_tasks;
  size_t live_task_capacity;
  struct pair_map operations, variables, named_tasks;
  struct account_lines account;
  struct mpi_waits *waits; /* see mpi_waits.h; NULL: there are no calls of MPI */
  struct path_store paths;
  struct live_process *processes; /* as the report's */
  uint64_t now_ticks;
  struct pair_map matching; /* operations on devices: see collect_offload.c */
  struct pair_map moved;
  uint64_t kernel_ticks, kernel_since; /* in which kernels ran, up to some time */
  uint32_t kernel_count;               /* that run */
  uint64_t matching_attribute, from_attribute, to_attribute, memory_attribute;
  uintptr_t device_changes; /* how often the host has submitted what changes data on a device */
  uint32_t *dispatch_histogram;
  bool has_tasks;
  bool has_taskwaits;
  uint64_t iterations_attribute, chunk_size_attribute, source_attribute, sink_attribute, address_attribute;
  void *states[ANALYSER_COUNT];       /* what each analyser keeps */
  uint32_t by_kind[TRACE_KIND_COUNT]; /* bits of those that look at such events */
  uint32_t by_lock, every;            /* bits of those that look at locks, and at all events */
  void (*watchers[ANALYSER_COUNT])(struct collector *collector, const struct trace_event *event,
                                   uint32_t region, struct replay_now *now); /* of these */
  size_t watcher_count;
  uint32_t watched;              /* the set that they are of */
  uint64_t processors;           /* that a process may use; 0: not known */
  const struct posting *posting; /* NULL: it replays all processes, or none */
  void *posts;                   /* of who posts */
  bool adds_posts;               /* others replay, */
  uint64_t events_added;         /* so many events */
};

/* -- collect.c -- */

/* The parts of a reading: what is read of the definitions; each event; what is open at `end`; and what
 * follows from all of it. */
void collector_prepare(struct collector *collector);
bool collector_on_event(void *collector, const struct trace_event *event);
void collector_charge_rest(struct collector *collector, uint64_t end);
void collector_conclude(struct collector *collector);

void collector_free(struct collector *collector);

void report_begin(struct report *ret, const struct trace *trace, uint64_t from_ticks, uint64_t to_ticks);

/* All of that, of all events, into a report that has started. As report_read. */
int collector_read(struct report *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]);

/* The end of the window, if there is more of the trace after it, else the last event. */
uint64_t collector_end(const struct collector *collector);

/* A thread has waited in the region in one piece, and longer than any before where that is more than those.
 */
void collector_note_wait(struct collector *collector, uint32_t region, size_t location, uint64_t ticks);

/* The region's details, made at first use; NULL for REPLAY_NONE. */
struct report_parallel *collector_parallel(struct collector *collector, uint32_t region);
struct report_loop *collector_loop(struct collector *collector, uint32_t region);
struct report_mutex *collector_mutex(struct collector *collector, uint32_t region);
struct report_task *collector_task(struct collector *collector, uint32_t region);

/* A time cut to the window. */
static inline uint64_t collector_cut(const struct collector *collector, uint64_t ticks) {
  const struct report *report = collector->report;
  if (ticks < report->from_ticks)
    return report->from_ticks;
  return ticks > report->to_ticks ? report->to_ticks : ticks;
}

/* True if the time is in the window. */
static inline bool collector_is_inside(const struct collector *collector, uint64_t ticks) {
  return ticks >= collector->report->from_ticks && ticks <= collector->report->to_ticks;
}

/* The position of the region with this reference; REPLAY_NONE: there is none. */
static inline uint32_t collector_region(const struct collector *collector, uint64_t ref) {
  return trace_region_position(collector->trace, ref);
}

/* What an Enter or Leave is of; REPLAY_NONE: it is another event. */
static inline uint32_t collector_region_of(const struct collector *collector,
                                           const struct trace_event *event) {
  if (event->kind == TRACE_Enter)
    return collector_region(collector, event->Enter.region);
  return event->kind == TRACE_Leave ? collector_region(collector, event->Leave.region) : REPLAY_NONE;
}

/* The innermost open construct, without what only names a part of it: a chunk, a structured block, the
 * waiting in a barrier. The position of its region; REPLAY_NONE: none. */
uint32_t collector_construct(const struct collector *collector, const struct replay_task *task);

/* The attribute of this name; TRACE_NO_REF: the trace has none. */
uint64_t collector_attribute_named(const struct collector *collector, const char *name);

/* The value of an attribute of the event; false if it has none. */
bool collector_attribute(const struct trace_event *event, uint64_t attribute, uint64_t *ret);

/* -- collect_definitions.c -- */
void learn_definitions(struct collector *collector);

/* -- collect_teams.c -- */
void teams_on_event(void *data, const struct replay_team_event *event);
void teams_on_slice(void *data, const struct replay_slice *slice);
void teams_fork(struct collector *collector, size_t location, uint64_t ticks);
void teams_join(struct collector *collector, size_t location, uint64_t ticks);
void teams_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now);

/* The team with this slot, and the member that the thread is of its innermost one; NULL: it is in none. */
struct live_team *teams_live(struct collector *collector, uint32_t slot);
struct live_member *teams_member(struct collector *collector, size_t location);

/* An instance of a parallel region: is_alone: no other team of the process was there. */
struct team_instance {
  uint32_t region;
  bool is_alone;
  uint64_t from, to;
};
void teams_add_instance(struct collector *collector, const struct live_team *live_team,
                        const struct team_instance *instance);

/* -- collect_barriers.c -- */
void barriers_on_event(void *data, const struct replay_barrier_event *event);

/* A member has left a barrier in which its team has combined what it has reduced. */
struct barrier_reduction {
  uint32_t region, parallel;
  uint64_t combined, waited;
};
void barriers_add(struct collector *collector, const struct barrier_reduction *reduction);

/* A thread combines what its team has reduced. */
void barriers_reduce(struct collector *collector, size_t location, const struct replay_now *now);

/* -- collect_running.c -- */
void running_on_metric(struct collector *collector, const struct trace_event *event);
void running_on_pause(struct collector *collector, const struct trace_event *event);

/* Where the archive has it at all. */
void running_charge(struct collector *collector, size_t location, const struct replay_now *now,
                    struct live_member *member, uint64_t begin, uint64_t end);

/* How long of the time the thread was preempted, as far as it was the last time that it was. */
uint64_t running_preempted_since(const struct collector *collector, size_t location, uint64_t since,
                                 uint64_t until);

/* -- collect_tasks.c -- */

/* What is kept of a task, made or emptied if it was another one's. */
struct live_task *live_task_new(struct collector *collector, const struct replay_task *task);
static inline struct live_task *live_task_of(struct collector *collector, const struct replay_task *task) {
  bool is_there =
      task->slot < collector->live_task_capacity && collector->live_tasks[task->slot].id == task->id;
  return is_there ? &collector->live_tasks[task->slot] : live_task_new(collector, task);
}

struct live_task *live_task_at(struct collector *collector, uint32_t slot, uint64_t id);
void tasks_prepare(struct collector *collector);
void tasks_on_event(void *data, const struct replay_task_event *event);
void tasks_on_dependence(void *data, struct dependences_task source, struct dependences_task sink,
                         uint64_t address);
void tasks_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now);
void tasks_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                        const struct replay_now *now);

/* The paths of tasks that are alive at the end are of their processes. */
void tasks_end_paths(struct collector *collector);
void tasks_finish(struct collector *collector);
void tasks_free(struct collector *collector);

/* -- collect_creations.c -- */

/* The tasks of one construct that the teams of a parallel region have created. */
struct report_creations {
  uint32_t construct, creator; /* creator: the location that has created the last one */
  uint64_t tasks;
  bool has_several; /* several locations of one process have created some */
};

/* What creating a task costs, which its thread has just reported; that one was created in a team of this
 * parallel region; and when all were, once it is known what it costs to start one. */
void creations_measure(struct collector *collector, const struct replay_task_event *event,
                       struct report_task *detail);
void creations_count(struct collector *collector, uint32_t parallel, const struct replay_task *task);
void creations_finish(const struct report *report, struct report_task *detail);

/* -- collect_ready.c -- */

/* A task was created in the team of this region (NULL: not known), which can begin or not; it depends on one
 * that is not complete; one of those is; it has started, or is gone. */
void ready_create(struct collector *collector, const struct replay_team *team,
                  struct report_parallel *parallel, struct live_task *live_task, bool is_ready);
void ready_wait_for(struct collector *collector, struct live_task *sink);
void ready_satisfied(struct collector *collector, struct live_task *sink);
void ready_remove(struct collector *collector, struct live_task *live_task);

/* What the thread does has changed: whether it waits. Once there are tasks. */
void ready_notice_change(struct collector *collector, size_t location, const struct replay_team *team);
static inline void ready_notice(struct collector *collector, size_t location) {
  const struct replay_team *team = replay_team_waited_in(collector->replay, location);
  if ((team ? team->id : 0) != collector->locations[location].waits_in)
    ready_notice_change(collector, location, team);
}

/* The team is gone. */
void ready_end(struct collector *collector, struct live_team *live_team);

/* -- collect_taskwaits.c -- */

/* A task comes to such a region and leaves it, and creates a task; and a member of a team has been idle or
 * not since its last event. */
void taskwaits_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                            struct live_task *live_task);
void taskwaits_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                            struct live_task *live_task);
void taskwaits_created(struct collector *collector, struct live_task *creator, struct live_team *live_team,
                       uint32_t parallel);
/* The thread begins to wait; then, at each of its events, what of the time since it has waited so far. */
void taskwaits_idle(struct report_location *here, const struct live_team *live_team);
void taskwaits_charge(struct collector *collector, size_t location, const struct live_team *live_team,
                      uint64_t begin, uint64_t end);

/* -- own.c: a histogram of times between callbacks -- */
uint32_t *own_between_callbacks(const struct collector *collector);

/* -- histogram.c -- */

enum { HISTOGRAM_BUCKETS = 64 * 8 };

/* A histogram of times, eight steps an octave; the time that a share of them do not exceed. */
uint32_t *histogram_new(void);
void histogram_add(uint32_t *histogram, uint64_t ticks);
void histogram_merge(uint32_t *histogram, const uint32_t *other);
uint64_t histogram_quantile(const uint32_t *histogram, double share);

/* The same of times between two readings of a clock that may move in steps of many ticks (AMD's of 26): where
 * it is a tick, which shows no more than that both were in one step, the mean of those up to a step. */
uint64_t histogram_shortest(const uint32_t *histogram, double share);

/* -- collect_devices.c -- */
void devices_on_event(struct collector *collector, const struct trace_event *event);
void devices_on_slice(struct collector *collector, const struct replay_slice *slice);
void devices_free(struct collector *collector);

/* -- collect_offload.c -- */

/* An operation on a device begins on the host, or a kernel on a stream; a kernel ends; a transfer begins on a
 * stream, which returns what its end needs as `begin_busy`, and ends. */
struct offload_copy {
  uint64_t id, bytes, begin_ticks, begin_busy, end_ticks;
  bool is_to_device, is_pageable;
  bool is_of_device; /* its times are the device's */
  bool is_timed;     /* they are those of a transfer, and of nothing that the host waited for before */
};
void offload_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                          const struct replay_now *now);
void offload_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region);
uint64_t offload_transfer_begins(const struct collector *collector, uint64_t ticks);
void offload_transfer_ends(struct collector *collector, const struct offload_copy *copy);

/* -- collect_messages.c: calls of MPI (mpi_waits.h) -- */
void mpi_waits_prepare(struct collector *collector);
void mpi_waits_on_event(struct collector *collector, const struct trace_event *event);

/* A thread of the process has worked, where there are calls of MPI. */
void mpi_waits_useful(struct collector *collector, size_t process, uint64_t ticks);
void mpi_waits_finish(struct collector *collector);
void mpi_waits_free(struct collector *collector);

/* -- efficiency.c -- */
void caveats_find(struct report *report);

/* -- lives.c -- */

/* What threads that have the same place did one after another. */
struct report_place {
  size_t process;
  uint64_t useful_in_teams, overhead;
};

/* It is a CPU's, and in teams, or works. */
bool report_is_cpu(const struct report_thread *thread);

/* What is known of when the thread begins becomes its readings'. */
void lives_begin(struct collector *collector, uint32_t location);

/* All events have gone by, and the wall time is known. */
void lives_find(struct report *report);
double life_of(const struct report *report, const struct report_thread *thread); /* ticks in the window */

/* -- efficiency.c -- */
void efficiency_find(struct report *report);
void unseen_find(struct report *report); /* after account_find */
void unseen_add(struct report *report, enum report_cause cause, enum report_unseen_why why,
                const char *event);

/* -- processors.c -- */

/* What the archive reports of them. */
void processors_find(struct report *report);

/* Wall time that a region with more threads than processors could save at most: what its threads did on
 * processors these have to do in any case. All of it where that is not known. */
double processors_bound(const struct report *report, const struct report_parallel *parallel, double threads);
/* The same of its imbalance: what they had nothing to do while threads waited, of those that are there. */
double processors_idle(const struct report *report, const struct report_parallel *parallel);
/* As many as the region's smallest team has threads; in nested teams, as there were at the same time. And
 * whether the process may use fewer. */
uint64_t processors_needed(const struct report_parallel *parallel);
bool processors_are_too_few(const struct report *report, const struct report_parallel *parallel);
/* By threads that wait awake, while others that could begin have none. */
bool processors_are_held(const struct report *report, const struct report_parallel *parallel);
bool processors_are_left(const struct report *report, const struct report_parallel *parallel);

/* The part of what this region's threads lose that fewer of them would not lose, since they share processors,
 * if all their useful time was on one: 0 to 1. */
double processors_sharing(const struct report *report, const struct report_parallel *parallel,
                          double threads);

/* Processor time of tracing during the region. */
double processors_traced(const struct report *report, const struct report_parallel *parallel);

/* How many of so many threads can compute at a time. */
double processors_at_most(const struct report *report, double threads);

/* -- findings.c -- */

void findings_make(struct collector *collector);

#endif
