/* Mutexes and locks: see callbacks_task.c for what all bodies keep to. */
#include "tool/callback_body.h"
#include "tool/callbacks.h"

/* Kinds and implementations that no runtime has today: a second slot keeps their full numbers. */
static bool put_wide(enum record_type type, ompt_mutex_t kind, unsigned hint, unsigned impl,
                     ompt_wait_id_t wait_id, const void *codeptr) {
  struct new_event event;
  if (!event_begin(SLOW, &event, 2, codeptr))
    return false;
  struct record_words *words = (struct record_words *)ring_at(&event.thread->ring, event.position + 1);
  words->w[0] = (uint32_t)kind | (uint64_t)impl << 32;
  EVENT_PUT_AS(&event, 2, mutex_acquire, type, 255, 255, .wait_id = wait_id, .codeptr = event.code,
               .hint = hint);
  return true;
}

/* mutex_acquire and lock_init. */
BODY begin_event(enum copy copy, enum record_type type, ompt_mutex_t kind, unsigned hint, unsigned impl,
                 ompt_wait_id_t wait_id, const void *codeptr) {
  struct new_event event;
  if (__builtin_expect(((unsigned)kind | impl) >= 255, false))
    return copy == SLOW && put_wide(type, kind, hint, impl, wait_id, codeptr);
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT_AS(&event, 1, mutex_acquire, type, impl, kind, .wait_id = wait_id, .codeptr = event.code,
               .hint = hint);
  return true;
}

#define BEGIN_IN_TWO_COPIES(name)                                                                            \
  BODY name##_event(enum copy copy, ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, \
                    const void *codeptr) {                                                                   \
    return begin_event(copy, RECORD_##name, kind, hint, impl, wait_id, codeptr);                             \
  }                                                                                                          \
  IN_TWO_COPIES(name, mutex_acquire)

BEGIN_IN_TWO_COPIES(mutex_acquire)
BEGIN_IN_TWO_COPIES(lock_init)

/* mutex_acquired, mutex_released and lock_destroy. */
BODY mutex_event(enum copy copy, enum record_type type, ompt_mutex_t kind, ompt_wait_id_t wait_id,
                 const void *codeptr) {
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT_AS(&event, 1, mutex_acquired, type, 0, 0, .wait_id = wait_id, .codeptr = event.code,
               .kind = (uint32_t)kind);
  return true;
}

#define MUTEX_IN_TWO_COPIES(name)                                                                            \
  BODY name##_event(enum copy copy, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {        \
    return mutex_event(copy, RECORD_##name, kind, wait_id, codeptr);                                         \
  }                                                                                                          \
  IN_TWO_COPIES(name, mutex)

MUTEX_IN_TWO_COPIES(mutex_acquired)
MUTEX_IN_TWO_COPIES(mutex_released)
MUTEX_IN_TWO_COPIES(lock_destroy)

BODY nest_lock_event(enum copy copy, ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id,
                     const void *codeptr) {
  struct new_event event;
  if (!event_begin(copy, &event, 1, codeptr))
    return false;
  EVENT_PUT(&event, 1, nest_lock, endpoint, 0, .wait_id = wait_id, .codeptr = event.code);
  return true;
}
IN_TWO_COPIES(nest_lock, nest_lock)
