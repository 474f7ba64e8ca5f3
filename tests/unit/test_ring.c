/* The ring by itself: what is reserved, committed and seen, at any value of the counters. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "session/ring.h"

enum { CAPACITY_MAX = 4096 };

/* Where the counters begin: at rest, before 2^32, before 2^64. */
static const uint64_t starts[] = {0, 5, UINT64_C(0xfffffff9), UINT64_C(0xffffffff00), UINT64_MAX - 6};

struct fixture {
  struct thread_slot *slot;
  struct record *records;
  struct ring ring;
  struct ring_view view;
};

static int setup(void **state) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  fixture->slot = aligned_alloc(SESSION_LINE_BYTES, sizeof *fixture->slot);
  memset(fixture->slot, 0, sizeof *fixture->slot);
  fixture->records = calloc(CAPACITY_MAX, RECORD_BYTES);
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  free(fixture->slot);
  free(fixture->records);
  free(fixture);
  return 0;
}

static void start_at(struct fixture *fixture, uint64_t position, uint64_t capacity) {
  atomic_store(&fixture->slot->head, position);
  atomic_store(&fixture->slot->tail, position);
  atomic_store(&fixture->slot->mask, capacity - 1);
  fixture->ring = (struct ring){fixture->slot, fixture->records, capacity - 1, position, position + capacity};
  ring_view_init(&fixture->view, fixture->slot, fixture->records, CAPACITY_MAX);
}

/* Reserves, fills the slots with value, value + 1, ..., commits. A reservation beyond the limit is kept: the
 * limit is the tool's business, and the caller knows that there is room. */
static void put(struct ring *ring, uint64_t n, uint64_t value) {
  uint64_t position;
  ring_reserve(ring, n, &position);
  for (uint64_t i = 0; i < n; i++)
    *ring_at(ring, position + i) = (struct record){.ticks = value + i};
  ring_commit(ring, position, n);
}

/* Reads n slots; they must hold value, value + 1, ... */
static void expect_values(struct ring_view *view, uint64_t n, uint64_t value) {
  for (uint64_t i = 0; i < n; i++, view->next++) {
    assert_true(view->next != view->head);
    assert_int_equal(ring_view_at(view, view->next)->ticks, value + i);
  }
}

static void committed_records_are_seen(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < COUNT(starts); i++) {
    uint64_t first, second;
    start_at(f, starts[i], 16);
    /* the tool sets it; what it does at 2^64 is not tested here */
    f->ring.limit = starts[i] < 32 ? 64 : UINT64_MAX;
    assert_true(ring_reserve(&f->ring, 2, &first));
    assert_int_equal(first, starts[i]);
    assert_true(ring_view_update(&f->view));
    assert_int_equal(f->view.head, starts[i]);
    ring_at(&f->ring, first)->ticks = 10;
    ring_at(&f->ring, first + 1)->ticks = 11;
    ring_commit(&f->ring, first, 2);
    assert_int_equal(atomic_load(&f->slot->head), starts[i] + 2);
    assert_true(ring_reserve(&f->ring, 1, &second));
    assert_int_equal(second, starts[i] + 2);
    assert_true(ring_view_update(&f->view));
    expect_values(&f->view, 2, 10);
    assert_int_equal(f->view.next, f->view.head);
    ring_view_release(&f->view);
    assert_int_equal(atomic_load(&f->slot->tail), starts[i] + 2);
  }
}

/* The rule of the limit: a reservation that ends there holds, one that ends later does not and leaves no
 * trace. */
static void the_limit_is_kept(void **state) {
  struct fixture *f = *state;
  uint64_t position;
  start_at(f, 100, 16);
  f->ring.limit = 104;
  assert_true(ring_reserve(&f->ring, 3, &position));
  ring_commit(&f->ring, position, 3);
  assert_false(ring_reserve(&f->ring, 2, &position));
  ring_cancel(&f->ring, 2);
  assert_int_equal(f->ring.reserved, 103);
  assert_true(ring_reserve(&f->ring, 1, &position));
  ring_commit(&f->ring, position, 1);
  assert_false(ring_reserve(&f->ring, 1, &position));
  ring_cancel(&f->ring, 1);
  assert_int_equal(atomic_load(&f->slot->head), 104);
}

static void a_ring_of_zeros_refuses_records(void **state) {
  struct ring nobody = {0};
  uint64_t position;
  (void)state;
  for (uint64_t n = 1; n <= RECORD_SLOTS_MAX; n++) {
    assert_false(ring_reserve(&nobody, n, &position));
    ring_cancel(&nobody, n);
  }
  assert_int_equal(nobody.reserved, 0);
}

