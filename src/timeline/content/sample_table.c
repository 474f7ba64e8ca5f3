#include "timeline/content/sample_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

enum { FIRST_RESOLUTION = 1024 };

void sample_table_begin(struct sample_table *ret, const struct trace *trace, size_t limit, uint64_t from,
                        uint64_t to) {
  *ret = (struct sample_table){.limit = limit, .from = from, .to = to, .row_count = trace->location_count};
  ret->rows = memory_get(trace->location_count, sizeof *ret->rows);
}

/* -- keeping within the limit -- */

static bool is_same(const struct sample_record *one, const struct sample_record *other) {
  return one->context == other->context && one->activity == other->activity;
}

static int by_context(const void *one, const void *other) {
  const struct sample_record *first = one, *second = other;
  if (first->context != second->context)
    return first->context < second->context ? -1 : 1;
  return first->activity - second->activity;
}

/* Makes one of those that are the same. Returns how many are left. */
static size_t merge(struct sample_record *samples, size_t count) {
  uint64_t ticks = samples[0].ticks;
  size_t kept = 0;
  qsort(samples, count, sizeof *samples, by_context);
  for (size_t i = 0; i < count; i++) {
    struct sample_record *last = kept ? &samples[kept - 1] : NULL;
    if (last && is_same(last, &samples[i]) && samples[i].count < UINT32_MAX - last->count)
      last->count += samples[i].count;
    else
      samples[kept++] = samples[i];
  }
  for (size_t i = 0; i < kept; i++)
    samples[i].ticks = ticks;
  return kept;
}

static void coarsen_row(struct sample_row *row, uint64_t resolution) {
  size_t kept = 0;
  for (size_t i = 0, next; i < row->count; i = next) {
    for (next = i + 1;
         next < row->count && row->samples[next].ticks / resolution == row->samples[i].ticks / resolution;)
      next++;
    size_t left = merge(row->samples + i, next - i);
    for (size_t k = 0; k < left; k++)
      row->samples[kept++] = row->samples[i + k];
  }
  row->count = kept;
}

static void coarsen(struct sample_table *table) {
  while (table->count > table->limit / 4 * 3 && table->resolution < UINT64_MAX / 4) {
    table->resolution = table->resolution ? 2 * table->resolution : FIRST_RESOLUTION;
    table->count = 0;
    for (size_t i = 0; i < table->row_count; i++) {
      coarsen_row(&table->rows[i], table->resolution);
      table->count += table->rows[i].count;
    }
  }
}

/* -- samples -- */

static uint32_t position_of(const struct trace *trace, uint64_t ref) {
  const struct trace_context *context = trace_context(trace, ref);
  return context ? (uint32_t)(context - trace->contexts) : UINT32_MAX;
}

void sample_table_add(struct sample_table *table, const struct trace *trace, const struct trace_event *event,
                      enum activity activity) {
  if (event->ticks < table->from || event->ticks > table->to)
    return;
  struct sample_row *row = &table->rows[event->location];
  uint64_t last = row->count ? row->samples[row->count - 1].ticks : 0;
  table->all++;
  array_reserve(&row->samples, &row->capacity, row->count + 1, sizeof *row->samples);
  row->samples[row->count++] =
      (struct sample_record){.ticks = event->ticks > last ? event->ticks : last,
                             .context = position_of(trace, event->CallingContextSample.calling_context),
                             .count = 1,
                             .activity = (uint8_t)activity};
  if (table->seen)
    table->seen(table->data, event->location, &row->samples[row->count - 1]);
  if (++table->count > table->limit)
    coarsen(table);
}

void sample_table_free(struct sample_table *table) {
  for (size_t i = 0; i < table->row_count; i++)
    free(table->rows[i].samples);
  free(table->rows);
  *table = (struct sample_table){0};
}
