#include "writer/correlate/alone.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/lock_kinds.h"
#include "writer/correlate/locks.h"
#include "writer/correlate/model.h"
#include "writer/correlate/plain_locks.h"
#include "writer/correlate/sync.h"

void alone_open(struct correlator *c) {
  c->known = memory_get(KNOWN_REGIONS, sizeof *c->known);
}

void alone_close(struct correlator *c) {
  free(c->known);
  c->known = NULL;
}

/* -- what kind of record -- */

enum {
  NOT_ALONE,
  ALONE,
  ALONE_OUTSIDE,    /* of mutexes: it may leave regions that were not ended, and with these a mutex */
  ALONE_AT_ONE_END, /* the same, and has an end to which it belongs */
  ALONE_REQUESTED,
  ALONE_ACQUIRED,
  ALONE_RELEASED
};

static inline bool look_at_request(struct alone_look *look, const struct record *record) {
  if (look->awaits)
    return false;
  look->awaits = !lock_is_routine(record->flags);
  look->awaited = ((const struct record_mutex_acquire *)record)->wait_id;
  return true;
}

static inline bool is_held(const struct alone_look *look, uint64_t wait_id) {
  for (size_t i = 0; i < look->held; i++)
    if (look->locks[i].wait_id == wait_id)
      return true;
  return false;
}

/* What the thread seems to acquire once more is none (locks.c). */
static inline bool look_at_acquired(struct alone_look *look, const struct record *record, uint64_t id) {
  const struct record_mutex_acquired *acquired = (const struct record_mutex_acquired *)record;
  bool is_construct = !lock_is_routine(acquired->kind);
  if (look->held >= ALONE_LOCKS_MAX || is_held(look, acquired->wait_id) ||
      (look->awaits && (!is_construct || look->awaited != acquired->wait_id)))
    return false;
  look->awaits = false;
  look->constructs += is_construct;
  look->locks[look->held++] = (struct alone_lock){acquired->wait_id, is_construct};
  acquisitions_add(
      &look->thread->acquisitions,
      &(struct awaited_acquisition){.id = id, .ticks = look->ticks, .wait_id = acquired->wait_id});
  return true;
}

/* What it does not hold is another's. A construct that is not the innermost one leaves those inside of it. */
static inline bool look_at_released(struct alone_look *look, const struct record *record) {
  const struct record_mutex_released *released = (const struct record_mutex_released *)record;
  bool is_construct = !lock_is_routine(released->kind);
  if (look->awaits || look->held > ALONE_LOCKS_MAX)
    return false;
  size_t i = look->held;
  while (i > 0 && look->locks[i - 1].wait_id != released->wait_id) {
    if (is_construct && look->locks[i - 1].is_construct)
      return false;
    i--;
  }
  if (i == 0 || look->locks[i - 1].is_construct != is_construct)
    return false;
  look->constructs -= is_construct;
  for (look->held--; i - 1 < look->held; i++)
    look->locks[i - 1] = look->locks[i];
  return true;
}

static inline bool is_outside(const struct alone_look *look) {
  return !look->awaits && look->constructs == 0 && look->held <= ALONE_LOCKS_MAX;
}

static inline bool is_alone(struct alone_look *look, const struct record *record, uint64_t id) {
  static const uint8_t kinds[RECORD_TYPE_COUNT] = {
      [RECORD_sync_region] = ALONE_AT_ONE_END,
      [RECORD_sync_region_wait] = ALONE_AT_ONE_END,
      [RECORD_reduction] = ALONE_AT_ONE_END,
      [RECORD_work] = ALONE_AT_ONE_END,
      [RECORD_masked] = ALONE_AT_ONE_END,
      [RECORD_dispatch] = ALONE_OUTSIDE,
      [RECORD_flush] = ALONE,
      [RECORD_stall] = ALONE,
      [RECORD_mutex_acquire] = ALONE_REQUESTED,
      [RECORD_mutex_acquired] = ALONE_ACQUIRED,
      [RECORD_mutex_released] = ALONE_RELEASED,
  };
  switch (record->type < RECORD_TYPE_COUNT ? kinds[record->type] : NOT_ALONE) {
  case ALONE:
    return true;
  case ALONE_OUTSIDE:
    return is_outside(look);
  case ALONE_AT_ONE_END:
    return (record->endpoint == ENDPOINT_BEGIN || record->endpoint == ENDPOINT_END) && is_outside(look);
  case ALONE_REQUESTED:
    return look_at_request(look, record);
  case ALONE_ACQUIRED:
    return look_at_acquired(look, record, id);
  case ALONE_RELEASED:
    return look_at_released(look, record);
  default:
    return false;
  }
}

/* Mutexes that are requested and not held. Where there are several, too many locks are held. */
static void find_awaited(struct alone_look *look) {
  const struct stack *stack = &look->thread->current->stack;
  for (size_t i = 0; i < stack->count; i++) {
    const struct frame *frame = &stack->frames[i];
    if (frame->kind != FRAME_MUTEX || is_held(look, frame->wait_id))
      continue;
    if (look->awaits) {
      look->held = ALONE_LOCKS_MAX + 1;
      return;
    }
    look->awaits = true;
    look->awaited = frame->wait_id;
  }
}

