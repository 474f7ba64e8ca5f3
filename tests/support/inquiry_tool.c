/* A tool that compares what a runtime answers with what it has delivered.
 *
 * In each callback, and in the handler of a timer's signal that comes at any time: the thread's data, its
 * task and those around it, their regions, frames, states, places and processors. INQUIRY_TOOL_OUTPUT names a
 * file: how many callbacks, signals and steps there were, then a line for each kind of thing that is wrong,
 * the first time it is. INQUIRY_TOOL_US is how often the signal comes to each thread, in microseconds.
 *
 * INQUIRY_TOOL_STEPS: how many single steps there are (x86_64). A callback sets the processor's trap flag as
 * it returns; then a handler queries at each instruction of the library above libgomp, until the thread is
 * elsewhere than there and in libgomp: so also between two stores. */
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "ompt/types.h"

enum { LEVELS_MAX = 64, PROBLEMS_MAX = 64, TEXT_BYTES = 160 };

struct problem {
  const char *format; /* by which it is known */
  char text[TEXT_BYTES];
};

static struct {
#define ENTRY_POINT(name, result, parameters) ompt_##name##_t name;
#include "ompt/entry_points.def"
  long interval_us;
  atomic_long callbacks, signals;
  atomic_uint problem_count;
  struct problem problems[PROBLEMS_MAX];
  atomic_uint_fast64_t last_id;
  atomic_long steps, steps_left;
  struct range {
    uintptr_t begin, end;
  } own, adapter, libgomp; /* code */
} tool;

/* This thread's data, between its two callbacks. */
static __thread ompt_data_t *thread_data __attribute__((tls_model("initial-exec")));
static __thread timer_t timer __attribute__((tls_model("initial-exec")));
static __thread bool has_timer __attribute__((tls_model("initial-exec")));
static __thread unsigned open_implicit __attribute__((tls_model("initial-exec")));
/* Of the last region that began on it. */
static __thread unsigned requested_last __attribute__((tls_model("initial-exec")));
static __thread bool leaves_callback __attribute__((tls_model("initial-exec")));

/* -- what is wrong -- */

static bool is_known(const char *format) {
  unsigned count = atomic_load(&tool.problem_count);
  for (unsigned i = 0; i < count && i < PROBLEMS_MAX; i++)
    if (tool.problems[i].format == format)
      return true;
  return false;
}

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  if (is_known(format))
    return;
  unsigned place = atomic_fetch_add(&tool.problem_count, 1);
  if (place >= PROBLEMS_MAX)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tool.problems[place].text, TEXT_BYTES, format, arguments);
  va_end(arguments);
  tool.problems[place].format = format;
}

#define EXPECT(condition, ...)                                                                               \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      wrong(__VA_ARGS__);                                                                                    \
  } while (0)

/* -- what is so at any time -- */

static bool is_state(int state) {
  int next = OMPT_STATE_undefined;
  const char *name;
  while (tool.enumerate_states(next, &next, &name))
    if (next == state)
      return true;
  return false;
}

/* An inner task's frames are nearer to the stack's end, which is below, as long as both are on this thread.
 */
static void check_frame(int level, const ompt_frame_t *frame, uintptr_t here, uintptr_t inner) {
  uintptr_t enter = (uintptr_t)frame->enter_frame.ptr, exit = (uintptr_t)frame->exit_frame.ptr;
  enum { FRAME = OMPT_FRAME_runtime | OMPT_FRAME_framepointer };
  EXPECT(!enter || frame->enter_frame_flags == FRAME, "level %d: enter_frame_flags are %#x", level,
         (unsigned)frame->enter_frame_flags);
  EXPECT(!exit || frame->exit_frame_flags == FRAME, "level %d: exit_frame_flags are %#x", level,
         (unsigned)frame->exit_frame_flags);
  EXPECT(!enter || !exit || enter < exit, "level %d: a task enters the runtime outside of its exit frame",
         level);
  EXPECT(level || !enter || enter >= here, "the frame of the runtime is below this one");
  EXPECT(level || !exit || exit >= here, "the frame of the task is below this one");
  EXPECT(!enter || !inner || enter >= inner, "level %d: the runtime was entered below the inner task", level);
}

