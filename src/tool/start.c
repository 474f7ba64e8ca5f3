/* Making a session: memory, writer, and the wait until it is ready. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/futex.h"
#include "session/session.h"
#include "stave/names.h"
#include "tool/counters.h"
#include "tool/enter.h"
#include "tool/exit_status.h"
#include "tool/first_rings.h"
#include "tool/reaper.h"
#include "tool/sampler.h"
#include "tool/slots.h"
#include "tool/thread.h"
#include "tool/wait_limit.h"
#include "tool/wait_line.h"
#include "tool/writer_process.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { FD_LOWEST = 10, SLICE_NS = 10000000, REAPER_MS = 1000 };

/* Moves a descriptor out of the way of 0 to 9: the application may have closed its standard ones. */
static int move_up(int fd) {
  if (fd < 0)
    return -1;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOWEST);
  close(fd);
  return moved;
}

static void close_if_open(int fd) {
  if (fd >= 0)
    close(fd);
}

/* Private memory that a forked child finds zeroed: it shows the fork without a word on the hot path. Not
 * wiped it would make the child go on in its parent's session, which is not mapped there. NULL: not to be
 * had, errno gives the reason. */
static void *map_wiped_on_fork(size_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  if (madvise(memory, bytes, MADV_WIPEONFORK) == 0)
    return memory;
  int error = errno;
  munmap(memory, bytes);
  errno = error;
  return NULL;
}

static uint64_t power_of_two_below(uint64_t value) {
  while (value & (value - 1))
    value &= value - 1;
  return value;
}

/* Memcheck reads all memory at the end of a program, page by page, and of a forked child even pages that the
 * child does not have: 64 GiB need minutes. */
static int create_session(struct session_header **ret_session, int *ret_fd) {
  enum { SLOTS_ON_VALGRIND = 256 };
  uint64_t ring_bytes = power_of_two_below(tool.constants.config.buffer_size);
  bool survives = tool.constants.config.record_log == RECORD_LOG_on && !tool_keeps();
  if (!runs_on_valgrind())
    return session_create_without_rings(ring_bytes, SESSION_SLOTS_MAX, survives, ret_session, ret_fd);
  return session_create_without_rings(ring_bytes < RING_START_BYTES ? ring_bytes : RING_START_BYTES,
                                      SLOTS_ON_VALGRIND, survives, ret_session, ret_fd);
}

/* A forked child goes on with its parent's. */
static bool has_fork_mark(void) {
  if (tool.fork_mark)
    return true;
  tool.fork_mark = map_wiped_on_fork(sizeof *tool.fork_mark);
  if (tool.fork_mark)
    atomic_store(tool.fork_mark, 1);
  return tool.fork_mark;
}

static int map_memory(int *ret_fd) {
  struct session_header *session;
  int error = create_session(&session, ret_fd);
  if (error)
    return error;
  struct session_constants layout = session->constants;
  counters_make_room(layout.slots_max);
  session->constants = tool.constants;
  session->constants.magic = layout.magic;
  session->constants.bytes = layout.bytes;
  session->constants.ring_bytes = layout.ring_bytes;
  session->constants.slots_max = layout.slots_max;
  session->constants.pid = getpid();
  session->constants.start = clock_sample(tool.clock);
  tool.session = session;
  first_rings_expect();
  tool.threads = map_wiped_on_fork(layout.slots_max * sizeof *tool.threads);
  if (!tool.threads || !has_fork_mark())
    return -errno;
  madvise(session, session_bytes_before_rings(session), MADV_DONTFORK);
  return 0;
}

/* The writer's message states why it cannot write. */
static bool log_writer_failed(void) {
  char message[sizeof tool.session->shared.message];
  memcpy(message, tool.session->shared.message, sizeof message);
  message[sizeof message - 1] = '\0';
  tool_log("%s; the program runs untraced", message);
  return false;
}

static bool process_is_dead(int pidfd) {
  struct pollfd process = {.fd = pidfd, .events = POLLIN};
  return pidfd >= 0 && poll(&process, 1, 0) > 0;
}

