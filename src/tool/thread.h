/* What a thread of the application needs to record an event, and the way of an event into its ring.
 *
 * The fast path is here, to be read in one place: one time stamp, one reservation, one 32-byte store, one
 * commit. Whatever is unusual (first event, fork, full ring, growth, stopped) shows as a failed reservation:
 * that is why a thread without a ring points to a struct full of zeros. */
#ifndef STAVE_TOOL_THREAD_H
#define STAVE_TOOL_THREAD_H

#include <string.h>

#include "session/clock.h"
#include "session/ring.h"
#include "tool/tool.h"

struct thread {
  _Alignas(SESSION_LINE_BYTES) struct ring ring;
  uint64_t id_base; /* of the slot: id = id_base + position */
  /* the module in which the last code address lay */
  uint64_t module_base;
  uint64_t module_size;
  bool module_may_close; /* it was loaded later: a region in it first checks whether it still is what it was
                          */
  /* cold */
  uint64_t room_limit;      /* what ring.limit would be if the fast path were open */
  uint64_t gap_lost;        /* events dropped since the last gap record */
  uint64_t gap_begin_ticks; /* the first of them */
  uint64_t dropped_ids;     /* ids given to what was made by events that were dropped */
  uint64_t frame_flags;     /* reported last: of exit frames (low half) and enter frames */
  bool has_frame_flags;
  int32_t processor;  /* where its placement was requested last (placement.h) */
  uint64_t placement; /* a sum of the answers; 0: never queried */
  bool is_worker;     /* of a team, as it has reported: the runtime ends it before it finalizes the tool */
  bool waits_safely;  /* what it is about to wait for has been looked at (depend_waits.h) */
  bool is_slow;       /* after a failed reservation (reserve): a signal handler drops its event now */
  /* counters (counters.c): the descriptor that all are read by, 0: none, and the kernel's number of it */
  int counters_fd;
  uint64_t counters_id;
  _Atomic bool is_counting; /* in a callback that reads them (counters_note_callback) */
  /* sampling (sampler.c) */
  int timer;               /* the kernel's number of it */
  uint64_t stack_low;      /* lowest address of the thread's stack */
  uint64_t stack_end;      /* the address after it; 0: not known */
  _Atomic bool is_sampled; /* it has a timer, and its samples are requested */
  _Atomic bool is_in_sample;
  /* The runtime has reported a task with dependences, and reports these next (unregister_dependences.h).
   * After what a new thread of the slot overwrites, since other threads read it meanwhile. */
  _Atomic bool awaits_dependences;
  /* The slot's ring, as this process has mapped it (first_rings.c): whichever thread has the slot. NULL: not
   * yet. */
  struct record *mapped_ring;
  uint64_t mapped_bytes; /* a power of two: its capacity gets no larger */
};

/* All zeros, of threads without an event. */
extern struct thread thread_none __attribute__((visibility("hidden")));

/* The thread's only TLS variable. Points to `thread_none` until the thread's first event. Reading it calls
 * nothing, except on musl, which keeps no room for such variables of libraries that come later. */
#ifdef __GLIBC__
extern _Thread_local struct thread *thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#else
extern _Thread_local struct thread *thread_self __attribute__((visibility("hidden")));
#endif

/* Gives the calling thread a ring if it has none; false if it gets none. Writes the attach record (attach.c).
 */
bool thread_attach(uint64_t ticks);

/* The thread's last record was written: its ring goes back to the pool once it is drained (attach.c). */
void thread_detach(void);

/* The thread has got a slot, and records from its `reserved` on, in a ring of this mask. */
void thread_open_ring(struct thread *thread, uint64_t mask);

/* What tool.attach does; false where no session was ever prepared. */
bool thread_begin(uint64_t ticks) __attribute__((cold, noinline));

/* Whether the calling thread has a ring: at its first event it gets one. */
static inline bool thread_has_ring(uint64_t ticks) {
  return __builtin_expect(thread_self->ring.slot != NULL, true) || thread_begin(ticks);
}

/* Reserves n slots at any cost: attaches the thread, waits for room, grows the ring. False: the event is
 * dropped (and counted). ring_commit must follow on thread_self's ring. */
bool thread_reserve(uint64_t n, uint64_t ticks, uint64_t *ret_position) __attribute__((cold, noinline));