static void check_places(void) {
  int ids[LEVELS_MAX];
  int places = tool.get_num_places(), place = tool.get_place_num(), processor = tool.get_proc_id();
  EXPECT(tool.get_num_procs() > 0, "no processors");
  EXPECT(processor >= 0 && processor < sysconf(_SC_NPROCESSORS_CONF), "processor %d", processor);
  EXPECT(place >= -1 && place < (places ? places : 1), "place %d of %d", place, places);
  int own = tool.get_partition_place_nums(LEVELS_MAX, ids);
  EXPECT(own >= 0 && own <= (places ? places : 1), "a partition of %d places of %d", own, places);
  for (int i = 0; i < own && i < LEVELS_MAX; i++)
    EXPECT(ids[i] >= 0 && ids[i] < places, "the partition has place %d of %d", ids[i], places);
  int count = places && place >= 0 ? tool.get_place_proc_ids(place, LEVELS_MAX, ids) : 0;
  bool has_it = count == 0 || count > LEVELS_MAX;
  for (int i = 0; i < count && i < LEVELS_MAX; i++)
    has_it |= ids[i] == processor;
  EXPECT(has_it, "place %d does not have processor %d, where its thread runs", place, processor);
}

/* Returns how many tasks there are around the current one, it among them. */
static int check_tasks(void) {
  ompt_data_t *task, *parallel, *known;
  ompt_frame_t *frame;
  int flags, number, size, level = 0;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  for (; level < LEVELS_MAX && tool.get_task_info(level, &flags, &task, &frame, &parallel, &number);
       level++) {
    EXPECT(task && frame, "level %d has no task or frame", level);
    EXPECT(flags & (OMPT_TASK_initial | OMPT_TASK_implicit | OMPT_TASK_explicit | OMPT_TASK_target),
           "level %d: flags %#x", level, (unsigned)flags);
    EXPECT(number >= 0, "level %d: thread %d", level, number);
    EXPECT(!parallel || parallel->value - 1 < atomic_load(&tool.last_id), "level %d: a region that has ended",
           level);
    if (frame && level == 0)
      check_frame(level, frame, here, 0);
  }
  EXPECT(level < LEVELS_MAX, "tasks without an end");
  if (tool.get_task_info(0, NULL, NULL, NULL, &parallel, &number) &&
      tool.get_parallel_info(0, &known, &size) == 2) {
    EXPECT(parallel == known, "the task's region is not the innermost one");
    EXPECT(number < size, "thread %d of a team of %d", number, size);
  }
  return level;
}

static void check_any_time(void) {
  ompt_wait_id_t wait = 0;
  ompt_data_t *thread = tool.get_thread_data();
  EXPECT(!thread_data || !thread || thread == thread_data, "another thread's data");
  EXPECT(is_state(tool.get_state(&wait)), "state %#x", (unsigned)tool.get_state(NULL));
  check_tasks();
  check_places();
}

static void on_signal(int number) {
  (void)number;
  if (thread_data) {
    atomic_fetch_add(&tool.signals, 1);
    check_any_time();
  }
}

/* One for each thread: signals of the process's time would reach the first one. */
static void start_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  struct itimerspec interval = {{0, tool.interval_us * 1000}, {0, tool.interval_us * 1000}};
  event._sigev_un._tid = gettid();
  has_timer = tool.interval_us && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
              timer_settime(timer, 0, &interval, NULL) == 0;
}

/* -- at each instruction -- */

static bool is_in(struct range range, uintptr_t code) {
  return code >= range.begin && code < range.end;
}

static int note_code(struct dl_phdr_info *module, size_t size, void *data) {
  (void)size, (void)data;
  struct range *range = strstr(module->dlpi_name, "inquiry_tool")       ? &tool.own
                        : strstr(module->dlpi_name, "libstave-libgomp") ? &tool.adapter
                        : strstr(module->dlpi_name, "libgomp.so")       ? &tool.libgomp
                                                                        : NULL;
  for (int i = 0; range && i < module->dlpi_phnum; i++)
    if (module->dlpi_phdr[i].p_type == PT_LOAD && module->dlpi_phdr[i].p_flags & PF_X) {
      range->begin = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr;
      range->end = range->begin + module->dlpi_phdr[i].p_memsz;
    }
  return 0;
}

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 };