bool alone_look_is_valid(const struct alone_look *look) {
  return look->thread && look->thread->released_elsewhere == look->released_elsewhere;
}

void alone_look_begin(struct alone_look *look, const struct correlator *c, uint32_t slot) {
  const struct traced_thread *thread = c->by_slot[slot];
  *look = (struct alone_look){.thread = c->by_slot[slot],
                              .held = thread->held_locks,
                              .released_elsewhere = thread->released_elsewhere};
  for (size_t i = 0; i < look->held && i < ALONE_LOCKS_MAX; i++) {
    const struct hold *hold = &thread->holds[i];
    look->locks[i] = (struct alone_lock){hold->wait_id, hold->region == REGION_NONE};
    look->constructs += look->locks[i].is_construct;
  }
  if (look->held <= ALONE_LOCKS_MAX)
    find_awaited(look);
}

static inline bool look_at_one(struct alone_look *look, const struct record *record, uint64_t id) {
  uint64_t before = look->ticks;
  look->ticks = record->ticks > before ? record->ticks : before;
  if (record->more == 0 && !(record->flags & RECORD_FLAG_COUNTERS) && is_alone(look, record, id))
    return true;
  look->ticks = before;
  return false;
}

uint64_t alone_look_at(struct alone_look *look, const struct record *records, uint64_t n, uint64_t id) {
  uint64_t done = 0;
  while (done < n && look_at_one(look, &records[done], id + done))
    done++;
  return done;
}

void alone_look_end(struct alone_look *look, uint64_t id) {
  look->thread->acquisitions.until_id = id;
}

struct acquisitions *alone_acquisitions(const struct correlator *c, uint32_t slot) {
  return slot < c->by_slot_capacity && c->by_slot[slot] ? &c->by_slot[slot]->acquisitions : NULL;
}

bool alone_is_possible(const struct correlator *c) {
  return !c->has_ended && !c->is_paused && !c->is_hidden && !c->is_closing && c->counter_count == 0;
}

/* Only an untied task may be left without a word. A location with few events requests room (emit.h). */
bool alone_is_ready(const struct correlator *c, uint32_t slot) {
  const struct traced_thread *thread = slot < c->by_slot_capacity ? c->by_slot[slot] : NULL;
  return thread && !thread->has_gap && !thread->has_polls && !thread->counted &&
         !thread->current->is_untied && thread->location.writer &&
         thread->location.reserve_at == UINT64_MAX &&
         thread->location.sample_begin == thread->location.sample_end;
}

/* -- the records -- */

/* Regions whose end concerns others; or one that is to be entered once more (sync.c). Of a mutex: what leaves
 * it but its release releases it, too. */
static bool has_common_frame(const struct stack *stack, bool is_of_lock) {
  for (size_t i = 0; i < stack->count; i++)
    if ((stack->frames[i].kind == FRAME_MUTEX && !is_of_lock) || stack->frames[i].kind == FRAME_OPERATION ||
        stack->frames[i].is_hidden)
      return true;
  return false;
}

/* Whether it ends no region that it is in. */
static bool may_be_in_mutex(const struct record *record) {
  switch (record->type) {
  case RECORD_mutex_acquire:
  case RECORD_mutex_acquired:
  case RECORD_mutex_released:
  case RECORD_stall:
    return true;
  default:
    return false;
  }
}

static bool concerns_thread_alone(struct correlator *c, struct traced_thread *thread,
                                  const struct record *record, uint64_t id) {
  if (has_common_frame(&thread->current->stack, may_be_in_mutex(record)))
    return false;
  switch (record->type) {
  case RECORD_mutex_acquire:
    return lock_acquire_is_alone(c, thread, (const struct record_mutex_acquire *)record);
  case RECORD_mutex_acquired:
    return lock_acquired_is_alone(c, thread, (const struct record_mutex_acquired *)record, id);
  case RECORD_mutex_released:
    return lock_released_is_alone(c, thread, (const struct record_mutex_released *)record);
  case RECORD_stall:
    return true;
  default:
    return !thread->acquire_ticks && sync_is_known(c, thread, record);
  }
}

uint64_t alone_encode(struct encoder *encoder, uint32_t slot, uint64_t id, const struct record *records,
                      uint64_t n, uint64_t until) {
  struct correlator *c = &encoder->correlator;
  struct traced_thread *thread = c->by_slot[slot];
  bool may_be_plain = !has_common_frame(&thread->current->stack, true);
  uint64_t done = 0;
  while (done < n && records[done].ticks < until) {
    const struct record *record = &records[done];
    bool is_plain = may_be_plain && is_of_lock(record) && !thread->undecided_count;
    uint64_t plain = is_plain ? plain_locks(c, thread, id + done, record, n - done, until, true) : 0;
    done += plain;
    if (plain)
      continue;
    if (!concerns_thread_alone(c, thread, record, id + done))
      break;
    correlate(c, slot, id + done++, record, NULL);
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
