/* Counters that threads have read where regions begin and end: what has passed between two readings counts
 * for the region in which the thread was behind the first of them. Where that has ended without a reading, as
 * a worker's last barrier does, of which it is told later, it counts for none. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/collect.h"

enum { NOT_COUNTED = -1 };

static int number_of(struct collector *collector, const struct trace_metric_member *member) {
  struct report_counters *counters = &collector->report->counters;
  for (size_t i = 0; i < counters->count; i++)
    if (strcmp(counters->names[i], member->name) == 0)
      return (int)i;
  if (counters->count == REPORT_COUNTERS_MAX)
    return NOT_COUNTED;
  counters->names[counters->count] = member->name;
  return (int)counters->count++;
}

static struct report_counted *row_of(struct collector *collector, size_t location, uint32_t region) {
  struct report_counters *counters = &collector->report->counters;
  struct report_counted *row = pair_map_get(&collector->counted, location, region);
  if (row)
    return row;
  row = collector_get(collector, sizeof *row);
  struct report_counted **place = array_add(&counters->rows, &counters->row_count, sizeof *counters->rows);
  if (place)
    *place = row;
  collector->has_failed |= !place || !row || !pair_map_put(&collector->counted, location, region, row);
  if (!place)
    free(row);
  if (collector->has_failed)
    return NULL;
  *row = (struct report_counted){.region = region, .location = (uint32_t)location};
  return row;
}

/* The first of a reading's metrics. */
static void begin_reading(struct collector *collector, struct counter_state *state, size_t location,
                          uint64_t ticks) {
  uint64_t passed = state->has_values ? ticks - state->ticks : 0;
  state->row = row_of(collector, location, state->region);
  if (state->row && collector_is_inside(collector, ticks))
    state->row->ticks += passed;
  state->ticks = ticks;
  state->is_open = true;
  state->has_values = true;
}

/* Some writers count in floating point. */
static uint64_t value_of(const struct trace_event *event, uint32_t index) {
  struct trace_event_attribute value = trace_metric_value(event, index);
  if (trace_type_of(value.type) != TRACE_REAL)
    return value.number;
  return value.real > 0 && value.real < (double)INT64_MAX ? (uint64_t)value.real : 0;
}

/* A location that has counters alone has none of a thread's: a node's, say. */
void counters_finish(struct collector *collector) {
  struct report_counters *counters = &collector->report->counters;
  size_t kept = 0;
  for (size_t i = 0; i < counters->row_count; i++)
    if (collector->report->threads[counters->rows[i]->location].is_seen)
      counters->rows[kept++] = counters->rows[i];
    else
      free(counters->rows[i]);
  counters->row_count = kept;
  counters->count = kept > 0 ? counters->count : 0;
}

void counters_on_metric(struct collector *collector, const struct trace_event *event) {
  if (trace_location_is_metric(&collector->trace->locations[event->location]))
    return;
  struct counter_state *state = collector->locations[event->location].counters;
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    const struct trace_metric_member *member =
        trace_metric_member_of(collector->trace, event->Metric.metric, i);
    int number = member && trace_metric_is_counter(member) ? number_of(collector, member) : NOT_COUNTED;
    if (number == NOT_COUNTED)
      continue;
    if (!state) {
      state = collector->locations[event->location].counters = collector_get(collector, sizeof *state);
      if (!state)
        return;
      state->region = REPLAY_NONE;
    }
    if (!state->is_open || event->ticks > state->ticks)
      begin_reading(collector, state, event->location, event->ticks);
    uint64_t value = value_of(event, i), before = state->values[number];
    if (state->row && state->has_value[number] && value >= before &&
        collector_is_inside(collector, event->ticks))
      state->row->sums[number] += value - before;
    state->values[number] = value;
    state->has_value[number] = true;
  }
}

void counters_before_event(struct collector *collector, const struct trace_event *event,
                           const struct replay_now *now) {
  struct counter_state *state = collector->locations[event->location].counters;
  uint32_t region = now->frame ? now->frame->region : REPLAY_NONE;
  if (state->is_open && event->ticks > state->ticks) {
    state->region = region;
    state->is_open = false;
  }
  bool is_unread_leave = event->kind == TRACE_Leave && !state->is_open;
  if ((is_unread_leave && region == state->region) || event->kind == TRACE_MeasurementOnOff)
    state->region = REPLAY_NONE;
}
