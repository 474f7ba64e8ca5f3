/* The ring of a thread: single producer (the thread), single consumer (the writer's merging thread).
 *
 * Who may call what: ring_reserve, ring_commit: the thread that owns the slot, also from a signal handler
 * that interrupts it in the middle of either. ring_view_*: the merging thread of the writer. Both together,
 * any time.
 *
 * Positions count record slots and run freely: they never wrap in practice (2^64) and are masked on access.
 * Invariants:
 *   - tail <= head <= reserved, and reserved - tail <= capacity
 *   - [tail, head) are committed records, [head, reserved) those that the thread has reserved and is writing;
 *     the rest is free
 *   - head and mask are stored by the thread only, tail and prepared by the writer only
 *
 * Pairs of release and acquire:
 *   - producer's store of head (ring_commit), consumer's load of head (ring_view_update): the records are
 *     visible
 *   - consumer's store of tail (ring_view_release), producer's load of tail (thread.c): the slots were read
 *   - consumer's store of prepared (ring_view_prepare), producer's load of prepared (thread.c): the memory is
 *     there
 * The producer's store of mask comes before its store of head; the consumer loads head first, then mask.
 *
 * Signal handlers. A reservation is one instruction (local_add), so an interrupted callback and the one in
 * the handler never get the same slot. Whoever finds head at its own position publishes everything reserved:
 * handlers nest strictly, so all that was reserved after it is written by then. One that does not leaves it
 * to the callback it interrupted, which looks again after its store.
 *
 * Growth. The consumer finds much of a ring in use (ring_merge.c) and gets memory for twice as much. Then the
 * capacity doubles, but only when the producer is at a position that is an odd multiple of the old capacity.
 * Every record still unread then has the same place under the old mask and under the new one, so nobody needs
 * to be notified where the old part ends. (An unread position p lies in [b - old, b), b the boundary; b - old
 * is a multiple of 2 * old, so bit log2(old) of p is 0.) */
#ifndef STAVE_SESSION_RING_H
#define STAVE_SESSION_RING_H

#include <stdbool.h>
#include <string.h>

#include "session/layout.h"

/* The producer's own part: private memory of the application, next to nothing else. All zero is a valid state
 * in which every reservation goes through the slow path. */
struct ring {
  struct thread_slot *slot;
  struct record *records;
  uint64_t mask;     /* slot->mask */
  uint64_t reserved; /* next free position */
  uint64_t limit;    /* a reservation beyond it goes through the slow path: the next quarter mark, or full */
};

/* *value += n as one instruction; returns what *value was. Atomic against signal handlers of this thread
 * only. */
static inline uint64_t local_add(uint64_t *value, uint64_t n) {
#if defined(__x86_64__)
  __asm__("xaddq %0, %1" : "+r"(n), "+m"(*value) : : "cc");
  return n;
#else
  return __atomic_fetch_add(value, n, __ATOMIC_RELAXED);
#endif
}

/* *value = requested as one instruction if *value is `expected`; returns whether it was. As local_add. */
static inline bool local_replace(uint64_t *value, uint64_t expected, uint64_t requested) {
#if defined(__x86_64__)
  bool is_replaced;
  __asm__ volatile("cmpxchgq %3, %0"
                   : "+m"(*value), "+a"(expected), "=@ccz"(is_replaced)
                   : "r"(requested)
                   : "memory");
  return is_replaced;
#else
  return __atomic_compare_exchange_n(value, &expected, requested, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
#endif
}

static inline struct record *ring_at(const struct ring *ring, uint64_t position) {
  return ring->records + (position & ring->mask);
}

enum { RING_AHEAD_RECORDS = 32 };

/* The producer's, at each record: the line where it will store RING_AHEAD_RECORDS later is requested, to be
 * written. The consumer has read it since it was written last, so it is in the cache of its processor, too. A
 * store has to wait until it is invalidated there, and delays all later stores. Where the two processors
 * share no cache, that is longer than all the rest of an event. After the ring's end the request is useless
 * but harmless: it is for nothing, or for a line of the next ring. (prefetchw has no effect on processors
 * without it; without -mprfchw the builtin requests a line to be read only.) */
static inline void ring_fetch_ahead(const struct record *record) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(record[RING_AHEAD_RECORDS]));
#else
  __builtin_prefetch(record + RING_AHEAD_RECORDS, 1);
#endif
}

/* Reserves n >= 1 slots. True: the slots from *ret_position on may be written, then ring_commit must follow.
 * False: they may not; the caller must revert the reservation (ring_cancel) before anything else. */
