/* What is alive in the traced program: threads, teams, tasks, locks. Memory grows with this, not with what
 * ran.
 *
 * One thread, the merging one, owns all of it. */
#ifndef STAVE_WRITER_CORRELATE_MODEL_H
#define STAVE_WRITER_CORRELATE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "writer/correlate/acquisitions.h"
#include "writer/definitions/definitions.h"
#include "writer/model/event.h"
#include "writer/model/location.h"

enum { UNDECIDED_MAX = 8, UNENDED_MAX = 4 };

/* Why a region is open: how its end is found. */
enum frame_kind {
  FRAME_BASE,     /* program, worker, initial task, league: until the thread or its initial task ends */
  FRAME_PARALLEL, /* until the implicit task ends */
  FRAME_TASK,     /* until the explicit task ends */
  FRAME_SYNC,     /* detail: kind */
  FRAME_WAIT,     /* detail: kind */
  FRAME_WORK,     /* detail: kind */
  FRAME_SBLOCK,   /* inside single or a mutex: goes with the frame below */
  FRAME_LOCKING,  /* a lock routine that has started: ends at the next record */
  FRAME_MUTEX,    /* critical, ordered, atomic; wait_id */
  FRAME_CHUNK,    /* until the next dispatch or the end of the work */
  FRAME_MASKED,
  FRAME_USER,      /* a region of the program's own; detail: its name as a string */
  FRAME_TEAMS,     /* the league construct on its encountering thread */
  FRAME_TARGET,    /* detail: device number, wait_id: target id, codeptr */
  FRAME_OPERATION, /* on a device, wait_id: its host_op */
  FRAME_MPI,       /* detail: the function */
  FRAME_CUDA,      /* detail: the correlation */
};

struct frame {
  uint32_t region;
  uint32_t detail;
  uint64_t wait_id; /* of a mutex; an id of what devices do */
  uint64_t codeptr; /* of work, target */
  enum frame_kind kind;
  bool is_hidden; /* it was entered in a pause: its Enter is not written yet */
};

struct stack {
  struct frame *frames;
  size_t count, capacity;
};

/* What is new of where a thread runs. */
enum moved { MOVED_PARTITION = 1, MOVED_PLACE = 2, MOVED_PROCESSOR = 4 };

/* A worksharing region that was ended because its task went on to another one or a barrier. */
struct unended {
  uint64_t task, codeptr;
  uint32_t kind;
};

/* A thread of the program, from attach to thread_end, as its records are followed. */
struct traced_thread {
  struct location location; /* where its events are written */
  uint32_t slot;
  uint8_t moved;        /* what of its placement is not in the archive yet: enum moved */
  uint64_t position;    /* in nested teams, by which it is named; 0: it is not, or no longer */
  uint64_t last_ticks;  /* of the last record */
  uint64_t generations; /* tasks created here */
  struct task *base;    /* what runs outside of every task */
  struct task *current;
  /* its own one-member team for tasks outside of parallel regions; made when needed */
  struct team *serial_team;
  uint64_t acquire_ticks; /* of the FRAME_LOCKING on top */
  struct hold *holds;     /* locks that it holds, in the order in which it acquired them (locks.c) */
  unsigned held_locks;    /* so many */
  size_t hold_capacity;
  unsigned released_elsewhere;      /* of these, so many by other threads so far */
  struct acquisitions acquisitions; /* that are still to come (acquisitions.h) */
  bool has_gap; /* events of it were dropped: what it holds and runs may be other than it seems */
  struct unended unended[UNENDED_MAX]; /* the latest at unended_count - 1, modulo UNENDED_MAX */
  unsigned unended_count;
  /* in a pause: the task that runs here as far as was written; NULL: one that is complete */
  struct task *written_task;
  uint64_t unreported; /* ends written in the thread's place that its own records still have to report */
  /* A worker has left a barrier that may turn out to be its region's last: these Leaves, and what the tool
   * reports for itself there, wait for the next record of an event. */
  struct event undecided[UNDECIDED_MAX];
  unsigned undecided_count;
  /* MPI: its innermost region is of calls that found nothing, so many, and ends with the last of them, at
   * last_ticks, unless its next record goes on with it (mpi.c) */
  bool has_polls;
  uint64_t polls, polls_begin;
  unsigned mpi_collectives;        /* that are open and whose begin was written */
  struct thread_counters *counted; /* what its counters state (counters.c); NULL: nothing so far */
  /* STAVE_SYSTEM: its state, its processor plus one (0: not known), and that as far as was written */
  unsigned run_state;
  int run_processor, written_processor;
  bool run_state_is_hidden; /* the state has changed while nothing was to be written */
  uint64_t page_faults;
  struct traced_thread *next_ended;
};