/* Where signals are blocked, as in pthread_create(3), a trap would end the program: not outside of the two
 * libraries. A callback is left by steps, not entered. */
static bool goes_on(uintptr_t code) {
  leaves_callback &= is_in(tool.own, code);
  return leaves_callback || is_in(tool.adapter, code) || is_in(tool.libgomp, code);
}

static void on_step(int number, siginfo_t *info, void *context) {
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  uintptr_t code = (uintptr_t)registers[REG_RIP];
  (void)number, (void)info;
  if (!goes_on(code) || atomic_fetch_sub(&tool.steps_left, 1) <= 0)
    registers[REG_EFL] &= ~TRAP_FLAG;
  if (!is_in(tool.adapter, code))
    return;
  atomic_fetch_add(&tool.steps, 1);
  EXPECT(is_state(tool.get_state(NULL)), "state %#x between two instructions",
         (unsigned)tool.get_state(NULL));
  check_tasks();
}

static void step_from_here(void) {
  if (atomic_load(&tool.steps_left) <= 0)
    return;
  leaves_callback = true;
  __asm__ volatile("sub $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tadd $128, %%rsp" ::
                       : "memory", "cc");
}

static void prepare_steps(void) {
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_RESTART | SA_SIGINFO};
  const char *steps = getenv("INQUIRY_TOOL_STEPS");
  dl_iterate_phdr(note_code, NULL);
  if (steps && sigaction(SIGTRAP, &action, NULL) == 0)
    tool.steps_left = atol(steps);
}
#else
static void step_from_here(void) {
}

static void prepare_steps(void) {
  dl_iterate_phdr(note_code, NULL);
}
#endif

/* -- the callbacks' arguments -- */

static ompt_data_t *task_at(int level) {
  ompt_data_t *task = NULL;
  return tool.get_task_info(level, NULL, &task, NULL, NULL, NULL) ? task : NULL;
}

static ompt_frame_t *frame_at(int level) {
  ompt_frame_t *frame = NULL;
  return tool.get_task_info(level, NULL, NULL, &frame, NULL, NULL) ? frame : NULL;
}

static void check_callback(const char *name) {
  atomic_fetch_add(&tool.callbacks, 1);
  EXPECT(tool.get_thread_data() == thread_data, "%s: not this thread's data", name);
  check_any_time();
}

/* In a callback of the current task. */
static void check_current(const char *name, const ompt_data_t *task) {
  check_callback(name);
  EXPECT(task_at(0) == task, "%s: the callback's task is not the current one", name);
}

static void name_data(ompt_data_t *data) {
  data->value = atomic_fetch_add(&tool.last_id, 1) + 1;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread) {
  (void)type;
  thread_data = thread;
  name_data(thread);
  start_timer();
  EXPECT(tool.get_thread_data() == thread, "thread_begin: not this thread's data");
  step_from_here();
}

static void on_thread_end(ompt_data_t *thread) {
  EXPECT(thread == thread_data, "thread_end: another thread's data");
  if (has_timer)
    timer_delete(timer);
  thread_data = NULL;
  step_from_here();
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *code) {
  check_current("parallel_begin", task);
  name_data(parallel);
  requested_last = requested;
  EXPECT(flags & (OMPT_PARALLEL_invoker_runtime | OMPT_PARALLEL_league),
         "parallel_begin: the program calls its function itself: flags %#x", (unsigned)flags);
  EXPECT(requested > 0, "parallel_begin: %u threads", requested);
  EXPECT(code != NULL, "parallel_begin: no place");
  EXPECT(frame == frame_at(0), "parallel_begin: the frame is not the current task's");
  EXPECT(frame->enter_frame.ptr != NULL, "parallel_begin: the task has not entered the runtime");
  step_from_here();
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code) {
  (void)flags, (void)code;
  parallel->value = 0; /* it has ended */
  check_current("parallel_end", task);
  EXPECT(!frame_at(0)->enter_frame.ptr, "parallel_end: the task is still in the runtime");
  step_from_here();
}

