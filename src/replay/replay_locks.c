/* Locks: who holds them, and since when they were requested. An acquisition is known by its lock and its
 * number in the order of acquisitions: a release can be stamped later than the next acquisition. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "replay/replay_state.h"

static struct held_lock *new_held(struct replay *replay) {
  struct held_lock *held = replay->free_locks;
  if (held)
    replay->free_locks = held->next_free;
  else
    held = memory_get(1, sizeof *held);
  return held;
}

static void give_back(struct replay *replay, struct held_lock *held) {
  held->next_free = replay->free_locks;
  replay->free_locks = held;
}

static void notify(struct replay *replay, struct replay_thread *thread, enum replay_lock_step step,
                   uint64_t ticks, uint64_t lock, uint32_t order, const struct held_lock *held,
                   uint64_t address) {
  if (!replay->observer.lock && !replay->observer.link)
    return;
  struct replay_lock_event event = {.step = step,
                                    .location = location_of(replay, thread),
                                    .ticks = ticks,
                                    .task = top_context(thread)->current,
                                    .lock = lock,
                                    .order = order,
                                    .region = held ? held->region : REPLAY_NONE,
                                    .requested_ticks = held ? held->requested_ticks : ticks,
                                    .acquired_ticks = held ? held->acquired_ticks : ticks,
                                    .address = address};
  if (replay->observer.lock)
    replay->observer.lock(replay->data, &event);
  if (replay->observer.link)
    replay_link_lock(replay, &event);
}

/* What has been waited for is there: the region goes on with what is done around it. */
static void end_wait(struct replay *replay, struct replay_thread *thread, struct replay_frame *frame,
                     uint64_t ticks) {
  frame->activity = frame->inner;
  replay_update(replay, thread, ticks);
}

static uint64_t lock_of(const struct replay_thread *thread, uint32_t number) {
  return (uint64_t)thread->process << 32 | number;
}

/* The first acquisition of a lock has its address. */
static uint64_t address_in(const struct replay *replay, const struct trace_event *event) {
  uint32_t count = trace_event_attribute_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *attribute = trace_attribute(replay->trace, value.attribute);
    if (attribute && strcmp(attribute->name, "lock address") == 0)
      return value.number;
  }
  return 0;
}

void replay_acquire(struct replay *replay, struct replay_thread *thread, const struct trace_event *event,
                    uint64_t ticks) {
  bool is_omp = event->kind == TRACE_OmpAcquireLock;
  uint32_t number = is_omp ? event->OmpAcquireLock.lock : event->ThreadAcquireLock.lock;
  uint32_t order = is_omp ? event->OmpAcquireLock.order : event->ThreadAcquireLock.order;
  uint64_t lock = lock_of(thread, number);
  struct replay_frame *frame = top_frame(top_context(thread)->current);
  struct held_lock *held = pair_map_get(&replay->lock_table, lock, order);
  bool is_requested = frame && construct_class((enum construct)frame->construct) == CONSTRUCT_CLASS_mutex;
  if (held)
    replay->anomalies.unmatched_lock++;
  else
    held = new_held(replay);
  *held = (struct held_lock){.location = location_of(replay, thread),
                             .requested_ticks = is_requested ? frame->begin_ticks : ticks,
                             .acquired_ticks = ticks,
                             .region = frame ? frame->region : REPLAY_NONE};
  pair_map_put(&replay->lock_table, lock, order, held);
  if (is_requested)
    end_wait(replay, thread, frame, ticks);
  notify(replay, thread, REPLAY_LOCK_ACQUIRED, ticks, lock, order, held, address_in(replay, event));
}

/* EZTrace gives a release the number of the last acquisition, though another thread's may have come before it
 * was reported: it is that of the thread's own one, some turns before. Else the number of the event. */
static uint32_t own_order(const struct replay *replay, const struct replay_thread *thread, uint64_t lock,
                          uint32_t order) {
  enum { TURNS_MAX = 64 };
  for (uint32_t turn = order; turn > 0 && order - turn < TURNS_MAX; turn--) {
    const struct held_lock *held = pair_map_get(&replay->lock_table, lock, turn);
    if (held && held->location == location_of(replay, thread))
      return turn;
  }
  return order;
}

void replay_release(struct replay *replay, struct replay_thread *thread, uint64_t ticks, uint32_t number,
                    uint32_t reported_order) {
  uint64_t lock = lock_of(thread, number);
  uint32_t order = own_order(replay, thread, lock, reported_order);
  struct held_lock *held = pair_map_remove(&replay->lock_table, lock, order);
  replay->anomalies.unmatched_lock += held == NULL;
  notify(replay, thread, REPLAY_LOCK_RELEASED, ticks, lock, order, held, 0);
  if (held)
    give_back(replay, held);
}

void replay_free_locks(struct replay *replay) {
  for (size_t i = 0; i < replay->lock_table.capacity; i++)
    free(replay->lock_table.entries[i].value);
  pair_map_free(&replay->lock_table);
  while (replay->free_locks) {
    struct held_lock *held = replay->free_locks;
    replay->free_locks = held->next_free;
    free(held);
  }
}