static inline bool ring_reserve(struct ring *ring, uint64_t n, uint64_t *ret_position) {
  *ret_position = local_add(&ring->reserved, n);
  return __builtin_expect(*ret_position + (n - 1) < ring->limit, true);
}

/* A reservation that failed never happened. Handlers that reserved after it have taken theirs back by now:
 * what fails for one fails for those after, and the slow path holds no place after one that failed
 * (thread.c). */
static inline void ring_cancel(struct ring *ring, uint64_t n) {
  local_add(&ring->reserved, -n);
}

/* What this thread itself stored to head last: nobody else does, so it needs no atomic load. */
static inline uint64_t ring_head(const struct ring *ring) {
  return *(const uint64_t *)&ring->slot->head;
}

/* Publishes what signal handlers reserved after a commit while head was not there yet. A handler that comes
 * after that finds head at its own position and publishes by itself: then head has moved, and nothing is left
 * to do. Head must never be set back, because the writer may have read beyond. */
static __attribute__((cold, noinline, unused)) void ring_commit_more(struct ring *ring) {
  uint64_t *head = (uint64_t *)&ring->slot->head;
  uint64_t end = ring_head(ring), next;
  for (; (next = *(volatile uint64_t *)&ring->reserved) != end; end = next)
    if (!local_replace(head, end, next))
      return;
}

/* Makes the n slots written at `position` visible to the writer, with all that signal handlers added after
 * them. Linearisation point: the last store of head. */
static inline void ring_commit(struct ring *ring, uint64_t position, uint64_t n) {
  if (__builtin_expect(ring_head(ring) != position, false))
    return;
  uint64_t end = position + n;
  atomic_store_explicit(&ring->slot->head, end, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(ring->reserved != end, false))
    ring_commit_more(ring);
}

/* The consumer's own part: what it has seen of a ring, copied once and bounded, so that no later scribbling
 * of the application can lead it out of the ring. */
struct ring_view {
  struct thread_slot *slot;
  const struct record *records;
  uint64_t next; /* first unread position */
  uint64_t head; /* as last seen */
  uint64_t mask; /* as last seen; at most capacity_max - 1 */
  uint64_t capacity_max;
};

static inline void ring_view_init(struct ring_view *view, struct thread_slot *slot,
                                  const struct record *records, uint64_t capacity_max) {
  uint64_t tail = atomic_load_explicit(&slot->tail, memory_order_relaxed);
  *view = (struct ring_view){slot, records, tail, tail, 0, capacity_max};
}

/* Looks how far the producer is. Returns false if what it states is impossible (scribbled over; the head
 * never goes back): then nothing new is seen. */
static inline bool ring_view_update(struct ring_view *view) {
  uint64_t head = atomic_load_explicit(&view->slot->head, memory_order_acquire);
  uint64_t mask = atomic_load_explicit(&view->slot->mask, memory_order_relaxed);
  uint64_t unread = head - view->next;
  if (mask >= view->capacity_max || (mask & (mask + 1)) || unread > mask + 1 ||
      unread < view->head - view->next)
    return false;
  view->head = head;
  view->mask = mask;
  return true;
}

/* The record at a position below head. Points into shared memory: copy what is decided on. */
static inline const struct record *ring_view_at(const struct ring_view *view, uint64_t position) {
  return view->records + (position & view->mask);
}

/* Whether so many quarters of the ring were in use when its head was last seen, and it could grow. Before the
 * first record of all, mask shows nothing yet. */
static inline bool ring_view_could_grow(const struct ring_view *view, unsigned quarters) {
  uint64_t capacity = view->mask + 1, unread = view->head - view->next;
  return unread > 0 && unread >= capacity / 4 * quarters && 2 * capacity <= view->capacity_max;
}

/* Whether the producer has more than three quarters of the ring left: then it wakes the consumer in time, at
 * a mark where half of it is used, and the consumer may sleep with records unread. Looks anew. */
static inline bool ring_view_can_wait(const struct ring_view *view) {
  uint64_t unread = atomic_load_explicit(&view->slot->head, memory_order_relaxed) - view->next;
  return unread == 0 || unread < (view->mask + 1) / 4;
}

/* There is memory for so many records, at most capacity_max. Not by what the view has now: the producer may
 * have grown the ring by itself since memory was requested. */
static inline void ring_view_prepare(struct ring_view *view, uint64_t capacity) {
  atomic_store_explicit(&view->slot->prepared, capacity, memory_order_release);
}

/* Gives everything below view->next back to the producer. */
static inline void ring_view_release(struct ring_view *view) {
  atomic_store_explicit(&view->slot->tail, view->next, memory_order_release);
}

#endif
