/* Making a session: memory, writer, and the wait until it is ready. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/futex.h"
#include "session/session.h"
#include "tool/thread.h"
#include "tool/writer_process.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { FD_LOWEST = 10, SLICE_NS = 10000000 };

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

/* Private memory that a forked child finds zeroed: it shows the fork without a word on the hot path. */
static void *map_wiped_on_fork(size_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  madvise(memory, bytes, MADV_WIPEONFORK);
  return memory;
}

static uint64_t power_of_two_below(uint64_t value) {
  while (value & (value - 1))
    value &= value - 1;
  return value;
}

static int map_memory(int *ret_fd) {
  struct session_header *session;
  int error = session_create(power_of_two_below(tool.constants.config.buffer_size), &session, ret_fd);
  if (error)
    return error;
  struct session_constants layout = session->constants;
  session->constants = tool.constants;
  session->constants.magic = layout.magic;
  session->constants.bytes = layout.bytes;
  session->constants.slot_stride = layout.slot_stride;
  session->constants.slots_max = layout.slots_max;
  session->constants.pid = getpid();
  session->constants.start = clock_sample(tool.clock);
  tool.session = session;
  tool.threads = map_wiped_on_fork(layout.slots_max * sizeof *tool.threads);
  tool.fork_mark = map_wiped_on_fork(SESSION_PAGE_BYTES);
  if (!tool.threads || !tool.fork_mark)
    return -ENOMEM;
  madvise(session, layout.bytes, MADV_DONTFORK);
  atomic_store(tool.fork_mark, 1);
  return 0;
}

/* The writer's message says why it cannot write. */
static bool say_writer_failed(void) {
  char message[sizeof tool.session->shared.message];
  memcpy(message, tool.session->shared.message, sizeof message);
  message[sizeof message - 1] = '\0';
  tool_say("%s; the program runs untraced", message);
  return false;
}

static bool writer_is_dead(void) {
  struct pollfd writer = {.fd = tool.writer_pidfd, .events = POLLIN};
  return tool.writer_pidfd >= 0 && poll(&writer, 1, 0) > 0;
}

static bool wait_until_ready(void) {
  _Atomic uint32_t *state = &tool.session->shared.writer_state;
  uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)tool.constants.config.timeout * 1000000000;
  while (atomic_load(state) == WRITER_STARTING) {
    futex_wait(state, WRITER_STARTING, SLICE_NS);
    if (atomic_load(state) != WRITER_STARTING)
      break;
    if (writer_is_dead()) {
      tool_say("stave-writer ended while it started (a library it needs may be missing: run it by hand); the "
               "program "
               "runs untraced");
      return false;
    }
    if (clock_ns(CLOCK_MONOTONIC) > end) {
      tool_say("stave-writer was not ready after %u s (STAVE_TIMEOUT); the program runs untraced",
               tool.constants.config.timeout);
      return false;
    }
  }
  if (atomic_load(state) != WRITER_READY)
    return say_writer_failed();
  if (tool.constants.config.verbose >= 2)
    tool_say("process %d is traced into %s, on the %s clock, with rings of up to %llu KiB", (int)getpid(),
             tool.session->shared.archive, tool.clock == CLOCK_KIND_TSC ? "processor's" : "kernel's",
             (unsigned long long)(tool.session->constants.slot_stride - SESSION_PAGE_BYTES) / 1024);
  if (*tool.session->shared.message)
    tool_say("%.1000s", tool.session->shared.message);
  return true;
}

static bool start_writer(int session_fd) {
  char path[CONFIG_TEXT_BYTES + 64];
  int ends[2] = {-1, -1};
  if (writer_process_find(tool.constants.config.writer, path, sizeof path) < 0) {
    tool_say("no stave-writer at %s (set STAVE_WRITER to where it is); the program runs untraced", path);
    return false;
  }
  if (pipe2(ends, O_CLOEXEC) < 0)
    ends[0] = ends[1] = -1;
  struct writer_process process = {.path = path,
                                   .session_fd = session_fd,
                                   .application_fd = move_up((int)syscall(SYS_pidfd_open, getpid(), 0)),
                                   .alive_fd = move_up(ends[0])};
  tool.alive_fd = move_up(ends[1]);
  int error = writer_process_start(&process);
  close_if_open(process.application_fd);
  close_if_open(process.alive_fd);
  tool.writer_pidfd = move_up(process.pidfd);
  if (error)
    tool_say("cannot start %s: %s; the program runs untraced", path, strerror(-error));
  return !error;
}

