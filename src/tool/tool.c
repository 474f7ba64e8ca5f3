/* libstave.so: where the OpenMP runtime comes in. */
#include "tool/tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/clock.h"
#include "session/stderr_line.h"
#include "tool/callbacks.h"
#include "tool/counters.h"
#include "tool/depend_waits.h"
#include "tool/enter.h"
#include "tool/exit_end.h"
#include "tool/first_thread.h"
#include "tool/own_memory.h"
#include "tool/placement.h"
#include "tool/thread.h"
#include "tool/writer_process.h"

extern char **environ;

/* Walks an enumeration of the runtime's (OpenMP 5.1, 4.6.1.1 and 4.6.1.2): it ends when `next` returns 0. */
static void enumerate(int (*next)(int, int *, const char **), int first, struct session_name *names) {
  const char *name = NULL;
  int value = first, following = 0;
  for (int i = 0; i < SESSION_NAMES - 1 && next && next(value, &following, &name); i++) {
    names[i].value = value = following;
    snprintf(names[i].name, sizeof names[i].name, "%s", name ? name : "");
  }
}

static void describe_runtime(ompt_function_lookup_t lookup) {
  struct session_constants *constants = &tool.constants;
  enumerate((ompt_enumerate_states_t)lookup("ompt_enumerate_states"), OMPT_STATE_undefined,
            constants->states);
  enumerate((ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls"), OMPT_MUTEX_IMPL_NONE,
            constants->mutex_implementations);
}

/* An address of the runtime's own code. A tool in front of this one hands out a function of its own where
 * callbacks are registered, but has no reason to for what only reports names. */
static uint64_t address_in_runtime(ompt_function_lookup_t lookup) {
  ompt_interface_fn_t names = lookup("ompt_enumerate_states");
  return (uint64_t)(uintptr_t)(names ? names : lookup("ompt_set_callback"));
}

/* The dynamic linker can be started with the program as its argument: then it is what /proc calls the
 * executable. */
static bool is_linker(const char *path) {
  static const char *const names[] = {"ld-linux", "ld-musl-", "ld.so", "ld64.so"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return strncmp(name, "ld-", 3) == 0 && strstr(name, ".so") != NULL; /* ld-2.31.so */
}

struct program_search {
  uint64_t inside;
  char *path;
  size_t bytes;
};

static bool try_program(const struct own_mapping *mapping, void *data) {
  struct program_search *search = data;
  bool is_it = search->inside >= mapping->begin && search->inside < mapping->end;
  if (is_it && *mapping->path == '/')
    snprintf(search->path, search->bytes, "%s", mapping->path);
  return is_it;
}

#ifdef __GLIBC__
extern struct r_debug linker_list __asm__("_r_debug") __attribute__((weak));

/* The first of all objects is the program, for good. */
static uint64_t address_in_program(void) {
  return &linker_list && linker_list.r_map ? (uint64_t)(uintptr_t)linker_list.r_map->l_ld : 0;
}
#else
static uint64_t address_in_program(void) {
  return 0;
}
#endif

/* The file that the program was mapped from. */
static void describe_mapped_program(void) {
  struct program_search search = {address_in_program(), tool.constants.program,
                                  sizeof tool.constants.program};
  if (search.inside)
    own_memory_each(try_program, &search);
}

static void describe_program(void) {
  ssize_t n = readlink("/proc/self/exe", tool.constants.program, sizeof tool.constants.program - 1);
  if (n < 0)
    snprintf(tool.constants.program, sizeof tool.constants.program, "%s", program_invocation_name);
  else
    tool.constants.program[n] = '\0';
  if (n >= 0 && is_linker(tool.constants.program))
    describe_mapped_program();
}

static bool is_in_session(void) {
  return tool.session && !tool.is_starting;
}

static bool start(void) {
  return is_in_session() || tool_start_session();
}

static bool begin(void) {
  return is_in_session() || tool_begin_session();
}

bool tool_enter_session(void) {
  return enter_alone(start);
}

/* In a session that was started without it. */
static void publish_runtime(void) {
  session_copy_runtime(&tool.session->constants, &tool.constants);
  const struct record_runtime record = {.type = RECORD_runtime, .ticks = clock_ticks(tool.clock)};
  thread_put((const struct record *)&record, NULL);
}

/* A session starts with the first runtime that is initialized and ends with the last that is finalized.
 * Returns 1 to stay loaded, 0 to be left out (OpenMP 5.1, 4.2.3). */
static int initialize(ompt_function_lookup_t lookup) {
  ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set_callback) {
    tool_log("this OpenMP runtime offers no ompt_set_callback; the program runs untraced");
    if (tool.is_starting && !tool_is_forked_child())
      tool_withdraw_session();
    return 0;
  }
  describe_runtime(lookup);
  tool.get_num_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
  tool.get_place_num = (ompt_get_place_num_t)lookup("ompt_get_place_num");
  tool.get_partition_place_nums = (ompt_get_partition_place_nums_t)lookup("ompt_get_partition_place_nums");
  tool.get_proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
  tool.get_state = (ompt_get_state_t)lookup("ompt_get_state");
  tool.get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  bool is_known = is_in_session();
  if (!is_known)
    modules_note_start();
  tool.in_runtime = (const void *)(uintptr_t)address_in_runtime(lookup);
  modules_find_runtime(address_in_runtime(lookup));
  const char *missing =
      callbacks_register(set_callback, &tool.constants, tool.constants.set_callback_results);
  first_thread_initialized(
      set_callback, !tool.is_libgomp && tool.constants.set_callback_results[OMPT_CALLBACK_mutex_released] >
                                            OMPT_SET_RESULT_impossible);
  if (missing)
    tool_log("this OpenMP runtime (%s) does not deliver %s: expect gaps in the trace",
             tool.constants.runtime_version, missing);
  if (getpid() == 1 && tool.runtimes == 0)
    tool_log("this is process 1 of its container: if it dies, the kernel kills the trace's writer with it; "
             "run it by "
             "`stave record` or under an init");
  if (tool.runtimes == 0 && !tool_enter_session())
    return depend_waits_release(), 0;
  if (is_known && tool.runtimes == 0)
    publish_runtime();
  tool.runtimes++;
  return 1;
}

/* A forked child's exit comes here too, with a session that is its parent's. */
static void end_runtime(void) {
  if (--tool.runtimes > 0)
    return;
  depend_waits_release();
  if (tool_is_forked_child() || !tool.session)
    return;
  device_trace_stop_all();
  if (tool.has_joined)
    return;
  exit_end_report_rest();
  tool.is_finalizing = true;
  if (tool.is_shared)
    tool_close_session();
  else
    tool_end_session();
  tool.is_finalizing = false;
}

static void finalize(void) {
  int cancellation = tool_forbid_cancellation();
  end_runtime();
  tool_allow_cancellation(cancellation);
}

static int initialize_libgomp(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  (void)initial_device, (void)tool_data;
  tool.is_libgomp = true;
  return initialize(lookup);
}

static void finalize_libgomp(ompt_data_t *tool_data) {
  (void)tool_data;
  finalize();
}

static int initialize_other(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data) {
  (void)initial_device, (void)tool_data;
  tool.is_libgomp = tool.has_given_up_state = false;
  tool.may_give_up_state = true;
  tool.get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  exit_end_expect();
  return initialize(lookup);
}

static void finalize_other(ompt_data_t *tool_data) {
  (void)tool_data;
  tool.has_given_up_state = true;
  finalize();
}

void tool_note_stderr(void) {
  tool.is_mute = fcntl(STDERR_FILENO, F_GETFD) < 0 && errno == EBADF;
}

bool tool_is_privileged(void) {
  bool is_privileged = getauxval(AT_SECURE);
  if (is_privileged)
    tool_log("programs that run with other privileges (setuid, setgid, capabilities) are not traced");
  return is_privileged;
}

static bool read_configuration(void) {
  char error[CONFIG_ERROR_BYTES], unknown[CONFIG_ERROR_BYTES];
  if (config_read(&tool.constants.config, environ, error, unknown) < 0) {
    tool_log("%s; the program runs untraced", error);
    return false;
  }
  const char *meant = config_near(unknown);
  if (*unknown && meant)
    tool_log("%s is ignored: Stave has no such setting; did you mean %s?", unknown, meant);
  else if (*unknown)
    tool_log("%s is ignored: Stave has no such setting (see stave(1))", unknown);
  return true;
}

extern void __tsan_init(void) __attribute__((weak));

/* ThreadSanitizer learns of OpenMP's synchronisation from libarcher alone, which LLVM's runtime loads when
 * there is no other tool: in its place Stave would make it report races in correct programs. */
static bool is_archers(void) {
  const char *options = getenv("ARCHER_OPTIONS");
  if (!__tsan_init || (options && strstr(options, "enable=0")))
    return false;
  void *archer = dlopen("libarcher.so", RTLD_LAZY);
  bool is_tool = archer && dlsym(archer, "ompt_start_tool");
  if (archer)
    dlclose(archer);
  return is_tool;
}

enum {
  STACK_BYTES_MIN = 64 << 10, /* of the process's own one, with the environment on it */
  STACK_ROOM_MIN = 24 << 10,  /* below here, of any */
  STACK_STEP = 4 << 10,
};

/* The kernel reads the set of signals before it finds that there is no such way to use it. */
static bool is_readable(uint64_t address) {
  enum { NO_SUCH_USE = -1, SET_BYTES = 8 };
  return syscall(SYS_rt_sigprocmask, NO_SUCH_USE, address, NULL, SET_BYTES) == 0 || errno != EFAULT;
}

/* The process's first stack is mapped as far as it has been used; the kernel makes it grow here, up to the
 * limit, as where the program uses it. */
static bool has_room_below(uint64_t here) {
  for (uint64_t room = 0; room <= STACK_ROOM_MIN; room += STACK_STEP)
    if (!is_readable(here - room))
      return false;
  return true;
}

/* What Stave puts on the stack would be what the program lacks. The kernel hands out as little as 16 KiB, and
 * so do threads and coroutines. */
static bool has_stack(void) {
  static const char line[] =
      "stave: the stack is smaller than 64 KiB (ulimit -s), or has less than 24 KiB left; "
      "the program runs untraced\n";
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0)
    return true;
  bool is_enough = limit.rlim_cur >= STACK_BYTES_MIN && (runs_on_valgrind() || has_room_below(here));
  if (!is_enough)
    stderr_line_write(line, sizeof line - 1, STDERR_PATIENCE_MS);
  return is_enough;
}

