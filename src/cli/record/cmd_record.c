#include "cli/record/cmd_record.h"

#include "base/limits.h"
#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/common/status.h"
#include "cli/common/summary.h"
#include "cli/common/usage.h"
#include "cli/common/writers.h"
#include "cli/programs/program.h"
#include "cli/record/caretaker.h"
#include "cli/record/child.h"
#include "cli/record/counters_help.h"
#include "cli/record/going_on.h"
#include "cli/record/orphans.h"
#include "cli/record/plan.h"
#include "cli/record/rank_archives.h"
#include "cli/record/settings.h"
#include "cli/record/viewer.h"
#include "cli/record/watch.h"
#include "cli/record/workdir.h"
#include "session/config.h"
#include "session/counters.h"
#include "session/stderr_line.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What shells and other commands that start programs answer. */
enum { EXIT_CANNOT_START = 126, EXIT_NOT_FOUND = 127 };

enum { PATIENCE_MS = 2000 };

/* One recording; everything is released by traced_run_clear. */
struct traced_run {
  struct program program;
  struct plan plan;
  struct workdir workdir;
  struct status status;
  struct child child;
  struct watch watch;
  struct viewer viewer;
  struct going_on going_on;
  bool quiet, preloads, waits_for_all;
  bool had_children; /* before the program: sh -c 'sleep 5 & exec stave record ...' */
};

/* Long options that have no letter. */
enum {
  OPTION_OVERFLOW = 256,
  OPTION_PRELOAD,
  OPTION_RUNTIME,
  OPTION_SAMPLE,
  OPTION_SYSTEM,
  OPTION_KEEP,
  OPTION_COUNTERS,
  OPTION_WATCH,
  OPTION_WAIT,
  OPTION_DEVICE
};

/* Samples a second where none are reported. */
static const char sample_default[] = "1000";

static const char *overflow_word(size_t number) {
  static const char *const words[] = {"block", "drop"};
  return number < sizeof words / sizeof *words ? words[number] : NULL;
}

static const char *device_word(size_t number) {
  static const char *const words[] = {"on", "off"};
  return number < sizeof words / sizeof *words ? words[number] : NULL;
}

static const struct usage_option options[] = {
    {'o', "output", "TEMPLATE",
     "where the archive goes (STAVE_OUTPUT): %e program, %p process, %h host, %r MPI rank, %j job; default "
     "stave-%e-%p",
     USAGE_DIRECTORY, NULL},
    {'e', "events", "LIST", "which events (STAVE_EVENTS): all, scorep, or classes; -CLASS leaves one out",
     USAGE_LIST, config_event_class},
    {'b', "buffer-size", "SIZE", "largest buffer per thread (STAVE_BUFFER_SIZE)", USAGE_NOTHING, NULL},
    {OPTION_OVERFLOW, "overflow", "WHAT",
     "when a buffer is full (STAVE_OVERFLOW): block, the default, or drop", USAGE_WORD, overflow_word},
    {OPTION_DEVICE, "device", "WHAT",
     "whether to record what NVIDIA's devices do (STAVE_DEVICE): on, the default, or off", USAGE_WORD,
     device_word},
    {OPTION_PRELOAD, "preload", NULL,
     "only with --runtime: put its library before all others (LD_PRELOAD), where a program still finds its "
     "own libgomp",
     USAGE_NOTHING, NULL},
    {OPTION_RUNTIME, "runtime", "PATH",
     "libomp.so.5 on which programs built by gcc are to run in place of their own runtime (STAVE_RUNTIME); "
     "llvm: the "
     "one that is found; none: they are not traced",
     USAGE_FILE, NULL},
    {OPTION_SAMPLE, "sample", "HZ",
     "samples per second of each thread's state and call path (STAVE_SAMPLE_HZ); without a number 1000",
     USAGE_OPTIONAL, NULL},
    {OPTION_SYSTEM, "system", NULL,
     "record from the kernel when each thread runs, is preempted or blocked (STAVE_SYSTEM=on)", USAGE_NOTHING,
     NULL},
    {OPTION_KEEP, "keep", "LIMITS",
     "keep only the end, 10s or 500M or both, and write it when the program fails or requests it "
     "(STAVE_KEEP)",
     USAGE_NOTHING, NULL},
    {OPTION_COUNTERS, "counters", "LIST",
     "what the kernel and the processor count for each thread, read where regions begin and end "
     "(STAVE_COUNTERS): instructions, cycles, page-faults ...; help lists those that are available here",
     USAGE_LIST, counter_known},
    {OPTION_WATCH, "watch", NULL,
     "show the last seconds of the run in a browser while it goes on (stave watch), at an address that is "
     "printed; the finished page is then beside the archive, with .html",
     USAGE_NOTHING, NULL},
    {OPTION_WAIT, "wait", NULL,
     "wait until all traced processes have ended, also children in the background and daemons; otherwise "
     "those "
     "that go on after the program's end are named, and their archives are closed when they end",
     USAGE_NOTHING, NULL},
    {'q', "quiet", NULL, "no summary at the end", USAGE_NOTHING, NULL},
    {'v', "verbose", NULL, "print more (STAVE_VERBOSE=2)", USAGE_NOTHING, NULL},
    {0},
};

