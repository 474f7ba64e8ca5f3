/* A thread's way into its ring (thread.c), with a reader that the test plays itself. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#include "fake_tool.h"
#include "numbered.h"
#include "tool/first_rings.h"
#include "tool/slots.h"

/* Where counters begin: at rest, before 2^32, before 2^64, and where a ring of 64 KiB grows immediately. */
static const uint64_t starts[] = {0, UINT64_C(0xfffff000), UINT64_MAX - 3000, 2047};

static struct ring_view view;
static struct numbered_check check;
static uint64_t next_number[STREAMS];

static void start(uint64_t ring_bytes, enum overflow_policy overflow, uint64_t position) {
  int fd;
  fake_tool_start(ring_bytes, overflow, &fd);
  close(fd);
  fake_tool_start_ring_at(position);
  ring_view_init(&view, session_slot(tool.session, 0),
                 session_ring(tool.session, tool.session->constants.slots_max, ring_bytes, 0),
                 ring_bytes / RECORD_BYTES);
  memset(&check, 0, sizeof check);
  next_number[STREAM_THREAD] = next_number[STREAM_HANDLER] = 0;
}

static void stop(void) {
  thread_detach();
  fake_tool_stop();
}

static bool put(uint64_t n) {
  return numbered_put(STREAM_THREAD, next_number[STREAM_THREAD]++, n);
}

static uint64_t lost(void) {
  return atomic_load(&view.slot->figures.lost);
}

static void read_some(uint64_t most) {
  numbered_read(&check, &view, most);
  assert_string_equal(check.problem, "");
}

static void expect_in_order(void) {
  read_some(UINT64_MAX);
}

static void the_first_event_gets_a_ring(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_block, 0);
  assert_true(put(1));
  assert_true(ring_view_update(&view));
  const struct record *attach = ring_view_at(&view, 0);
  assert_int_equal(attach->type, RECORD_attach);
  assert_int_equal(attach->a, syscall(SYS_gettid));
  assert_int_equal(slot_owner(view.slot), syscall(SYS_gettid));
  expect_in_order();
  assert_int_equal(check.arrived[STREAM_THREAD], 1);
  assert_int_equal(check.attaches, 1);
  thread_detach();
  assert_int_equal(slot_owner(view.slot), SLOT_FREE);
  thread_detach();
  fake_tool_stop();
}

static void *put_three(void *data) {
  (void)data;
  for (int i = 0; i < 3; i++)
    put(1 + i);
  thread_detach();
  return NULL;
}

/* A slot goes on at its position, for its next thread. */
static void slots_pass_from_thread_to_thread(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_block, UINT64_C(0xffffffff) - 20);
  for (unsigned i = 1; i <= 10; i++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, put_three, NULL), 0);
    pthread_join(thread, NULL);
    expect_in_order();
    assert_int_equal(check.attaches, i);
    assert_int_equal(check.arrived[STREAM_THREAD], 3 * i);
    assert_int_equal(check.missing[STREAM_THREAD], 0);
    assert_int_equal(slot_owner(view.slot), SLOT_FREE);
  }
  assert_int_equal(atomic_load(&tool.session->shared.slots_used), 1);
  fake_tool_stop();
}

static void *put_many(void *data) {
  for (unsigned i = 0; i < *(unsigned *)data; i++)
    put(1);
  thread_detach();
  return NULL;
}

static uint64_t ring_bytes_of_next_thread(uint32_t slot) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, put_three, NULL), 0);
  pthread_join(thread, NULL);
  return (atomic_load(&session_slot(tool.session, slot)->mask) + 1) * RECORD_BYTES;
}

