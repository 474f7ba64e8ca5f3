#include "merging.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/pipeline/record_log.h"

struct session_header *session;
struct merge *merge;
struct ring rings[SLOTS_MOST];
struct taken taken[TAKEN_MOST];
size_t taken_count;

void (*during_pass)(void);
struct runs runs;

static uint64_t word_of(const struct record *record, unsigned i) {
  return record->a * 1000 + i;
}

static void sink(void *data, uint32_t slot, uint64_t id, const struct record *record, const uint64_t *words) {
  assert_ptr_equal(data, taken);
  assert_int_equal(id, ((uint64_t)slot << 40) + record->b);
  for (unsigned i = 0; i < 4u * record->more; i++)
    assert_int_equal(words[i], word_of(record, i));
  assert_true(taken_count < TAKEN_MOST);
  taken[taken_count++] = (struct taken){slot, *record};
  if (during_pass)
    during_pass();
}

/* Accepts no more than so many, so that the merge goes on in the middle of what it has offered. */
static uint64_t run_sink(void *data, uint32_t slot, uint64_t id, const struct record *records, uint64_t n) {
  uint64_t done = n < runs.most ? n : runs.most;
  for (uint64_t i = 0; i < done; i++) {
    assert_int_equal(records[i].more, 0);
    sink(data, slot, id + i, &records[i], NULL);
  }
  runs.records += done;
  runs.longest = n > runs.longest ? n : runs.longest;
  return done;
}

int merging_start(uint64_t ring_bytes, uint64_t backlog_bytes, merge_sink to, void *data) {
  int fd;
  if (session_create(ring_bytes, SESSION_SLOTS_MAX, &session, &fd) < 0)
    return -1;
  close(fd);
  merge = merge_create(session, backlog_bytes, to, NULL, data);
  runs = (struct runs){.most = 3};
  if (to == sink)
    merge_set_run_sink(merge, run_sink);
  taken_count = 0;
  during_pass = NULL;
  return 0;
}

int merging_setup(void **state) {
  (void)state;
  return merging_start(RING_BYTES, 0, sink, taken);
}

int merging_setup_with_backlog(void **state) {
  (void)state;
  return merging_start(RING_BYTES, BACKLOG_BYTES, sink, taken);
}

static struct record_log *log_of_records;
static _Atomic uint32_t log_is_complete;
static char log_folder[64];

int merging_setup_with_log(void **state) {
  (void)state;
  strcpy(log_folder, "/tmp/stave-test-merge-XXXXXX");
  if (!mkdtemp(log_folder) || merging_start(RING_BYTES, BACKLOG_BYTES, sink, taken) < 0)
    return -1;
  log_of_records = record_log_open(log_folder, 0, &log_is_complete);
  merge_set_log(merge, log_of_records);
  return log_of_records ? 0 : -1;
}

int merging_setup_with_growth(void **state) {
  (void)state;
  return merging_start(LARGEST_BYTES, BACKLOG_BYTES, sink, taken);
}

int merging_teardown(void **state) {
  (void)state;
  merge_destroy(merge);
  if (log_of_records && !record_log_is_complete(log_of_records))
    return -1;
  record_log_close(log_of_records);
  if (log_of_records)
    rmdir(log_folder);
  log_of_records = NULL;
  session_unmap(session, session->constants.bytes);
  return 0;
}

struct thread_slot *attach(unsigned thread, uint64_t position) {
  uint32_t index;
  struct thread_slot *slot = session_get_slot(session, 1, &index);
  assert_non_null(slot);
  assert_int_equal(index, thread);
  atomic_store(&slot->head, position);
  atomic_store(&slot->tail, position);
  atomic_store(&slot->mask, CAPACITY - 1);
  rings[thread] = (struct ring){
      slot, session_ring(session, session->constants.slots_max, session->constants.ring_bytes, index),
      CAPACITY - 1, position, position};
  return slot;
}

