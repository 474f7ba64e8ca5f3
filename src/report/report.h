/* What `stave report` states about a trace, as numbers: one pass over the events, memory bounded by
 * locations, definitions and live tasks. All times are ticks of the trace's clock unless a name states
 * otherwise; the manual page stave-report(1) defines every figure. */
#ifndef STAVE_REPORT_REPORT_H
#define STAVE_REPORT_REPORT_H

#include "replay/replay.h"
#include "replay/traffic.h"
#include "report/report_account.h"
#include "report/report_cause.h"
#include "report/report_counters.h"
#include "report/report_devices.h"
#include "report/report_mpi.h"
#include "report/stats/scatter.h"
#include "report/stats/spread.h"
#include "report/stats/variation.h"
#include "trace/device_facts.h"
#include "trace/runtimes.h"

/* Whether a thread had a processor, as the kernel reports it. */
enum report_running {
  RUNNING_UNKNOWN,
  RUNNING_ON,        /* it ran */
  RUNNING_PREEMPTED, /* it could go on and had none */
  RUNNING_BLOCKED,   /* it waited in the kernel */
  RUNNING_YIELDED,   /* it waited for other threads and let others have its processor (sched_yield) */
  RUNNING_COUNT,
};

/* How threads wait for others. */
struct report_waiting {
  uint64_t running[RUNNING_COUNT];
  uint64_t yields, sleeps; /* how often they gave their processor away, and blocked */
};

/* One location. */
struct report_thread {
  bool is_seen, is_device;          /* is_seen: has events in the window */
  bool is_runtimes;                 /* of the OpenMP runtime's own: no thread of the program's teams */
  bool is_in_teams;                 /* was a member of a team, or forked one, or worked outside of all */
  uint64_t first_ticks, last_ticks; /* events in the window, if it is_seen */
  uint64_t activity[ACTIVITY_COUNT];
  uint64_t useful_in_teams;
  size_t process;                    /* position in struct report's processes */
  bool has_place, has_life;          /* it lives in the window; the archive has when it began: */
  uint64_t start_ticks, ended_ticks; /* ended: of what it did outermost; not after its begin: not known */
  size_t place;                      /* from 0 to `cpus`; nobody else has it while the thread lives */
  uint64_t stalls, stall_ticks;      /* waits for room in Stave's buffers */
  bool processor_known;              /* which one it was on, of what follows */
  uint64_t running[RUNNING_COUNT];
  uint64_t preemptions, yields, blocks, migrations, faults; /* how often; faults: of pages */
  struct report_kernel kernel;
};

/* One process: a location group. */
struct report_process {
  uint64_t first_ticks, last_ticks; /* events in the window */
  uint64_t parallel;                /* time in which it had a team */
  uint64_t mpi;                     /* time that threads without a team were in MPI */
  uint64_t offload;                 /* that its first thread, without a team, was in calls for devices */
  uint64_t unknown;                 /* in which its first thread has no team, and what it does is not known */
  uint64_t serial_useful;           /* outside of teams, of its CPU locations */
  uint64_t useful;                  /* of its CPU locations */
  size_t cpus;                      /* as in struct report; 0: only devices, or nothing in the window */
};

/* The process's time before its first event, ticks; and its page faults. */
struct report_life {
  uint64_t start_ticks; /* 0: not known, or too short to determine it */
  double before, ran;   /* without what it was ready without a processor; what its first thread ran of that */
  bool has_started_others; /* it had waited for other processes by then: as a shell does that executes this */
  uint64_t faults, repeated;       /* repeated: more than it has had pages at a time */
  uint64_t faults_before;          /* until the first event */
  uint64_t variables;              /* pages of the program's own */
  uint64_t stack, shared;          /* pages of the first thread's stack, and of shared memory */
  double fault_ticks, large_ticks; /* of one fault; of one in memory of large pages */
  bool is_reclaimed;               /* the host gets what is free, and large pages are of that */
};