static void further_slots_begin_small(void **state) {
  uint32_t slot = 0;
  (void)state;
  start(1 << 20, OVERFLOW_block, 0);
  for (uint32_t i = 0; i + 1 < tool.first_rings.large; i++)
    assert_non_null(slots_get((int32_t)syscall(SYS_gettid), &slot));
  assert_int_equal(ring_bytes_of_next_thread(slot + 1), RING_START_BYTES);
  assert_non_null(slots_get((int32_t)syscall(SYS_gettid), &slot));
  assert_int_equal(ring_bytes_of_next_thread(slot + 1), RING_START_SMALL_BYTES);
  fake_tool_stop();
}

static bool is_in_memory(void *memory, size_t bytes) {
  unsigned char pages[RING_START_BYTES / 4096];
  long page_bytes = sysconf(_SC_PAGESIZE);
  size_t count = bytes / (size_t)page_bytes;
  bool is_there = bytes > 0;
  assert_int_equal(mincore(memory, bytes, pages), 0);
  for (size_t i = 0; i < count; i++)
    is_there &= pages[i] & 1;
  return is_there;
}

/* As long as there is nothing else to do, and no further than threads are expected. */
static void memory_is_there_before_its_threads(void **state) {
  enum { STARTING, READY, THREADS = 3 };
  _Atomic uint32_t writer_state = READY;
  (void)state;
  start(1 << 20, OVERFLOW_block, 0);
  setenv("OMP_NUM_THREADS", "3,2", 1);
  first_rings_expect();
  unsetenv("OMP_NUM_THREADS");
  first_rings_populate_while(&writer_state, STARTING);
  assert_int_equal(tool.first_rings.populated, 0);
  atomic_store(&writer_state, STARTING);
  first_rings_populate_while(&writer_state, STARTING);
  assert_int_equal(tool.first_rings.populated, THREADS);
  for (uint32_t i = 0; i < THREADS; i++)
    assert_true(is_in_memory(tool.threads[i].mapped_ring, first_ring_bytes(i)));
  assert_null(tool.threads[THREADS].mapped_ring);
  fake_tool_stop();
}

/* The next thread shall not begin with a ring that is about to be full. */
static void full_slots_are_drained_first(void **state) {
  enum { CAPACITY = (64 << 10) / RECORD_BYTES };
  (void)state;
  for (unsigned unread = CAPACITY / 2 - 1; unread <= CAPACITY / 2; unread++) {
    pthread_t thread;
    unsigned events = unread - 1; /* and the attach record */
    start(64 << 10, OVERFLOW_block, 0);
    assert_int_equal(pthread_create(&thread, NULL, put_many, &events), 0);
    pthread_join(thread, NULL);
    assert_int_equal(slot_owner(view.slot), unread < CAPACITY / 2 ? SLOT_FREE : SLOT_ENDED);
    assert_int_equal(atomic_load(&tool.session->shared.slots_ended), unread < CAPACITY / 2 ? 0 : 1);
    expect_in_order();
    fake_tool_stop();
  }
}

/* -- threads that do not report their end -- */

static void *put_one(void *data) {
  (void)data;
  numbered_put(STREAM_THREAD, 0, 1);
  return NULL;
}

static void put_one_in_each_of(unsigned threads) {
  for (unsigned i = 0; i < threads; i++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, put_one, NULL), 0);
    pthread_join(thread, NULL);
  }
}

static void dead_threads_give_their_slots_back(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_block, 0);
  put_one_in_each_of(2000);
  assert_in_range(atomic_load(&tool.session->shared.slots_used), 1, 40);
  assert_int_equal(atomic_load(&tool.session->shared.figures.lost), 0);
  fake_tool_stop();
}

static pthread_barrier_t everybody_has_put, everybody_may_leave;

static void *put_and_stay(void *data) {
  put_one(NULL);
  *(struct thread **)data = thread_self;
  pthread_barrier_wait(&everybody_has_put);
  pthread_barrier_wait(&everybody_may_leave);
  thread_detach();
  return NULL;
}

/* Those that live keep their slots, however many die; there are at most twice as many slots as ever were
 * alive. */
