#include "tool/thread.h"

#include <errno.h>

#include "session/futex.h"
#include "session/session.h"
#include "tool/wait_limit.h"

static uint64_t ring_capacity(const struct ring *ring) {
  return ring->mask + 1;
}

static void set_mask(struct ring *ring, uint64_t mask) {
  ring->mask = mask;
  atomic_store_explicit(&ring->slot->mask, mask, memory_order_relaxed);
}

static uint64_t quarter_mark_after(uint64_t position, uint64_t capacity) {
  uint64_t quarter = capacity / 4;
  return (position / quarter + 1) * quarter;
}

/* The fast path knows one clock only; with another one it is closed. */
static void open_fast_path(struct thread *thread) {
  thread->ring.limit = tool.clock == CLOCK_KIND_TSC ? thread->room_limit : 0;
}

/* Up to where reservations need no slow path. */
static void open_up_to(struct thread *thread, uint64_t limit) {
  thread->room_limit = limit;
  open_fast_path(thread);
}

/* What ends at `end` fits: up to the next quarter mark, or up to where the ring is full. Never less than
 * `end`: what is reserved stays within the limit, or is_after_failed would see failed ones without end. */
static void set_limit(struct thread *thread, uint64_t end, uint64_t tail) {
  uint64_t capacity = ring_capacity(&thread->ring);
  uint64_t mark = quarter_mark_after(end - 1, capacity), full = tail + capacity;
  open_up_to(thread, mark < full ? mark : full);
}

/* Who claims a place. A sample is dispensable: it does not wait, and one less is no lost event. */
enum claim { EVENT, SAMPLE };

/* After the program has ended the recording (omp_control_tool) nothing counts: it was not to be recorded. */
static void count_lost(struct thread *thread, uint64_t ticks, enum claim claim) {
  struct thread_slot *slot = thread->ring.slot;
  if (atomic_load_explicit(&tool.recording, memory_order_relaxed) == RECORDING_ENDED)
    return;
  if (claim == SAMPLE) {
    local_add((uint64_t *)&slot->figures.samples_left_out, 1);
    return;
  }
  local_add((uint64_t *)&slot->figures.lost, 1);
  session_note_lost(tool.session, ticks);
  if (local_add(&thread->gap_lost, 1) == 0)
    thread->gap_begin_ticks = ticks;
}

/* Room for one slot more, taken after a reservation that has its room. Only for the tool's own records:
 * without room they are left out. Returns whether there was. */
static bool append_record(struct thread *thread, const struct record *record) {
  struct ring *ring = &thread->ring;
  uint64_t position = local_add(&ring->reserved, 1);
  uint64_t tail = atomic_load_explicit(&ring->slot->tail, memory_order_acquire);
  bool has_place = position + 1 - tail <= ring_capacity(ring);
  if (has_place)
    *ring_at(ring, position) = *record;
  else
    ring_cancel(ring, 1);
  return has_place;
}

static void note_stall(struct thread *thread, uint64_t begin, uint64_t end) {
  _Atomic uint64_t *stalls = &thread->ring.slot->figures.stalls;
  atomic_store_explicit(stalls, atomic_load_explicit(stalls, memory_order_relaxed) + 1, memory_order_relaxed);
  const struct record_stall stall = {.type = RECORD_stall, .ticks = end, .begin = begin};
  append_record(thread, (const struct record *)&stall);
}

/* What finds no room now is reported the next time. */
static void note_gap(struct thread *thread, uint64_t now) {
  const struct record_gap gap = {
      .type = RECORD_gap, .ticks = now, .begin = thread->gap_begin_ticks, .lost = thread->gap_lost};
  if (append_record(thread, (const struct record *)&gap))
    local_add(&thread->gap_lost, -gap.lost);
}

static bool has_room(const struct ring *ring, uint64_t end, uint64_t *ret_tail) {
  *ret_tail = atomic_load_explicit(&ring->slot->tail, memory_order_acquire);
  return end - *ret_tail <= ring_capacity(ring);
}

/* As long as the writer needs at least to read so much from each ring: hundreds of threads that look more
 * often would keep it from the processor. */
static struct timespec nap_for(uint64_t records) {
  enum { WRITER_NS_A_RECORD = 4, WRITER_NS_A_RING = 10000, MAX_NS = 50000000 };
  uint64_t rings = atomic_load_explicit(&tool.session->shared.slots_used, memory_order_relaxed);
  uint64_t a_ring = records * WRITER_NS_A_RECORD;
  uint64_t ns = (a_ring > WRITER_NS_A_RING ? a_ring : WRITER_NS_A_RING) * rings;
  return (struct timespec){0, ns < MAX_NS ? (long)ns : MAX_NS};
}