/* Options are only another spelling of the environment. */
static const char *variable_of(int option) {
  switch (option) {
  case 'o':
    return "STAVE_OUTPUT";
  case 'e':
    return "STAVE_EVENTS";
  case 'b':
    return "STAVE_BUFFER_SIZE";
  case OPTION_OVERFLOW:
    return "STAVE_OVERFLOW";
  case OPTION_DEVICE:
    return "STAVE_DEVICE";
  case OPTION_RUNTIME:
    return "STAVE_RUNTIME";
  case OPTION_SAMPLE:
    return "STAVE_SAMPLE_HZ";
  case OPTION_KEEP:
    return "STAVE_KEEP";
  default:
    return NULL;
  }
}

static const struct usage_option *option_of(int code) {
  const struct usage_option *option = options;
  while (option->code != code)
    option++;
  return option;
}

/* A name that nobody knows is reported before the program runs. */
static bool set_counters(const char *list) {
  struct kernel_counter counters[COUNTERS_MAX];
  char error[CONFIG_ERROR_BYTES];
  if (strcmp(list, "help") == 0) {
    counters_print_help();
    exit(message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED);
  }
  if (counters_parse(list, counters, error, sizeof error) < 0)
    return usage_error("record", "%s", error);
  settings_put("STAVE_COUNTERS", list);
  return true;
}

static bool set_option(void *run, int option, const char *value) {
  if (option == 'q')
    ((struct traced_run *)run)->quiet = true;
  else if (option == OPTION_PRELOAD)
    ((struct traced_run *)run)->preloads = true;
  else if (option == OPTION_WATCH)
    ((struct traced_run *)run)->viewer.is_requested = true;
  else if (option == OPTION_WAIT)
    ((struct traced_run *)run)->waits_for_all = true;
  else if (option == OPTION_SYSTEM)
    settings_put("STAVE_SYSTEM", "on");
  else if (option == OPTION_COUNTERS)
    return set_counters(value);
  else if (option == 'v')
    settings_put("STAVE_VERBOSE", "2");
  else
    return settings_set(option_of(option), variable_of(option), value ? value : sample_default);
  return true;
}

static int cannot_start(const char *name, int error) {
  bool is_number = error == -ENOENT && *name != '\0' && name[strspn(name, "0123456789")] == '\0';
  message_print("cannot run %s: %s%s%s", name, error == -ENOENT ? "no such program" : strerror(-error),
                is_number ? "; samples per second: --sample=" : "", is_number ? name : "");
  return error == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_START;
}

/* Puts `value` in front of what the variable holds. */
static void prepend_variable(const char *name, const char *value) {
  const char *old = getenv(name);
  char *joined = NULL;
  if (!old || *old == '\0')
    settings_put(name, value);
  else if (asprintf(&joined, "%s:%s", value, old) >= 0)
    settings_put(name, joined);
  free(joined);
}

static const char *output_default(void) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].variable, "STAVE_OUTPUT") == 0)
      return rows[i].standard;
  return "";
}

/* As a part of a template: a percent sign represents itself. */
static void escape(const char *path, char *ret) {
  for (; *path != '\0'; path++) {
    if (*path == '%')
      *ret++ = '%';
    *ret++ = *path;
  }
  *ret = '\0';
}

/* A relative template counts from where stave was started: the program may go elsewhere before it uses
 * OpenMP. */