static void living_threads_keep_their_slots(void **state) {
  enum { LIVING = 50 };
  (void)state;
  pthread_t threads[LIVING];
  struct thread *living[LIVING];
  start(64 << 10, OVERFLOW_block, 0);
  pthread_barrier_init(&everybody_has_put, NULL, LIVING + 1);
  pthread_barrier_init(&everybody_may_leave, NULL, LIVING + 1);
  for (int i = 0; i < LIVING; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, put_and_stay, &living[i]), 0);
  pthread_barrier_wait(&everybody_has_put);
  put_one_in_each_of(1000);
  assert_in_range(atomic_load(&tool.session->shared.slots_used), LIVING + 1, 2 * LIVING + 8);
  for (int i = 0; i < LIVING; i++)
    assert_true(slot_owner(living[i]->ring.slot) > 0);
  pthread_barrier_wait(&everybody_may_leave);
  for (int i = 0; i < LIVING; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(slot_owner(living[i]->ring.slot), SLOT_FREE);
  }
  fake_tool_stop();
}

static unsigned reserve_in_vain(unsigned most) {
  unsigned tries = 0;
  uint32_t index;
  while (tries < most && !slots_get((int32_t)syscall(SYS_gettid), &index))
    tries++;
  return tries;
}

/* All slots are taken, almost all by the living: who comes in vain looks rarely, since it costs, but it
 * does. */
static void full_pools_are_searched_again(void **state) {
  (void)state;
  uint32_t index;
  start(64 << 10, OVERFLOW_block, 0);
  while (atomic_load(&tool.session->shared.slots_used) < SESSION_SLOTS_MAX - 8)
    assert_non_null(slots_get((int32_t)syscall(SYS_gettid), &index));
  put_one_in_each_of(8);
  assert_in_range(reserve_in_vain(2 * SESSION_SLOTS_MAX), 1000, SESSION_SLOTS_MAX);
  fake_tool_stop();
}

static void without_a_slot_events_are_counted(void **state) {
  uint32_t index;
  (void)state;
  start(64 << 10, OVERFLOW_block, 0);
  while (session_get_slot(tool.session, (int32_t)syscall(SYS_gettid), &index))
    ;
  for (int i = 0; i < 5; i++)
    assert_false(put(1));
  assert_int_equal(atomic_load(&tool.session->shared.figures.lost), 5);
  fake_tool_stop();
}

/* Fills the ring until `least` events were dropped. */
static void overfill(uint64_t least) {
  while (lost() < least)
    put(1);
}

static void full_rings_drop_and_count(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(starts); i++) {
    start(64 << 10, OVERFLOW_drop, starts[i]);
    overfill(100);
    assert_int_equal(lost(), 100);
    assert_true(ring_view_update(&view));
    assert_int_equal(view.head - view.next, 2048);
    expect_in_order();
    assert_int_equal(check.gaps, 0);
    assert_int_equal(check.missing[STREAM_THREAD], 0);
    assert_true(put(1));
    expect_in_order();
    assert_int_equal(check.gaps, 1);
    assert_int_equal(check.lost, 100);
    assert_int_equal(check.missing[STREAM_THREAD], 100);
    stop();
  }
}

/* A long record that finds no room is dropped completely; a short one after it may still fit. */
static void long_records_are_dropped_completely(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_drop, 0);
  while (put(RECORD_SLOTS_MAX))
    ;
  expect_in_order();
  assert_int_equal(lost(), 1);
  assert_int_equal(check.missing[STREAM_THREAD], 0);
  assert_true(put(RECORD_SLOTS_MAX));
  expect_in_order();
  assert_int_equal(check.lost, 1);
  assert_int_equal(check.missing[STREAM_THREAD], 1);
  stop();
}