/* From where a parallel construct was encountered. */
struct report_caller {
  /* ref of the calling context: the construct's own code; its parents called that. Equal lines are one */
  uint64_t context;
  uint64_t instances, wall;
  double gain; /* ticks, as of the region */
};

enum { REPORT_READY_SLICES = 16 };

/* While a team was there: how long, and tasks that could begin x ticks. */
struct ready_slice {
  double ticks, tasks;
};

/* Tasks that could begin: created, all that they depend on complete, not started. */
struct report_ready {
  uint64_t most; /* at a time */
  /* what threads waited in barriers and for tasks, from its first task on: beside a task that could begin,
   * and without one; idle: the part of that while nobody did anything, with tasks or right after one */
  double beside, without, idle;
  uint64_t begin_ticks, slice_ticks; /* of the first; how long one is */
  struct ready_slice slices[REPORT_READY_SLICES];
};

/* A parallel construct. */
struct report_parallel {
  uint64_t instances, members; /* members: threads of all instances */
  uint32_t smallest, largest;  /* team size */
  uint32_t at_once;            /* threads in any team while it was there, at most */
  /* sum of the instances' durations, from the fork to the primary's end */
  uint64_t wall;
  struct spread duration;
  uint64_t thread_time;                  /* sum over the instances of members x duration */
  uint64_t late;                         /* the part of it before members begin and after they end */
  uint64_t activity[ACTIVITY_COUNT];     /* of all members */
  uint64_t implicit_wait, explicit_wait; /* the parts of barrier wait */
  uint64_t latest; /* sum over the instances: from the fork to the last member's begin */
  /* wall time that it would be shorter had members not started late, and barriers not let them go late */
  double late_begins, late_releases;
  /* the part of barrier wait when all had come and all tasks were done, without that for reductions */
  uint64_t release;
  uint64_t reduced, reduction_wait; /* in barriers that reduce: combining; waiting when all had come */
  uint64_t passages;                /* of barriers, by all members */
  uint64_t stalled;                 /* waits of its members for room in Stave's buffers */
  /* sum over the instances of the longest member's useful time - the mean */
  uint64_t imbalance;
  uint64_t tasks;                     /* explicit tasks created in it */
  struct report_ready ready_tasks;    /* the same */
  struct report_creations *creations; /* by their construct */
  struct report_delay *delays;        /* of the worksharing constructs that were encountered in it */
  size_t creations_count, delay_count;
  struct scatter
      alone; /* of the instances that had one thread while no other team was there: their wall time */
  /* sum over the instances of (thread time that is not useful / members) */
  double gain;
  uint64_t *useful;            /* by location */
  struct variation *variation; /* of its phases: what the last comes later than the mean; NULL: nothing */
  struct scatter room;         /* the same */
  struct scatter taskless;     /* the part of it in phases without tasks, outside of worksharing */
  double slight_room,
      idle_room; /* slight: in phases of which it is a small share; idle: with idle processors */
  struct scatter begins, releases, reductions; /* of its instances; releases: of its phases */
  uint64_t inner_waited; /* the part of barrier wait and task wait that its members had in inner teams */
  double moved;          /* what its locks and inner teams add to the mean waiting at barriers, or subtract */
  /* of inner teams: wall time that outer ones wait for theirs, less what they would wait anyway */
  double outer_waited;
  double preempted; /* wall time that it would be shorter had no member ever been preempted */
  /* of its members' time, as the account has it: of how much it is known, and the part that they ran and were
   * ready */
  double accounted, ran, ready;
  struct report_accounted *accounted_of; /* by location; NULL: not known */
  struct report_serialised *serialised;  /* collect/serialised.h; NULL: no instance had one thread */
  bool is_nested;                        /* ever inside another team */
  struct report_caller *callers;         /* the longest first; of those instances of which it is known */
  size_t caller_count;
};

