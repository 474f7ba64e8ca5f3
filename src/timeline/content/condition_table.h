/* When threads did not run, as far as the archive has it (STAVE_SYSTEM), and when nothing was recorded of
 * them: in pauses, and while they waited for the tracer. Times are in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_CONDITION_TABLE_H
#define STAVE_TIMELINE_CONTENT_CONDITION_TABLE_H

#include "timeline/content/slice_track.h"
#include "trace/trace.h"

enum condition {
#define CONDITION(id, name, meaning) CONDITION_##id,
#include "timeline/content/page.def"
};

/* What a location is in, and since when. */
struct condition_state {
  enum condition condition;
  uint64_t since;
};

/* Of one location. A slice's region is its condition. */
struct condition_row {
  struct slice_track running; /* preempted, blocked */
  struct slice_track gaps;    /* paused, stalled */
  struct condition_state running_now, gap_now;
};

struct condition_table {
  struct condition_row *rows; /* as the trace's locations */
  size_t row_count, count, limit;
  uint64_t from, to;
  uint64_t resolution; /* what is shorter may be merged; 0: nothing is */
};

void condition_table_begin(struct condition_table *ret, const struct trace *trace, size_t limit,
                           uint64_t from, uint64_t to);

/* Looks at events of the kinds Metric, MeasurementOnOff and BufferFlush. */
void condition_table_add(struct condition_table *table, const struct trace *trace,
                         const struct trace_event *event);

/* Ends what is open at `to`. */
void condition_table_finish(struct condition_table *table, uint64_t to);

/* Frees what it owns. */
void condition_table_free(struct condition_table *table);

#endif