struct member {
  struct traced_thread *thread; /* NULL: has not started */
  struct task *task;            /* NULL: has ended */
  uint32_t rank;                /* in the comm */
};

/* A parallel region while it runs, a league, or an initial thread's own "team" for the serial part. */
struct team {
  uint64_t id;
  struct pool *pool; /* that it goes back to; with its array of members, all zero then */
  uint32_t number;   /* there */
  unsigned references;
  struct team *parent; /* the enclosing team that is a team in the archive too, or NULL */
  struct traced_thread *primary;
  struct task *encountering;
  /* of the thread that encountered it, where that was in `parent`: its task's position (0: it was not), its
   * number */
  uint64_t outer_position;
  uint32_t outer_index;
  uint64_t fork_ticks;
  uint32_t requested;
  uint64_t codeptr;
  uint32_t region;  /* !$omp parallel */
  uint32_t callers; /* calling context, plus one; 0: none */
  bool is_league;
  bool is_serial;
  bool is_forked;         /* the primary has started */
  bool has_fork;          /* before that, as a pause came between */
  bool is_partial;        /* its parallel_begin was dropped: one member's part of it, as a team of one */
  bool is_hidden;         /* it was forked in a pause: nothing of it is written */
  uint32_t actual;        /* size, as its members state */
  bool has_ended;         /* the primary has left: end_ticks is final */
  uint64_t end_ticks;     /* of the primary's last implicit barrier */
  struct member *members; /* by thread number */
  size_t size, capacity;
  size_t started;
  uint32_t comm;                   /* COMM_UNKNOWN until all members have started or the region has ended */
  struct location *waiters;        /* locations whose queue begins with an event of this team */
  struct team *children, *sibling; /* teams whose comm waits for this one's */
  bool waits_for_parent;           /* is in its parent's list of children */
};

struct task {
  uint64_t id;
  struct pool *pool;   /* that it goes back to; with the memory of its stack */
  uint32_t number;     /* there */
  struct team *team;   /* of the construct that made it */
  uint32_t creator;    /* thread number in that team */
  uint64_t position;   /* implicit: that of its thread in the nested teams, as one number */
  uint32_t generation; /* 0: implicit or initial */
  uint32_t region;     /* of an explicit task */
  uint32_t creator_location;
  struct stack stack; /* in the middle: while a thread changes it another one may do so with the next task */
  uint64_t codeptr;   /* of the construct that made an explicit task */
  bool is_implicit;   /* or initial */
  bool is_initial;
  bool is_taskwait; /* made by a taskwait with depend */
  bool is_target;   /* a target task: its region's code is the compiler's */
  bool is_untied;
  /* it was created in a pause: its creation is not written, and it has no generation yet */
  bool is_hidden;
  uint32_t creation; /* the region `create task` */
  bool has_started;
  bool is_detached;             /* has run to its end and waits for omp_fulfill_event */
  struct traced_thread *thread; /* where it runs or ran last */
  struct task *outer;           /* implicit: what this thread ran before */
  uint64_t in_front_of;  /* id of the task that its thread was switched to it from; 0: the implicit one */
  struct team *forked;   /* the region that this task has encountered and not yet left */
  struct task_name name; /* in events, once its team is known (plain_tasks.c) */
};

#endif