/* A worksharing construct: for, distribute, taskloop, sections, single, workshare, scope. */
struct report_loop {
  uint64_t teams;       /* team instances in which it was encountered */
  uint64_t encounters;  /* by all threads */
  struct spread time;   /* of one thread in one encounter */
  struct spread trips;  /* iterations, as the runtime names them at each encounter */
  struct spread chunks; /* iterations of a chunk; count: chunks */
  struct spread chunk_time;
  uint64_t instances;    /* phases of teams, from barrier to barrier, in which it was encountered */
  uint64_t shared, even; /* of these, with several members; where all had about as much time in it */
  /* sums over the instances: the longest member's time in it - the mean, that time, and what all had more
   * than the shortest; what who came last to the barrier had more than the mean, without waiting for locks */
  uint64_t imbalance, longest, beyond;
  double delay;
  double slight; /* the part of the delay in instances where it is a small share of the time in it */
  struct variation *variation; /* of the delay, over the instances; NULL: there was none */
  struct scatter delays;       /* the same */
  uint64_t *by_location;
  uint32_t parallel; /* position of the region in which it was encountered first; REPLAY_NONE: none */
};

enum { REPORT_BLAMED = 4 };

/* Who made others wait. */
struct report_blame {
  uint32_t region, location; /* that held the lock */
  uint64_t ticks;
};

enum { REPORT_LOCK_OBJECTS = 8 };

/* One of the locks that a construct acquires. */
struct report_lock_object {
  uint64_t lock;    /* as in replay_lock_event */
  uint64_t address; /* 0: not known */
  uint64_t acquisitions, contended;
  struct spread wait, hold;
  uint64_t waited;            /* ticks: the part of `wait` in which others held it */
  struct report_blame holder; /* who was waited for most */
};

/* A construct that acquires locks: critical, ordered, atomic, omp_set_lock ... */
struct report_mutex {
  uint64_t acquisitions, contended; /* contended: another held it when it was requested */
  struct spread wait, hold;
  struct spread waited;                      /* the waits for another thread */
  uint32_t longest_location;                 /* that waited longest */
  struct report_blame blamed[REPORT_BLAMED]; /* those who were waited for most */
  uint64_t blamed_ticks;                     /* of all who were waited for */
  /* sums over the phases of teams: how much earlier the last member would have come without waiting; how much
   * of the mean waiting at the barrier that would have saved; and how much the mean waiting there would have
   * grown */
  double gain, of_barrier, moved;
  struct scatter gains, waits; /* of the phases; of the acquisitions */
  uint64_t outside;            /* waited in explicit tasks, or outside of teams */
  uint32_t parallel; /* position of the region in which it was waited for first; REPLAY_NONE: none */
  uint64_t lock;     /* the last one, as in replay_lock_event */
  bool has_several_locks;
  uint64_t locks; /* how many */
  /* those that were waited for longest, by that; lock and acquisitions 0: no more */
  struct report_lock_object objects[REPORT_LOCK_OBJECTS];
  /* of critical sections of one name, which are one lock, where it is held for longest: what waiting in the
   * others costs in all, in which of them most, and how much that is */
  double gain_elsewhere, most_elsewhere;
  uint32_t elsewhere;
  bool is_elsewhere; /* it is one of these others */
};

/* A task construct: the place where tasks are created. */
struct report_task {
  uint32_t task_region; /* REPLAY_NONE: none of its tasks began */
  uint64_t created, executed, cancelled, included, untied, taskwaits;
  uint64_t by_tasks;           /* of the created: by explicit tasks */
  uint64_t stolen, migrations; /* started elsewhere than created; resumed elsewhere than suspended */
  uint64_t dependences;
  struct spread run;      /* without suspension, and what it waits for tasks, in barriers and for locks */
  struct spread delay;    /* from creation to begin, without the included */
  struct spread creation; /* from one creation to the next, if nothing else was in between */
  /* the lower quartile of these; 0: unknown, or with code of the program in it */
  uint64_t creation_cost;
  uint32_t *creation_histogram; /* while reading */
};

