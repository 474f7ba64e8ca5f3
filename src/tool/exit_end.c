#include "tool/exit_end.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/clock.h"
#include "session/session.h"
#include "tool/exit_status.h"
#include "tool/slots.h"
#include "tool/tool.h"

extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

/* exit() in an active region, or in a team's worker, ends the process without the runtime's finalize: nothing
 * is waited for then. */
static bool is_in_team(void) {
  int size = 0;
  for (int level = 0; tool.get_parallel_info && tool.get_parallel_info(level, NULL, &size) == 2; level++)
    if (size > 1)
      return true;
  return false;
}

/* A folder has a link of each one in it, and two of its own. 0: not known. */
static uint32_t count_threads(void) {
  enum { OWN_LINKS = 2 };
  struct stat folder;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  bool is_known = fd >= 0 && fstat(fd, &folder) == 0 && folder.st_nlink > OWN_LINKS;
  if (fd >= 0)
    close(fd);
  return is_known ? (uint32_t)folder.st_nlink - OWN_LINKS : 0;
}

/* Beside the calling one, those of the runtime, which wait for a region of another's or for tasks, and a main
 * thread that has ended before the process. Any other thread may use OpenMP, be it for the first time. */
static uint32_t count_others(void) {
  uint32_t threads = count_threads(), known = 1 + slots_of_runtime() + slots_main_has_ended();
  if (!threads)
    return slots_others_of_program();
  return threads > known ? threads - known : 0;
}

/* Another library of Stave's that has joined ends the session itself, later (recorder.c). */
static bool may_end(void) {
  return tool.may_give_up_state && !tool.has_joined && tool.session && !tool.is_starting &&
         !tool_is_forked_child() && atomic_load(&tool.recording) == RECORDING_ON && !is_in_team();
}

/* A thread that has been joined is counted by the kernel for a moment more. */
static uint32_t count_lasting_others(void) {
  enum { LOOKS = 3, NAP_NS = 1000000 };
  uint32_t others = count_others();
  for (int i = 1; others > 0 && i < LOOKS; i++) {
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    others = count_others();
  }
  return others;
}

/* Where recording has stopped before (STAVE_MAX_SIZE, a full disk) nothing more is missing, and the runtime's
 * threads that began later are not known as such. */
static void end(uint32_t others) {
  bool was_recording = !tool_is_stopped();
  if (was_recording)
    atomic_fetch_add(&tool.session->shared.figures.threads_at_exit, others);
  device_trace_stop_all();
  tool.exit_end.is_ending = true;
  tool_close_session();
  tool.exit_end.is_ending = false;
  tool.exit_end.others = others;
  tool.exit_end.ended_ns = was_recording ? clock_ns(CLOCK_MONOTONIC) : 0;
}

/* Another thread may call exit(), too, and finalize the runtime meanwhile: the session stays mapped for whom
 * `without_slot` counts. */
static void at_exit(int status, void *data) {
  (void)data;
  int cancellation = tool_forbid_cancellation();
  atomic_fetch_add(&tool.without_slot, 1);
  uint32_t others = may_end() ? count_lasting_others() : 0;
  if (others > 0 && tool_keeps())
    exit_status_note(status);
  if (others > 0)
    end(others);
  atomic_fetch_sub(&tool.without_slot, 1);
  tool_allow_cancellation(cancellation);
}

void exit_end_expect(void) {
  if (!tool.exit_end.is_expected)
    tool.exit_end.is_expected = on_exit && on_exit(at_exit, NULL) == 0;
}

void exit_end_report_rest(void) {
  enum { SHORT_NS = 100000000 };
  uint64_t rest_ns = tool.exit_end.ended_ns ? clock_ns(CLOCK_MONOTONIC) - tool.exit_end.ended_ns : 0;
  if (rest_ns > SHORT_NS && tool.constants.config.verbose > 0)
    tool_log(
        "exit() ended the recording beside %u other thread%s; the %.1f s until the runtime ended are not "
        "recorded",
        tool.exit_end.others, tool.exit_end.others == 1 ? "" : "s", (double)rest_ns / 1e9);
}
