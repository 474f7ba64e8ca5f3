/* Which task had to wait for which by their depend clauses, as arrows: from where the first one was complete
 * to where the other one began. Of pairs whose first task is complete before the second is created there is
 * none. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_DEPENDENCE_TABLE_H
#define STAVE_TIMELINE_CONTENT_DEPENDENCE_TABLE_H

#include "replay/links.h"

struct dependence_record {
  struct replay_moment from, to; /* completion, begin */
};

struct dependence_table {
  struct dependence_record *records;
  size_t count, capacity, limit;
  uint64_t all;    /* that end in the window */
  uint64_t stride; /* each so many-th is kept */
  uint64_t from, to;
};

void dependence_table_begin(struct dependence_table *ret, size_t limit, uint64_t from, uint64_t to);

/* Handles a link of any kind. */
void dependence_table_link(struct dependence_table *table, const struct replay_link *link);

/* Sorts by the first time. */
void dependence_table_finish(struct dependence_table *table);

/* Frees what it owns. */
void dependence_table_free(struct dependence_table *table);

#endif
