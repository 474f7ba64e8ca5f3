#include "timeline/content/condition_table.h"

#include <stave/names.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/events.h"

enum { FIRST_RESOLUTION = 64 };

void condition_table_begin(struct condition_table *ret, const struct trace *trace, size_t limit,
                           uint64_t from, uint64_t to) {
  *ret = (struct condition_table){.limit = limit, .from = from, .to = to, .row_count = trace->location_count};
  ret->rows = memory_get(trace->location_count, sizeof *ret->rows);
}

static void coarsen(struct condition_table *table) {
  while (table->count > table->limit / 4 * 3 && table->resolution < UINT64_MAX / 4) {
    table->resolution = table->resolution ? 2 * table->resolution : FIRST_RESOLUTION;
    table->count = 0;
    for (size_t i = 0; i < table->row_count; i++) {
      slice_track_coarsen(&table->rows[i].running, table->resolution);
      slice_track_coarsen(&table->rows[i].gaps, table->resolution);
      table->count += table->rows[i].running.count + table->rows[i].gaps.count;
    }
  }
}

static void add(struct condition_table *table, struct slice_track *track, enum condition condition,
                uint64_t begin, uint64_t end) {
  struct slice slice = {.begin = begin > table->from ? begin : table->from,
                        .end = end < table->to ? end : table->to,
                        .count = 1,
                        .region = condition};
  size_t before = track->count;
  if (condition == CONDITION_NONE || slice.end <= slice.begin)
    return;
  slice_track_add(track, &slice, table->resolution);
  table->count += track->count - before;
  if (table->count > table->limit)
    coarsen(table);
}

/* From now on a location is in another condition. */
static void change(struct condition_table *table, struct slice_track *track, struct condition_state *now,
                   enum condition condition, uint64_t ticks) {
  if (now->condition == condition)
    return;
  add(table, track, now->condition, now->since, ticks);
  *now = (struct condition_state){condition, ticks};
}

static void on_metric(struct condition_table *table, const struct trace *trace,
                      const struct trace_event *event) {
  struct condition_row *row = &table->rows[event->location];
  const struct trace_metric_member *member = trace_metric_member_of(trace, event->Metric.metric, 0);
  if (event->Metric.count != 1 || !member || strcmp(member->name, STAVE_METRIC_RUN_STATE) != 0)
    return;
  uint64_t state = trace_metric_value(event, 0).number;
  change(table, &row->running, &row->running_now,
         state == STAVE_RUN_STATE_PREEMPTED ? CONDITION_PREEMPTED
         : state == STAVE_RUN_STATE_BLOCKED ? CONDITION_BLOCKED
                                            : CONDITION_NONE,
         event->ticks);
}

/* Whether it runs is not known in a pause, nor after it until the next event of it. */
static void on_switch(struct condition_table *table, const struct trace_event *event) {
  struct condition_row *row = &table->rows[event->location];
  change(table, &row->running, &row->running_now, CONDITION_NONE, event->ticks);
  change(table, &row->gaps, &row->gap_now, trace_is_pause(event) ? CONDITION_PAUSED : CONDITION_NONE,
         event->ticks);
}

void condition_table_add(struct condition_table *table, const struct trace *trace,
                         const struct trace_event *event) {
  if (event->kind == TRACE_Metric)
    on_metric(table, trace, event);
  else if (event->kind == TRACE_MeasurementOnOff)
    on_switch(table, event);
  else if (event->kind == TRACE_BufferFlush)
    add(table, &table->rows[event->location].gaps, CONDITION_STALLED, event->ticks, event->BufferFlush.stop);
}

void condition_table_finish(struct condition_table *table, uint64_t to) {
  for (size_t i = 0; i < table->row_count; i++) {
    struct condition_row *row = &table->rows[i];
    change(table, &row->running, &row->running_now, CONDITION_NONE, to);
    change(table, &row->gaps, &row->gap_now, CONDITION_NONE, to);
  }
}

void condition_table_free(struct condition_table *table) {
  for (size_t i = 0; i < table->row_count; i++) {
    slice_track_free(&table->rows[i].running);
    slice_track_free(&table->rows[i].gaps);
  }
  free(table->rows);
  *table = (struct condition_table){0};
}
