/* A tool that counts what the runtime delivers, and hands each event on to another tool.
 *
 * COUNTING_TOOL_FORWARD is that other tool (libstave.so; none if not set): it gets the very events that were
 * counted, so that numbers which differ from run to run can be compared too. COUNTING_TOOL_OUTPUT names the
 * file with the counts (struct counts; counting.py reads it): "%p" is the process's number, and if there is
 * such a file, "-2" and so on is appended, as in STAVE_OUTPUT. The file is mapped, so that the counts are
 * there however the program ends. A forked child that has events gets a file of its own.
 *
 * KIND is the kind of work, synchronisation, mutex, dispatch or thread, the status of task_schedule, the
 * flags of cancel; 1 for a league in parallel_begin and parallel_end; the flags initial to taskwait, and 0x20
 * for merged, in task_create and implicit_task. Each dependence of `dependences` is counted as `dependence`
 * by its type as well. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "other_tool.h"

enum { CALLBACKS_MAX = 64, KINDS_MAX = 128, ENDPOINTS_MAX = 4 };
enum { NO_KIND = KINDS_MAX - 1, DEPENDENCE = CALLBACKS_MAX - 1 };

/* The file. A name is that of omp-tools.h without ompt_callback_; registered: by the other tool. */
struct counts {
  struct {
    char name[24];
    uint64_t is_registered;
  } callbacks[CALLBACKS_MAX];
  _Atomic uint64_t events[CALLBACKS_MAX][KINDS_MAX][ENDPOINTS_MAX];
};

static struct {
  struct counts *counts;
  bool *is_ours; /* in a page that the kernel wipes in a forked child */
  ompt_set_result_t results[CALLBACKS_MAX];
  ompt_callback_t forward[CALLBACKS_MAX];
  ompt_set_callback_t set_callback;
  ompt_function_lookup_t lookup;
  ompt_start_tool_result_t *other;
} self;

/* Creates the file that COUNTING_TOOL_OUTPUT names; -1 if there is none to be had. */
static int create_file(void) {
  const char *wanted = getenv("COUNTING_TOOL_OUTPUT"), *process = wanted ? strstr(wanted, "%p") : NULL;
  if (!wanted)
    return -1;
  char path[4096];
  int before = process ? (int)(process - wanted) : (int)strlen(wanted), file = -1;
  for (int i = 1; i == 1 || (file < 0 && errno == EEXIST); i++) {
    int length = snprintf(path, sizeof path - 16, "%.*s", before, wanted);
    if (process)
      length += snprintf(path + length, sizeof path - 16 - length, "%d%s", getpid(), process + 2);
    if (i > 1)
      snprintf(path + length, 16, "-%d", i);
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return file;
}

/* Memory for the counts, in place of what is mapped at `address` (NULL: nowhere). */
static struct counts *map_counts(void *address) {
  int file = create_file(), place = address ? MAP_FIXED : 0;
  if (file >= 0 && ftruncate(file, sizeof(struct counts)) < 0)
    abort();
  void *memory = mmap(address, sizeof(struct counts), PROT_READ | PROT_WRITE,
                      place | (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), file, 0);
  if (memory == MAP_FAILED)
    abort();
  if (file >= 0)
    close(file);
  return memory;
}

/* A forked child has its parent's file mapped: it gets its own. One thread is left in it. */
static void adopt_counts(void) {
  typeof(self.counts->callbacks) callbacks;
  *self.is_ours = true;
  memcpy(callbacks, self.counts->callbacks, sizeof callbacks);
  memcpy(map_counts(self.counts)->callbacks, callbacks, sizeof callbacks);
}

/* Endpoint 0: the event has none. */
static void count(unsigned number, uint64_t kind, unsigned endpoint) {
  if (!*self.is_ours)
    adopt_counts();
  if (kind >= KINDS_MAX)
    kind = NO_KIND - 1;
  atomic_fetch_add_explicit(&self.counts->events[number][kind][endpoint % ENDPOINTS_MAX], 1,
                            memory_order_relaxed);
}

/* ON(name, number, type, parameters, arguments, kind, endpoint): counts the event and hands it on. */
#define UNPACK(...) __VA_ARGS__
#define ON(name, number, type, parameters, arguments, kind, endpoint)                                        \
  static void on_##name parameters {                                                                         \
    count(number, kind, endpoint);                                                                           \
    if (self.forward[number])                                                                                \
      ((type)self.forward[number]) arguments;                                                                \
  }

