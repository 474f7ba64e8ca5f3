/* Who held which lock when, and since when it had been requested: the longest, if there are too many. Times
 * are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_LOCK_TABLE_H
#define STAVE_TIMELINE_CONTENT_LOCK_TABLE_H

#include "replay/replay.h"

/* One acquisition. */
struct lock_record {
  uint64_t lock;                          /* as in replay_lock_event */
  uint64_t requested, acquired, released; /* requested: equal to acquired if nobody had to wait */
  size_t location;                        /* that acquired it */
};

struct lock_table {
  struct lock_record *records;
  size_t count, capacity, limit;
  uint64_t all, shortest; /* in the window; shorter ones, from requested to released, are left out */
  uint64_t from, to;
  void (*seen)(void *data, const struct lock_record *record); /* each in the window; NULL: no observer */
  void *data;
};

void lock_table_begin(struct lock_table *ret, size_t limit, uint64_t from, uint64_t to);

/* Adds releases; a lock that is never released is not in the table. */
void lock_table_add(struct lock_table *table, const struct replay_lock_event *event);

/* Sorts by lock, then by the time of its acquisition. */
void lock_table_finish(struct lock_table *table);

/* Frees what it owns. */
void lock_table_free(struct lock_table *table);

#endif
