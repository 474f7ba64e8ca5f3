#include "writer/definitions/ompt_names.h"

#include <stddef.h>
#include <stdio.h>

#include "ompt/names.h"

const char *ompt_task_status_name(uint32_t status) {
  static char other[32];
  const char *name = ompt_name(OMPT_TASK_STATUS, status);
  if (name)
    return name;
  snprintf(other, sizeof other, "status %u", status);
  return other;
}

const char *ompt_thread_type_name(uint32_t type) {
  const char *name = ompt_name(OMPT_THREAD, type);
  return name ? name : ompt_name(OMPT_THREAD, OMPT_THREAD_unknown);
}

/* "application cfa"; an address of no kind goes without saying. */
void ompt_describe_frame(uint32_t flags, char *text, size_t size) {
  enum { ADDRESS = 0xf0 };
  uint32_t owner = flags & ~(uint32_t)ADDRESS, address = flags & ADDRESS;
  const char *owner_name = ompt_name(OMPT_FRAME, owner), *address_name = ompt_name(OMPT_FRAME, address);
  if (!owner_name || !address_name)
    snprintf(text, size, "0x%x", flags);
  else if (address)
    snprintf(text, size, "%s %s", owner_name, address_name);
  else
    snprintf(text, size, "%s", owner_name);
}

static bool describe_name(enum ompt_enumeration enumeration, uint32_t number, char *text, size_t size) {
  const char *name = ompt_name(enumeration, number);
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
  bool is_known = implementation < sizeof implementations / sizeof *implementations;
  char number[16] = "";
  if (!is_known)
    snprintf(number, sizeof number, "%u", implementation);
  int n = snprintf(text, size, "implementation %s", is_known ? implementations[implementation] : number);
  if (hint)
    snprintf(text + n, size - (size_t)n, ", hint 0x%x", hint);
  return true;
}

/* The bits in `silent` go without saying. */
static bool describe_flags(enum ompt_enumeration enumeration, uint32_t flags, uint32_t silent, char *text,
                           size_t size) {
  ompt_flags(enumeration, flags & ~silent, text, size);
  return *text != '\0';
}

static bool describe_target(const char *waits_not, uint32_t detail, char *text, size_t size) {
  snprintf(text, size, "%s%s%s", detail & TARGET_DETAIL_NOWAIT ? waits_not : "",
           detail == (TARGET_DETAIL_NOWAIT | TARGET_DETAIL_NO_END) ? ", " : "",
           detail & TARGET_DETAIL_NO_END ? "duration unknown" : "");
  return true;
}

bool ompt_describe_detail(enum construct construct, uint32_t detail, char *text, size_t size) {
  if (detail == 0)
    return false;
  switch ((int)construct) {
  case CONSTRUCT_create_task:
    return describe_flags(OMPT_TASK, detail, OMPT_TASK_explicit, text, size);
  case CONSTRUCT_parallel:
    return describe_flags(OMPT_PARALLEL, detail, OMPT_PARALLEL_team | OMPT_PARALLEL_invoker_runtime, text,
                          size);
  case CONSTRUCT_implicit_barrier:
  case CONSTRUCT_barrier:
  case CONSTRUCT_barrier_wait:
  case CONSTRUCT_implicit_barrier_wait:
    return describe_name(OMPT_SYNC_REGION, detail, text, size);
  case CONSTRUCT_loop:
    return describe_name(OMPT_WORK, detail, text, size);
  case CONSTRUCT_target:
  case CONSTRUCT_target_enter_data:
  case CONSTRUCT_target_exit_data:
  case CONSTRUCT_target_update:
    return describe_target("nowait", detail, text, size);
  case CONSTRUCT_target_alloc:
  case CONSTRUCT_target_to_device:
  case CONSTRUCT_target_from_device:
  case CONSTRUCT_target_transfer:
  case CONSTRUCT_target_transfer_rect:
  case CONSTRUCT_target_memset:
  case CONSTRUCT_target_delete:
  case CONSTRUCT_target_associate:
  case CONSTRUCT_target_disassociate:
  case CONSTRUCT_target_submit:
  case CONSTRUCT_target_kernel:
    return describe_target("async", detail, text, size);
  case CONSTRUCT_device_record:
    return describe_name(OMPT_CALLBACK, detail, text, size);
  case CONSTRUCT_device_activity:
    return describe_name(OMPT_RECORD_NATIVE, detail, text, size);
  case CONSTRUCT_target_map:
    return describe_flags(OMPT_MAP, detail, 0, text, size);
  case CONSTRUCT_error:
    return describe_name(OMPT_SEVERITY, detail, text, size);
  case CONSTRUCT_control_tool:
    return describe_name(OMPT_CONTROL_TOOL, detail, text, size);
  case CONSTRUCT_unknown:
    snprintf(text, size, "kind %u", detail);
    return true;
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