static bool wait_until_ready(int writer_pidfd) {
  _Atomic uint32_t *state = &tool.session->shared.writer_state;
  struct wait_limit limit = wait_limit_begin(clock_ns(CLOCK_MONOTONIC), tool.constants.config.timeout);
  first_rings_populate_while(state, WRITER_STARTING); /* there is nothing else to do */
  while (atomic_load(state) == WRITER_STARTING) {
    futex_wait(state, WRITER_STARTING, SLICE_NS);
    if (atomic_load(state) != WRITER_STARTING)
      break;
    if (process_is_dead(writer_pidfd) && atomic_load(state) == WRITER_STARTING) {
      tool_log("stave-writer ended while it started (a library it needs may be missing: run it by hand); the "
               "program runs untraced");
      return false;
    }
    if (wait_limit_is_over(&limit, clock_ns(CLOCK_MONOTONIC))) {
      tool_log("stave-writer was not ready after %u s (STAVE_TIMEOUT)%s; the program runs untraced",
               tool.constants.config.timeout, writer_process_waits(tool.session));
      return false;
    }
  }
  if (atomic_load(state) != WRITER_READY)
    return log_writer_failed();
  if (tool.constants.config.verbose >= 2)
    tool_log("process %d is traced into %s, on the %s clock, with rings of up to %llu KiB", (int)getpid(),
             tool_keeps() ? "memory (STAVE_KEEP)" : tool.session->shared.archive,
             tool.clock == CLOCK_KIND_TSC ? "processor's" : "kernel's",
             (unsigned long long)tool.session->constants.ring_bytes / 1024);
  if (*tool.session->shared.message)
    tool_log("%.1000s", tool.session->shared.message);
  return true;
}

static bool start_writer(int session_fd, int *ret_pidfd) {
  char path[CONFIG_TEXT_BYTES + 64];
  if (writer_process_find(tool.constants.config.writer, path, sizeof path) < 0) {
    tool_log("no stave-writer at %s (set STAVE_WRITER to where it is); the program runs untraced", path);
    return false;
  }
  struct writer_process process = {.path = path,
                                   .session_fd = session_fd,
                                   .session = tool.session,
                                   .session_bytes = session_bytes_before_rings(tool.session),
                                   .needs_reaper = !*tool.constants.config.status && reaper_is_needed(),
                                   .application_fd = move_up((int)syscall(SYS_pidfd_open, getpid(), 0))};
  int error = writer_process_start(&process);
  close_if_open(process.application_fd);
  *ret_pidfd = move_up(process.pidfd);
  tool.reaper = process.reaper;
  char number[TOOL_ERROR_BYTES];
  if (error == -ECHILD && atomic_load(&tool.session->shared.writer_state) == WRITER_FAILED)
    error = 0; /* it was started, and has ended already: its own words are the reason */
  if (error)
    tool_log("cannot start %s: %s; the program runs untraced", path,
             error == -ECHILD ? "a signal ended its first step" : tool_error_text(-error, number));
  return !error;
}

/* An application that closes all descriptors may have something else there since. */
static void close_session_fd(void) {
  struct stat status;
  if (tool.session_fd >= 0 && fstat(tool.session_fd, &status) == 0 && status.st_ino == tool.session_inode &&
      status.st_dev == tool.session_device)
    close(tool.session_fd);
  tool.session_fd = -1;
}

/* Without a slot a thread may still count what it loses: then the memory stays. */
static void drop_session(bool is_unused) {
  close_session_fd();
  if (tool.session && is_unused)
    first_rings_unmap();
  tool.session = NULL;
}

/* A lock belongs to the process alone: children have no part in it, and exec, which closes the descriptor,
 * gives it up. By that the writer notices exec. The sizes of the memory are sealed: the descriptor can do no
 * harm. */
static int keep_session_fd(int fd) {
  struct stat status = {0};
  tool.session_fd = fd;
  if (fd < 0 || fstat(fd, &status) < 0) {
    tool_log("no descriptor is left for the trace (RLIMIT_NOFILE); the program runs untraced");
    return -EMFILE;
  }
  tool.session_device = status.st_dev;
  tool.session_inode = status.st_ino;
  fcntl(fd, F_SETLK, &(struct flock){.l_type = F_WRLCK});
  return 0;
}

