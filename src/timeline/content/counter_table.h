/* The values that counters of a trace had over time: the program's own and those of processors and kernel,
 * location by location. Where there are too many, neighbours become one point that knows their least and
 * most. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_COUNTER_TABLE_H
#define STAVE_TIMELINE_CONTENT_COUNTER_TABLE_H

#include "base/pair_map.h"
#include "trace/trace.h"

struct counter_point {
  uint64_t ticks; /* of the first value */
  double least, most, last;
  uint32_t count; /* values */
};

struct counter_series {
  size_t location;
  const struct trace_metric_member *member;
  struct counter_point *points; /* in the order of time */
  size_t count, capacity;
};

struct counter_table {
  struct counter_series **series; /* in the order in which they began */
  size_t count, point_count, limit;
  uint64_t from;          /* earlier values count as if they had come then */
  uint64_t resolution;    /* values of so many ticks may be one point; 0: none are */
  struct pair_map places; /* of locations and members */
};

void counter_table_begin(struct counter_table *ret, size_t limit, uint64_t from);

/* Adds the values of an event of the kind Metric. Stave's metrics about the run states of threads are no
 * counters (condition_table.h). */
void counter_table_add(struct counter_table *table, const struct trace *trace,
                       const struct trace_event *event);

/* Frees what it owns. */
void counter_table_free(struct counter_table *table);

#endif
