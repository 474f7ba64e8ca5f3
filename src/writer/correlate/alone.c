#include "writer/correlate/alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/sync.h"

void alone_open(struct correlator *c) {
  c->known = memory_get(KNOWN_REGIONS, sizeof *c->known);
}

void alone_close(struct correlator *c) {
  free(c->known);
  c->known = NULL;
}

/* -- what kind of record -- */

enum { NOT_ALONE, ALONE, ALONE_AT_ONE_END };

bool alone_is(const struct record *record) {
  static const uint8_t kinds[RECORD_TYPE_COUNT] = {
      [RECORD_sync_region] = ALONE_AT_ONE_END,
      [RECORD_sync_region_wait] = ALONE_AT_ONE_END,
      [RECORD_reduction] = ALONE_AT_ONE_END,
      [RECORD_work] = ALONE_AT_ONE_END,
      [RECORD_masked] = ALONE_AT_ONE_END,
      [RECORD_dispatch] = ALONE,
      [RECORD_flush] = ALONE,
      [RECORD_mutex_acquire] = ALONE,
  };
  uint8_t kind = record->type < RECORD_TYPE_COUNT ? kinds[record->type] : NOT_ALONE;
  if (kind == NOT_ALONE || record->more > 0 || (record->flags & RECORD_FLAG_COUNTERS))
    return false;
  return kind == ALONE || record->endpoint == ENDPOINT_BEGIN || record->endpoint == ENDPOINT_END;
}

bool alone_is_possible(const struct correlator *c) {
  return !c->has_ended && !c->is_paused && !c->is_hidden && !c->is_closing && c->counter_count == 0;
}

/* Only an untied task may be left without a word. A location with few events asks for room (emit.h). */
bool alone_is_ready(const struct correlator *c, uint32_t slot) {
  const struct traced_thread *thread = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return thread && !thread->has_gap && !thread->has_polls && !thread->counted &&
         !thread->current->is_untied && thread->location.writer && thread->location.asks_at == UINT64_MAX &&
         thread->location.sample_begin == thread->location.sample_end;
}

/* -- the records -- */

/* Regions whose end concerns others; or one that is to be entered once more (sync.c). */
static bool has_common_frame(const struct stack *stack) {
  for (size_t i = 0; i < stack->count; i++)
    if (stack->frames[i].kind == FRAME_MUTEX || stack->frames[i].kind == FRAME_OPERATION ||
        stack->frames[i].is_hidden)
      return true;
  return false;
}

static bool concerns_thread_alone(struct correlator *c, const struct traced_thread *thread,
                                  const struct record *record) {
  if (thread->acquire_ticks || has_common_frame(&thread->current->stack))
    return false;
  return record->type == RECORD_mutex_acquire ? lock_is_known(c, (const struct record_mutex_acquire *)record)
                                              : sync_is_known(c, thread, record);
}

uint64_t alone_encode(struct encoder *encoder, uint32_t slot, uint64_t id, const struct record *records,
                      uint64_t n, uint64_t until) {
  struct correlator *c = &encoder->correlator;
  const struct traced_thread *thread = c->by_slot[slot];
  uint64_t done = 0;
  for (; done < n && records[done].ticks < until; done++) {
    if (!concerns_thread_alone(c, thread, &records[done]))
      break;
    correlate(c, slot, id + done, &records[done], NULL);
  }
  return done;
}

/* -- copies -- */

void alone_begin(struct encoder *encoder, const struct correlator *c) {
  struct correlator *copy = &encoder->correlator;
  *copy = *c;
  encoder->emitter = *c->emitter;
  encoder->emitter.clamped = encoder->emitter.failed = 0;
  encoder->emitter.lacks_room = false;
  copy->emitter = &encoder->emitter;
  copy->figures = (struct figures){0};
  copy->records = copy->ignored_ends = 0;
  memset(copy->records_by_type, 0, sizeof copy->records_by_type);
}

void alone_end(const struct encoder *encoder, struct correlator *c) {
  const struct correlator *copy = &encoder->correlator;
  c->first_ticks = copy->first_ticks < c->first_ticks ? copy->first_ticks : c->first_ticks;
  c->last_ticks = copy->last_ticks > c->last_ticks ? copy->last_ticks : c->last_ticks;
  figures_add(&c->figures, &copy->figures);
  c->figures.encoded_beside += copy->records;
  c->records += copy->records;
  c->ignored_ends += copy->ignored_ends;
  for (size_t i = 0; i < RECORD_TYPE_COUNT; i++)
    c->records_by_type[i] += copy->records_by_type[i];
  c->emitter->clamped += encoder->emitter.clamped;
  c->emitter->failed += encoder->emitter.failed;
  c->emitter->lacks_room |= encoder->emitter.lacks_room;
}