struct record *put(unsigned thread, uint64_t ticks, uint64_t number, unsigned more) {
  struct ring *ring = &rings[thread];
  uint64_t position;
  ring_reserve(ring, 1 + more, &position); /* room is the test's business */
  struct record *record = ring_at(ring, position);
  *record =
      (struct record){.ticks = ticks, .a = number, .b = position, .type = RECORD_work, .more = (uint8_t)more};
  for (unsigned i = 0; i < 4 * more; i++)
    ((uint64_t *)ring_at(ring, position + 1 + i / 4))[i % 4] = word_of(record, i);
  return record;
}

void publish(unsigned thread) {
  atomic_store_explicit(&rings[thread].slot->head, rings[thread].reserved, memory_order_release);
}

void put_and_publish(unsigned thread, uint64_t ticks, uint64_t number) {
  put(thread, ticks, number, 0);
  publish(thread);
}

struct token token;

bool has_room(unsigned thread) {
  return rings[thread].reserved - atomic_load_explicit(&rings[thread].slot->tail, memory_order_acquire) <
         CAPACITY;
}

void set_capacity(unsigned thread, uint64_t capacity) {
  atomic_store(&rings[thread].slot->mask, capacity - 1);
  rings[thread].mask = capacity - 1;
}

void runners_nap(void) {
  enum { NAP_US = 50 };
  usleep(NAP_US);
}

bool runners_wait_for_room(void) {
  unsigned full = atomic_load(&token.full);
  const struct thread_slot *slot = full ? rings[full - 1].slot : NULL;
  return slot && atomic_load(&slot->head) - atomic_load(&slot->tail) >= CAPACITY;
}

/* The merge makes it. */
static void wait_for_room(unsigned thread) {
  if (has_room(thread))
    return;
  atomic_store(&token.full, 1 + thread);
  while (!has_room(thread))
    runners_nap();
  atomic_store(&token.full, 0);
}

/* Events in the runners' rings, by who holds the token: each happens after all before it. Numbers are drawn
 * for as long as the merge reads the heads. False: all are made. */
static bool make_some(uint64_t *random) {
  enum { DRAWS = 1000 };
  for (uint64_t left = 1 + next_random(random) % TURN_MOST; left > 0; left--) {
    uint64_t now = atomic_load_explicit(&token.clock, memory_order_relaxed);
    unsigned thread = (unsigned)(next_random(random) % RUNNERS) * token.apart;
    if (now == PASSED_ON)
      return false;
    wait_for_room(thread);
    for (unsigned i = 0; i < DRAWS; i++)
      next_random(random);
    put_and_publish(thread, now, now);
    atomic_store_explicit(&token.clock, now + 1, memory_order_relaxed);
  }
  return true;
}

/* Passes the token on to another one each time, at the end as well, so that all return. */
static void *run_with_token(void *data) {
  unsigned self = (unsigned)(uintptr_t)data;
  uint64_t random = self + 1;
  for (bool goes_on = true; goes_on;) {
    sem_wait(&token.turns[self]);
    goes_on = make_some(&random);
    unsigned step = goes_on ? 1 + (unsigned)(next_random(&random) % (RUNNERS - 1)) : 1;
    if (!goes_on)
      atomic_store(&token.finished, 1);
    sem_post(&token.turns[(self + step) % RUNNERS]);
  }
  return NULL;
}

void start_runners(pthread_t *threads, unsigned apart) {
  memset(&token, 0, sizeof token);
  token.apart = apart;
  for (unsigned i = 0; i < RUNNERS * apart; i++)
    attach(i, 0);
  for (unsigned i = 0; i < RUNNERS; i++)
    assert_int_equal(sem_init(&token.turns[i], 0, i == 0), 0);
  for (unsigned i = 0; i < RUNNERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, run_with_token, (void *)(uintptr_t)i), 0);
}

void merge_until_they_are_done(pthread_t *threads) {
  bool is_over;
  do {
    is_over = atomic_load(&token.finished);
    if (merge_pass(merge) == 0)
      runners_nap();
  } while (!is_over);
  for (unsigned i = 0; i < RUNNERS; i++)
    pthread_join(threads[i], NULL);
  for (unsigned i = 0; i < RUNNERS; i++)
    sem_destroy(&token.turns[i]);
  while (merge_pass(merge) > 0) {
  }
  assert_int_equal(taken_count, PASSED_ON);
  for (size_t i = 0; i < taken_count; i++)
    assert_int_equal(taken[i].record.a, i);
}
