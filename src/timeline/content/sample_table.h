/* Samples of all locations: when, in which calling context and in which activity. Where there are too many,
 * those of one context and activity that lie close together become one. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_SAMPLE_TABLE_H
#define STAVE_TIMELINE_CONTENT_SAMPLE_TABLE_H

#include "trace/activity.h"
#include "trace/trace.h"

/* One or several samples. */
struct sample_record {
  uint64_t ticks;   /* of several, of the first of all between two multiples of the resolution */
  uint32_t context; /* position in the trace's contexts; UINT32_MAX: none */
  uint32_t count;
  uint8_t activity; /* what the location was doing */
};

/* Of one location, in the order of time. */
struct sample_row {
  struct sample_record *samples;
  size_t count, capacity;
};

struct sample_table {
  struct sample_row *rows; /* as the trace's locations */
  size_t row_count, count, limit;
  uint64_t from, to;
  uint64_t all;        /* in the window */
  uint64_t resolution; /* 0: nothing is merged */
  /* each in the window; NULL: no observer */
  void (*seen)(void *data, size_t location, const struct sample_record *sample);
  void *data;
};

void sample_table_begin(struct sample_table *ret, const struct trace *trace, size_t limit, uint64_t from,
                        uint64_t to);

/* Handles an event of the kind CallingContextSample. */
void sample_table_add(struct sample_table *table, const struct trace *trace, const struct trace_event *event,
                      enum activity activity);

/* Frees what it owns. */
void sample_table_free(struct sample_table *table);

#endif
