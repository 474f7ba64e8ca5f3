#include "writer/ompt_names.h"

#include <stddef.h>
#include <stdio.h>

#define NAME_OF(names, number)                                                                                         \
  ((number) < sizeof(names) / sizeof *(names) && (names)[number] ? (names)[number] : NULL)

static const char *const task_status[] = {
    [1] = "complete", [2] = "yield",        [3] = "cancel", [4] = "detach", [5] = "early_fulfill",
    [6] = "late_fulfill", [7] = "switch", [8] = "taskwait_complete"};
static const char *const thread_type[] = {[1] = "initial", [2] = "worker", [3] = "other", [4] = "unknown"};
static const char *const sync_region[] = {[1] = "barrier",
                                          [2] = "barrier_implicit",
                                          [3] = "barrier_explicit",
                                          [4] = "barrier_implementation",
                                          [5] = "taskwait",
                                          [6] = "taskgroup",
                                          [7] = "reduction",
                                          [8] = "barrier_implicit_workshare",
                                          [9] = "barrier_implicit_parallel",
                                          [10] = "barrier_teams"};
static const char *const work[] = {[1] = "loop",          [2] = "sections",      [3] = "single_executor", [4] = "single_other",
                                   [5] = "workshare",     [6] = "distribute",    [7] = "taskloop",        [8] = "scope",
                                   [10] = "loop_static",  [11] = "loop_dynamic", [12] = "loop_guided",    [13] = "loop_other"};

const char *ompt_task_status_name(uint32_t status) {
  static char other[32];
  const char *name = NAME_OF(task_status, status);
  if (name)
    return name;
  snprintf(other, sizeof other, "status %u", status);
  return other;
}

const char *ompt_thread_type_name(uint32_t type) {
  const char *name = NAME_OF(thread_type, type);
  return name ? name : "unknown";
}

const char *ompt_detail_name(enum construct construct, uint32_t detail) {
  if (detail == 0)
    return NULL;
  if (construct == CONSTRUCT_implicit_barrier || construct == CONSTRUCT_barrier || construct == CONSTRUCT_barrier_wait)
    return NAME_OF(sync_region, detail);
  if (construct == CONSTRUCT_loop)
    return NAME_OF(work, detail);
  return NULL;
}