/* A barrier in which a team combines what it has reduced. */
struct report_reduction {
  uint64_t combined, waited, times; /* by all threads; waited: when all had come */
  uint32_t parallel;                /* position of the region in which it was last */
  struct scatter costs;
};

/* A target construct, by its operations on devices. */
struct report_offload {
  struct spread kernels;
  struct spread transfers, again; /* while no kernel ran; again: of data that it had moved before */
  struct scatter agains;
  struct report_copies copies[COPIES_DIRECTIONS];
  uint64_t needless; /* copies back of data that nothing on the device can have changed since the last one */
  bool is_in_team;   /* ever */
  bool is_timed;     /* these are the device's times; else `kernels` are submissions */
};

/* What is known of every region. Detail is NULL for what it is not. */
struct report_region {
  uint64_t visits, inclusive; /* Enters; time between Enter and Leave, without suspension */
  uint64_t useful;            /* in the region itself, not in those inside */
  struct spread kernels;      /* on devices */
  bool is_on_device;          /* ever */
  bool is_runtimes;           /* a team's that the OpenMP runtime has for itself: then `parallel` is NULL */
  bool is_device_call;        /* of a library for devices */
  /* in a barrier, taskwait or taskgroup; the longest without a task between */
  uint64_t wait, longest_wait;
  uint32_t longest_location;
  uint64_t path; /* its part of the critical path */
  /* as the innermost construct: waiting there, and all else */
  struct report_waiting waiting;
  uint64_t running[RUNNING_COUNT];
  /* of a taskwait: how long threads were idle in it while no task was ready, if its task created more after;
   * how often; and in which parallel region last */
  uint64_t held_up, holds_up;
  uint32_t held_up_in;
  struct report_parallel *parallel;
  struct report_loop *loop;
  struct report_mutex *mutex;
  struct report_task *task;
  struct report_offload *offload;
  struct report_reduction *reduction;
};

/* An accelerator stream. */
struct report_device {
  bool is_timed; /* by the device; else `kernels` are submissions, and transfers the host's time in them */
  uint64_t to_bytes, from_bytes, pageable_bytes;
  uint64_t waited; /* for what other streams did: it had an operation submitted and nothing else to do */
  struct spread to, from, kernels, others; /* operations and their times */
};

/* What a thread did at the moment of a sample. */
enum report_doing {
  DOING_SERIAL,
  DOING_WORK,    /* the program's code in a team; in a target construct */
  DOING_WAITING, /* in barriers, taskwait, taskgroup, for locks */
  DOING_RUNTIME, /* forks, task management, reductions */
  DOING_IDLE,    /* a worker without a team */
  DOING_COUNT,
};

/* A function in which samples were taken. */
struct report_hot {
  uint32_t function; /* position of its region; REPLAY_NONE: no code was known */
  /* of a function without source: the innermost one with source that called it; REPLAY_NONE: none, or it has
   * source itself */
  uint32_t caller;
  const struct trace_code_line *line; /* the one with most samples, of the caller if there is one; or NULL */
  uint64_t samples;
};

/* Samples at one place: in a construct, or outside of all. */
struct report_sampled {
  enum report_doing doing;
  /* position of the construct, for work in parallel regions with all constructs inside; REPLAY_NONE: none */
  uint32_t region;
  uint64_t samples;
  struct report_hot *hot; /* most samples first */
  size_t hot_count;
};

/* Time outside of all parallel regions, by the regions around it. */
struct report_gap {
  uint32_t before, after; /* positions of parallel regions; REPLAY_NONE: the beginning, the end */
  struct spread time;
  uint64_t longest_begin, longest_end; /* of the longest part */
  struct scatter parts;                /* the same */
  struct report_sampled sampled;       /* serial; nothing in it: no samples */
};

enum { FINDING_BYTES = 768 };

