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
static const char *const work[] = {[1] = "loop",          [2] = "sections",      [3] = "single_executor",
                                   [4] = "single_other",  [5] = "workshare",     [6] = "distribute",
                                   [7] = "taskloop",      [8] = "scope",         [10] = "loop_static",
                                   [11] = "loop_dynamic", [12] = "loop_guided",  [13] = "loop_other"};

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

void ompt_describe_frame(uint32_t flags, char *text, size_t size) {
  static const char *const addresses[] = {[0] = "", [1] = " cfa", [2] = " framepointer", [3] = " stackaddress"};
  enum { APPLICATION = 0x1, ADDRESS = 0xf0, ADDRESS_SHIFT = 4 };
  const char *address = NAME_OF(addresses, (flags & ADDRESS) >> ADDRESS_SHIFT);
  if (address && (flags & ~(uint32_t)(ADDRESS | APPLICATION)) == 0)
    snprintf(text, size, "%s%s", flags & APPLICATION ? "application" : "runtime", address);
  else
    snprintf(text, size, "0x%x", flags);
}

static bool describe_name(const char *name, uint32_t number, char *text, size_t size) {
  if (name)
    snprintf(text, size, "%s", name);
  else
    snprintf(text, size, "kind %u", number);
  return true;
}

/* See lock_detail in locks.c. */
static bool describe_mutex(uint32_t detail, char *text, size_t size) {
  static const char *const implementations[] = {"no", "spin", "queuing", "speculative"};
  uint32_t implementation = (detail & 0xffff) - 1, hint = detail >> 16;
  const char *name = NAME_OF(implementations, implementation);
  char number[16] = "";
  if (!name)
    snprintf(number, sizeof number, "%u", implementation);
  int n = snprintf(text, size, "implementation %s", name ? name : number);
  if (hint)
    snprintf(text + n, size - (size_t)n, ", hint 0x%x", hint);
  return true;
}

struct flag {
  uint32_t bit;
  const char *name;
};

/* "untied, final", then what has no name as a number. The bits in `silent` go without saying. */
static bool describe_flags(const struct flag *flags, uint32_t silent, uint32_t detail, char *text, size_t size) {
  size_t used = 0;
  *text = '\0';
  detail &= ~silent;
  for (; flags->name; flags++) {
    if (detail & flags->bit && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", flags->name);
    detail &= ~flags->bit;
  }
  if (detail && used < size)
    snprintf(text + used, size - used, "%sflags 0x%x", used ? ", " : "", detail);
  return *text != '\0';
}

/* ompt_task_flag_t (OpenMP 5.1, 4.4.4.19). */
static const struct flag task_flags[] = {{0x8, "target"},        {0x10, "taskwait"},   {0x08000000, "undeferred"},
                                         {0x10000000, "untied"}, {0x20000000, "final"}, {0x40000000, "mergeable"},
                                         {0x80000000, "merged"}, {0, NULL}};
/* ompt_parallel_flag_t (OpenMP 5.1, 4.4.4.21). Invoked by the runtime, and a team, go without saying. */
static const struct flag parallel_flags[] = {
    {0x1, "invoked by the program"}, {0x40000000, "league"}, {0, NULL}};

/* ompt_target_map_flag_t (OpenMP 5.1, 4.4.4.23). */
static const struct flag map_flags[] = {{0x1, "to"},     {0x2, "from"},      {0x4, "alloc"}, {0x8, "release"},
                                        {0x10, "delete"}, {0x20, "implicit"}, {0, NULL}};
/* A type of device records. */
static bool describe_record(uint32_t type, char *text, size_t size) {
  static const char *const types[] = {
#define DEVICE_RECORD(number, name, fields) [number] = #name,
#include "session/device_records.def"
#undef DEVICE_RECORD
  };
  return describe_name(NAME_OF(types, type), type, text, size);
}

static const struct flag target_flags[] = {{TARGET_DETAIL_NOWAIT, "nowait"}, {0, NULL}};
static const struct flag data_op_flags[] = {
    {TARGET_DETAIL_NOWAIT, "async"}, {TARGET_DETAIL_NO_END, "duration unknown"}, {0, NULL}};

bool ompt_describe_detail(enum construct construct, uint32_t detail, char *text, size_t size) {
  static const char *const record_class[] = {[1] = "native info", [2] = "native event"};
  static const char *const severity[] = {[1] = "warning", [2] = "fatal"};
  static const char *const command[] = {[1] = "start", [2] = "pause", [3] = "flush", [4] = "end"};
  if (detail == 0)
    return false;
  enum { TASK_EXPLICIT = 0x4 };
  static const uint32_t PARALLEL_BY_RUNTIME = 0x2, PARALLEL_TEAM = 0x80000000;
  switch ((int)construct) {
  case CONSTRUCT_create_task:
    return describe_flags(task_flags, TASK_EXPLICIT, detail, text, size);
  case CONSTRUCT_parallel:
    return describe_flags(parallel_flags, PARALLEL_TEAM | PARALLEL_BY_RUNTIME, detail, text, size);
  case CONSTRUCT_implicit_barrier:
  case CONSTRUCT_barrier:
  case CONSTRUCT_barrier_wait:
  case CONSTRUCT_implicit_barrier_wait:
    return describe_name(NAME_OF(sync_region, detail), detail, text, size);
  case CONSTRUCT_loop:
    return describe_name(NAME_OF(work, detail), detail, text, size);
  case CONSTRUCT_target:
  case CONSTRUCT_target_enter_data:
  case CONSTRUCT_target_exit_data:
  case CONSTRUCT_target_update:
    return describe_flags(target_flags, 0, detail, text, size);
  case CONSTRUCT_target_alloc:
  case CONSTRUCT_target_to_device:
  case CONSTRUCT_target_from_device:
  case CONSTRUCT_target_delete:
  case CONSTRUCT_target_associate:
  case CONSTRUCT_target_disassociate:
  case CONSTRUCT_target_submit:
  case CONSTRUCT_target_kernel:
    return describe_flags(data_op_flags, 0, detail, text, size);
  case CONSTRUCT_device_record:
    return describe_record(detail, text, size);
  case CONSTRUCT_device_activity:
    return describe_name(NAME_OF(record_class, detail), detail, text, size);
  case CONSTRUCT_target_map:
    return describe_flags(map_flags, 0, detail, text, size);
  case CONSTRUCT_error:
    return describe_name(NAME_OF(severity, detail), detail, text, size);
  case CONSTRUCT_control_tool:
    return describe_name(NAME_OF(command, detail), detail, text, size);
  case CONSTRUCT_unknown:
    return describe_name(NULL, detail, text, size);
  case CONSTRUCT_critical:
  case CONSTRUCT_ordered:
  case CONSTRUCT_atomic:
  case CONSTRUCT_set_lock:
  case CONSTRUCT_test_lock:
  case CONSTRUCT_set_nest_lock:
  case CONSTRUCT_test_nest_lock:
  case CONSTRUCT_init_lock:
  case CONSTRUCT_init_nest_lock:
    return describe_mutex(detail, text, size);
  default:
    return false;
  }
}