static void begin_implicit(ompt_data_t *parallel, ompt_data_t *task, unsigned actual, unsigned index,
                           int flags) {
  ompt_data_t *known = NULL;
  int size = 0, number = -1, own = 0;
  name_data(task);
  EXPECT(index == 0 || flags & OMPT_TASK_initial || open_implicit == 0,
         "implicit_task: the last one has not ended");
  open_implicit++;
  check_current("implicit_task", task);
  tool.get_task_info(0, &own, NULL, NULL, NULL, &number);
  EXPECT(own == flags, "implicit_task: flags %#x, not %#x", (unsigned)own, (unsigned)flags);
  if (flags & OMPT_TASK_initial) {
    EXPECT(number == 0, "implicit_task: an initial task is thread %d", number);
    EXPECT(!parallel || index > 0 || actual <= requested_last,
           "implicit_task: a league of %u teams, %u were requested", actual, requested_last);
    return;
  }
  EXPECT(tool.get_parallel_info(0, &known, &size) == 2 && known == parallel, "implicit_task: another region");
  EXPECT((unsigned)size == actual && (unsigned)number == index,
         "implicit_task: thread %d of %d, not %u of %u", number, size, index, actual);
  EXPECT(frame_at(0)->exit_frame.ptr != NULL, "implicit_task: no exit frame");
  EXPECT(task_at(1) != NULL, "implicit_task: no task around it");
  EXPECT(!task_at(1) || frame_at(1)->enter_frame.ptr,
         "implicit_task: the task around it is not in the runtime");
  EXPECT(parallel->value > 0, "implicit_task: the region has lost its data");
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                             unsigned actual, unsigned index, int flags) {
  if (endpoint == OMPT_SCOPE_begin)
    begin_implicit(parallel, task, actual, index, flags);
  else
    EXPECT(task->value > 0 && open_implicit-- > 0, "implicit_task: the task has lost its data, or its begin");
  step_from_here();
}

static void on_task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new, int flags,
                           int has_dependences, const void *code) {
  (void)has_dependences, (void)frame;
  check_current("task_create", task);
  name_data(new);
  EXPECT(code != NULL, "task_create: no place");
  EXPECT(!(flags & OMPT_TASK_explicit) || frame_at(0)->enter_frame.ptr, "task_create: not in the runtime");
  step_from_here();
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  ompt_data_t *current = task_at(0);
  check_callback("task_schedule");
  if (status == OMPT_TASK_STATUS_early_fulfill || status == OMPT_TASK_STATUS_late_fulfill)
    return;
  bool is_wait = status == OMPT_TASK_STATUS_taskwait_complete; /* which runs nothing */
  EXPECT(is_wait || current == prior || current == next, "task_schedule: another task runs");
  EXPECT(prior->value > 0 && (!next || next->value > 0), "task_schedule: a task has lost its data");
  EXPECT(status != OMPT_TASK_STATUS_switch || frame_at(0)->exit_frame.ptr, "task_schedule: no exit frame");
  EXPECT(status != OMPT_TASK_STATUS_switch || task_at(1) == prior,
         "task_schedule: the prior task is not around the next");
  step_from_here();
}

