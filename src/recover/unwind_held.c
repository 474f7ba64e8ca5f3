#include "recover/unwind_held.h"

#include <stdlib.h>

#include "base/array.h"

enum { LOCKS_MAX = 1 << 24 };

struct open_hold {
  uint32_t location, order;
  uint32_t next; /* as unwind_held.locks: of the same lock, acquired before */
  uint8_t paradigm;
};

struct open_operation {
  uint32_t location, win;
  uint64_t matching_id;
};

static void acquire(struct unwind_held *held, uint32_t lock, struct open_hold hold) {
  if (lock >= LOCKS_MAX)
    return;
  array_reserve_zeroed(&held->locks, &held->lock_capacity, lock + 1u, sizeof *held->locks);
  uint32_t number = held->unused;
  if (number) {
    held->unused = held->holds[number - 1].next;
  } else {
    array_reserve_zeroed(&held->holds, &held->hold_capacity, held->hold_count + 1, sizeof *held->holds);
    number = (uint32_t)++held->hold_count;
  }
  hold.next = held->locks[lock];
  held->holds[number - 1] = hold;
  held->locks[lock] = number;
}

static void release(struct unwind_held *held, uint32_t lock, uint32_t order) {
  uint32_t *link = lock < held->lock_capacity ? &held->locks[lock] : NULL;
  while (link && *link && held->holds[*link - 1].order != order)
    link = &held->holds[*link - 1].next;
  if (!link || !*link)
    return;
  uint32_t number = *link;
  *link = held->holds[number - 1].next;
  held->holds[number - 1].next = held->unused;
  held->unused = number;
}

static void begin_operation(struct unwind_held *held, struct open_operation operation) {
  if (operation.win != held->device_window)
    return;
  array_reserve_zeroed(&held->operations, &held->operation_capacity, held->operation_count + 1,
                       sizeof *held->operations);
  held->operations[held->operation_count++] = operation;
}

static void end_operation(struct unwind_held *held, uint32_t index, uint64_t matching_id) {
  for (size_t i = held->operation_count; i-- > 0;)
    if (held->operations[i].location == index && held->operations[i].matching_id == matching_id) {
      held->operations[i] = held->operations[--held->operation_count];
      return;
    }
}

void unwind_held_note(struct unwind_held *held, const struct trace_event *event) {
  uint32_t index = (uint32_t)event->location;
  switch ((unsigned)event->kind) { /* only these are about locks and operations */
  case TRACE_ThreadAcquireLock:
    acquire(held, event->ThreadAcquireLock.lock,
            (struct open_hold){.location = index,
                               .order = event->ThreadAcquireLock.order,
                               .paradigm = event->ThreadAcquireLock.paradigm});
    return;
  case TRACE_ThreadReleaseLock:
    release(held, event->ThreadReleaseLock.lock, event->ThreadReleaseLock.order);
    return;
  case TRACE_RmaPut:
    begin_operation(held, (struct open_operation){index, event->RmaPut.win, event->RmaPut.matching_id});
    return;
  case TRACE_RmaGet:
    begin_operation(held, (struct open_operation){index, event->RmaGet.win, event->RmaGet.matching_id});
    return;
  case TRACE_RmaOpCompleteBlocking:
    end_operation(held, index, event->RmaOpCompleteBlocking.matching_id);
    return;
  }
}

/* Who is notified of a hold may end it. */
void unwind_held_releases(const struct unwind_held *held, uint32_t lock,
                          void (*add)(void *data, const struct trace_event *event), void *data) {
  uint32_t number = lock < held->lock_capacity ? held->locks[lock] : 0;
  while (number) {
    struct open_hold hold = held->holds[number - 1];
    number = hold.next;
    add(data, &(struct trace_event){.kind = TRACE_ThreadReleaseLock,
                                    .location = hold.location,
                                    .ThreadReleaseLock = {hold.paradigm, lock, hold.order}});
  }
}

void unwind_held_end(struct unwind_held *held, void (*add)(void *data, const struct trace_event *event),
                     void *data) {
  for (uint32_t i = 0; i < held->lock_capacity; i++)
    unwind_held_releases(held, i, add, data);
  for (size_t i = 0; i < held->operation_count; i++) {
    const struct open_operation *operation = &held->operations[i];
    add(data, &(struct trace_event){.kind = TRACE_RmaOpCompleteBlocking,
                                    .location = operation->location,
                                    .RmaOpCompleteBlocking = {operation->win, operation->matching_id}});
  }
}

void unwind_held_close(struct unwind_held *held) {
  free(held->locks);
  free(held->holds);
  free(held->operations);
}