static void fix_output(void) {
  char here[PATH_MAX], escaped[2 * PATH_MAX], *absolute = NULL;
  const char *template = getenv("STAVE_OUTPUT");
  if (!template)
    template = output_default();
  if (*template == '/' || *template == '\0' || !getcwd(here, sizeof here) || *here != '/')
    return;
  escape(here, escaped);
  int length = asprintf(&absolute, "%s/%s", escaped[1] != '\0' ? escaped : "", template);
  if (length >= 0 && length < CONFIG_TEXT_BYTES) /* else it can only be tried as it is */
    settings_put("STAVE_OUTPUT", absolute);
  if (length >= 0)
    free(absolute);
}

/* LD_PRELOAD separates paths by blanks and colons, so what has one gets another name. AddressSanitizer ends
 * programs in which it is not the first library, though one of wrappers in front of it does no harm. */
static void preload(struct traced_run *run, const char *path) {
  if (path[strcspn(path, " \t\n:")] != '\0')
    path = workdir_link(&run->workdir, path);
  if (!path)
    return;
  prepend_variable("LD_PRELOAD", path);
  prepend_variable("ASAN_OPTIONS", "verify_asan_link_order=0");
}

/* Old C libraries have a header in front of a loaded library's thread-local variables. AddressSanitizer
 * interprets the memory there as such a header if the address looks so, and then ends the program while it
 * searches for leaks. libomp's variables have such addresses, as it is loaded later than gcc's programs would
 * have loaded libgomp. libomp writes to stderr where libgomp is silent (deprecated functions, teams that are
 * smaller than requested), unless the user has configured that. */
static void replace_libgomp(const struct traced_run *run) {
  prepend_variable("LD_LIBRARY_PATH", run->workdir.path);
  prepend_variable("ASAN_OPTIONS", "intercept_tls_get_addr=0");
  if (!getenv("KMP_WARNINGS"))
    settings_put("KMP_WARNINGS", "off");
  if (run->plan.preloads)
    prepend_variable("LD_PRELOAD", run->workdir.libgomp_path);
}

static void set_environment(struct traced_run *run) {
  fix_output();
  prepend_variable("OMP_TOOL_LIBRARIES", run->plan.library);
  settings_put("OMP_TOOL", "enabled");
  settings_put("STAVE_STATUS", run->workdir.status_path);
  if (run->workdir.libgomp_path[0] != '\0')
    replace_libgomp(run);
  if (run->workdir.libomp_path[0] != '\0') /* what libomptarget opens is then the runtime that runs */
    prepend_variable("LD_LIBRARY_PATH", run->workdir.path);
  if (run->plan.libgomp)
    preload(run, run->plan.libgomp);
  if (run->plan.mpi)
    preload(run, run->plan.mpi);
  if (run->plan.cuda)
    settings_put("CUDA_INJECTION64_PATH", run->plan.cuda);
}

/* False if the program has to run untraced; has printed why. */
static bool prepare(struct traced_run *run) {
  if (!limits_leave_threads()) {
    message_print(
        "the limit on processes (ulimit -u, pids.max of the cgroup) leaves too few for the program's own "
        "threads; the program runs untraced");
    return false;
  }
  if (!plan_make(&run->program, run->preloads, &run->plan))
    return false;
  int error = workdir_make(&run->workdir);
  if (error == 0)
    error = status_open(&run->status, run->workdir.status_path);
  if (error == 0 && run->plan.runtime)
    error = workdir_link_libgomp(&run->workdir, run->plan.gomp, run->plan.runtime);
  if (error == 0 && run->program.libomp_unfound)
    error = workdir_link_libomp(&run->workdir, run->program.libomp_unfound);
  if (error == 0)
    return true;
  message_print("cannot make a private directory in %s: %s%s; the program runs untraced", workdir_parent(),
                strerror(-error), error == -EMFILE ? "" : ": set TMPDIR to a place that can be written");
  return false;
}

static void traced_run_clear(struct traced_run *run) {
  status_close(&run->status);
  watch_clear(&run->watch);
  workdir_remove(&run->workdir);
  plan_clear(&run->plan);
  program_clear(&run->program);
}

/* Nothing is left for stave to do: it becomes the program. */
static int run_untraced(struct traced_run *run, char **arguments) {
  char *path = strdup(run->program.path);
  traced_run_clear(run);
  if (path)
    execvp(path, arguments);
  int status = cannot_start(arguments[0], -errno);
  free(path);
  return status;
}

