/* Which of several records of the same time comes first (ring_merge.h). */
#include "session/session.h"
#include "writer/pipeline/merge_sources.h"

enum {
  TIED_RINGS_MAX = 64,   /* compared where times are equal, and */
  TIED_RECORDS_MAX = 64, /* looked at in each: a clock's tick is as short as a few events */
};

/* The entry of the heap in whose ring the id's record is still to come, at the same time; 0: none. */
static uint32_t maker_of(const struct merge *merge, uint64_t id) {
  uint64_t slot = id >> ID_POSITION_BITS, ticks = merge->sources[merge->heap[0]].record.ticks;
  for (uint32_t i = 1; i < merge->heap_count && i < TIED_RINGS_MAX; i++) {
    const struct source *source = &merge->sources[merge->heap[i]];
    if (merge->heap[i] == slot && source->record.ticks == ticks)
      return id >= id_base((uint32_t)slot) + source->next ? i : 0;
  }
  return 0;
}

/* Steps to the ring's next record, of those that are looked at in advance. Returns whether there is one. */
static bool step(const struct merge *merge, struct source *source, uint64_t *position, unsigned *steps) {
  uint8_t more = record_at(merge, source, *position)->more;
  *position += 1u + more;
  return more < RECORD_SLOTS_MAX && ++*steps < TIED_RECORDS_MAX && (int64_t)(source->head - *position) > 0;
}

/* The first acquisition of the lock among the records of the ring that have the time of its next one. */
static bool find_acquisition(const struct merge *merge, struct source *source, uint64_t wait_id,
                             uint64_t *ret) {
  uint64_t position = source->next;
  unsigned steps = 0;
  do {
    const struct record *record = record_at(merge, source, position);
    if (record->ticks != source->record.ticks)
      return false;
    if (record->type == RECORD_mutex_acquired && record->a == wait_id) {
      *ret = position;
      return true;
    }
  } while (step(merge, source, &position, &steps));
  return false;
}

/* When the thread has reported that it gave the lock back which it acquired at the position. UINT64_MAX: it
 * has not known yet, or it reported something else before, after the time of the acquisition. (What the tool
 * reports for itself may come between the end of the lock and the callback that reports it.) */
static uint64_t hold_end(const struct merge *merge, struct source *source, uint64_t position) {
  const struct record acquired = *record_at(merge, source, position);
  unsigned steps = 0;
  while (step(merge, source, &position, &steps)) {
    const struct record *record = record_at(merge, source, position);
    if (record->type == RECORD_mutex_released && record->a == acquired.a)
      return record->ticks;
    if (record->ticks > acquired.ticks && record_class(record->type) != RECORD_CLASS_tool)
      break;
  }
  return UINT64_MAX;
}

/* The entry of the heap whose thread had the lock, at the time at which the top acquires it, before all
 * others; 0: the top itself. */
static uint32_t first_owner(const struct merge *merge) {
  struct source *top = &merge->sources[merge->heap[0]];
  uint64_t wait_id = top->record.a, earliest = hold_end(merge, top, top->next), position;
  uint32_t first = 0;
  for (uint32_t i = 1; i < merge->heap_count && i < TIED_RINGS_MAX; i++) {
    struct source *other = &merge->sources[merge->heap[i]];
    if (other->record.ticks != top->record.ticks || !find_acquisition(merge, other, wait_id, &position))
      continue;
    uint64_t end = hold_end(merge, other, position);
    first = end < earliest ? i : first;
    earliest = end < earliest ? end : earliest;
  }
  return first;
}

/* The entry of the heap that is to be taken before the top, whose time is the same: what made the task or
 * the team that the top names, or had its lock before. */
static uint32_t find_earlier(const struct merge *merge) {
  const struct record *next = &merge->sources[merge->heap[0]].record;
  if (next->type == RECORD_mutex_acquired)
    return first_owner(merge);
  return maker_of(merge, next->type == RECORD_task_schedule
                             ? ((const struct record_task_schedule *)next)->next_task
                             : ((const struct record_implicit_task_begin *)next)->parallel);
}

void merge_settle_tie(struct merge *merge) {
  for (unsigned tries = 0; tries < TIED_RINGS_MAX && is_tied(merge); tries++) {
    uint32_t slot = merge->heap[0], earlier = find_earlier(merge);
    merge->heap[0] = merge->heap[earlier];
    merge->heap[earlier] = slot;
    if (earlier == 0)
      return;
  }
}
