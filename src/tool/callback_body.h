/* What callback bodies are made of: the two ways of each, and the ids that they give. */
#ifndef STAVE_TOOL_CALLBACK_BODY_H
#define STAVE_TOOL_CALLBACK_BODY_H

#include "tool/thread.h"

/* on_<name>: the two copies of <name>_event, the second out of the way of the first. signature: of
 * callbacks.def. */
#define IN_TWO_COPIES(name, signature) COPIES(, name, signature)
#define STATIC_IN_TWO_COPIES(name, signature) COPIES(static, name, signature)
#define COPIES(storage, name, signature)                                                                     \
  static __attribute__((cold, noinline)) void on_##name##_slow OMPT_PARAMETERS(signature) {                  \
    name##_event(SLOW, SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT));                                 \
  }                                                                                                          \
  storage __attribute__((noinline)) void on_##name OMPT_PARAMETERS(signature) {                              \
    if (__builtin_expect(!name##_event(FAST, SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT)), false))   \
      on_##name##_slow OMPT_ARGUMENTS(signature);                                                            \
  }

#define BODY static inline __attribute__((always_inline)) bool

static inline uint64_t id_of(const ompt_data_t *data) {
  return data ? data->value : 0;
}

/* The id is stored only after its record was committed, on every processor: who reads it and commits a record
 * about it does so after the beginning was committed. */
static inline void give_id(ompt_data_t *data, uint64_t id) {
  if (data)
    __atomic_store_n(&data->value, id, __ATOMIC_RELEASE);
}

/* An event is dropped for good. What the runtime made gets an id all the same, if the thread has any: one
 * that no position will ever have. */
static inline bool give_id_of_dropped(enum copy copy, ompt_data_t *data) {
  struct thread *self = thread_self;
  if (copy == SLOW)
    give_id(data, self->ring.slot
                      ? self->id_base + (UINT64_C(1) << (ID_POSITION_BITS - 1)) + self->dropped_ids++
                      : 0);
  return false;
}

#endif