/* The writer ends after its last step. */
static void collect_reaper(bool is_ending) {
  reaper_collect(tool.reaper, is_ending ? REAPER_MS : 0);
  tool.reaper = 0;
}

/* The writer removes the memory's name, should it have one. If the writer was killed, the tool has to. */
static void remove_name_of_memory(void) {
  char path[sizeof SESSION_FOLDER + SESSION_FILE_BYTES], name[SESSION_FILE_BYTES];
  struct stat status;
  memcpy(name, tool.session->shared.file, sizeof name);
  name[sizeof name - 1] = '\0';
  if (!session_writer_is_dead(tool.session) || *name == '\0' || strchr(name, '/'))
    return;
  snprintf(path, sizeof path, SESSION_FOLDER "/%s", name);
  int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == tool.session_inode &&
      status.st_dev == tool.session_device)
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  close_if_open(fd);
}

void tool_withdraw_session(void) {
  close_if_open(tool.writer_pidfd);
  tool.writer_pidfd = -1;
  tool.is_starting = false;
  if (tool.session)
    atomic_store(&tool.session->shared.tool_state, TOOL_WITHDREW);
  collect_reaper(true);
  if (tool.session)
    remove_name_of_memory();
  atomic_store(&tool.recording, RECORDING_ENDED); /* who comes now finds no session */
  drop_session(atomic_load(&tool.without_slot) == 0);
  atomic_store(&tool.recording, RECORDING_OFF);
}

/* The parent's session is not mapped in a child; its writer may be starting. */
static void leave_parents_session(void) {
  close_session_fd();
  close_if_open(tool.writer_pidfd);
  tool.writer_pidfd = -1;
  tool.is_starting = false;
  tool.reaper = 0;
  tool.session = NULL;
  tool.is_kept = false;
  tool.exit_end.ended_ns = 0;
  atomic_store(&tool.without_slot, 0);
}

/* Whether a writer of this process's own is being started. */
static bool has_started(void) {
  if (tool.is_starting && tool_is_forked_child()) {
    leave_parents_session();
    tool.is_left_out = tool.constants.config.fork != FORK_follow;
    atomic_store(tool.fork_mark, 1);
  }
  return tool.is_starting;
}

bool tool_begin_session(void) {
  char number[TOOL_ERROR_BYTES];
  int session_fd = -1;
  if (has_started() || tool.is_left_out)
    return !tool.is_left_out;
  modules_forget();
  atomic_store(&tool.slots_since_look, 0);
  int error = map_memory(&session_fd);
  if (error) {
    tool_log("cannot get memory for the trace: %s; the program runs untraced",
             tool_error_text(-error, number));
    close_if_open(session_fd);
  } else {
    error = keep_session_fd(move_up(session_fd));
  }
  tool.is_starting = !error && start_writer(tool.session_fd, &tool.writer_pidfd);
  if (tool.is_starting)
    return true;
  tool_withdraw_session();
  return false;
}

static void describe_runtime(struct session_header *session) {
  session_copy_runtime(&session->constants, &tool.constants);
  atomic_store(&session->shared.is_described, 1);
  futex_wake_all(&session->shared.is_described);
}

bool tool_start_session(void) {
  if (!tool_begin_session())
    return false;
  tool.is_starting = false;
  describe_runtime(tool.session);
  if (!wait_until_ready(tool.writer_pidfd)) {
    tool_withdraw_session();
    return false;
  }
  close_if_open(tool.writer_pidfd);
  tool.writer_pidfd = -1;
  if (tool_keeps())
    exit_status_expect();
  sampler_start();
  atomic_store(&tool.recording, RECORDING_ON);
  return true;
}

