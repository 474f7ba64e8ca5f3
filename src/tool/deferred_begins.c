#include "tool/deferred_begins.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "ompt/values.h"
#include "tool/thread.h"

/* One place is enough: only the thread that forked is in the middle of that. Others that the child makes
 * begin its session. */
static struct {
  _Atomic bool has_thread, has_task; /* every thread's first event looks here */
  uint32_t thread_type, task_flags;
  uint64_t actual_and_index;
} kept;

static bool has_forked(void) {
  return syscall(SYS_gettid) == getpid();
}

bool deferred_keep_thread(uint32_t thread_type) {
  if (!tool_is_forked_child() || !has_forked())
    return false;
  kept.thread_type = thread_type;
  atomic_store(&kept.has_thread, true);
  return true;
}

bool deferred_keep_initial_task(uint64_t actual_and_index, uint32_t flags) {
  if (!(flags & OMPT_TASK_initial) || !tool_is_forked_child() || !has_forked())
    return false;
  kept.actual_and_index = actual_and_index;
  kept.task_flags = flags;
  atomic_store(&kept.has_task, true);
  return true;
}

bool deferred_forget(void) {
  if (!tool_is_forked_child())
    return false;
  if (has_forked()) {
    atomic_store(&kept.has_thread, false);
    atomic_store(&kept.has_task, false);
  }
  return true;
}

/* A parent's threads find nothing, without a store. */
static bool claim_kept(_Atomic bool *has_it) {
  return atomic_load(has_it) && has_forked() && atomic_exchange(has_it, false);
}

void deferred_replay(uint64_t ticks) {
  struct new_event event = {.ticks = ticks};
  if (claim_kept(&kept.has_thread) && thread_reserve(1, ticks, &event.position)) {
    event.thread = thread_self;
    EVENT_PUT(&event, 1, thread_begin, 0, 0, .thread_type = kept.thread_type);
  }
  if (claim_kept(&kept.has_task) && thread_reserve(1, ticks, &event.position)) {
    event.thread = thread_self;
    EVENT_PUT(&event, 1, implicit_task_begin, ENDPOINT_BEGIN, 0, .parallel = 0,
              .actual_and_index = kept.actual_and_index, .task_flags = kept.task_flags);
  }
}
