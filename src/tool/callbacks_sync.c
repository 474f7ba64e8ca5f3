/* Worksharing, synchronisation, flush and error directives: see callbacks_task.c for what all bodies keep
 * to. */
#include "tool/callback_body.h"
#include "tool/callbacks.h"

BODY work_event(enum copy copy, const struct counter_words *reading, ompt_work_t kind,
                ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                const void *codeptr) {
  (void)parallel, (void)task;
  struct new_event event;
  unsigned n = 1 + slots_of(reading);
  if (!event_begin(copy, &event, n, codeptr))
    return false;
  put_reading(&event, 1, reading);
  EVENT_PUT(&event, n, work, endpoint, flags_of(reading), .count = count, .codeptr = event.code,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_COPIES_AND_WITH_COUNTERS(work, work)

/* sync_region, sync_region_wait and reduction have the same arguments for different things. */
BODY sync_event(enum copy copy, const struct counter_words *reading, enum record_type type,
                ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *task,
                const void *codeptr) {
  struct new_event event;
  unsigned n = 1 + slots_of(reading);
  if ((copy == FAST && __builtin_expect(!task, false)) || !event_begin(copy, &event, n, codeptr))
    return false;
  put_reading(&event, 1, reading);
  EVENT_PUT_AS(&event, n, sync_region, type, endpoint, flags_of(reading), .task = id_of(task),
               .codeptr = event.code, .kind = (uint32_t)kind);
  return true;
}

BODY sync_region_event(enum copy copy, const struct counter_words *reading, ompt_sync_region_t kind,
                       ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                       const void *codeptr) {
  (void)parallel;
  return sync_event(copy, reading, RECORD_sync_region, kind, endpoint, task, codeptr);
}
IN_TWO_COPIES_AND_WITH_COUNTERS(sync_region, sync_region)

#define SYNC_IN_TWO_COPIES(name)                                                                             \
  BODY name##_event(enum copy copy, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,                 \
                    ompt_data_t *parallel, ompt_data_t *task, const void *codeptr) {                         \
    (void)parallel;                                                                                          \
    return sync_event(copy, NULL, RECORD_##name, kind, endpoint, task, codeptr);                             \
  }                                                                                                          \
  IN_TWO_COPIES(name, sync_region)

SYNC_IN_TWO_COPIES(sync_region_wait)
SYNC_IN_TWO_COPIES(reduction)

BODY masked_event(enum copy copy, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                  const void *codeptr) {
  (void)parallel, (void)task;
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, masked, endpoint, 0, .codeptr = event.code);
  return true;
}
IN_TWO_COPIES(masked, masked)

BODY dispatch_event(enum copy copy, ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                    ompt_data_t instance) {
  (void)parallel, (void)task;
  struct new_event event;
  ompt_dispatch_chunk_t chunk = {instance.value, 1};
  if ((unsigned)kind >= OMPT_DISPATCH_ws_loop_chunk && (unsigned)kind <= OMPT_DISPATCH_distribute_chunk &&
      instance.ptr)
    chunk = *(const ompt_dispatch_chunk_t *)instance.ptr;
  if (!event_begin(copy, &event, 1, (int)kind == OMPT_DISPATCH_section ? instance.ptr : NULL))
    return false;
  EVENT_PUT(&event, 1, dispatch, 0, 0, .start = chunk.start, .iterations = chunk.iterations,
            .kind = (uint32_t)kind);
  return true;
}
IN_TWO_COPIES(dispatch, dispatch)

BODY flush_event(enum copy copy, ompt_data_t *thread, const void *codeptr) {
  (void)thread;
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, flush, 0, 0, .codeptr = event.code);
  return true;
}
IN_TWO_COPIES(flush, flush)

/* Rare enough for the slow path alone. The message is copied: it is the runtime's. */
void on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr) {
  struct new_event event;
  size_t most = (RECORD_SLOTS_MAX - 1) * RECORD_BYTES, kept = !message ? 0 : length < most ? length : most;
  uint64_t n = 1 + (kept + RECORD_BYTES - 1) / RECORD_BYTES;
  if (!event_begin(SLOW, &event, n, codeptr))
    return;
  for (size_t i = 0; i < kept; i += RECORD_BYTES) {
    char slot[RECORD_BYTES] = {0};
    memcpy(slot, message + i, kept - i < RECORD_BYTES ? kept - i : RECORD_BYTES);
    memcpy(ring_at(&event.thread->ring, event.position + 1 + i / RECORD_BYTES), slot, sizeof slot);
  }
  EVENT_PUT(&event, n, error, 0, 0, .length = kept, .codeptr = event.code, .severity = (uint32_t)severity);
}
