#include "tool/held_end.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/clock.h"
#include "session/futex.h"
#include "session/process_stat.h"
#include "session/session.h"
#include "tool/slots.h"
#include "tool/tool.h"

#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

/* A share of STAVE_TIMEOUT: 1 s of 60. The runtime is whole while the answer is waited for. */
enum { ANSWER_SHARE = 60, ENTRIES_BYTES = 2048 };

/* What getdents64(2) returns. */
struct directory_entry {
  uint64_t inode;
  int64_t offset;
  unsigned short bytes;
  unsigned char type;
  char name[];
};

/* One that has been joined may not be gone yet: the kernel announces its end before that. */
static bool is_about_to_be_gone(pid_t tid) {
  enum { FLAGS = 9, EXITING = 4 };
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(getpid(), tid, text), *flags = process_stat_field(fields, FLAGS);
  return !fields || (flags && strtoul(flags, NULL, 10) & EXITING);
}

static bool has_other(const char *entries, long bytes, pid_t self) {
  const struct directory_entry *entry;
  for (long at = 0; at < bytes; at += entry->bytes) {
    entry = (const struct directory_entry *)(const void *)(entries + at);
    pid_t tid = (pid_t)strtol(entry->name, NULL, 10);
    if (tid > 0 && tid != self && !is_about_to_be_gone(tid))
      return true;
  }
  return false;
}

/* Without /proc those are found that have recorded something. */
bool held_end_has_others(void) {
  _Alignas(struct directory_entry) char entries[ENTRIES_BYTES];
  pid_t self = (pid_t)syscall(SYS_gettid);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0)
    return slots_have_others();
  long bytes;
  bool is_found = false;
  while (!is_found && (bytes = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
    is_found = has_other(entries, bytes, self);
  close(fd);
  return is_found;
}

/* Where only a process's parents may trace it (Yama), it names who else may. */
static void allow_tracing_by(unsigned long pid) {
  prctl(PR_SET_PTRACER, pid, 0, 0, 0);
}

extern void __lsan_do_leak_check(void) __attribute__((weak));

/* LeakSanitizer traces all threads itself, when exit() calls it: of one that it cannot trace it finds leaks
 * where there are none. */
static bool is_traced_by_itself(void) {
  return &__lsan_do_leak_check != NULL;
}

static bool request(struct session_shared *shared) {
  uint32_t offered = HOLD_OFFERED;
  if (atomic_load(&shared->hold) != HOLD_OFFERED || is_traced_by_itself())
    return false;
  shared->hold_thread = (int32_t)syscall(SYS_gettid);
  shared->hold_stderr = tool.is_mute ? -1 : STDERR_FILENO;
  allow_tracing_by(atomic_load(&shared->writer_life) & FUTEX_TID_MASK);
  bool is_first = atomic_compare_exchange_strong(&shared->hold, &offered, HOLD_REQUESTED);
  futex_wake_all(&shared->hold);
  return is_first;
}

/* Who answers too late may still hold the end, but prints nothing. */
static enum hold_state wait_for_answer(_Atomic uint32_t *hold, uint64_t most_ns) {
  uint64_t begin = clock_ns(CLOCK_MONOTONIC), waited = 0;
  uint32_t seen = HOLD_REQUESTED;
  while (atomic_load(hold) == HOLD_REQUESTED && waited < most_ns) {
    futex_wait(hold, HOLD_REQUESTED, most_ns - waited);
    waited = clock_ns(CLOCK_MONOTONIC) - begin;
  }
  atomic_compare_exchange_strong(hold, &seen, HOLD_UNHEARD);
  return (enum hold_state)seen;
}

/* A folder has a link of each one in it, and two of its own. Workers of another runtime stay when LLVM's has
 * ended. */
static bool may_have_others(void) {
  struct stat folder;
  nlink_t expected = 3 + (tool.runtimes > 1 ? 0 : slots_workers());
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  bool is_known = fd >= 0 && fstat(fd, &folder) == 0;
  if (fd >= 0)
    close(fd);
  return is_known && folder.st_nlink > expected;
}

void held_end_exit(void) {
  if (!tool.may_give_up_state || atomic_load(&tool.recording) != RECORDING_ON ||
      session_writer_is_dead(tool.session) || !may_have_others() || !request(&tool.session->shared))
    return;
  uint64_t most_ns = tool.constants.config.timeout * UINT64_C(1000000000) / ANSWER_SHARE;
  enum hold_state answer = wait_for_answer(&tool.session->shared.hold, most_ns);
  tool.has_held_end = answer == HOLD_GRANTED || answer == HOLD_GRANTED_REPORTED;
  tool.reports_held_end = answer == HOLD_GRANTED_REPORTED;
  if (answer != HOLD_REQUESTED)
    allow_tracing_by(0);
}

void held_end_request(void) {
  if (request(&tool.session->shared))
    wait_for_answer(&tool.session->shared.hold, 0);
}
