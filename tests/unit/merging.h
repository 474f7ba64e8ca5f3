/* What tests of the merge share: rings that are filled by hand, a merge whose records are kept, and threads
 * that pass a token on. */
#ifndef STAVE_TESTS_MERGING_H
#define STAVE_TESTS_MERGING_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "unit.h"

#include "session/ring.h"
#include "session/session.h"
#include "writer/pipeline/ring_merge.h"

enum {
  RING_BYTES = 64 << 10,
  CAPACITY = RING_BYTES / RECORD_BYTES,
  SLOTS_MOST = 2000,
  TAKEN_MOST = 1 << 16,
  BACKLOG_BYTES = 4 << 20,
  LARGEST_BYTES = 4 << 20,
};

struct taken {
  uint32_t slot;
  struct record record;
};

extern struct session_header *session;
extern struct merge *merge;
extern struct ring rings[SLOTS_MOST];
extern struct taken taken[TAKEN_MOST];
extern size_t taken_count;

/* A test's action during a pass. */
extern void (*during_pass)(void);

/* Records that came by runs: at most so many are accepted of one, so many were, the longest that was offered.
 */
struct runs {
  uint64_t most, records, longest;
};
extern struct runs runs;

/* Without a backlog, with one of BACKLOG_BYTES, with a log beside it, and where rings may grow to
 * LARGEST_BYTES. */
int merging_setup(void **state);
int merging_setup_with_backlog(void **state);
int merging_setup_with_log(void **state);
int merging_setup_with_growth(void **state);
int merging_teardown(void **state);

/* The same with a sink of the test's own, which does not keep what it is given in `taken`. */
int merging_start(uint64_t ring_bytes, uint64_t backlog_bytes, merge_sink to, void *data);

/* A ring of its own for the next `thread`, which begins at a position. */
struct thread_slot *attach(unsigned thread, uint64_t position);

/* The record's slots stay open until publish. */
struct record *put(unsigned thread, uint64_t ticks, uint64_t number, unsigned more);
void publish(unsigned thread);
void put_and_publish(unsigned thread, uint64_t ticks, uint64_t number);

bool has_room(unsigned thread);

/* Of the thread's ring, in records. */
void set_capacity(unsigned thread, uint64_t capacity);

/* Threads that make events one after another: who holds the token makes the next ones, each in any of the
 * RUNNERS rings, and passes it on. They pass it on seldom and sleep while they wait: beside threads that keep
 * the processors each change of threads may last as long as those run. */
enum { RUNNERS = 4, APART_MOST = 400, PASSED_ON = 50000, TURN_MOST = 1000 };

struct token {
  _Atomic uint64_t clock; /* number of the next event of all */
  _Atomic unsigned full;  /* 1 + the ring in which its holder waits for room; or 0 */
  _Atomic unsigned finished;
  sem_t turns[RUNNERS]; /* posted to who gets it */
  unsigned apart;       /* slots from ring to ring */
};

extern struct token token;

/* For who waits for the other side. */
void runners_nap(void);

/* Not before the merge goes on. */
bool runners_wait_for_room(void);

void start_runners(pthread_t *threads, unsigned apart);

/* All passes until they have ended; what was taken must be in the order in which it was made. */
void merge_until_they_are_done(pthread_t *threads);

#endif