static uint64_t is_league(int flags) {
  return ((unsigned)flags >> 30) & 1;
}

static uint64_t task_kind(int flags) {
  return (flags & 0x1f) | ((unsigned)flags >> 31) << 5;
}

ON(thread_begin, 1, ompt_callback_thread_begin_t, (ompt_thread_t type, ompt_data_t *thread), (type, thread),
   type, 0)
ON(thread_end, 2, ompt_callback_thread_end_t, (ompt_data_t * thread), (thread), NO_KIND, 0)
ON(parallel_begin, 3, ompt_callback_parallel_begin_t,
   (ompt_data_t * task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested, int flags,
    const void *codeptr),
   (task, frame, parallel, requested, flags, codeptr), is_league(flags), 0)
ON(parallel_end, 4, ompt_callback_parallel_end_t,
   (ompt_data_t * parallel, ompt_data_t *task, int flags, const void *codeptr),
   (parallel, task, flags, codeptr), is_league(flags), 0)
ON(task_create, 5, ompt_callback_task_create_t,
   (ompt_data_t * task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags, int dependences,
    const void *codeptr),
   (task, frame, new_task, flags, dependences, codeptr), task_kind(flags), 0)
ON(task_schedule, 6, ompt_callback_task_schedule_t,
   (ompt_data_t * prior, ompt_task_status_t status, ompt_data_t *next), (prior, status, next), status, 0)
ON(implicit_task, 7, ompt_callback_implicit_task_t,
   (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned actual, unsigned index,
    int flags),
   (endpoint, parallel, task, actual, index, flags), task_kind(flags), endpoint)
ON(sync_region_wait, 16, ompt_callback_sync_region_t,
   (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
    const void *codeptr),
   (kind, endpoint, parallel, task, codeptr), kind, endpoint)
ON(mutex_released, 17, ompt_callback_mutex_t, (ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr),
   (kind, wait, codeptr), kind, 0)
ON(task_dependence, 19, ompt_callback_task_dependence_t, (ompt_data_t * source, ompt_data_t *sink),
   (source, sink), NO_KIND, 0)
ON(work, 20, ompt_callback_work_t,
   (ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
    uint64_t iterations, const void *codeptr),
   (kind, endpoint, parallel, task, iterations, codeptr), kind, endpoint)
ON(masked, 21, ompt_callback_masked_t,
   (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *codeptr),
   (endpoint, parallel, task, codeptr), NO_KIND, endpoint)
ON(sync_region, 23, ompt_callback_sync_region_t,
   (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
    const void *codeptr),
   (kind, endpoint, parallel, task, codeptr), kind, endpoint)
ON(lock_init, 24, ompt_callback_mutex_acquire_t,
   (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *codeptr),
   (kind, hint, impl, wait, codeptr), kind, 0)
ON(lock_destroy, 25, ompt_callback_mutex_t, (ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr),
   (kind, wait, codeptr), kind, 0)
ON(mutex_acquire, 26, ompt_callback_mutex_acquire_t,
   (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait, const void *codeptr),
   (kind, hint, impl, wait, codeptr), kind, 0)
ON(mutex_acquired, 27, ompt_callback_mutex_t, (ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr),
   (kind, wait, codeptr), kind, 0)
ON(nest_lock, 28, ompt_callback_nest_lock_t,
   (ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *codeptr), (endpoint, wait, codeptr),
   NO_KIND, endpoint)
ON(flush, 29, ompt_callback_flush_t, (ompt_data_t * thread, const void *codeptr), (thread, codeptr), NO_KIND,
   0)
