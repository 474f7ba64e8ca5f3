/* Counters that threads have read where regions begin and end: what has passed between two readings counts
 * for the region in which the thread was after the first of them. Where that has ended without a reading, as
 * a worker's last barrier does, which is reported later, it counts for none. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"

enum { NOT_COUNTED = -1 };

/* The counters that a thread has read last. */
struct counter_state {
  uint64_t ticks;             /* when */
  bool has_values, is_open;   /* is_open: what happens at that time is still to come */
  uint32_t region;            /* in which it was after that; REPLAY_NONE: in none, or it has left it */
  struct report_counted *row; /* that the reading counts for */
  bool has_value[REPORT_COUNTERS_MAX];
  uint64_t values[REPORT_COUNTERS_MAX];
};

struct counters {
  struct counter_state **states; /* by location; NULL: it has read none so far */
  struct pair_map rows;          /* by location and region */
};

static struct counters *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, counters);
}

static void prepare(struct collector *collector) {
  size_t count = collector->trace->location_count;
  state_of(collector)->states = memory_get(count, sizeof *state_of(collector)->states);
  analyser_watch(collector, ANALYSER_counters, false); /* until there is a reading */
}

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
  struct report_counted *row = pair_map_get(&state_of(collector)->rows, location, region);
  if (row)
    return row;
  row = memory_get(1, sizeof *row);
  *(struct report_counted **)array_add(&counters->rows, &counters->row_count, sizeof *counters->rows) = row;
  pair_map_put(&state_of(collector)->rows, location, region, row);
  *row = (struct report_counted){.region = region, .location = (uint32_t)location};
  return row;
}

/* The first of a reading's metrics. */
static void begin_reading(struct collector *collector, struct counter_state *state, size_t location,
                          uint64_t ticks) {
  uint64_t passed = state->has_values ? ticks - state->ticks : 0;
  state->row = row_of(collector, location, state->region);
  if (collector_is_inside(collector, ticks))
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

/* A location that has counters alone has none of a thread's: a node's, for example. */
static void finish(struct collector *collector) {
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

static void before_other(struct collector *collector, const struct trace_event *event) {
  if (trace_location_is_metric(&collector->trace->locations[event->location]))
    return;
  struct counter_state *state = state_of(collector)->states[event->location];
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    const struct trace_metric_member *member =
        trace_metric_member_of(collector->trace, event->Metric.metric, i);
    int number = member && trace_metric_is_counter(member) ? number_of(collector, member) : NOT_COUNTED;
    if (number == NOT_COUNTED)
      continue;
    if (!state) {
      state = state_of(collector)->states[event->location] = memory_get(1, sizeof *state);
      state->region = REPLAY_NONE;
      analyser_watch(collector, ANALYSER_counters, true);
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

static void before_every(struct collector *collector, const struct trace_event *event, uint32_t region,
                         struct replay_now *now) {
  struct counter_state *state = state_of(collector)->states[event->location];
  (void)region;
  if (!state)
    return;
  uint32_t around = now->frame ? now->frame->region : REPLAY_NONE;
  if (state->is_open && event->ticks > state->ticks) {
    state->region = around;
    state->is_open = false;
  }
  bool is_unread_leave = event->kind == TRACE_Leave && !state->is_open;
  if ((is_unread_leave && around == state->region) || event->kind == TRACE_MeasurementOnOff)
    state->region = REPLAY_NONE;
}

static void release(struct collector *collector) {
  struct counters *counters = state_of(collector);
  for (size_t i = 0; counters->states && i < collector->trace->location_count; i++)
    free(counters->states[i]);
  free(counters->states);
  pair_map_free(&counters->rows);
}

static bool observes_kind(enum trace_kind kind) {
  return kind == TRACE_Metric;
}

const struct analyser counters_analyser = {.state_bytes = sizeof(struct counters),
                                           .observes_kind = observes_kind,
                                           .prepare = prepare,
                                           .before_every = before_every,
                                           .before_other = before_other,
                                           .finish = finish,
                                           .release = release};

/* -- for those who read -- */

/* As Stave, which adds ":u" where the user's own code alone counts, and PAPI call it. */
static int number_named(const struct report_counters *counters, const char *name, const char *papi) {
  size_t length = strlen(name);
  for (size_t i = 0; i < counters->count; i++) {
    const char *found = counters->names[i];
    bool is_named =
        strncmp(found, name, length) == 0 && (!found[length] || strcmp(found + length, ":u") == 0);
    if (is_named || strcmp(found, papi) == 0)
      return (int)i;
  }
  return COUNTER_NONE;
}

int report_counter_instructions(const struct report_counters *counters) {
  return number_named(counters, "instructions", "PAPI_TOT_INS");
}

int report_counter_cycles(const struct report_counters *counters) {
  return number_named(counters, "cycles", "PAPI_TOT_CYC");
}

/* Of the last cache before memory, by the names that are surest. */
int report_counter_memory(const struct report_counters *counters) {
  int found = number_named(counters, "LLC-load-misses", "PAPI_L3_TCM");
  return found != COUNTER_NONE ? found : number_named(counters, "cache-misses", "PAPI_L3_TCM");
}

static void add(struct report_counter_sums *sums, const struct report_counted *row) {
  sums->rows++;
  sums->ticks += row->ticks;
  sums->ticks_most = row->ticks > sums->ticks_most ? row->ticks : sums->ticks_most;
  for (int i = 0; i < REPORT_COUNTERS_MAX; i++) {
    sums->sums[i] += row->sums[i];
    sums->most[i] = row->sums[i] > sums->most[i] ? row->sums[i] : sums->most[i];
  }
}

void report_counters_by_region(const struct report_counters *counters, size_t regions,
                               struct report_counter_sums *ret) {
  for (size_t i = 0; i < counters->row_count; i++)
    add(&ret[counters->rows[i]->region < regions ? counters->rows[i]->region : regions], counters->rows[i]);
}

void report_counters_by_thread(const struct report_counters *counters, struct report_counter_sums *ret) {
  for (size_t i = 0; i < counters->row_count; i++)
    add(&ret[counters->rows[i]->location], counters->rows[i]);
}

void report_counters_free(struct report_counters *counters) {
  for (size_t i = 0; i < counters->row_count; i++)
    free(counters->rows[i]);
  free(counters->rows);
  *counters = (struct report_counters){0};
}