/* Waits until the slots before `end` are free, and half of the ring after them, so that one wait is followed
 * by many events. False if the session stopped meanwhile, or the writer has given the ring up. The writer's
 * progress is looked at again and again: on a busy machine it may be the one that waits for a processor. */
static bool wait_for_room(struct ring *ring, uint64_t end) {
  uint64_t progress = atomic_load(&tool.session->shared.progress);
  struct wait_limit limit = wait_limit_begin(clock_ns(CLOCK_MONOTONIC), tool.constants.config.timeout);
  uint64_t tail;
  uint64_t half = ring_capacity(ring) / 2, needed = end + half;
  struct timespec nap = nap_for(half);
  while (!has_room(ring, needed, &tail)) {
    if (tool_is_stopped() || atomic_load_explicit(&ring->slot->is_given_up, memory_order_relaxed))
      return false;
    session_wake_writer(tool.session);
    nanosleep(&nap, NULL);
    uint64_t now = clock_ns(CLOCK_MONOTONIC), seen = atomic_load(&tool.session->shared.progress);
    if (seen != progress) {
      progress = seen;
      wait_limit_renew(&limit, now);
    } else if (wait_limit_is_over(&limit, now) || session_writer_is_dead(tool.session)) {
      tool_give_up();
    }
  }
  return true;
}

/* The ring is full. Waits, or decides to drop; true if the reservation holds now, after a wait from
 * *ret_begin on (if it was 0). */
static bool get_room(struct thread *thread, uint64_t end, uint64_t *ret_begin) {
  session_wake_writer(tool.session);
  if (tool.constants.config.overflow == OVERFLOW_drop)
    return false;
  *ret_begin = *ret_begin ? *ret_begin : clock_ticks(tool.clock);
  return wait_for_room(&thread->ring, end);
}

/* Whether the writer has found the ring half full and got the memory, as it mostly does: 2 MiB cost 1 ms, too
 * much for a callback. But where the ring is almost full the writer has no processor, and waiting is longer
 * still: then the thread gets the memory itself, and that is a stall. */
static bool has_memory_to_grow(const struct thread *thread, uint64_t used, enum claim claim,
                               uint64_t *stall_begin) {
  const struct ring *ring = &thread->ring;
  uint64_t capacity = ring_capacity(ring);
  if (2 * capacity * RECORD_BYTES > thread->mapped_bytes)
    return false;
  if (atomic_load_explicit(&ring->slot->prepared, memory_order_acquire) >= 2 * capacity)
    return true;
  if (used < capacity / 4 * 3 || claim == SAMPLE)
    return false;
  *stall_begin = *stall_begin ? *stall_begin : clock_ticks(tool.clock);
  return session_grow(tool.session, ring->records, capacity, NULL, NULL);
}

/* Doubles the capacity if the thread is where ring.h allows it and there is memory. */
static void grow_if_possible(struct thread *thread, uint64_t position, uint64_t end, enum claim claim,
                             uint64_t *stall_begin) {
  struct ring *ring = &thread->ring;
  uint64_t old = ring_capacity(ring), boundary = (position + old - 1) / old * old, tail;
  has_room(ring, end, &tail);
  bool is_at_boundary =
      boundary <= end && (boundary / old) % 2 == 1 && (int64_t)(tail - (boundary - old)) >= 0;
  if (is_at_boundary && has_memory_to_grow(thread, end - tail, claim, stall_begin))
    set_mask(ring, 2 * old - 1);
}

/* True if there is room up to `end`, perhaps after a wait from *stall_begin on. */
static bool make_room(struct thread *thread, uint64_t position, uint64_t end, enum claim claim,
                      uint64_t *stall_begin) {
  uint64_t tail;
  grow_if_possible(thread, position, end, claim, stall_begin);
  if (has_room(&thread->ring, end, &tail))
    return true;
  if (claim == SAMPLE || !get_room(thread, end, stall_begin))
    return false;
  grow_if_possible(thread, position, end, claim, stall_begin);
  return true;
}

/* The quarter of the ring that is written next. Memory that the writer has got is new to this process: a
 * store maps one page of it, in 1 us and more, a load those of 64 KiB (the kernel's fault_around_bytes),
 * writable. */
static void map_quarter(const struct ring *ring, uint64_t position) {
  enum { AROUND_RECORDS = (64 << 10) / RECORD_BYTES };
  uint64_t quarter = ring_capacity(ring) / 4;
  for (uint64_t i = 0; i < quarter; i += AROUND_RECORDS)
    (void)*(const volatile uint64_t *)ring_at(ring, position / quarter * quarter + i);
}