/* Where standard streams are closed, stave's own descriptors must not get their numbers. The program still
 * finds them closed. */
static void occupy_standard_streams(void) {
  int fd;
  do
    fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    close(fd);
}

/* A pipe's other end must see that the program has closed it, so stave keeps none open. */
static void let_go_of_pipes(void) {
  int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_fd < 0)
    return;
  dup2(null_fd, STDIN_FILENO);
  dup2(null_fd, STDOUT_FILENO);
  if (null_fd > STDERR_FILENO)
    close(null_fd);
}

/* Waits for signals or status lines and deals with them. False if the time is up. */
static bool attend(struct traced_run *run, int timeout_ms) {
  struct pollfd fds[] = {{.fd = run->child.signal_fd, .events = POLLIN},
                         {.fd = run->status.read_fd, .events = POLLIN}};
  int ready = poll(fds, 2, timeout_ms);
  if (fds[1].revents != 0)
    status_read(&run->status);
  viewer_look(&run->viewer, &run->status, &run->child);
  if (fds[0].revents != 0)
    child_signals(&run->child);
  return ready != 0;
}

static void print_waiting(const struct traced_run *run) {
  const struct status *status = &run->status;
  bool waits_for_all = run->waits_for_all || run->program.is_launcher;
  size_t open = 0;
  for (size_t i = 0; i < status->count; i++)
    open += status->archives[i].state == ARCHIVE_OPEN && (waits_for_all || !status->archives[i].goes_on);
  if (open == 0) /* one that has not reported its archive yet, or has none to report (STAVE_KEEP) */
    message_print("the program has ended; waiting for its stave-writer to end (Ctrl-C: do not wait)");
  else
    message_print("the program has ended; waiting for %zu archive%s to be closed (Ctrl-C: do not wait)", open,
                  plural(open));
}

/* How long nothing may happen before there is something to do. -1: any time. */
static int patience_ms(const struct traced_run *run, bool has_printed) {
  int left = PATIENCE_MS - going_on_ms(&run->going_on), to_look = going_on_pause_ms(&run->going_on);
  left = left > 0 ? left : 0;
  if (run->waits_for_all)
    return has_printed ? -1 : left;
  return has_printed || to_look < left ? to_look : left;
}

static void print_waiting_once(struct traced_run *run, bool *has_printed) {
  if (*has_printed || going_on_ms(&run->going_on) < PATIENCE_MS)
    return;
  going_on_mark(&run->status);
  print_waiting(run);
  *has_printed = true;
  run->child.is_interrupted = false; /* what came before was meant for the program */
}

/* The program is a zombie now: its writers may still read its exit status. */
static void wait_for_writers(struct traced_run *run) {
  struct child *child = &run->child;
  bool has_printed = false;
  run->waits_for_all |= getpid() == 1; /* whose end kills all others of a container, and writers with them */
  run->going_on = going_on_begin(run->program.is_launcher);
  status_expect_end(&run->status);
  while (!run->status.at_end && !child->is_terminated && !(has_printed && child->is_interrupted)) {
    if (!run->waits_for_all && going_on_is_all(&run->going_on, &run->status, child->pid))
      break;
    attend(run, patience_ms(run, has_printed));
    print_waiting_once(run, &has_printed);
  }
  status_read(&run->status);
  going_on_mark(&run->status);
}

/* Its last pages may still be fetched. */
static void wait_for_viewer(struct traced_run *run) {
  const struct child *child = &run->child;
  viewer_look(&run->viewer, &run->status, child);
  bool goes_on = viewer_shows_one_that_goes_on(&run->viewer, &run->status);
  while (viewer_is_busy(&run->viewer, goes_on || child->is_interrupted || child->is_terminated))
    attend(run, -1);
}

/* A daemon may have ended its parent before it begins to use OpenMP. */
static void print_left(const struct traced_run *run) {
  pid_t left = run->had_children ? 0 : orphans_other();
  char *name = left > 0 ? process_program_name(left) : NULL;
  if (name)
    message_print("process %d (%s), which it has left, goes on: it gets an archive if it uses OpenMP later",
                  (int)left, name);
  free(name);
}