bool tool_prepare(void) {
  if (tool.is_prepared)
    return true;
  if (!read_configuration())
    return false;
  if (!counters_prepare())
    return false;
  tool.clock = tool.constants.clock_kind = clock_choose();
  for (unsigned i = 0; i < SESSION_CALLBACKS; i++)
    tool.constants.set_callback_results[i] = SESSION_NOT_REQUESTED;
  placement_prepare();
  describe_program();
  tool.attach = thread_attach;
  tool.is_prepared = true;
  return true;
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version);

/* The runtime requests a tool (OpenMP 5.1, 4.2.1). NULL: none here, the program runs untraced. */
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t other = {initialize_other, finalize_other, {0}},
                                  libgomp = {initialize_libgomp, finalize_libgomp, {0}};
  bool is_libgomp = runtime_version && strncmp(runtime_version, "GNU libgomp", strlen("GNU libgomp")) == 0;
  ompt_start_tool_result_t *result = is_libgomp ? &libgomp : &other;
  tool_note_stderr();
  if (!has_stack() || tool_is_privileged() || tool_is_not_followed())
    return NULL;
  if (tool.runtimes > 0)
    return result;
  if (is_archers()) {
    tool_log("ThreadSanitizer needs libarcher as the only tool of this program, which runs untraced "
             "(ARCHER_OPTIONS="
             "enable=0 leaves libarcher out)");
    return NULL;
  }
  tool.is_prepared &= tool.session != NULL; /* the environment may be another one since */
  if (!tool_prepare())
    return NULL;
  tool.constants.omp_version = (int32_t)omp_version;
  snprintf(tool.constants.runtime_version, sizeof tool.constants.runtime_version, "%s",
           runtime_version ? runtime_version : "");
  /* the runtime initializes itself now, for about half of the time of the writer's start */
  return enter_alone(begin) ? result : NULL;
}