/* Something worth doing. */
struct report_finding {
  enum report_cause cause;
  uint32_t region;   /* where; REPLAY_NONE: nowhere in particular */
  uint64_t site;     /* of a call of MPI: ref of the code line; TRACE_NO_REF: not known, or none */
  uint32_t location; /* that is waited for most: has most to do, holds the lock; REPLAY_NONE: no one */
  double gain_ticks; /* of wall time, if all of it could be saved */
  /* how much it would be another one in a run like this (a standard deviation); below 0: not known */
  double uncertainty_ticks;
  bool is_single; /* it happened once */
  bool is_slight; /* mostly of instances in which it is a small share of the time, as chance is */
  enum report_confidence confidence;
  const char *doubt;  /* what makes it low whatever else is so: constant memory; NULL: nothing */
  const char *reason; /* for the confidence: constant memory */
  const char *unsure; /* the reason of the greatest part of the uncertainty; NULL: what differs */
  double unsure_ticks;
  bool has_peak; /* few of its instances make up most of it: these */
  struct variation_peak peak;
  /* of so many samples at its place, so many were taken in this function; REPLAY_NONE: not known */
  uint64_t samples, samples_in;
  uint32_t sampled_function;
  char what[FINDING_BYTES], evidence[FINDING_BYTES], advice[FINDING_BYTES];
};

/* With whom threads share processors. */
enum { SHARED_WITH_THREADS, SHARED_WITH_OTHERS, SHARED_COUNT };

/* Parallel regions whose threads seem to wait for processors. */
struct report_shared {
  uint64_t regions, threads;             /* threads: of the largest team */
  uint64_t thread_time, passages, tasks; /* of all of them */
  double waited,
      unattributed; /* wall time, as if there were a processor for each; and no finding gives the reason */
  double gain, greatest; /* ticks, of all regions, and of the one that would save most: */
  uint32_t region;
};

/* What disturbs the numbers. */
struct report_caveats {
  uint64_t lost_events, stalls, stall_ticks, recording_pauses;
  uint64_t switches_missed;  /* of threads, for which the kernel had no room */
  uint64_t mutexes_withheld; /* acquisitions that were not recorded, because of a fault of the runtime's */
  uint64_t dependences_withheld; /* tasks whose dependences were not recorded, while others' were */
  uint64_t callbacks;            /* about as many as there were: times at which threads have events */
  uint64_t callback_ticks;       /* of one at most: one percent of times between two are shorter */
  bool lacks_chunks;             /* there are loops, and how many chunks they have is not known */
  uint64_t clock_ticks; /* by which messages end before they begin, at most: clocks of processes differ */
  bool is_incomplete, lacks_teams; /* as the archive reports; no team is known of any thread */
  struct runtimes runtimes;
  struct device_facts devices;
  bool lacks_dependences; /* there are tasks, and nobody requested the dependences of any */
};

/* Why a cause could not be looked for: the runtime does not report the event that shows it, it was not
 * requested, the kernel was not queried often enough, or the host of the machine decides on it. */
enum report_unseen_why { UNSEEN_RUNTIME, UNSEEN_DECLINED, UNSEEN_KERNEL, UNSEEN_HOST };

struct report_unseen {
  enum report_cause cause;
  enum report_unseen_why why;
  const char *event; /* constant memory; NULL: the kernel's */
};

/* What was open on a thread when the run ended. */
struct report_open {
  uint32_t region; /* of a lock that is held: where it was acquired */
  uint64_t since_ticks;
  bool is_held; /* a lock, not a region */
};

/* For whom a thread waited when the run ended. */
struct report_wait {
  uint32_t location;
  uint32_t region; /* where that one acquired the lock; REPLAY_NONE: it had not come to the barrier */
  bool is_lock;
};

/* Where a thread was when the run ended: open regions, innermost first, then the locks that it held. */
struct report_final_state {
  enum activity activity;
  struct report_open *open;
  size_t open_count;
  struct report_wait *waits;
  size_t wait_count;
};