static void summarize(const struct traced_run *run) {
  const struct status *status = &run->status;
  bool is_explained = watch_report(&run->watch, &run->plan) || status->stayed.count > 0;
  bool is_reported_by_rank_0 = job_leaves_it_to_rank_0();
  summary_print_runtimes(status, run->quiet || is_reported_by_rank_0);
  if (status->count > 0)
    summary_print(status, run->quiet || is_reported_by_rank_0);
  else if (!is_explained)
    plan_explain_silence(&run->program, &run->plan);
  if (status->count == 0 && !run->quiet)
    print_left(run);
}

static bool is_end_requested(void *data) {
  struct traced_run *run = data;
  struct pollfd fd = {.fd = run->child.signal_fd, .events = POLLIN};
  if (poll(&fd, 1, 0) > 0)
    child_signals(&run->child);
  return run->child.is_terminated || run->child.is_interrupted;
}

/* Environments are arrays of texts that nobody frees. NULL: no memory. */
static char **copy_of_environment(void) {
  size_t count = 0;
  while (environ && environ[count])
    count++;
  char **copy = calloc(count + 1, sizeof *copy);
  if (copy && count > 0)
    memcpy(copy, environ, count * sizeof *copy);
  return copy;
}

/* With the environment that stave was started with. */
static int run_unwatched(struct traced_run *run, char **arguments, char **environment, int error) {
  message_print("cannot run %s as a child: %s: it runs untraced", arguments[0], strerror(-error));
  if (environment)
    environ = environment;
  return run_untraced(run, arguments);
}

static int record(struct traced_run *run, char **arguments) {
  char **environment = copy_of_environment();
  set_environment(run);
  run->had_children = orphans_has_children();
  int error = child_start(&run->child, run->program.path, arguments);
  if (error != 0 && run->child.is_refused)
    return run_unwatched(run, arguments, environment, error);
  free(environment);
  if (error != 0) {
    traced_run_clear(run);
    return cannot_start(arguments[0], error);
  }
  let_go_of_pipes();
  const char *verbose = getenv("STAVE_VERBOSE");
  run->quiet |= verbose && strcmp(verbose, "0") == 0;
  watch_start(&run->watch, run->child.pid, run->plan.library, verbose && strcmp(verbose, "2") == 0);
  while (!run->child.has_ended)
    attend(run, watch_look(&run->watch));
  wait_for_writers(run);
  wait_for_viewer(run);
  if (!job_leaves_it_to_rank_0())
    job_merge(&run->status, run->quiet, is_end_requested, run);
  size_t going_on = going_on_mark(&run->status);
  summarize(run);
  if (going_on > 0)
    caretaker_start(&run->workdir, &run->status, &run->child);
  traced_run_clear(run);
  child_reap(&run->child, going_on);
  return child_exit_status(&run->child);
}

/* What is only kept is not written before somebody requests it. */
static bool can_be_watched(const struct traced_run *run) {
  const char *keep = getenv("STAVE_KEEP");
  return !run->viewer.is_requested || !keep || *keep == '\0' ||
         usage_error("record", "--watch shows what is written, and with STAVE_KEEP (--keep) nothing is until "
                               "stave dump requests it");
}

const struct usage *cmd_record_usage(void) {
  static const struct usage usage = {
      .command = "record",
      .summary = "run a program and trace what its OpenMP threads do",
      .synopsis = "[options] [--] PROGRAM [ARGUMENT ...]",
      .about = "Runs the program and writes what its OpenMP threads do to an OTF2 archive.",
      .status = "The exit status is the program's; 127 if it is not found, 126 if it cannot be started, 2 "
                "for wrong usage.",
      .options = options,
      .argument = "program",
      .argument_kind = USAGE_PROGRAM,
      .accepts_more = true,
      .set = set_option,
  };
  return &usage;
}

int cmd_record(int argc, char **argv) {
  struct traced_run run = {.status = {.read_fd = -1, .write_fd = -1}};
  char *path = NULL;
  int status = usage_read(cmd_record_usage(), argc, argv, &run);
  if (status >= 0)
    return status;
  if (!can_be_watched(&run))
    return EXIT_USAGE;
  char **arguments = argv + optind;
  int error = program_find(arguments[0], &path);
  if (error != 0)
    return cannot_start(arguments[0], error);
  occupy_standard_streams();
  message_wait_no_longer_than(STDERR_PATIENCE_MS); /* the program's end does not wait for who reads this */
  program_inspect(path, &run.program);
  free(path);
  if (!prepare(&run))
    return run_untraced(&run, arguments);
  return record(&run, arguments);
}
