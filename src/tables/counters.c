/* Counters and their values; and when the kernel let threads run, which comes as such. */
#include <string.h>

#include <stave/names.h>

#include "tables/tabulate.h"

enum { NOT_KNOWN = 255 };

void tabulate_counters(struct tabulator *tabulator) {
  const struct trace *trace = tabulator->trace;
  for (size_t i = 0; i < trace->metric_member_count; i++) {
    const struct trace_metric_member *member = &trace->metric_members[i];
    ROW(counters);
    counters[COLUMN_counters_id] = tabulate_id(tabulator, TABLE_counters, i);
    counters[COLUMN_counters_run] = tabulate_run(tabulator);
    counters[COLUMN_counters_name] = cell_text(member->name);
    counters[COLUMN_counters_unit] = cell_text(member->unit);
    counters[COLUMN_counters_description] = cell_text(member->description);
    counters[COLUMN_counters_kind] = cell_text(trace_metric_is_counter(member) ? "counter" : "value");
    row_write(tabulator->writer, TABLE_counters, counters);
  }
}

/* -- run states -- */

static const char *state_name(uint8_t state) {
  static const char *const names[] = {[STAVE_RUN_STATE_RUNS] = "runs",
                                      [STAVE_RUN_STATE_PREEMPTED] = "preempted",
                                      [STAVE_RUN_STATE_BLOCKED] = "blocked"};
  return state < sizeof names / sizeof *names ? names[state] : NULL;
}

static void write_state(struct tabulator *tabulator, size_t location, uint64_t end_ticks, bool has_end) {
  const struct tabulate_place *place = &tabulator->places[location];
  if (!place->has_state || (has_end && end_ticks <= place->state_ticks))
    return;
  ROW(run_states);
  run_states[COLUMN_run_states_run] = tabulate_run(tabulator);
  run_states[COLUMN_run_states_thread] = tabulate_id(tabulator, TABLE_threads, location);
  run_states[COLUMN_run_states_state] = cell_text(state_name(place->state));
  if (place->processor >= 0)
    run_states[COLUMN_run_states_processor] = cell_integer(place->processor);
  run_states[COLUMN_run_states_begin_ns] = tabulate_ns(tabulator, place->state_ticks);
  if (has_end)
    run_states[COLUMN_run_states_end_ns] = tabulate_ns(tabulator, end_ticks);
  row_write(tabulator->writer, TABLE_run_states, run_states);
}

/* State and processor come one by one, at one time where both change. */
static void change_state(struct tabulator *tabulator, const struct trace_event *event, bool is_processor,
                         uint64_t value) {
  struct tabulate_place *place = &tabulator->places[event->location];
  write_state(tabulator, event->location, event->ticks, true);
  if (!place->has_state) {
    place->state = NOT_KNOWN;
    place->processor = -1;
  }
  if (is_processor)
    place->processor = value <= INT64_MAX ? (int64_t)value : -1;
  else
    place->state = value < NOT_KNOWN ? (uint8_t)value : NOT_KNOWN;
  place->has_state = true;
  place->state_ticks = event->ticks;
}

void tabulate_states_finish(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->trace->location_count; i++)
    write_state(tabulator, i, 0, false);
}

/* -- values -- */

static struct cell value_cell(const struct trace_event_attribute *value) {
  switch (trace_type_of(value->type)) {
  case TRACE_SIGNED:
    return cell_integer((int64_t)value->number);
  case TRACE_REAL:
    return cell_real(value->real);
  case TRACE_NUMBER:
    return cell_number(value->number);
  case TRACE_TEXT:
    break;
  }
  return (struct cell){CELL_NULL, {0}};
}

static void write_value(struct tabulator *tabulator, const struct trace_event *event,
                        const struct trace_metric_member *member, const struct trace_event_attribute *value) {
  ROW(counter_values);
  counter_values[COLUMN_counter_values_run] = tabulate_run(tabulator);
  counter_values[COLUMN_counter_values_thread] = tabulate_id(tabulator, TABLE_threads, event->location);
  counter_values[COLUMN_counter_values_time_ns] = tabulate_ns(tabulator, event->ticks);
  if (member)
    counter_values[COLUMN_counter_values_counter] =
        tabulate_id(tabulator, TABLE_counters, (uint64_t)(member - tabulator->trace->metric_members));
  counter_values[COLUMN_counter_values_value] = value_cell(value);
  row_write(tabulator->writer, TABLE_counter_values, counter_values);
}

void tabulate_metric(struct tabulator *tabulator, const struct trace_event *event) {
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    const struct trace_metric_member *member =
        trace_metric_member_of(tabulator->trace, event->Metric.metric, i);
    struct trace_event_attribute value = trace_metric_value(event, i);
    bool is_state = member && strcmp(member->name, STAVE_METRIC_RUN_STATE) == 0;
    if (is_state || (member && strcmp(member->name, STAVE_METRIC_RUN_PROCESSOR) == 0))
      change_state(tabulator, event, !is_state, value.number);
    else
      write_value(tabulator, event, member, &value);
  }
}
