/* omp_control_tool: the program talks to its tool. The only callback that may be slow, and the only one with
 * a result. omp_control_tool returns that result, which must not be negative: -1 and -2 are the runtime's own
 * (no callback, no tool). */
#include <errno.h>
#include <time.h>

#include "session/session.h"
#include "tool/callbacks.h"
#include "tool/thread.h"
#include "tool/wait_limit.h"

/* omp_control_tool_t and omp_control_tool_result_t (OpenMP 5.1, 3.14). */
enum { COMMANDS_OF_TOOLS = 64 };

static bool put_control_tool(uint64_t command, uint64_t modifier, const void *argument, const void *codeptr) {
  struct new_event event;
  if (!event_begin(SLOW, &event, 2, codeptr))
    return false;
  struct record_words *words = (struct record_words *)ring_at(&event.thread->ring, event.position + 1);
  words->w[0] = modifier;
  words->w[1] = (uint64_t)(uintptr_t)argument;
  EVENT_PUT(&event, 2, control_tool, 0, 0, .command = command, .codeptr = event.code);
  return true;
}

/* Everything below `head` has been taken, or the writer has made no progress for STAVE_TIMEOUT. */
static bool wait_until_read(const struct thread_slot *slot, uint64_t head) {
  enum { NAP_NS = 100000 };
  _Atomic uint64_t *progress = &tool.session->shared.progress;
  uint64_t seen = atomic_load(progress);
  struct wait_limit limit = wait_limit_begin(clock_ns(CLOCK_MONOTONIC), tool.constants.config.timeout);
  while ((int64_t)(atomic_load_explicit(&slot->tail, memory_order_acquire) - head) < 0) {
    if (session_writer_is_dead(tool.session))
      return false;
    session_wake_writer(tool.session);
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    uint64_t now = clock_ns(CLOCK_MONOTONIC), last = seen;
    seen = atomic_load(progress);
    if (seen != last)
      wait_limit_renew(&limit, now);
    else if (wait_limit_is_over(&limit, now))
      return false;
  }
  return true;
}

/* Waits until the writer has all that was recorded before: then it survives whatever becomes of the
 * program. */
static bool flush(void) {
  struct session_header *session = tool.session;
  uint32_t used = atomic_load(&session->shared.slots_used);
  bool is_read = true;
  for (uint32_t i = 0; i < used && i < session->constants.slots_max && is_read; i++) {
    const struct thread_slot *slot = session_slot(session, i);
    is_read = wait_until_read(slot, atomic_load_explicit(&slot->head, memory_order_acquire));
  }
  return is_read;
}

/* Starting and pausing is the writer's work: it must follow teams and tasks in a pause too. Only devices that
 * trace themselves are notified. */
static bool obey(uint64_t command) {
  switch (command) {
  case OMPT_CONTROL_TOOL_start:
  case OMPT_CONTROL_TOOL_pause:
    device_trace_pause(command == OMPT_CONTROL_TOOL_pause);
    return true;
  case OMPT_CONTROL_TOOL_flush:
    device_trace_flush();
    return flush();
  case OMPT_CONTROL_TOOL_end:
    device_trace_stop_all();
    return tool_end_recording();
  default:
    return (int64_t)command >= COMMANDS_OF_TOOLS; /* another tool's: recorded */
  }
}

static bool carry_out(uint64_t command, uint64_t modifier, const void *argument, const void *codeptr) {
  if (atomic_load(&tool.recording) != RECORDING_ON)
    return false;
  if (is_user_call(command, modifier, argument))
    return put_user_call(command, argument, codeptr);
  return put_control_tool(command, modifier, argument, codeptr) && obey(command);
}

int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr) {
  int error = errno, cancellation = tool_forbid_cancellation();
  bool is_done = carry_out(command, modifier, argument, codeptr);
  tool_allow_cancellation(cancellation);
  errno = error;
  return is_done ? OMPT_CONTROL_TOOL_RESULT_success : OMPT_CONTROL_TOOL_RESULT_ignored;
}
