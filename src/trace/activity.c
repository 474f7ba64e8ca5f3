#include "trace/activity.h"

const char *activity_name(enum activity activity) {
  static const char *const names[ACTIVITY_COUNT] = {
      [ACTIVITY_WORK] = "work",
      [ACTIVITY_SERIAL] = "serial",
      [ACTIVITY_BARRIER_WAIT] = "barrier wait",
      [ACTIVITY_LOCK_WAIT] = "lock wait",
      [ACTIVITY_TASK] = "task",
      [ACTIVITY_TASK_WAIT] = "task wait",
      [ACTIVITY_TASK_MANAGEMENT] = "task management",
      [ACTIVITY_REDUCTION] = "reduction",
      [ACTIVITY_OVERHEAD] = "overhead",
      [ACTIVITY_IDLE] = "idle",
      [ACTIVITY_DEVICE] = "device",
      [ACTIVITY_MPI] = "MPI",
      [ACTIVITY_UNKNOWN] = "not known",
  };
  return activity < ACTIVITY_COUNT ? names[activity] : "unknown";
}
