#include "recover/unwind_held.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { LOCKS_MOST = 1 << 24 };

struct open_lock {
  bool is_held;
  uint32_t location, order;
  uint8_t paradigm;
};

struct open_operation {
  uint32_t location, win;
  uint64_t matching_id;
};

static void on_lock(struct unwind_held *held, uint32_t lock, struct open_lock state) {
  if (lock >= LOCKS_MOST)
    return;
  memory_grow(&held->locks, &held->lock_capacity, lock + 1u, sizeof *held->locks);
  held->locks[lock] = state;
}

static void begin_operation(struct unwind_held *held, struct open_operation operation) {
  if (operation.win != held->device_window)
    return;
  memory_grow(&held->operations, &held->operation_capacity, held->operation_count + 1,
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
    on_lock(
        held, event->ThreadAcquireLock.lock,
        (struct open_lock){true, index, event->ThreadAcquireLock.order, event->ThreadAcquireLock.paradigm});
    return;
  case TRACE_ThreadReleaseLock:
    on_lock(held, event->ThreadReleaseLock.lock, (struct open_lock){0});
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

bool unwind_held_by(const struct unwind_held *held, uint32_t number, struct trace_event *ret_release) {
  const struct open_lock *lock = number < held->lock_capacity ? &held->locks[number] : NULL;
  if (!lock || !lock->is_held)
    return false;
  *ret_release = (struct trace_event){.kind = TRACE_ThreadReleaseLock,
                                      .location = lock->location,
                                      .ThreadReleaseLock = {lock->paradigm, number, lock->order}};
  return true;
}

void unwind_held_end(struct unwind_held *held, void (*add)(void *data, const struct trace_event *event),
                     void *data) {
  struct trace_event release;
  for (uint32_t i = 0; i < held->lock_capacity; i++)
    if (unwind_held_by(held, i, &release))
      add(data, &release);
  for (size_t i = 0; i < held->operation_count; i++) {
    const struct open_operation *operation = &held->operations[i];
    add(data, &(struct trace_event){.kind = TRACE_RmaOpCompleteBlocking,
                                    .location = operation->location,
                                    .RmaOpCompleteBlocking = {operation->win, operation->matching_id}});
  }
}

void unwind_held_close(struct unwind_held *held) {
  free(held->locks);
  free(held->operations);
}