/* A quarter mark, or a full ring. What goes after the reservation is written under the mask it will be read
 * with. The limit comes last: until then signal handlers get no place. */
static bool hold(struct thread *thread, uint64_t position, uint64_t n, uint64_t ticks, enum claim claim) {
  struct ring *ring = &thread->ring;
  uint64_t end = position + n, tail, stall_begin = 0;
  if (tool_is_stopped() || !make_room(thread, position, end, claim, &stall_begin))
    return false;
  has_room(ring, end, &tail);
  if (end - tail >= ring_capacity(ring) / 2)
    session_wake_writer(tool.session);
  if (stall_begin)
    note_stall(thread, stall_begin, clock_ticks(tool.clock));
  if (thread->gap_lost)
    note_gap(thread, ticks);
  has_room(ring, ring->reserved, &tail); /* anew: what was put after may have its room from a later tail */
  map_quarter(ring, ring->reserved);
  set_limit(thread, ring->reserved, tail);
  return true;
}

static bool drop(struct thread *thread, uint64_t n, uint64_t ticks, enum claim claim) {
  ring_cancel(&thread->ring, n);
  count_lost(thread, ticks, claim);
  return false;
}

/* The next event comes here again, however short it is. */
static bool close_and_drop(struct thread *thread, uint64_t position, uint64_t n, uint64_t ticks,
                           enum claim claim) {
  open_up_to(thread, position);
  atomic_signal_fence(memory_order_seq_cst);
  return drop(thread, n, ticks, claim);
}

/* Whether this is a signal handler in the middle of a callback whose own reservation has failed and is about
 * to be undone. Such a one went beyond the limit, and what comes after begins there; nothing else does. Where
 * the fast path is closed every reservation fails once: then whatever is in front counts. */
static bool is_after_failed(const struct thread *thread, uint64_t position) {
  if (thread->ring.limit == thread->room_limit)
    return (int64_t)(position - thread->room_limit) > 0;
  return ring_head(&thread->ring) != position;
}

/* A signal handler that comes here while its thread is here already must not write after a reservation whose
 * mask may just be changing, or that is about to be undone: its event is dropped and counted. */
static bool reserve(struct thread *thread, uint64_t n, uint64_t ticks, enum claim claim,
                    uint64_t *ret_position) {
  if (ring_reserve(&thread->ring, n, ret_position))
    return true;
  if (thread->is_slow || is_after_failed(thread, *ret_position))
    return drop(thread, n, ticks, claim);
  if (*ret_position + n <= thread->room_limit)
    return true;
  thread->is_slow = true;
  atomic_signal_fence(memory_order_seq_cst);
  bool is_held =
      hold(thread, *ret_position, n, ticks, claim) || close_and_drop(thread, *ret_position, n, ticks, claim);
  atomic_signal_fence(memory_order_seq_cst);
  thread->is_slow = false;
  return is_held;
}

/* All of a forked child's session is started in here. */
bool thread_begin(uint64_t ticks) {
  int error = errno, cancellation = tool_forbid_cancellation();
  bool has_ring = tool.attach && tool.attach(ticks);
  tool_allow_cancellation(cancellation);
  errno = error;
  return has_ring;
}

bool thread_reserve(uint64_t n, uint64_t ticks, uint64_t *ret_position) {
  int error = errno, cancellation = tool_forbid_cancellation();
  bool is_reserved = thread_has_ring(ticks) && reserve(thread_self, n, ticks, EVENT, ret_position);
  tool_allow_cancellation(cancellation);
  errno = error;
  return is_reserved;
}

bool thread_reserve_sample(uint64_t n, uint64_t ticks, uint64_t *ret_position) {
  return reserve(thread_self, n, ticks, SAMPLE, ret_position);
}

void thread_open_ring(struct thread *thread, uint64_t mask) {
  set_mask(&thread->ring, mask);
  set_limit(thread, thread->ring.reserved + 1,
            atomic_load_explicit(&thread->ring.slot->tail, memory_order_acquire));
}

void thread_put(const struct record *record, const uint64_t *words) {
  uint64_t n = 1u + record->more, position;
  if (!thread_reserve(n, record->ticks, &position))
    return;
  struct ring *ring = &thread_self->ring;
  for (unsigned i = 0; i < record->more; i++)
    memcpy(ring_at(ring, position + 1 + i), words + 4 * i, RECORD_BYTES);
  *ring_at(ring, position) = *record;
  ring_commit(ring, position, n);
}