static void drop_session(void) {
  close_if_open(tool.writer_pidfd);
  close_if_open(tool.alive_fd);
  tool.writer_pidfd = tool.alive_fd = -1;
  session_unmap(tool.session);
  tool.session = NULL;
}

bool tool_start_session(void) {
  int session_fd = -1;
  tool.writer_pidfd = tool.alive_fd = -1;
  atomic_store(&tool.modules_count, 0);
  int error = map_memory(&session_fd);
  if (error)
    tool_say("cannot get memory for the trace: %s; the program runs untraced", strerror(-error));
  session_fd = move_up(session_fd);
  bool is_ready = !error && start_writer(session_fd) && wait_until_ready();
  close_if_open(session_fd);
  if (is_ready)
    atomic_store(&tool.recording, RECORDING_ON);
  else
    drop_session();
  return is_ready;
}

bool tool_is_forked_child(void) {
  return tool.fork_mark && atomic_load_explicit(tool.fork_mark, memory_order_relaxed) == 0;
}

/* The parent's session is not mapped here; its pipe's write end must go, or the writer never sees the parent
 * exec. */
void tool_follow_fork(void) {
  atomic_store(&tool.recording, RECORDING_OFF);
  close_if_open(tool.alive_fd);
  close_if_open(tool.writer_pidfd);
  tool.writer_pidfd = tool.alive_fd = -1;
  tool.session = NULL;
  atomic_store(tool.fork_mark, 1);
  if (tool.constants.config.fork == FORK_follow)
    tool_start_session();
}

void tool_give_up(void) {
  if (atomic_exchange(&tool.recording, RECORDING_OFF) == RECORDING_OFF)
    return;
  atomic_store(&tool.session->shared.tool_state, TOOL_GAVE_UP);
  tool_say("stave-writer made no progress for %u s (STAVE_TIMEOUT): recording stopped, the program goes on; "
           "the archive "
           "%s may be incomplete",
           tool.constants.config.timeout, tool.session->shared.archive);
}

static bool wait_until_closed(void) {
  struct session_shared *shared = &tool.session->shared;
  uint64_t progress = 0, since = clock_ns(CLOCK_MONOTONIC);
  while (atomic_load(&shared->writer_state) == WRITER_READY) {
    futex_wait(&shared->writer_state, WRITER_READY, SLICE_NS);
    uint64_t now = clock_ns(CLOCK_MONOTONIC), seen = atomic_load(&shared->progress);
    if (seen != progress)
      since = now;
    progress = seen;
    bool is_over = writer_is_dead() && atomic_load(&shared->writer_state) == WRITER_READY;
    if (is_over || now - since > (uint64_t)tool.constants.config.timeout * 1000000000)
      return false;
  }
  return atomic_load(&shared->writer_state) == WRITER_CLOSED;
}

void tool_end_session(void) {
  struct session_shared *shared = &tool.session->shared;
  atomic_store(&tool.recording, RECORDING_OFF);
  atomic_store(&shared->tool_state, TOOL_FINISHED);
  session_wake_writer(tool.session);
  bool is_closed = wait_until_closed();
  char archive[sizeof shared->archive];
  memcpy(archive, shared->archive, sizeof archive);
  archive[sizeof archive - 1] = '\0';
  bool is_quiet = tool.constants.config.verbose == 0 || *tool.constants.config.status;
  if (!is_closed)
    tool_say("%s; the archive %s is not complete",
             atomic_load(&shared->writer_state) == WRITER_FAILED ? shared->message
                                                                 : "stave-writer did not finish",
             archive);
  else if (!is_quiet)
    tool_say("the trace is in %s", archive);
  drop_session();
}