struct report_state {
  const char *name; /* as the samples have it */
  uint64_t samples;
};

struct report {
  const struct trace *trace;
  uint64_t from_ticks, to_ticks, first_ticks, last_ticks; /* window; first and last event in it */
  /* of processes the mean; serial: when no team is there, without mpi: calls of MPI meanwhile; and without
   * unknown: what is not known */
  uint64_t wall, parallel, serial, mpi, unknown;
  double serial_alone; /* the part of serial in which one thread works: other initial threads may, too */
  double blocked, blocked_unsure; /* of all processes: a part of serial_alone (blocked.h), +- unsure */
  double beside;                  /* the same, in which threads ran that are none of OpenMP's */
  uint64_t offload;               /* of processes the mean: a part of serial */
  uint64_t device_wait;           /* that CPU locations waited for devices */
  double device_efficiency;       /* without what they are in calls for devices */
  struct report_process
      *processes;         /* by position of the location group; the last: of locations without one */
  size_t busiest_process; /* of which the thread efficiency and its factors are */
  size_t process_count;   /* with CPU locations that are in teams, or work */
  size_t cpus;            /* CPU locations that are in teams, or work: the most that live at a time */
  size_t threads_ever;    /* all of these */
  uint64_t activity[ACTIVITY_COUNT]; /* of all CPU locations */
  uint64_t useful;                   /* of all CPU locations */
  double known;                      /* ticks of all threads of which it is known what they did */
  double parallel_efficiency, serial_efficiency, mpi_efficiency, thread_efficiency, load_balance,
      serialisation, runtime_efficiency;
  double mpi_load_balance, mpi_serialisation, mpi_transfer, mpi_start_end; /* factors of mpi_efficiency */
  uint64_t mpi_starts_and_ends; /* ticks in MPI_Init, and MPI_Finalize once all are there */
  double ideal_wall;            /* ticks: of the run with a network without delays */
  struct report_mpi_start mpi_start;
  struct report_mpi_wait *mpi_waits;
  size_t mpi_wait_count;
  struct traffic traffic;
  uint64_t work, span;       /* of the process with the longest span: */
  size_t longest_process;    /* its position */
  uint32_t first_parallel;   /* the parallel construct that was started first; REPLAY_NONE: none */
  uint64_t first_fork_ticks; /* when */
  uint64_t forks, tasks_created, tasks_live;
  /* one percent of times from a task's end to the next one's begin are shorter; 0: unknown */
  uint64_t dispatch_cost;
  struct report_thread *threads; /* by location */
  struct report_place *places;   /* so many as there are cpus */
  struct report_region *regions; /* by position in the trace */
  struct report_device *devices; /* by location */
  struct report_device_use device_use;
  uint64_t moved_once; /* transfers while no kernel ran, but for data that were moved before */
  struct report_gap *gaps;
  size_t gap_count;
  struct report_state *states;
  size_t state_count;
  uint64_t samples, samples_doing[DOING_COUNT];
  struct report_sampled *sampled; /* most samples first */
  size_t sampled_count;
  struct report_finding *findings; /* the most worthwhile first */
  size_t finding_count;
  size_t chance_findings;                  /* left out, as what they would save may be chance */
  const char *ending;                      /* STAVE_PROPERTY_ENDING; NULL: the archive does not have it */
  bool has_ended_badly;                    /* as it states, and in the part that is reported */
  struct report_final_state *final_states; /* by location; NULL: nothing was cut off, or nobody knows */
  uint32_t *deadlock;    /* locations each of which waits for the next, the last for the first */
  size_t deadlock_count; /* 0: there is no such circle */
  /* of wall time: what looks like useful work, but findings state that it is not */
  double lost_in_work;
  double lost_anyway;                          /* the part of it that one thread would lose as well */
  bool has_running;                            /* the archive has whether threads had processors */
  uint64_t preempted_useful, preempted_serial; /* while they worked; serial: outside of teams */
  struct report_waiting idle;                  /* threads without a team */
  uint64_t running_outside[RUNNING_COUNT];     /* that work in no region */
  struct report_counters counters;
  struct report_processors processors;
  struct report_account account;
  struct report_kernel kernel; /* of one process */
  struct report_life life;
  struct report_shared shared[SHARED_COUNT];
  struct report_caveats caveats;
  struct report_unseen *unseen; /* causes that could not be looked for */
  size_t unseen_count;
  struct replay_anomalies anomalies;
  size_t replaying_ranks;       /* of an MPI job, that have read it together; 0: it was one process */
  bool has_callers, has_openmp; /* of any region; any region, team or task of OpenMP */
};

