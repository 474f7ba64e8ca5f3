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

/* "application cfa"; an address of no kind is implied. */
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

static bool describe_number(uint32_t number, char *text, size_t size) {
  snprintf(text, size, "kind %u", number);
  return true;
}

static bool describe_name(enum ompt_enumeration enumeration, uint32_t number, char *text, size_t size) {
  const char *name = ompt_name(enumeration, number);
  if (!name)
    return describe_number(number, text, size);
  snprintf(text, size, "%s", name);
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

/* The bits in `silent` are implied. */
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

/* The column `detail` of constructs.def. */
#define DESCRIBE_NAME(enumeration) describe_name(OMPT_##enumeration, number, text, size)
#define DESCRIBE_FLAGS(enumeration, silent) describe_flags(OMPT_##enumeration, number, silent, text, size)
#define DESCRIBE_TARGET(waits_not) describe_target(waits_not, number, text, size)
#define DESCRIBE_MUTEX describe_mutex(number, text, size)
#define DESCRIBE_NUMBER describe_number(number, text, size)
#define DESCRIBE_NONE false

bool ompt_describe_detail(enum construct construct, uint32_t number, char *text, size_t size) {
  if (number == 0)
    return false;
  switch (construct) {
#define CONSTRUCT(id, kind, name, role, detail, ...)                                                         \
  case CONSTRUCT_##id:                                                                                       \
    return DESCRIBE_##detail;
#include "ompt/constructs.def"
#undef CONSTRUCT
  case CONSTRUCT_COUNT:
    break;
  }
  return false;
}
