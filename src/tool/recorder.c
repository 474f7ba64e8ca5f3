/* Records of another library of Stave's (session/recorder.h), and a session that it begins before OpenMP
 * does, or without it. */
#include "session/recorder.h"

#include <errno.h>
#include <string.h>

#include "session/session.h"
#include "tool/thread.h"

static bool join(void) {
  if (tool.has_joined)
    return tool.session != NULL;
  tool_note_stderr();
  if (tool_is_privileged() || tool_is_not_followed() || !tool_prepare())
    return false;
  if (!tool.session || tool.is_starting)
    modules_note_start();
  tool.has_joined = tool.is_shared = tool_enter_session();
  return tool.has_joined;
}

static void leave(void) {
  if (!tool.has_joined || tool_is_forked_child() || !tool.session)
    return;
  tool.has_joined = false;
  if (tool.runtimes > 0)
    return;
  int cancellation = tool_forbid_cancellation();
  tool_close_session();
  tool_allow_cancellation(cancellation);
}

static void store(const struct new_event *event, const struct record *record, const uint64_t *words) {
  struct ring *ring = &event->thread->ring;
  uint64_t n = 1u + record->more;
  for (unsigned i = 0; i < record->more; i++)
    memcpy(ring_at(ring, event->position + 1 + i), words + 4 * i, RECORD_BYTES);
  struct record *target = ring_at(ring, event->position);
  *target = *record;
  target->ticks = event->ticks;
  ring_commit(ring, event->position, n);
}

static __attribute__((cold, noinline)) bool begin_slow(struct new_event *event, uint64_t n,
                                                       const void *code) {
  int error = errno;
  bool is_started = event_begin(SLOW, event, n, code);
  errno = error;
  return is_started;
}

static uint64_t put(const struct record *record, const uint64_t *words, uint64_t ticks, const void *code) {
  struct new_event event;
  uint64_t n = 1u + record->more;
  if (!event_begin(FAST, &event, n, code) && !begin_slow(&event, n, code))
    return 0;
  event.ticks = ticks ? ticks : event.ticks;
  store(&event, record, words);
  return event_id(&event);
}

static uint64_t now(void) {
  return clock_ticks(tool.clock);
}

static uint64_t position(void) {
  return thread_self->ring.reserved;
}

static void domain(char *ret) {
  clock_domain(tool.clock, ret);
}

static const char *job_archive(void) {
  if (!tool.session || tool_is_forked_child())
    return NULL;
  const struct session_shared *shared = &tool.session->shared;
  return shared->rank >= 0 && memchr(shared->archive, '\0', sizeof shared->archive) ? shared->archive : NULL;
}

static void follow_targets(void (*on_target)(uint64_t id, bool is_begin)) {
  atomic_store_explicit(&tool.on_target, on_target, memory_order_release);
}

__attribute__((visibility("default"))) stave_recorder_t stave_recorder;

const struct recorder *stave_recorder(uint64_t magic) {
  static const struct recorder recorder = {
      join, leave, put, now, position, tool_log, domain, job_archive, follow_targets, &tool.constants.config};
  return magic == SESSION_MAGIC ? &recorder : NULL;
}