static void when_recording_stops_nothing_is_written(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_block, 0);
  assert_true(put(1));
  expect_in_order();
  uint64_t head = view.head;
  atomic_store(&tool.session->shared.stop_recording, 1);
  uint64_t before = next_number[STREAM_THREAD];
  while (put(1)) /* up to the next quarter mark it may go on */
    assert_true(next_number[STREAM_THREAD] - before <= 512);
  for (int i = 0; i < 3000; i++)
    assert_false(put(1));
  assert_true(ring_view_update(&view));
  assert_true(view.head - head <= 512);
  assert_int_equal(lost(), 3001);
  stop();
}

/* The writer reads nothing in it any more, but goes on with other rings. */
static void rings_that_were_given_up_are_not_waited_for(void **state) {
  unsigned before = fake_tool_gave_up();
  (void)state;
  start(64 << 10, OVERFLOW_block, 0);
  tool.constants.config.timeout = 1;
  assert_true(put(1));
  atomic_store(&view.slot->is_given_up, true);
  overfill(100);
  assert_int_equal(fake_tool_gave_up(), before);
  assert_int_equal(atomic_load(&tool.recording), RECORDING_ON);
  assert_int_equal(atomic_load(&view.slot->head), 2048);
  stop();
}

/* A ring of the largest size is followed by another one. */
static void memory_beyond_the_largest_ring_is_not_believed(void **state) {
  (void)state;
  start(64 << 10, OVERFLOW_drop, 0);
  atomic_store(&view.slot->prepared, 1 << 20);
  overfill(10);
  assert_int_equal(atomic_load(&view.slot->mask), 2047);
  assert_int_equal(atomic_load(&view.slot->head), 2048);
  stop();
}

/* Random lengths, a reader that is late by random amounts: rings grow with unread records of every
 * position in them. What was dropped is counted, what was not arrives. */
static void grow_at_random(uint64_t ring_bytes, uint64_t position, uint64_t *random) {
  start(ring_bytes, OVERFLOW_drop, position);
  uint64_t most = ring_bytes / RECORD_BYTES;
  for (int step = 0; step < 300; step++) {
    for (uint64_t n = next_random(random) % (most / 8); n > 0; n--)
      put(next_random(random) % 16 ? 1 + next_random(random) % 3
                                   : 1 + next_random(random) % RECORD_SLOTS_MAX);
    read_some(next_random(random) % most);
  }
  expect_in_order();
  assert_true(put(1));
  expect_in_order();
  assert_int_equal(check.missing[STREAM_THREAD], lost());
  assert_int_equal(check.lost, lost());
  assert_int_equal(check.arrived[STREAM_THREAD] + lost(), next_number[STREAM_THREAD]);
  stop();
}

static void rings_grow_around_what_is_unread(void **state) {
  uint64_t random = 99;
  (void)state;
  for (uint64_t ring_bytes = 64 << 10; ring_bytes <= 1 << 20; ring_bytes *= 4)
    for (size_t i = 0; i < COUNT(starts); i++)
      grow_at_random(ring_bytes, starts[i], &random);
}

/* The ring's head is `offset` slots before a place where it may grow, more than half full; then come n
 * slots. */
static void grow_at(uint64_t boundary, uint64_t offset, uint64_t n) {
  enum { START = RING_START_BYTES / RECORD_BYTES };
  start(1 << 20, OVERFLOW_drop, boundary - START / 2 - 300);
  assert_true(put(1));
  expect_in_order();
  while (atomic_load(&view.slot->head) < boundary - offset)
    assert_true(put(1));
  assert_int_equal(atomic_load(&view.slot->mask), START - 1);
  assert_true(atomic_load(&view.slot->head) - atomic_load(&view.slot->tail) >= START / 2);
  assert_true(put(n));
  assert_true(offset < n || put(1)); /* a reservation that ends at the quarter mark requests nothing */
  assert_int_equal(atomic_load(&view.slot->mask), 2 * START - 1);
  expect_in_order();
  assert_int_equal(check.missing[STREAM_THREAD], 0);
  assert_int_equal(check.arrived[STREAM_THREAD], next_number[STREAM_THREAD]);
  stop();
}

