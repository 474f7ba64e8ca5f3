#include "trace/constructs.h"

#include <string.h>

#include <otf2/otf2.h>

#include "base/otf2_newer.h"

enum { ACTIVITY_AROUND = ACTIVITY_COUNT };

static const struct {
  const char *name, *eztrace;
  enum construct_kind kind;
  enum construct_class class;
  int activity;
} constructs[] = {
#define CONSTRUCT(id, kind, name, role, detail, class, activity, eztrace)                                    \
  [CONSTRUCT_##id] = {name, eztrace, CONSTRUCT_KIND_##kind, CONSTRUCT_CLASS_##class, ACTIVITY_##activity},
#include "ompt/constructs.def"
#undef CONSTRUCT
};

static const char prefix[] = "!$omp ";

static bool is_routine(enum construct construct) {
  return constructs[construct].kind == CONSTRUCT_KIND_routine;
}

/* Has a name that only such regions have. */
static bool is_openmp(enum construct construct) {
  return constructs[construct].kind == CONSTRUCT_KIND_omp ||
         constructs[construct].kind == CONSTRUCT_KIND_foreign;
}

const char *construct_name(enum construct construct) {
  bool is_named = construct < CONSTRUCT_COUNT && (is_openmp(construct) || is_routine(construct));
  return is_named ? constructs[construct].name : "";
}

bool construct_activity(enum construct construct, enum activity *ret) {
  int activity = construct < CONSTRUCT_COUNT ? constructs[construct].activity : ACTIVITY_AROUND;
  if (activity == ACTIVITY_AROUND)
    return false;
  *ret = (enum activity)activity;
  return true;
}

enum construct_class construct_class(enum construct construct) {
  return construct < CONSTRUCT_COUNT ? constructs[construct].class : CONSTRUCT_CLASS_none;
}

/* -- by name -- */

/* The construct's own words: without the place, which follows an '@'. */
static size_t words_length(const char *name) {
  const char *place = strstr(name, " @");
  return place ? (size_t)(place - name) : strlen(name);
}

static enum construct by_text(const char *text, bool (*is_requested)(enum construct)) {
  size_t length = words_length(text);
  for (enum construct i = 0; length > 0 && i < CONSTRUCT_COUNT; i++)
    if (is_requested(i) && strlen(constructs[i].name) == length &&
        memcmp(constructs[i].name, text, length) == 0)
      return i;
  return CONSTRUCT_other;
}

static enum construct by_eztrace(const char *name) {
  if (strncmp(name, "OpenMP ", strlen("OpenMP ")) != 0)
    return CONSTRUCT_other;
  for (enum construct i = 0; i < CONSTRUCT_COUNT; i++)
    if (strcmp(constructs[i].eztrace, name) == 0)
      return i;
  return CONSTRUCT_other;
}

static enum construct by_name(const char *name) {
  if (strncmp(name, prefix, strlen(prefix)) == 0)
    return by_text(name + strlen(prefix), is_openmp);
  if (strncmp(name, "omp_", strlen("omp_")) == 0)
    return by_text(name, is_routine);
  return by_eztrace(name);
}

/* -- by role -- */

static enum construct by_openmp_role(uint8_t role) {
  switch (role) {
  case OTF2_REGION_ROLE_PARALLEL:
    return CONSTRUCT_parallel;
  case OTF2_REGION_ROLE_LOOP:
    return CONSTRUCT_loop;
  case OTF2_REGION_ROLE_SECTIONS:
    return CONSTRUCT_sections;
  case OTF2_REGION_ROLE_SECTION:
    return CONSTRUCT_section;
  case OTF2_REGION_ROLE_WORKSHARE:
    return CONSTRUCT_workshare;
  case OTF2_REGION_ROLE_SINGLE:
    return CONSTRUCT_single;
  case OTF2_REGION_ROLE_SINGLE_SBLOCK:
    return CONSTRUCT_single_sblock;
  case OTF2_REGION_ROLE_MASTER:
    return CONSTRUCT_master;
  case OTF2_REGION_ROLE_CRITICAL:
    return CONSTRUCT_critical;
  case OTF2_REGION_ROLE_CRITICAL_SBLOCK:
    return CONSTRUCT_critical_sblock;
  case OTF2_REGION_ROLE_ATOMIC:
    return CONSTRUCT_atomic;
  case OTF2_REGION_ROLE_BARRIER:
    return CONSTRUCT_barrier;
  case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
    return CONSTRUCT_implicit_barrier;
  case OTF2_REGION_ROLE_FLUSH:
    return CONSTRUCT_flush;
  case OTF2_REGION_ROLE_ORDERED:
    return CONSTRUCT_ordered;
  case OTF2_REGION_ROLE_ORDERED_SBLOCK:
    return CONSTRUCT_ordered_sblock;
  case OTF2_REGION_ROLE_TASK:
    return CONSTRUCT_task;
  case OTF2_REGION_ROLE_TASK_UNTIED:
    return CONSTRUCT_task_untied;
  case OTF2_REGION_ROLE_TASK_CREATE:
    return CONSTRUCT_create_task;
  case OTF2_REGION_ROLE_TASK_WAIT:
    return CONSTRUCT_taskwait;
  case OTF2_REGION_ROLE_COLL_ALL2ONE:
    return CONSTRUCT_reduction;
  case NEWER_ROLE_CANCEL:
    return CONSTRUCT_cancel;
  case OTF2_REGION_ROLE_DATA_TRANSFER:
  case OTF2_REGION_ROLE_ALLOCATE:
  case OTF2_REGION_ROLE_DEALLOCATE:
  case OTF2_REGION_ROLE_REALLOCATE:
    return CONSTRUCT_device_operation;
  default:
    return CONSTRUCT_other;
  }
}

static enum construct by_artificial(const char *name) {
  if (strcmp(name, constructs[CONSTRUCT_worker].name) == 0)
    return CONSTRUCT_worker;
  if (strcmp(name, constructs[CONSTRUCT_run_state].name) == 0)
    return CONSTRUCT_run_state;
  bool is_loss = strcmp(name, constructs[CONSTRUCT_lost_events].name) == 0;
  return is_loss ? CONSTRUCT_lost_events : CONSTRUCT_program;
}

static bool is_device_paradigm(uint8_t paradigm) {
  return paradigm == OTF2_PARADIGM_OPENACC || paradigm == OTF2_PARADIGM_CUDA ||
         paradigm == OTF2_PARADIGM_OPENCL || paradigm == OTF2_PARADIGM_HIP ||
         paradigm == NEWER_PARADIGM_OPENMP_TARGET;
}

bool construct_is_mpi(const struct trace_region *region) {
  return region->paradigm == OTF2_PARADIGM_MPI ||
         (region->paradigm == OTF2_PARADIGM_USER && region->role == OTF2_REGION_ROLE_FUNCTION &&
          strncmp(region->name, "MPI_", strlen("MPI_")) == 0);
}

bool construct_is_openmp(enum construct construct) {
  return construct == CONSTRUCT_worker || construct == CONSTRUCT_initial_task ||
         (construct_class(construct) != CONSTRUCT_CLASS_none && construct != CONSTRUCT_device_operation);
}

/* CUDA's and HIP's names have it in the middle or at the end: cuStreamSynchronize,
 * cudaEventSynchronize_v3020.
 */
bool construct_is_device_wait(const struct trace_region *region) {
  static const char *const names[] = {"Synchronize", "clFinish", "clWaitForEvents", "acc_wait"};
  bool is_named = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    is_named |= strstr(region->name, names[i]) != NULL;
  return is_device_paradigm(region->paradigm) && construct_of_region(region) == CONSTRUCT_device_operation &&
         (is_named || region->role == OTF2_REGION_ROLE_TASK_WAIT || region->role == OTF2_REGION_ROLE_BARRIER);
}

bool construct_may_start(const struct trace_region *region) {
  enum construct construct = construct_of_region(region);
  bool is_call =
      strstr(region->name, "Launch") || strstr(region->name, "Memcpy") || strstr(region->name, "Memset");
  return construct == CONSTRUCT_target_submit || construct == CONSTRUCT_target_to_device ||
         construct == CONSTRUCT_target_from_device || (construct == CONSTRUCT_device_operation && is_call);
}

bool construct_starts_kernel(const struct trace_region *region) {
  enum construct construct = construct_of_region(region);
  return construct == CONSTRUCT_target_submit ||
         (construct == CONSTRUCT_device_operation && strstr(region->name, "Launch"));
}

bool construct_is_kernel(const struct trace_region *region) {
  enum construct construct = construct_of_region(region);
  if (construct != CONSTRUCT_device_operation)
    return construct == CONSTRUCT_other || construct_class(construct) == CONSTRUCT_CLASS_kernel;
  return by_openmp_role(region->role) != CONSTRUCT_device_operation;
}

enum construct construct_of_region(const struct trace_region *region) {
  if (region->role == OTF2_REGION_ROLE_ARTIFICIAL)
    return by_artificial(region->name);
  /* named by the program's own word; but EZTrace writes all regions so */
  if (region->paradigm == OTF2_PARADIGM_USER)
    return region->role == OTF2_REGION_ROLE_FUNCTION ? by_eztrace(region->name) : CONSTRUCT_other;
  enum construct construct = by_name(region->canonical_name);
  if (construct == CONSTRUCT_other)
    construct = by_name(region->name);
  if (construct != CONSTRUCT_other)
    return construct;
  if (is_device_paradigm(region->paradigm))
    return CONSTRUCT_device_operation;
  return region->paradigm == OTF2_PARADIGM_OPENMP ? by_openmp_role(region->role) : CONSTRUCT_other;
}
