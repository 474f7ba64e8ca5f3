/* What kinds of mutexes there are (ompt_mutex_t), and the constructs and routines of each. */
#ifndef STAVE_WRITER_CORRELATE_LOCK_KINDS_H
#define STAVE_WRITER_CORRELATE_LOCK_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/values.h"
#include "writer/definitions/regions.h"

static inline bool lock_is_routine(uint32_t kind) {
  return kind >= OMPT_MUTEX_lock && kind <= OMPT_MUTEX_test_nest_lock;
}

static inline bool lock_is_nestable(uint32_t kind) {
  return kind == OMPT_MUTEX_nest_lock || kind == OMPT_MUTEX_test_nest_lock;
}

static inline enum construct lock_construct(uint32_t kind) {
  switch (kind) {
  case OMPT_MUTEX_lock:
    return CONSTRUCT_set_lock;
  case OMPT_MUTEX_test_lock:
    return CONSTRUCT_test_lock;
  case OMPT_MUTEX_nest_lock:
    return CONSTRUCT_set_nest_lock;
  case OMPT_MUTEX_test_nest_lock:
    return CONSTRUCT_test_nest_lock;
  case OMPT_MUTEX_atomic:
    return CONSTRUCT_atomic;
  case OMPT_MUTEX_ordered:
    return CONSTRUCT_ordered;
  default:
    /* a lock event must be in a region of a mutex's role, also of an unknown kind */
    return CONSTRUCT_critical;
  }
}

static inline enum construct lock_construct_of_release(uint32_t kind) {
  return lock_is_nestable(kind) ? CONSTRUCT_unset_nest_lock : CONSTRUCT_unset_lock;
}

/* What is inside of a construct. */
static inline enum construct lock_block(uint32_t kind) {
  return kind == OMPT_MUTEX_ordered ? CONSTRUCT_ordered_sblock : CONSTRUCT_critical_sblock;
}

/* What the description of a mutex's region states: 1 + the implementation in the low half, the hint in the
 * high one. */
static inline uint32_t lock_detail(uint32_t hint, uint32_t impl) {
  return hint << 16 | ((impl + 1) & 0xffff);
}

#endif