/* Other threads of the child's wait until the mark is set. */
static bool follow(void) {
  if (!tool_is_forked_child())
    return true;
  bool is_requested = tool.constants.config.fork == FORK_follow &&
                      (tool.is_kept || atomic_load(&tool.recording) != RECORDING_ENDED);
  atomic_store(&tool.recording, RECORDING_OFF);
  counters_close_all();
  leave_parents_session();
  tool.is_left_out = false;
  tool.is_left_out = !is_requested || !tool_start_session();
  atomic_store(tool.fork_mark, 1);
  return true;
}

bool tool_follow_fork(void) {
  return enter_alone(follow);
}

bool tool_is_not_followed(void) {
  bool is_to_follow = !tool.is_starting && tool_is_forked_child();
  return (is_to_follow && !tool_follow_fork()) || tool.is_left_out;
}

/* The writer may have died after its last step: the recovery file goes when all else is written. */
static bool is_closed_on_disk(void) {
  char path[sizeof tool.session->shared.archive + 32];
  const char *archive = tool.session->shared.archive;
  int length = (int)strnlen(archive, sizeof tool.session->shared.archive);
  snprintf(path, sizeof path, "%.*s/" STAVE_RECOVERY_FILE, length, archive);
  bool has_no_recovery = access(path, F_OK) < 0 && errno == ENOENT;
  snprintf(path, sizeof path, "%.*s/traces.otf2", length, archive);
  return has_no_recovery && access(path, F_OK) == 0;
}

/* LLVM's runtime has given up its own state when it finalizes the tool, be it the last one of the process or
 * not: a thread that is in it then, or comes to it, crashes after a while. Where exit() has ended the
 * recording before (exit_end.c) nothing is waited for here. What runs while exit() waits may use what
 * handlers of exit() have destroyed. So where others run the program ends as soon as untraced, and the writer
 * closes the archive by itself, which it outlives but for process 1 of a container. */
static bool is_to_leave(void) {
  if (getpid() == 1)
    return false;
  return (tool.exit_end.is_ending && slots_have_running_of_program()) ||
         (tool.is_finalizing && tool.has_given_up_state && slots_have_running_others());
}

/* *leaves: it is not waited for. */
static bool is_closed_in_time(bool *leaves, struct wait_line *line) {
  struct session_shared *shared = &tool.session->shared;
  uint64_t progress = 0, begin = clock_ns(CLOCK_MONOTONIC);
  struct wait_limit limit = wait_limit_begin(begin, tool.constants.config.timeout);
  wait_line_begin(line, begin);
  while (atomic_load(&shared->writer_state) == WRITER_READY) {
    if (*leaves)
      return false;
    futex_wait(&shared->writer_state, WRITER_READY, SLICE_NS);
    *leaves = is_to_leave();
    uint64_t now = clock_ns(CLOCK_MONOTONIC), seen = atomic_load(&shared->progress);
    wait_line_look(line, now);
    if (seen != progress)
      wait_limit_renew(&limit, now);
    progress = seen;
    bool is_over = session_writer_is_dead(tool.session) && atomic_load(&shared->writer_state) == WRITER_READY;
    if (is_over)
      return is_closed_on_disk();
    if (wait_limit_is_over(&limit, now))
      return false;
  }
  return atomic_load(&shared->writer_state) == WRITER_CLOSED;
}

static bool wait_until_closed(bool *leaves) {
  struct wait_line line;
  bool is_closed = is_closed_in_time(leaves, &line);
  wait_line_end(&line);
  return is_closed;
}

static void log_not_closed(const char *archive) {
  if (atomic_load(&tool.session->shared.writer_state) == WRITER_FAILED)
    tool_log("%.1000s; the archive %s is not complete", tool.session->shared.message, archive);
  else if (session_writer_is_dead(tool.session))
    tool_log("stave-writer was killed; the archive %s is not complete", archive);
  else
    tool_log("stave-writer made no progress for %u s (STAVE_TIMEOUT)%s; the archive %s is not closed yet",
             tool.constants.config.timeout, writer_process_waits(tool.session), archive);
}

static bool is_being_closed(void) {
  return atomic_load(&tool.session->shared.writer_state) == WRITER_READY &&
         !session_writer_is_dead(tool.session);
}

