#include "writer/correlate/acquisitions.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "writer/correlate/locks.h"

/* What is over makes room. */
static void make_room(struct acquisitions *a) {
  if (a->begin > a->end / 2) {
    memmove(a->all, a->all + a->begin, (a->end - a->begin) * sizeof *a->all);
    a->settled -= a->begin;
    a->end -= a->begin;
    a->begin = 0;
  }
  array_reserve_zeroed(&a->all, &a->capacity, a->end + 1, sizeof *a->all);
}

void acquisitions_add(struct acquisitions *a, const struct awaited_acquisition *acquisition) {
  if (a->begin != a->end && a->all[a->end - 1].id >= acquisition->id)
    return;
  if (a->end == a->capacity)
    make_room(a);
  a->all[a->end++] = *acquisition;
}

/* Whether there is one more to be settled. */
static bool has_next(const struct acquisitions *a, uint64_t until) {
  return a->settled != a->end && a->all[a->settled].id < a->until_id && a->all[a->settled].ticks < until;
}

static uint64_t ticks_of(const struct acquisitions *a) {
  return a->all[a->settled].ticks;
}

static void sift_down(struct acquisitions **heap, size_t count, size_t i) {
  struct acquisitions *moved = heap[i];
  for (size_t child; (child = 2 * i + 1) < count; i = child) {
    if (child + 1 < count && ticks_of(heap[child + 1]) < ticks_of(heap[child]))
      child++;
    if (ticks_of(heap[child]) >= ticks_of(moved))
      break;
    heap[i] = heap[child];
  }
  heap[i] = moved;
}

/* Those that have something to be settled. Returns how many. */
static size_t build(struct acquisitions **heap, size_t count, uint64_t until) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (has_next(heap[i], until))
      heap[kept++] = heap[i];
  for (size_t i = kept / 2; i-- > 0;)
    sift_down(heap, kept, i);
  return kept;
}

static bool is_tied(struct acquisitions *const *heap, size_t count) {
  for (size_t i = 1; i < 3 && i < count; i++)
    if (ticks_of(heap[i]) == ticks_of(heap[0]))
      return true;
  return false;
}

uint64_t acquisitions_settle(struct correlator *c, struct acquisitions **heap, size_t count, uint64_t until) {
  for (count = build(heap, count, until); count > 0;) {
    struct acquisitions *top = heap[0];
    struct awaited_acquisition *next = &top->all[top->settled];
    if (is_tied(heap, count) || !lock_next_order(c, next->wait_id, &next->order))
      return next->ticks;
    top->settled++;
    if (!has_next(top, until))
      heap[0] = heap[--count];
    sift_down(heap, count, 0);
  }
  return until;
}
