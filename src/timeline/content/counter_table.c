#include "timeline/content/counter_table.h"

#include <math.h>
#include <stave/names.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "trace/events.h"

enum { FIRST_RESOLUTION = 64 };

void counter_table_begin(struct counter_table *ret, size_t limit, uint64_t from) {
  *ret = (struct counter_table){.limit = limit, .from = from};
}

static bool is_counter(const struct trace_metric_member *member) {
  return member && strcmp(member->name, STAVE_METRIC_RUN_STATE) != 0 &&
         strcmp(member->name, STAVE_METRIC_RUN_PROCESSOR) != 0;
}

static struct counter_series *make_series(struct counter_table *table, size_t location,
                                          const struct trace_metric_member *member) {
  struct counter_series *made = memory_get(1, sizeof *made);
  *made = (struct counter_series){.location = location, .member = member};
  *(struct counter_series **)array_add(&table->series, &table->count, sizeof *table->series) = made;
  pair_map_put(&table->places, location, member->ref, made);
  return made;
}

static void merge(struct counter_point *into, const struct counter_point *next) {
  into->least = fmin(into->least, next->least);
  into->most = fmax(into->most, next->most);
  into->last = next->last;
  into->count = next->count < UINT32_MAX - into->count ? into->count + next->count : UINT32_MAX;
}

static bool can_merge(const struct counter_table *table, const struct counter_point *last,
                      const struct counter_point *next) {
  return table->resolution > 0 && last->ticks / table->resolution == next->ticks / table->resolution;
}

static void coarsen_series(const struct counter_table *table, struct counter_series *series) {
  size_t kept = 0;
  for (size_t i = 0; i < series->count; i++)
    if (kept && can_merge(table, &series->points[kept - 1], &series->points[i]))
      merge(&series->points[kept - 1], &series->points[i]);
    else
      series->points[kept++] = series->points[i];
  series->count = kept;
}

/* Until a quarter is free again, or each series is one point. */
static void coarsen(struct counter_table *table) {
  while (table->point_count > table->limit / 4 * 3 && table->point_count > table->count &&
         table->resolution < UINT64_MAX / 4) {
    table->resolution = table->resolution ? 2 * table->resolution : FIRST_RESOLUTION;
    table->point_count = 0;
    for (size_t i = 0; i < table->count; i++) {
      coarsen_series(table, table->series[i]);
      table->point_count += table->series[i]->count;
    }
  }
}

static void add_point(struct counter_table *table, struct counter_series *series,
                      const struct counter_point *point) {
  struct counter_point *last = series->count ? &series->points[series->count - 1] : NULL;
  if (last && last->ticks >= point->ticks && point->ticks <= table->from) {
    *last = *point; /* of what was before the window only the last matters */
    return;
  }
  if (last && can_merge(table, last, point)) {
    merge(last, point);
    return;
  }
  array_reserve(&series->points, &series->capacity, series->count + 1, sizeof *point);
  series->points[series->count++] = *point;
  table->point_count++;
}

static double number_of(const struct trace_event_attribute *value) {
  enum trace_type type = trace_type_of(value->type);
  return type == TRACE_REAL     ? value->real
         : type == TRACE_SIGNED ? (double)(int64_t)value->number
                                : (double)value->number;
}

void counter_table_add(struct counter_table *table, const struct trace *trace,
                       const struct trace_event *event) {
  for (uint32_t i = 0; i < event->Metric.count; i++) {
    const struct trace_metric_member *member = trace_metric_member_of(trace, event->Metric.metric, i);
    struct trace_event_attribute value = trace_metric_value(event, i);
    double number = number_of(&value);
    if (!is_counter(member) || !isfinite(number))
      continue;
    struct counter_series *series = pair_map_get(&table->places, event->location, member->ref);
    series = series ? series : make_series(table, event->location, member);
    uint64_t ticks = event->ticks > table->from ? event->ticks : table->from;
    struct counter_point point = {ticks, number, number, number, 1};
    add_point(table, series, &point);
  }
  if (table->point_count > table->limit)
    coarsen(table);
}

void counter_table_free(struct counter_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->series[i]->points);
    free(table->series[i]);
  }
  free(table->series);
  pair_map_free(&table->places);
  *table = (struct counter_table){0};
}