ON(cancel, 30, ompt_callback_cancel_t, (ompt_data_t * task, int flags, const void *codeptr),
   (task, flags, codeptr), (unsigned)flags, 0)
ON(reduction, 31, ompt_callback_sync_region_t,
   (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
    const void *codeptr),
   (kind, endpoint, parallel, task, codeptr), kind, endpoint)
ON(dispatch, 32, ompt_callback_dispatch_t,
   (ompt_data_t * parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance),
   (parallel, task, kind, instance), kind, 0)
ON(error, 37, ompt_callback_error_t,
   (ompt_severity_t severity, const char *message, size_t length, const void *codeptr),
   (severity, message, length, codeptr), severity, 0)

ON(device_initialize, 12, ompt_callback_device_initialize_t,
   (int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
    const char *documentation),
   (device, type, handle, lookup, documentation), NO_KIND, 0)
ON(device_finalize, 13, ompt_callback_device_finalize_t, (int device), (device), NO_KIND, 0)
ON(device_load, 14, ompt_callback_device_load_t,
   (int device, const char *file, int64_t offset, void *vma, size_t bytes, void *host, void *address,
    uint64_t module),
   (device, file, offset, vma, bytes, host, address, module), NO_KIND, 0)
ON(device_unload, 15, ompt_callback_device_unload_t, (int device, uint64_t module), (device, module), NO_KIND,
   0)
ON(target, 8, ompt_callback_target_t,
   (ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t target,
    const void *codeptr),
   (kind, endpoint, device, task, target, codeptr), kind, endpoint)
ON(target_emi, 33, ompt_callback_target_emi_t,
   (ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
    ompt_data_t *target_task, ompt_data_t *target, const void *codeptr),
   (kind, endpoint, device, task, target_task, target, codeptr), kind, endpoint)
ON(target_data_op, 9, ompt_callback_target_data_op_t,
   (ompt_id_t target, ompt_id_t host_op, ompt_target_data_op_t kind, void *source, int source_device,
    void *destination, int destination_device, size_t bytes, const void *codeptr),
   (target, host_op, kind, source, source_device, destination, destination_device, bytes, codeptr), kind, 0)
ON(target_data_op_emi, 34, ompt_callback_target_data_op_emi_t,
   (ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target, ompt_id_t *host_op,
    ompt_target_data_op_t kind, void *source, int source_device, void *destination, int destination_device,
    size_t bytes, const void *codeptr),
   (endpoint, target_task, target, host_op, kind, source, source_device, destination, destination_device,
    bytes, codeptr),
   kind, endpoint)
ON(target_submit, 10, ompt_callback_target_submit_t,
   (ompt_id_t target, ompt_id_t host_op, unsigned requested), (target, host_op, requested), NO_KIND, 0)
ON(target_submit_emi, 35, ompt_callback_target_submit_emi_t,
   (ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *host_op, unsigned requested),
   (endpoint, target, host_op, requested), NO_KIND, endpoint)
ON(target_map, 22, ompt_callback_target_map_t,
   (ompt_id_t target, unsigned number, void **host, void **device, size_t *bytes, unsigned *flags,
    const void *codeptr),
   (target, number, host, device, bytes, flags, codeptr), NO_KIND, 0)
ON(target_map_emi, 36, ompt_callback_target_map_emi_t,
   (ompt_data_t * target, unsigned number, void **host, void **device, size_t *bytes, unsigned *flags,
    const void *codeptr),
   (target, number, host, device, bytes, flags, codeptr), NO_KIND, 0)

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int number) {
  count(18, NO_KIND, 0);
  for (int i = 0; dependences && i < number; i++)
    count(DEPENDENCE, dependences[i].dependence_type, 0);
  if (self.forward[18])
    ((ompt_callback_dependences_t)self.forward[18])(task, dependences, number);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr) {
  count(11, command, 0);
  if (!self.forward[11])
    return 0;
  return ((ompt_callback_control_tool_t)self.forward[11])(command, modifier, argument, codeptr);
}

