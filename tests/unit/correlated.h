/* Records in, events out: the writer from correlate() to the calls of OTF2 runs as it is, the archive and the
 * symbols are played. What each test of a subject in src/writer/correlate/ builds on. */
#ifndef STAVE_TESTS_CORRELATED_H
#define STAVE_TESTS_CORRELATED_H

#include "session/records.h"
#include "writer/correlate/correlate.h"

/* Where the constructs of the tests are: addresses that no module has. */
enum { AT_PARALLEL = 0x1000, AT_WORK = 0x2000, AT_TASK = 0x3000, AT_LOCK = 0x4000 };

/* cmocka's fixtures: a correlator that has seen nothing. */
int correlated_setup(void **state);
int correlated_teardown(void **state);

#define CORRELATED(test) cmocka_unit_test_setup_teardown(test, correlated_setup, correlated_teardown)

/* The correlator, to set what the writer sets and to look at its figures. */
struct correlator *correlated(void);

/* Gives it the next record of a slot, with `count` further words (NULL: none). Returns the record's id. */
uint64_t feed(uint32_t slot, const void *record, const uint64_t *words, unsigned count);

/* FEED(slot, at, row, .field = value ...) */
#define FEED(slot, at, row, ...)                                                                             \
  feed(slot, &(const struct record_##row){.ticks = (at), .type = RECORD_##row, __VA_ARGS__}, NULL, 0)

/* A thread attaches to the slot and begins. */
void begin_thread(uint32_t slot, uint64_t at, uint32_t thread_type);

/* The thread of the slot encounters a parallel region; returns its id. */
uint64_t fork_team(uint32_t slot, uint64_t at);

/* Member `index` of `size` begins. */
void begin_member(uint32_t slot, uint64_t at, uint64_t parallel, uint32_t size, uint32_t index);

/* An implicit barrier at a region's end. */
void begin_barrier(uint32_t slot, uint64_t at);
void end_barrier(uint32_t slot, uint64_t at);

/* The implicit task of member `index` ends. */
void end_member(uint32_t slot, uint64_t at, uint32_t index);

/* The parallel region ends on its encountering thread. */
void join_team(uint32_t slot, uint64_t at);

/* The process is over. Needed before expect_events. */
void finish(void);

/* What was written on the location, one event as "TIME KIND FIELDS {ATTRIBUTES}", with ", " between: regions
 * by their names without "!$omp ", all else by number. Not shown: the program's own begin, end and region. */
void expect_events(uint32_t location, const char *expected);

/* All of it. */
void expect_all_events(uint32_t location, const char *expected);

/* The same as a text, the caller's to free. */
char *written_events(uint32_t location);

/* From now on no record's events are written by one call (event_writer_put_created and so on), or they are.
 */
void write_one_by_one(bool is_so);

#endif
