#include "analysis/activity.h"

#include <string.h>

#include <otf2/otf2.h>

enum { ACTIVITY_AROUND = ACTIVITY_COUNT };

static const struct {
  const char *text, *other;
  int activity;
} constructs[] = {
#define CONSTRUCT(id, text, other, activity) [CONSTRUCT_##id] = {text, other, ACTIVITY_##activity},
#include "analysis/constructs.def"
#undef CONSTRUCT
};

static const char prefix[] = "!$omp ";

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
  };
  return activity < ACTIVITY_COUNT ? names[activity] : "unknown";
}

bool activity_is_useful(enum activity activity) {
  return activity == ACTIVITY_WORK || activity == ACTIVITY_SERIAL || activity == ACTIVITY_TASK ||
         activity == ACTIVITY_DEVICE;
}

const char *construct_name(enum construct construct) {
  return construct < CONSTRUCT_COUNT ? constructs[construct].text : "";
}

bool construct_activity(enum construct construct, enum activity *ret) {
  int activity = construct < CONSTRUCT_COUNT ? constructs[construct].activity : ACTIVITY_AROUND;
  if (activity == ACTIVITY_AROUND)
    return false;
  *ret = (enum activity)activity;
  return true;
}

bool construct_is_task(enum construct construct) {
  return construct == CONSTRUCT_TASK || construct == CONSTRUCT_TASK_UNTIED;
}

bool construct_is_mutex(enum construct construct) {
  return construct >= CONSTRUCT_CRITICAL && construct <= CONSTRUCT_TEST_NEST_LOCK;
}

/* -- by name -- */

/* The construct's own words: without the place, which follows an '@'. */
static size_t words_length(const char *name) {
  const char *place = strstr(name, " @");
  return place ? (size_t)(place - name) : strlen(name);
}

static enum construct by_text(const char *name, size_t length) {
  for (int i = 0; length > 0 && i < CONSTRUCT_COUNT; i++)
    if (strlen(constructs[i].text) == length && memcmp(constructs[i].text, name, length) == 0)
      return (enum construct)i;
  return CONSTRUCT_OTHER;
}

static enum construct by_other(const char *name) {
  if (strncmp(name, "OpenMP ", strlen("OpenMP ")) != 0)
    return CONSTRUCT_OTHER;
  for (int i = 0; i < CONSTRUCT_COUNT; i++)
    if (strcmp(constructs[i].other, name) == 0)
      return (enum construct)i;
  return CONSTRUCT_OTHER;
}

static enum construct by_name(const char *name) {
  if (strncmp(name, prefix, strlen(prefix)) == 0)
    return by_text(name + strlen(prefix), words_length(name + strlen(prefix)));
  if (strncmp(name, "omp_", strlen("omp_")) == 0)
    return by_text(name, words_length(name));
  return by_other(name);
}

/* -- by role -- */

static enum construct by_openmp_role(uint8_t role) {
  switch (role) {
  case OTF2_REGION_ROLE_PARALLEL:
    return CONSTRUCT_PARALLEL;
  case OTF2_REGION_ROLE_LOOP:
    return CONSTRUCT_LOOP;
  case OTF2_REGION_ROLE_SECTIONS:
    return CONSTRUCT_SECTIONS;
  case OTF2_REGION_ROLE_SECTION:
    return CONSTRUCT_SECTION;
  case OTF2_REGION_ROLE_WORKSHARE:
    return CONSTRUCT_WORKSHARE;
  case OTF2_REGION_ROLE_SINGLE:
    return CONSTRUCT_SINGLE;
  case OTF2_REGION_ROLE_SINGLE_SBLOCK:
    return CONSTRUCT_SINGLE_SBLOCK;
  case OTF2_REGION_ROLE_MASTER:
    return CONSTRUCT_MASTER;
  case OTF2_REGION_ROLE_CRITICAL:
    return CONSTRUCT_CRITICAL;
  case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
    return CONSTRUCT_CRITICAL_SBLOCK;
  case OTF2_REGION_ROLE_ATOMIC:
    return CONSTRUCT_ATOMIC;
  case OTF2_REGION_ROLE_BARRIER:
    return CONSTRUCT_BARRIER;
  case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
    return CONSTRUCT_IMPLICIT_BARRIER;
  case OTF2_REGION_ROLE_FLUSH:
    return CONSTRUCT_FLUSH;
  case OTF2_REGION_ROLE_ORDERED:
    return CONSTRUCT_ORDERED;
  case OTF2_REGION_ROLE_ORDERED_SBLOCK:
    return CONSTRUCT_ORDERED_SBLOCK;
  case OTF2_REGION_ROLE_TASK:
    return CONSTRUCT_TASK;
  case OTF2_REGION_ROLE_TASK_UNTIED:
    return CONSTRUCT_TASK_UNTIED;
  case OTF2_REGION_ROLE_TASK_CREATE:
    return CONSTRUCT_CREATE_TASK;
  case OTF2_REGION_ROLE_TASK_WAIT:
    return CONSTRUCT_TASKWAIT;
  case OTF2_REGION_ROLE_COLL_ALL2ONE:
    return CONSTRUCT_REDUCTION;
  case OTF2_REGION_ROLE_DATA_TRANSFER:
  case OTF2_REGION_ROLE_ALLOCATE:
  case OTF2_REGION_ROLE_DEALLOCATE:
  case OTF2_REGION_ROLE_REALLOCATE:
    return CONSTRUCT_DEVICE_OPERATION;
  default:
    return CONSTRUCT_OTHER;
  }
}

static enum construct by_artificial(const char *name) {
  if (strcmp(name, "OpenMP worker") == 0)
    return CONSTRUCT_WORKER;
  return strcmp(name, "lost events") == 0 ? CONSTRUCT_LOST_EVENTS : CONSTRUCT_PROGRAM;
}

static bool is_device_paradigm(uint8_t paradigm) {
  return paradigm == OTF2_PARADIGM_OPENACC || paradigm == OTF2_PARADIGM_CUDA ||
         paradigm == OTF2_PARADIGM_OPENCL || paradigm == OTF2_PARADIGM_HIP;
}

enum construct construct_of_region(const struct trace_region *region) {
  if (region->role == OTF2_REGION_ROLE_ARTIFICIAL)
    return by_artificial(region->name);
  /* named by the program's own word; but EZTrace writes all regions so */
  if (region->paradigm == OTF2_PARADIGM_USER)
    return region->role == OTF2_REGION_ROLE_FUNCTION ? by_other(region->name) : CONSTRUCT_OTHER;
  enum construct construct = by_name(region->canonical_name);
  if (construct == CONSTRUCT_OTHER)
    construct = by_name(region->name);
  if (construct != CONSTRUCT_OTHER)
    return construct;
  if (is_device_paradigm(region->paradigm))
    return CONSTRUCT_DEVICE_OPERATION;
  return region->paradigm == OTF2_PARADIGM_OPENMP ? by_openmp_role(region->role) : CONSTRUCT_OTHER;
}