/* Rounds and rounds with lengths that do not divide the capacity, over 2^32 and 2^64 too. */
static void rings_wrap(void **state) {
  struct fixture *f = *state;
  for (size_t i = 0; i < COUNT(starts); i++) {
    uint64_t value = 1, random = 7;
    start_at(f, starts[i], 16);
    for (int round = 0; round < 200; round++) {
      uint64_t a = 1 + next_random(&random) % 8, b = 1 + next_random(&random) % 8;
      put(&f->ring, a, value);
      put(&f->ring, b, value + a);
      assert_true(ring_view_update(&f->view));
      expect_values(&f->view, a + b, value);
      ring_view_release(&f->view);
      value += a + b;
    }
    assert_int_equal(f->view.next, starts[i] + value - 1);
  }
}

/* Handlers in the middle of a callback, by hand: inner reservations are committed first. */
static void nested_commits_are_published_by_the_outermost(void **state) {
  struct fixture *f = *state;
  uint64_t outer, inner, innermost;
  start_at(f, 0, 64);
  assert_true(ring_reserve(&f->ring, 1, &outer));
  assert_true(ring_reserve(&f->ring, 3, &inner));
  assert_true(ring_reserve(&f->ring, 2, &innermost));
  ring_commit(&f->ring, innermost, 2);
  assert_int_equal(atomic_load(&f->slot->head), 0);
  ring_commit(&f->ring, inner, 3);
  assert_int_equal(atomic_load(&f->slot->head), 0);
  ring_commit(&f->ring, outer, 1);
  assert_int_equal(atomic_load(&f->slot->head), 6);
}

/* Impossible values of the application are refused, and what was seen before stays. */
static void impossible_heads_are_refused(void **state) {
  struct fixture *f = *state;
  static const struct {
    uint64_t head, mask;
  } wrong[] = {
      {1017, 15},          {999, 15},      {0, 15},         {UINT64_MAX, 15},   {1000, 14},
      {1000, 12},          {1000, 0x1fff}, {1000, 1 << 20}, {1000, UINT64_MAX}, {1000, UINT64_MAX - 1},
      {1000 + 4097, 4095},
  };
  start_at(f, 1000, 16);
  for (size_t i = 0; i < COUNT(wrong); i++) {
    atomic_store(&f->slot->head, wrong[i].head);
    atomic_store(&f->slot->mask, wrong[i].mask);
    assert_false(ring_view_update(&f->view));
    assert_int_equal(f->view.head, 1000);
    assert_int_equal(f->view.next, 1000);
  }
  atomic_store(&f->slot->head, 1016);
  atomic_store(&f->slot->mask, 15);
  assert_true(ring_view_update(&f->view));
  assert_int_equal(f->view.head, 1016);
  atomic_store(&f->slot->head, 1015); /* nothing was read since: it went back */
  assert_false(ring_view_update(&f->view));
  assert_int_equal(f->view.head, 1016);
}

/* Whatever position is requested, the reader stays in the ring that it has checked. */
static void readers_stay_inside(void **state) {
  struct fixture *f = *state;
  const struct record *first = f->records;
  start_at(f, UINT64_MAX - 3, 16);
  atomic_store(&f->slot->mask, CAPACITY_MAX - 1);
  assert_true(ring_view_update(&f->view));
  atomic_store(&f->slot->mask, UINT64_MAX);
  for (uint64_t i = 0; i < 100; i++)
    assert_in_range(ring_view_at(&f->view, UINT64_MAX - 50 + i) - first, 0, CAPACITY_MAX - 1);
}

/* Whether a ring of that capacity could grow where so many records are in it. */
static bool could_grow(struct fixture *fixture, uint64_t capacity, uint64_t records, unsigned quarters) {
  start_at(fixture, 5, capacity);
  put(&fixture->ring, records, 1);
  assert_true(ring_view_update(&fixture->view));
  return ring_view_could_grow(&fixture->view, quarters);
}

static void rings_could_grow_by_what_is_in_use(void **state) {
  for (unsigned quarters = 1; quarters < 4; quarters++) {
    assert_false(could_grow(*state, 64, 16 * quarters - 1, quarters));
    assert_true(could_grow(*state, 64, 16 * quarters, quarters));
  }
  assert_false(could_grow(*state, CAPACITY_MAX, CAPACITY_MAX, 1));
}

#define IN_RING(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_RING(committed_records_are_seen),
      IN_RING(the_limit_is_kept),
      cmocka_unit_test(a_ring_of_zeros_refuses_records),
      IN_RING(rings_wrap),
      IN_RING(nested_commits_are_published_by_the_outermost),
      IN_RING(rings_could_grow_by_what_is_in_use),
      IN_RING(impossible_heads_are_refused),
      IN_RING(readers_stay_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