static bool is_wait_state(int state) {
  return state >= OMPT_STATE_wait_barrier && state <= OMPT_STATE_wait_taskgroup;
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *code) {
  ompt_data_t *known = NULL;
  (void)code;
  if (endpoint != OMPT_SCOPE_begin)
    return step_from_here();
  check_current("sync_region", task);
  EXPECT(!parallel || (tool.get_parallel_info(0, &known, NULL) == 2 && known == parallel),
         "sync_region: another region");
  if (kind != OMPT_SYNC_REGION_reduction && kind != OMPT_SYNC_REGION_taskgroup)
    EXPECT(frame_at(0)->enter_frame.ptr || !frame_at(0)->exit_frame.ptr,
           "sync_region: the task is not in the runtime");
  step_from_here();
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel, (void)task, (void)code;
  if (endpoint == OMPT_SCOPE_begin)
    EXPECT(is_wait_state(tool.get_state(NULL)), "sync_region_wait of kind %d: state %#x", (int)kind,
           (unsigned)tool.get_state(NULL));
  step_from_here();
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *code) {
  (void)kind, (void)count, (void)code, (void)parallel;
  if (endpoint == OMPT_SCOPE_begin)
    check_current("work", task);
  step_from_here();
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
                             const void *code) {
  ompt_wait_id_t known = 0;
  (void)hint, (void)impl;
  check_callback("mutex_acquire");
  bool is_test = kind == OMPT_MUTEX_test_lock || kind == OMPT_MUTEX_test_nest_lock;
  int state = tool.get_state(&known);
  EXPECT(code != NULL, "mutex_acquire: no place");
  EXPECT(is_test || (state >= OMPT_STATE_wait_mutex && state <= OMPT_STATE_wait_ordered),
         "mutex_acquire of kind %d: state %#x", (int)kind, (unsigned)state);
  EXPECT(is_test || known == wait, "mutex_acquire of kind %d: it waits for another", (int)kind);
  step_from_here();
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait, const void *code) {
  (void)wait, (void)code;
  check_callback("mutex_acquired");
  int state = tool.get_state(NULL);
  EXPECT(state < OMPT_STATE_wait_mutex || state > OMPT_STATE_wait_ordered,
         "mutex_acquired of kind %d: state %#x", (int)kind, (unsigned)state);
  step_from_here();
}

/* In the program's own code, as far as a runtime's event can be. */
static int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code) {
  (void)command, (void)modifier, (void)argument, (void)code;
  check_callback("control_tool");
  int state = tool.get_state(NULL);
  bool is_inside = tool.get_parallel_info(0, NULL, NULL) == 2;
  EXPECT(state == (is_inside ? OMPT_STATE_work_parallel : OMPT_STATE_work_serial),
         "control_tool: state %#x %s a region", (unsigned)state, is_inside ? "in" : "outside of");
  step_from_here();
  return 0;
}

/* -- the tool -- */

static void prepare_timers(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  const char *interval = getenv("INQUIRY_TOOL_US");
  if (interval && sigaction(SIGPROF, &action, NULL) == 0)
    tool.interval_us = atol(interval);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
#define ENTRY_POINT(name, result, parameters)                                                                \
  tool.name = (ompt_##name##_t)lookup("ompt_" #name);                                                        \
  EXPECT(tool.name, "no entry point ompt_" #name);
#include "ompt/entry_points.def"
#define REGISTER(name) tool.set_callback(OMPT_CALLBACK_##name, (ompt_callback_t)on_##name);
  REGISTER(thread_begin)
  REGISTER(thread_end)
  REGISTER(parallel_begin)
  REGISTER(parallel_end)
  REGISTER(implicit_task)
  REGISTER(task_create)
  REGISTER(task_schedule)
  REGISTER(sync_region)
  REGISTER(sync_region_wait)
  REGISTER(work)
  REGISTER(mutex_acquire)
  REGISTER(mutex_acquired)
  REGISTER(control_tool)
  prepare_timers();
  prepare_steps();
  return 1;
}

static void finalize(ompt_data_t *data) {
  (void)data;
  signal(SIGPROF, SIG_IGN);
  atomic_store(&tool.steps_left, 0);
  const char *path = getenv("INQUIRY_TOOL_OUTPUT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file)
    return;
  fprintf(file, "%ld %ld %ld\n", atomic_load(&tool.callbacks), atomic_load(&tool.signals),
          atomic_load(&tool.steps));
  for (unsigned i = 0; i < atomic_load(&tool.problem_count) && i < PROBLEMS_MAX; i++)
    fprintf(file, "%s\n", tool.problems[i].text);
  fclose(file);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version);
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)omp_version, (void)runtime_version;
  return &result;
}
