#include "libgomp/inquiry.h"

#include <sched.h>
#include <string.h>

#include "libgomp/callbacks.h"
#include "libgomp/mutex.h"
#include "libgomp/thread.h"

static const struct library *queried;
static void (*finalize)(void);

void inquiry_prepare(const struct library *library, void (*finalize_)(void)) {
  queried = library;
  finalize = finalize_;
}

/* The thread's own, which may be another one's than the first that was called. */
static const struct library *answering(void) {
  return thread_self.library ? thread_self.library : queried;
}

/* -- enumerations -- */

static const struct value {
  enum ompt_enumeration enumeration;
  uint32_t value;
  const char *name;
} values[] = {
#define VALUE(enumeration, id, number, text, name, since) {OMPT_##enumeration, number, #name},
#include "ompt/enumerations.def"
};

/* The states in the order of their table; the one after `current`. */
static int enumerate_states(int current, int *next, const char **name) {
  bool is_next = current == OMPT_STATE_undefined;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (values[i].enumeration != OMPT_STATE)
      continue;
    if (is_next) {
      *next = (int)values[i].value;
      *name = values[i].name;
      return 1;
    }
    is_next = values[i].value == (uint32_t)current;
  }
  return 0;
}

static int enumerate_mutex_impls(int current, int *next, const char **name) {
  if (current != OMPT_MUTEX_IMPL_NONE)
    return 0;
  *next = MUTEX_IMPL_futex;
  *name = "mutex_impl_futex";
  return 1;
}

/* -- callbacks -- */

/* What libgomp's entry points do not show. */
static bool is_never(ompt_callbacks_t number) {
  switch (number) {
  case OMPT_CALLBACK_task_dependence:
  case OMPT_CALLBACK_masked:
  case OMPT_CALLBACK_flush:
  case OMPT_CALLBACK_reduction:
  case OMPT_CALLBACK_error:
  case OMPT_CALLBACK_device_initialize:
  case OMPT_CALLBACK_device_finalize:
  case OMPT_CALLBACK_device_load:
  case OMPT_CALLBACK_device_unload:
  case OMPT_CALLBACK_target_data_op:
  case OMPT_CALLBACK_target_data_op_emi:
  case OMPT_CALLBACK_target_submit:
  case OMPT_CALLBACK_target_submit_emi:
  case OMPT_CALLBACK_target_map:
  case OMPT_CALLBACK_target_map_emi:
    return true;
  default:
    return false;
  }
}

static ompt_set_result_t set_callback(ompt_callbacks_t number, ompt_callback_t callback) {
  switch (number) {
#define CALLBACK(name, number_, ...)                                                                         \
  case number_:                                                                                              \
    __atomic_store_n((ompt_callback_t *)&callbacks.name, callback ? callback : callback_of_none,             \
                     __ATOMIC_RELAXED);                                                                      \
    break;
#include "ompt/callbacks.def"
  default:
    return OMPT_SET_RESULT_error;
  }
  return is_never(number) ? OMPT_SET_RESULT_never : OMPT_SET_RESULT_always;
}

static int get_callback(ompt_callbacks_t number, ompt_callback_t *callback) {
  switch (number) {
#define CALLBACK(name, number_, ...)                                                                         \
  case number_:                                                                                              \
    *callback = __atomic_load_n((ompt_callback_t *)&callbacks.name, __ATOMIC_RELAXED);                       \
    break;
#include "ompt/callbacks.def"
  default:
    return 0;
  }
  if (*callback == callback_of_none)
    *callback = NULL;
  return *callback != NULL;
}

/* -- threads, regions, tasks -- */

static ompt_data_t *get_thread_data(void) {
  return thread_self.has_started ? &thread_self.data : NULL;
}

static int get_state(ompt_wait_id_t *wait) {
  const struct omp_thread *thread = &thread_self;
  if (wait)
    *wait = thread->wait;
  return thread->has_started ? (int)thread->state : OMPT_STATE_undefined;
}

/* The implicit task `level` parallel regions around the current one. */
static struct implicit *implicit_around(int level) {
  struct omp_task *task = thread_self.has_started ? thread_self.task : NULL;
  struct implicit *implicit = task ? task->implicit : NULL;
  while (implicit && level-- > 0)
    implicit = implicit->task.outer ? implicit->task.outer->implicit : NULL;
  return implicit;
}

/* A worker's region may have ended while its thread waits at its end, and has no more tasks to run: what is
 * the primary thread's of it is gone then. */
static bool may_have_ended(const struct implicit *implicit) {
  const struct omp_thread *thread = &thread_self;
  return thread->is_late && implicit == &thread->worker && thread->task == &implicit->task;
}

static int get_parallel_info(int level, ompt_data_t **parallel, int *size) {
  struct implicit *implicit = level >= 0 ? implicit_around(level) : NULL;
  if (!implicit || !implicit->team)
    return 0;
  if (may_have_ended(implicit))
    return 1;
  if (parallel)
    *parallel = implicit->parallel;
  if (size)
    *size = (int)implicit->size;
  return 2;
}

static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
                         ompt_data_t **parallel, int *number) {
  struct omp_task *task = thread_self.has_started ? thread_self.task : NULL;
  while (task && level-- > 0)
    task = task->outer;
  if (!task || level >= 0)
    return 0;
  if (flags)
    *flags = (int)task->flags;
  if (data)
    *data = &task->data;
  if (frame)
    *frame = &task->frame;
  if (parallel)
    *parallel = may_have_ended(task->implicit) ? NULL : task->implicit->parallel;
  if (number) /* each team of a league has one thread */
    *number = task->implicit->task.flags & OMPT_TASK_initial ? 0 : (int)task->implicit->index;
  return 2;
}

static int get_task_memory(void **address, size_t *size, int block) {
  (void)block;
  *address = NULL;
  *size = 0;
  return 0;
}

/* -- places -- */

static int get_num_procs(void) {
  return answering()->omp_get_num_procs();
}

static int get_num_places(void) {
  return answering()->omp_get_num_places();
}

static int get_place_num(void) {
  return answering()->omp_get_place_num();
}

static int get_place_proc_ids(int place, int size, int *ids) {
  int count = place >= 0 && place < get_num_places() ? answering()->omp_get_place_num_procs(place) : 0;
  if (count > 0 && count <= size)
    answering()->omp_get_place_proc_ids(place, ids);
  return count;
}

static int get_partition_place_nums(int size, int *places) {
  int count = answering()->omp_get_partition_num_places();
  if (count > 0 && count <= size)
    answering()->omp_get_partition_place_nums(places);
  return count;
}

static int get_proc_id(void) {
  return sched_getcpu();
}

/* -- the rest -- */

static int get_num_devices(void) {
  return answering()->omp_get_num_devices();
}

static int get_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *host_op) {
  (void)device, (void)target, (void)host_op;
  return 0;
}

static uint64_t get_unique_id(void) {
  return callbacks_unique_id();
}

static void finalize_tool(void) {
  finalize();
}

ompt_interface_fn_t inquiry_lookup(const char *name) {
#define ENTRY_POINT(entry, result, parameters)                                                               \
  if (strcmp(name, "ompt_" #entry) == 0)                                                                     \
    return (ompt_interface_fn_t)entry;
#include "ompt/entry_points.def"
  return NULL;
}
