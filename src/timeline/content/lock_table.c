#include "timeline/content/lock_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/shortest.h"

void lock_table_begin(struct lock_table *ret, size_t limit, uint64_t from, uint64_t to) {
  *ret = (struct lock_table){.limit = limit, .from = from, .to = to};
}

static uint64_t length_of(const void *item) {
  const struct lock_record *record = item;
  return record->released - record->requested;
}

void lock_table_add(struct lock_table *table, const struct replay_lock_event *event) {
  uint64_t released = event->ticks > event->acquired_ticks ? event->ticks : event->acquired_ticks;
  if (event->step != REPLAY_LOCK_RELEASED || released < table->from || event->requested_ticks > table->to)
    return;
  const struct lock_record record = {event->lock, event->requested_ticks, event->acquired_ticks, released,
                                     event->location};
  table->all++;
  if (table->seen)
    table->seen(table->data, &record);
  if (released - event->requested_ticks < table->shortest)
    return;
  if (table->count >= table->limit)
    table->count = shortest_leave_out(table->records, table->count, sizeof *table->records, table->limit / 2,
                                      &table->shortest, length_of);
  array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records);
  table->records[table->count++] = record;
}

static int by_lock(const void *one, const void *other) {
  const struct lock_record *first = one, *second = other;
  if (first->lock != second->lock)
    return first->lock < second->lock ? -1 : 1;
  return first->acquired < second->acquired ? -1 : first->acquired > second->acquired;
}

void lock_table_finish(struct lock_table *table) {
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_lock);
}

void lock_table_free(struct lock_table *table) {
  free(table->records);
  *table = (struct lock_table){0};
}
