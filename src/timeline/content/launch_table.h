/* What devices do, with the call that submits it and the call that waits until it is done: the longest, if
 * there are too many. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_LAUNCH_TABLE_H
#define STAVE_TIMELINE_CONTENT_LAUNCH_TABLE_H

#include "base/pair_map.h"
#include "trace/trace.h"

/* Where a call or an operation begins. */
struct launch_place {
  size_t location;
  uint64_t ticks;
};

struct launch_record {
  struct launch_place submitted; /* the call */
  struct launch_place started;   /* the operation, on its stream ... */
  uint64_t end;                  /* ... and where it ends */
  struct launch_place waited;    /* the call that waits for it; ticks 0: none */
};

struct launch_table {
  struct launch_record *records;
  size_t count, capacity, limit;
  uint64_t all, shortest; /* in the window; shorter ones are left out */
  uint64_t from, to;
  size_t matching, waited_by; /* attributes; SIZE_MAX: the trace has none */
  struct launch_place *calls; /* of the host, that have a matching id */
  size_t call_count, call_capacity;
  struct pair_map by_id;      /* these, by their matching ids */
  struct launch_record *open; /* by location: the operation that is in progress */
  size_t location_count;
};

void launch_table_begin(struct launch_table *ret, const struct trace *trace, size_t limit, uint64_t from,
                        uint64_t to);

/* Looks at the begins of calls and operations that have a matching id, and at the ends of operations. */
void launch_table_add(struct launch_table *table, const struct trace *trace, const struct trace_event *event);

/* Sorts by the time of submission. */
void launch_table_finish(struct launch_table *table);

/* Frees what it owns. */
void launch_table_free(struct launch_table *table);

#endif