static void growth_moves_nothing(void **state) {
  enum { START = RING_START_BYTES / RECORD_BYTES };
  (void)state;
  for (uint64_t n = 1; n <= 8; n++)
    for (uint64_t offset = 0; offset <= n; offset++)
      for (uint64_t multiple = 1; multiple <= 5; multiple += 2)
        grow_at(multiple * START, offset, n);
}

static long faults(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_minflt;
}

/* Of stores to each page of memory that another process has got; with a load in each 64 KiB before, which
 * maps more than one page on kernels that map around. */
static long faults_of_stores(int fd, uint64_t offset, uint64_t bytes, bool looks_first) {
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
  assert_true(memory != MAP_FAILED);
  long before = faults();
  for (uint64_t i = 0; i < bytes && looks_first; i += 64 << 10)
    (void)*(volatile char *)(memory + i);
  for (uint64_t i = 0; i < bytes; i += 4096)
    *(volatile char *)(memory + i) = 0;
  long count = faults() - before;
  munmap(memory, bytes);
  return count;
}

static void the_writers_memory_is_mapped_with_the_ring(void **state) {
  enum { RING = 1 << 20, RECORDS = RING / RECORD_BYTES };
  struct session_header *writers;
  int fd;
  (void)state;
  fake_tool_start(RING, OVERFLOW_block, &fd);
  fake_tool_start_ring_at(0);
  assert_int_equal(session_map(fd, &writers), 0);
  struct record *ring = session_ring(writers, writers->constants.slots_max, RING, 0);
  assert_true(session_populate(ring, RING));
  ring_view_init(&view, session_slot(tool.session, 0), ring, RECORDS);
  memset(&check, 0, sizeof check);
  next_number[STREAM_THREAD] = 0;
  assert_true(put(1));
  ring_view_prepare(&view, RECORDS);
  long before = faults();
  for (int i = 0; i < 3 * RECORDS; i++) {
    assert_true(put(1));
    if (i % 1024 == 0)
      expect_in_order();
  }
  long mine = faults() - before;
  expect_in_order();
  assert_int_equal(atomic_load(&view.slot->mask), RECORDS - 1);
  const uint64_t begin = (uint64_t)((char *)ring - (char *)writers);
  long of_stores = faults_of_stores(fd, begin, RING, false),
       of_looks = faults_of_stores(fd, begin, RING, true);
  close(fd);
  session_unmap(writers, writers->constants.bytes);
  stop();
  if (of_looks > of_stores / 2)
    skip();                                            /* this kernel maps nothing around */
  assert_in_range(mine, 0, of_stores - of_stores / 4); /* a sanitizer has faults of its own */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_event_gets_a_ring),
      cmocka_unit_test(slots_pass_from_thread_to_thread),
      cmocka_unit_test(further_slots_begin_small),
      cmocka_unit_test(memory_is_there_before_its_threads),
      cmocka_unit_test(full_slots_are_drained_first),
      cmocka_unit_test(dead_threads_give_their_slots_back),
      cmocka_unit_test(living_threads_keep_their_slots),
      cmocka_unit_test(full_pools_are_searched_again),
      cmocka_unit_test(without_a_slot_events_are_counted),
      cmocka_unit_test(full_rings_drop_and_count),
      cmocka_unit_test(long_records_are_dropped_completely),
      cmocka_unit_test(when_recording_stops_nothing_is_written),
      cmocka_unit_test(rings_that_were_given_up_are_not_waited_for),
      cmocka_unit_test(memory_beyond_the_largest_ring_is_not_believed),
      cmocka_unit_test(rings_grow_around_what_is_unread),
      cmocka_unit_test(growth_moves_nothing),
      cmocka_unit_test(the_writers_memory_is_mapped_with_the_ring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