static const struct {
  const char *name;
  unsigned number;
  ompt_callback_t handler;
} table[] = {
#define ROW(name, number)                                                                                    \
  { #name, number, (ompt_callback_t)on_##name }
    ROW(thread_begin, 1),
    ROW(thread_end, 2),
    ROW(parallel_begin, 3),
    ROW(parallel_end, 4),
    ROW(task_create, 5),
    ROW(task_schedule, 6),
    ROW(implicit_task, 7),
    ROW(control_tool, 11),
    ROW(dependences, 18),
    ROW(mutex_released, 17),
    ROW(sync_region_wait, 16),
    ROW(task_dependence, 19),
    ROW(work, 20),
    ROW(masked, 21),
    ROW(sync_region, 23),
    ROW(lock_init, 24),
    ROW(lock_destroy, 25),
    ROW(mutex_acquire, 26),
    ROW(mutex_acquired, 27),
    ROW(nest_lock, 28),
    ROW(flush, 29),
    ROW(cancel, 30),
    ROW(reduction, 31),
    ROW(dispatch, 32),
    ROW(error, 37),
    ROW(target, 8),
    ROW(target_data_op, 9),
    ROW(target_submit, 10),
    ROW(target_map, 22),
    ROW(target_emi, 33),
    ROW(target_data_op_emi, 34),
    ROW(target_submit_emi, 35),
    ROW(target_map_emi, 36),
    ROW(device_initialize, 12),
    ROW(device_finalize, 13),
    ROW(device_load, 14),
    ROW(device_unload, 15),
#undef ROW
};

enum { ROWS = sizeof table / sizeof *table };

/* What a runtime cannot always deliver without harm to the program (src/session/harmful.def): only if the
 * other tool asks for it, which knows when. */
static bool is_harmful(unsigned number) {
  return self.other && (number == 18 || number == 37);
}

/* What the other tool sees of the runtime: everything but ompt_set_callback is the runtime's own. */
static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  for (size_t i = 0; i < ROWS; i++) {
    if (table[i].number != (unsigned)which)
      continue;
    self.forward[which] = callback;
    if (is_harmful(which))
      self.results[which] = self.set_callback(which, table[i].handler);
    self.counts->callbacks[which].is_registered = 1;
    return self.results[which];
  }
  return self.set_callback(which, callback);
}

static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") ? self.lookup(name) : (ompt_interface_fn_t)set_callback;
}

static int initialize(ompt_function_lookup_t runtime_lookup, int device, ompt_data_t *tool_data) {
  (void)tool_data;
  self.lookup = runtime_lookup;
  self.set_callback = (ompt_set_callback_t)runtime_lookup("ompt_set_callback");
  for (size_t i = 0; i < ROWS; i++)
    if (!is_harmful(table[i].number))
      self.results[table[i].number] = self.set_callback((ompt_callbacks_t)table[i].number, table[i].handler);
  return self.other ? self.other->initialize(lookup, device, &self.other->tool_data) : 1;
}

static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  if (self.other)
    self.other->finalize(&self.other->tool_data);
}

/* Once, also where a second runtime comes in. */
static void prepare_counts(void) {
  if (self.counts)
    return;
  self.is_ours = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self.is_ours == MAP_FAILED || madvise(self.is_ours, 1, MADV_WIPEONFORK) < 0)
    abort();
  *self.is_ours = true;
  self.counts = map_counts(NULL);
  for (size_t i = 0; i < ROWS; i++)
    strcpy(self.counts->callbacks[table[i].number].name, table[i].name);
  strcpy(self.counts->callbacks[DEPENDENCE].name, "dependence");
}

/* NULL, and the program runs without any tool, if the other tool cannot be loaded or does not want to. */
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *path = getenv("COUNTING_TOOL_FORWARD");
  self.other = other_tool_start(path, omp_version, runtime_version);
  if (path && !self.other)
    return NULL;
  prepare_counts();
  return &result;
}