/* Of a job rank 0 speaks for all. */
static void log_where(char *archive, bool is_of_job) {
  static const char own[] = "/rank/0";
  size_t length = strlen(archive), offset = length > sizeof own ? length - (sizeof own - 1) : 0;
  if (is_of_job && strcmp(archive + offset, own) == 0) {
    archive[offset] = '\0';
    tool_log("the traces of all ranks are in %s/rank: stave merge %s makes one of them", archive, archive);
  } else {
    tool_log("the trace is in %s", archive);
  }
}

/* Who has given up has waited and reported it already. */
static void end(enum recording recording, enum tool_state state) {
  struct session_shared *shared = &tool.session->shared;
  sampler_stop();
  atomic_store(&tool.recording, recording);
  bool has_given_up = atomic_exchange(&shared->tool_state, state) == TOOL_GAVE_UP;
  session_wake_writer(tool.session);
  bool leaves = is_to_leave();
  if (state == TOOL_FINISHED && !leaves)
    first_rings_let_go();
  bool is_closed = !has_given_up && wait_until_closed(&leaves);
  collect_reaper(is_closed); /* else it may never end */
  remove_name_of_memory();
  char archive[sizeof shared->archive];
  memcpy(archive, shared->archive, sizeof archive);
  archive[sizeof archive - 1] = '\0';
  bool is_quiet = tool.constants.config.verbose == 0 || *tool.constants.config.status || shared->rank > 0;
  bool is_left = leaves && !is_closed && !has_given_up && is_being_closed();
  if (is_left && *archive && !is_quiet)
    tool_log("the trace is in %s: it is closed after the program, whose other threads go on", archive);
  else if (!is_closed && !has_given_up && !is_left)
    log_not_closed(tool_keeps() ? tool_archive_name() : archive);
  else if (is_closed && tool_keeps() && *shared->message)
    tool_log("%.1000s", shared->message);
  else if (is_closed && *shared->message)
    tool_log("%.500s; what was recorded is in %s", shared->message, archive);
  else if (is_closed && !*archive && tool.constants.config.verbose < 2)
    return;
  else if (is_closed && !*archive)
    tool_log("nothing was written: the program ended well, and nothing else requested it (STAVE_KEEP)");
  else if (is_closed && !is_quiet)
    log_where(archive, shared->rank == 0);
}

void tool_close_session(void) {
  int on = RECORDING_ON;
  if (!atomic_compare_exchange_strong(&tool.recording, &on, RECORDING_ENDED))
    return;
  tool.is_kept = true; /* also while it is waited for */
  end(RECORDING_ENDED, TOOL_FINISHED);
}

/* Another thread may be in a callback for as long as it is alive: it waits for room, or for a processor, and
 * goes on to write to its ring. One without a slot may be about to get one, from memory that it has found. So
 * the memory stays, and no other session begins. The count is read before the slots, since a thread is
 * counted until it owns one, and after them, since one that gives its slot back is counted first. */
static bool is_in_use(void) {
  atomic_store(&tool.recording, RECORDING_ENDED); /* who comes now finds no session */
  return atomic_load(&tool.without_slot) > 0 || slots_have_others() || atomic_load(&tool.without_slot) > 0;
}

void tool_end_session(void) {
  uint32_t state = atomic_load(&tool.session->shared.tool_state);
  if (state == TOOL_FINISHED)
    return;
  bool is_ended_by_program = state == TOOL_ENDED;
  if (!is_ended_by_program)
    end(RECORDING_OFF, TOOL_FINISHED);
  if (is_in_use()) {
    tool.is_kept = !is_ended_by_program;
    return;
  }
  counters_close_all();
  drop_session(true);
  if (!is_ended_by_program)
    atomic_store(&tool.recording, RECORDING_OFF);
}

bool tool_end_recording(void) {
  int on = RECORDING_ON;
  bool is_on = atomic_compare_exchange_strong(&tool.recording, &on, RECORDING_ENDED);
  if (is_on)
    end(RECORDING_ENDED, TOOL_ENDED);
  return is_on;
}
