#include "writer/correlate/holds.h"

#include "base/map.h"
#include "writer/correlate/thread_events.h"
#include "writer/definitions/lock_names.h"

struct lock *lock_find_other(struct correlator *c, uint64_t wait_id) {
  c->locks.last = (struct map_entry){wait_id, map_get(&c->locks.by_wait_id, wait_id)};
  return c->locks.last.value;
}

static void name_lock(struct correlator *c, struct lock *lock, uint64_t wait_id, struct event *acquire) {
  lock->id = c->locks.count++;
  acquire->attribute = ATTRIBUTE_lock_address;
  acquire->value = wait_id;
  if (c->lock_names)
    lock_names_add(c->lock_names, lock->id, wait_id);
}

void hold_write(struct correlator *c, struct traced_thread *thread, struct hold *hold, uint64_t now) {
  struct lock *lock = hold->lock;
  struct event event = {.kind = EVENT_ACQUIRE_LOCK, .ticks = now};
  hold->is_hidden = false;
  event.order = hold->order = hold->order ? hold->order : ++lock->order;
  if (hold->order == 1)
    name_lock(c, lock, hold->wait_id, &event);
  event.lock = lock->id;
  emit_event(c, thread, &event);
}

void lock_show(struct correlator *c, struct traced_thread *thread, uint64_t wait_id, uint64_t ticks) {
  for (size_t i = 0; i < thread->held_locks; i++)
    if (thread->holds[i].wait_id == wait_id && thread->holds[i].is_hidden) {
      hold_write(c, thread, &thread->holds[i], ticks);
      return;
    }
}

void hold_end(struct correlator *c, struct traced_thread *thread, struct owned_hold held,
              struct event *release) {
  const struct hold *hold = held.hold;
  release->kind = EVENT_RELEASE_LOCK;
  release->lock = hold->lock->id;
  release->order = hold->order;
  if (!hold->is_hidden)
    emit_event(c, thread, release);
  held.owner->released_elsewhere += held.owner != thread;
  hold_remove(held.owner, held.hold);
}

void locks_release_all(struct correlator *c, struct traced_thread *thread, uint64_t ticks, uint64_t wait_id) {
  for (size_t i = thread->held_locks; i-- > 0;)
    if (!wait_id || thread->holds[i].wait_id == wait_id)
      hold_end(c, thread, (struct owned_hold){thread, &thread->holds[i]},
               &(struct event){.ticks = ticks, .attribute = ATTRIBUTE_added, .value = 1});
}

/* -- at the end -- */

bool lock_awaited(struct correlator *c, const struct frame *top, struct event *leave) {
  uint32_t number;
  bool is_requested =
      top->kind == FRAME_LOCKING || (top->kind == FRAME_MUTEX && top->detail != OMPT_MUTEX_atomic);
  if (!is_requested)
    return false;
  bool is_known = lock_number(c, top->wait_id, &number);
  leave->attribute = is_known ? ATTRIBUTE_wait_lock : ATTRIBUTE_wait_id;
  leave->value = is_known ? number : top->wait_id;
  return true;
}

bool lock_number(struct correlator *c, uint64_t wait_id, uint32_t *ret) {
  const struct lock *lock = map_get(&c->locks.by_wait_id, wait_id);
  if (lock)
    *ret = lock->id;
  return lock != NULL;
}