/* Reads the trace from `from_ticks` to `to_ticks` (0 and UINT64_MAX: all of it) and finds out everything.
 * Returns 0, or -EIO with one line in `error`. report_free in every case. */
int report_read(struct report *ret, struct trace *trace, uint64_t from_ticks, uint64_t to_ticks,
                char error[TRACE_ERROR_BYTES]);

void report_free(struct report *report);

/* The run is longer than the work of all its threads together, without the cost of creating tasks and the
 * like: that is `ret_work` ticks. Not where a part of the run is in MPI, on devices, or not known. */
bool report_is_slower_than_work(const struct report *report, double *ret_work);

/* Most of the parallel time has teams of more threads than the process may use processors: of so many. No
 * single run shows the duration with fewer threads. 0: not so, or not known. */
uint64_t report_crowding_threads(const struct report *report);

/* The kernel evens out unequal work between more threads than processors: with fewer it would be longer. */
bool report_is_evened_out(const struct report *report);

/* The only thread of the program that used OpenMP never had a team of more than one, though the process may
 * use several processors: by its settings, or by the regions' own clauses. Where events were lost, there may
 * have been others. */
bool report_has_one_thread(const struct report *report);

/* Time of a thread from one of its callbacks to the next, on average; 0: not known. */
double report_event_ticks(const struct report *report);

/* Of the time in parallel regions, the part that callbacks may have had. */
double report_traced_share(const struct report *report);

/* Whether no parallel region has a line: the program was installed without debug information. */
bool report_lacks_source(const struct report *report);

/* Wall time that all that kept threads from running cost. */
double report_hindrance_gain(const struct report *report);

/* "imbalance", "serial part", ...: constant memory. */
const char *report_cause_name(enum report_cause cause);
const char *report_cause_word(size_t number); /* all of them from 0 on; NULL after the last */

/* "serial", "work", "waiting", ...: constant memory. */
const char *report_doing_name(enum report_doing doing);

/* The place between two regions with the longest serial parts in all; NULL: there is none. */
const struct report_gap *report_longest_gap(const struct report *report);

void report_samples_free(struct report *report);

/* "low", "medium", "high": constant memory. */
const char *report_confidence_name(enum report_confidence confidence);

/* Whether anything is known of what threads did: else the efficiencies are shares of nothing. */
bool report_has_efficiency(const struct report *report);

/* Whether the archive has what causes are known of: OpenMP, MPI, or devices. */
bool report_has_causes(const struct report *report);

/* The processes' clocks differ by a hundredth of the run or more: who waits for whom in MPI is not known. */
bool report_lacks_clock(const struct report *report);

/* The variable that the construct's lock is; NULL: it has several, or that is not known. */
const char *report_lock_name(const struct report *report, const struct report_mutex *mutex);

/* The variable that one of several locks is; NULL: not known. */
const char *report_object_name(const struct report *report, const struct report_lock_object *object);

enum { REPORT_OBJECT_BYTES = 96 };

/* A lock in words: its variable, else its address, else its number in the archive. */
const char *report_object_text(char text[REPORT_OBJECT_BYTES], const struct report *report,
                               const struct report_lock_object *object);

#endif
