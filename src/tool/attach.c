/* A thread's first event gives it a slot with its ring, and all that goes with one; its last gives that back.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"
#include "tool/call_path.h"
#include "tool/counters.h"
#include "tool/deferred_begins.h"
#include "tool/first_rings.h"
#include "tool/placement.h"
#include "tool/sampler.h"
#include "tool/slots.h"
#include "tool/thread.h"

/* A slot that another thread had before keeps its position, from which ids are made, and its capacity. */
static void attach_to(struct thread *thread, struct thread_slot *slot, uint32_t index) {
  uint64_t head = atomic_load_explicit(&slot->head, memory_order_relaxed);
  uint64_t mask = slot->is_used ? atomic_load_explicit(&slot->mask, memory_order_relaxed)
                                : first_ring_bytes(index) / RECORD_BYTES - 1;
  const struct thread begin = {.ring = {.slot = slot, .records = thread->mapped_ring, .reserved = head},
                               .id_base = id_base(index),
                               .processor = PROCESSOR_NONE};
  memcpy(thread, &begin, offsetof(struct thread, awaits_dependences));
  atomic_store(&thread->awaits_dependences, false);
  slot->is_used = true;
  thread_open_ring(thread, mask);
  thread_self = thread;
}

/* With its memory; NULL: there is none. Every event of a thread that has none comes here: it is requested now
 * and then. */
static struct thread_slot *get_slot(int32_t kernel_tid, uint32_t *ret_index) {
  enum { RETRY_NS = 10000000 };
  if (tool_is_stopped() || clock_ns(CLOCK_MONOTONIC) < atomic_load(&tool.attach_after_ns))
    return NULL;
  struct thread_slot *slot = slots_get(kernel_tid, ret_index);
  if (!slot || first_ring_populate(*ret_index))
    return slot;
  session_return_slot(tool.session, *ret_index);
  atomic_store(&tool.attach_after_ns, clock_ns(CLOCK_MONOTONIC) + RETRY_NS);
  return NULL;
}

/* False: there is no session, or the event is lost. The session's memory stays while this counts the thread:
 * its end stores RECORDING_ENDED before it reads the count. */
static bool enter_slot(int32_t kernel_tid, uint64_t ticks) {
  uint32_t index;
  struct thread_slot *slot = NULL;
  atomic_fetch_add(&tool.without_slot, 1);
  int recording = atomic_load(&tool.recording);
  struct session_header *session = tool.session; /* which one that is withdrawn is no longer */
  if (recording != RECORDING_ENDED && session) {
    slot = get_slot(kernel_tid, &index);
    if (slot) {
      attach_to(&tool.threads[index], slot, index);
    } else {
      atomic_fetch_add(&session->shared.figures.lost, 1);
      session_note_lost(session, ticks);
    }
  }
  atomic_fetch_sub(&tool.without_slot, 1);
  return slot != NULL;
}

bool thread_attach(uint64_t ticks) {
  if (tool_is_forked_child() && !tool_follow_fork())
    return false;
  if (thread_self->ring.slot)
    return true;
  if (!tool.session || atomic_load(&tool.recording) == RECORDING_ENDED)
    return false;
  int32_t kernel_tid = (int32_t)syscall(SYS_gettid);
  if (!enter_slot(kernel_tid, ticks))
    return false;
  const struct record_attach attach = {
      .type = RECORD_attach, .ticks = ticks, .kernel_tid = (uint64_t)kernel_tid};
  thread_put((const struct record *)&attach, NULL);
  if (tool.sample_signal || tool.constants.config.callers > 0) {
    int error = errno;
    call_path_prepare(thread_self, ticks);
    errno = error;
  }
  counters_attach(thread_self);
  sampler_attach(thread_self);
  if (tool.constants.config.system == SYSTEM_on)
    session_wake_writer(tool.session); /* which observes this thread from now on */
  deferred_replay(ticks);
  return true;
}

void thread_detach(void) {
  struct thread *thread = thread_self;
  if (!thread->ring.slot)
    return;
  thread_self = &thread_none;
  counters_detach(thread);
  atomic_fetch_add(&tool.without_slot, 1);
  slots_give_back((uint32_t)(thread - tool.threads));
  atomic_fetch_sub(&tool.without_slot, 1);
}
