/* What callback bodies are made of: the two ways of each, and the ids that they give. */
#ifndef STAVE_TOOL_CALLBACK_BODY_H
#define STAVE_TOOL_CALLBACK_BODY_H

#include "tool/counters.h"
#include "tool/thread.h"

/* on_<name>: the two copies of <name>_event, the second out of the way of the first. signature: of
 * callbacks.def. */
#define IN_TWO_COPIES(name, signature) COPIES(, name, signature, )
/* The same for a body whose second parameter is the readings of the thread's counters, or NULL; and
 * on_<name>_with_counters, which reads them. */
#define IN_TWO_COPIES_AND_WITH_COUNTERS(name, signature) COPIES_AND_WITH_COUNTERS(, name, signature)
#define STATIC_IN_TWO_COPIES_AND_WITH_COUNTERS(name, signature)                                              \
  COPIES_AND_WITH_COUNTERS(static, name, signature)
#define COPIES_AND_WITH_COUNTERS(storage, name, signature)                                                   \
  COPIES(storage, name, signature, WITHOUT_COUNTERS)                                                         \
  storage void on_##name##_with_counters OMPT_PARAMETERS(signature) {                                        \
    struct counter_words reading;                                                                            \
    counters_note_callback(true);                                                                            \
    counters_read(&reading);                                                                                 \
    if (!name##_event(FAST, &reading, SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT)))                  \
      name##_event(SLOW, &reading, SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT));                     \
    counters_note_callback(false);                                                                           \
  }
#define WITHOUT_COUNTERS NULL,
#define COPIES(storage, name, signature, without_counters)                                                   \
  static __attribute__((cold, noinline)) void on_##name##_slow OMPT_PARAMETERS(signature) {                  \
    name##_event(SLOW, without_counters SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT));                \
  }                                                                                                          \
  storage __attribute__((noinline)) void on_##name OMPT_PARAMETERS(signature) {                              \
    if (__builtin_expect(                                                                                    \
            !name##_event(FAST, without_counters SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT)),       \
            false))                                                                                          \
      on_##name##_slow OMPT_ARGUMENTS(signature);                                                            \
  }

#define BODY static inline __attribute__((always_inline)) bool

/* What a record with counters has more of than one without. */
static inline __attribute__((always_inline)) unsigned slots_of(const struct counter_words *reading) {
  return reading ? reading->slots : 0;
}

static inline __attribute__((always_inline)) unsigned flags_of(const struct counter_words *reading) {
  return reading && reading->slots ? RECORD_FLAG_COUNTERS : 0;
}

/* Stores it after the record's own slots. */
static inline __attribute__((always_inline)) void put_reading(const struct new_event *event, unsigned own,
                                                              const struct counter_words *reading) {
  for (unsigned i = 0; i < slots_of(reading); i++)
    memcpy(ring_at(&event->thread->ring, event->position + own + i), reading->words + 4 * i, RECORD_BYTES);
}

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