/* The same for a sample, from its signal handler: never waits, and what finds no room is left out and counted
 * apart. */
bool thread_reserve_sample(uint64_t n, uint64_t ticks, uint64_t *ret_position);

/* The thread encountered a code address outside of the module it knows: publishes the module if nobody did
 * (modules.c). */
void thread_publish_module(uint64_t codeptr, uint64_t ticks) __attribute__((cold, noinline));

/* The thread is in a module that was loaded later, and encounters a region: forgets the region's module if
 * another one was loaded in its place. */
void thread_recheck_code(uint64_t codeptr) __attribute__((cold, noinline));

/* Writes a record of 1 + more slots without hurry. `words` are 4 * more values. */
void thread_put(const struct record *record, const uint64_t *words);

/* Each callback has its body twice. FAST has no function call in it, so that the compiler saves no register;
 * at the first unusual thing it gives up without a trace, and the SLOW copy, which can do everything, starts
 * over. */
enum copy { FAST, SLOW };

struct new_event {
  uint64_t ticks;
  uint64_t code; /* the code address, known to be in a published module */
  struct thread *thread;
  uint64_t position;
};

static inline bool is_known_code(const struct thread *thread, uint64_t code) {
  return __builtin_expect(code - thread->module_base < thread->module_size, true) || !code;
}

static inline __attribute__((always_inline)) bool event_begin_fast(struct new_event *event, uint64_t n) {
  event->ticks = clock_counter(); /* where it is not the session's clock, the reservation fails */
  if (!is_known_code(event->thread, event->code))
    return false;
  if (ring_reserve(&event->thread->ring, n, &event->position))
    return true;
  ring_cancel(&event->thread->ring, n);
  return false;
}

static inline bool event_begin_slow(struct new_event *event, uint64_t n) {
  event->ticks = clock_ticks(tool.clock);
  if (!is_known_code(thread_self, event->code))
    thread_publish_module(event->code, event->ticks);
  bool is_reserved = thread_reserve(n, event->ticks, &event->position);
  event->thread = thread_self;
  return is_reserved;
}

/* Reads the clock and reserves n slots. After true, event_put must follow. The event has its thread and its
 * code address. */
static inline __attribute__((always_inline)) bool event_begin_of(enum copy copy, struct new_event *event,
                                                                 uint64_t n) {
  return copy == FAST ? event_begin_fast(event, n) : event_begin_slow(event, n);
}

static inline __attribute__((always_inline)) bool event_begin(enum copy copy, struct new_event *event,
                                                              uint64_t n, const void *codeptr) {
  event->thread = thread_self;
  event->code = (uint64_t)(uintptr_t)codeptr;
  return event_begin_of(copy, event, n);
}

/* The id of what this event begins. */
static inline uint64_t event_id(const struct new_event *event) {
  return event->thread->id_base + event->position;
}

/* Stores a record of n slots straight into the ring and publishes it; `...` are its fields:
 * EVENT_PUT(&event, 1, work, endpoint, 0, .count = ..., .codeptr = ..., .kind = ...). */
#define EVENT_PUT(event, n, id, endpoint, flags, ...)                                                        \
  EVENT_PUT_AS(event, n, id, RECORD_##id, endpoint, flags, __VA_ARGS__)

/* What is known of an endpoint beforehand. */
#define EVENT_ENDPOINT(endpoint) (__builtin_constant_p(endpoint) ? (endpoint) : 0)

/* The same for a type whose fields are those of `id`. An endpoint that is not known beforehand is a store of
 * its own: to put it into the word with the others costs two instructions more. */
#define EVENT_PUT_AS(event, n, id, type, endpoint_value, flags, ...)                                         \
  do {                                                                                                       \
    struct record *new_record = ring_at(&(event)->thread->ring, (event)->position);                          \
    ring_fetch_ahead(new_record);                                                                            \
    *(struct record_##id *)new_record =                                                                      \
        (struct record_##id){.ticks = (event)->ticks,                                                        \
                             .tail = RECORD_TAIL(type, (n)-1, EVENT_ENDPOINT(endpoint_value), flags),        \
                             __VA_ARGS__};                                                                   \
    if (!__builtin_constant_p(endpoint_value))                                                               \
      new_record->endpoint = (uint8_t)(endpoint_value);                                                      \
    ring_commit(&(event)->thread->ring, (event)->position, n);                                               \
  } while (0)

#endif
