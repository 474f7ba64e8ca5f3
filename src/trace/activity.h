/* What a thread is doing: one classification for all who show traces. */
#ifndef STAVE_TRACE_ACTIVITY_H
#define STAVE_TRACE_ACTIVITY_H

#include <stdbool.h>

/* After the classes of thread states in OpenMP 5.1, 4.4.4.26 (ompt_state_t). */
enum activity {
  ACTIVITY_WORK,   /* the program's own code in a parallel region */
  ACTIVITY_SERIAL, /* outside of all parallel regions */
  ACTIVITY_BARRIER_WAIT,
  ACTIVITY_LOCK_WAIT,       /* for locks, critical, ordered, atomic */
  ACTIVITY_TASK,            /* the program's own code in explicit tasks */
  ACTIVITY_TASK_WAIT,       /* taskwait, the end of a taskgroup */
  ACTIVITY_TASK_MANAGEMENT, /* creating tasks */
  ACTIVITY_REDUCTION,
  ACTIVITY_OVERHEAD, /* forking, joining, the rest of the runtime */
  ACTIVITY_IDLE,     /* a worker without a team, a device stream without an operation */
  ACTIVITY_DEVICE,   /* a device at work; on the host: in a target construct, a call of its library */
  ACTIVITY_MPI,      /* in a call of MPI */
  ACTIVITY_UNKNOWN,  /* recording was paused, or no region shows what a thread does that has no teams */
  ACTIVITY_COUNT,
};

/* "barrier wait", ...: constant memory. */
const char *activity_name(enum activity activity);

/* True if it is the program's own work: work, serial, task, device. */
static inline bool activity_is_useful(enum activity activity) {
  return activity == ACTIVITY_WORK || activity == ACTIVITY_SERIAL || activity == ACTIVITY_TASK ||
         activity == ACTIVITY_DEVICE;
}

#endif
