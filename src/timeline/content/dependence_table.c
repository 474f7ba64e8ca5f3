#include "timeline/content/dependence_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

void dependence_table_begin(struct dependence_table *ret, size_t limit, uint64_t from, uint64_t to) {
  *ret = (struct dependence_table){.limit = limit, .stride = 1, .from = from, .to = to};
}

/* Keeps every other one until at least half of the room is free. */
static void make_room(struct dependence_table *table) {
  while (table->count > 1 && table->count > table->limit / 2) {
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i += 2)
      table->records[kept++] = table->records[i];
    table->count = kept;
    table->stride *= 2;
  }
}

void dependence_table_link(struct dependence_table *table, const struct replay_link *link) {
  const struct replay_moment *from = &link->from, *to = &link->to;
  if (link->kind != REPLAY_LINK_DEPENDENCE || to->ticks < table->from || from->ticks > table->to ||
      table->all++ % table->stride)
    return;
  if (table->count >= table->limit && table->limit > 0)
    make_room(table);
  array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records);
  table->records[table->count++] = (struct dependence_record){*from, *to};
}

static int by_time(const void *one, const void *other) {
  const struct dependence_record *first = one, *second = other;
  if (first->from.ticks != second->from.ticks)
    return first->from.ticks < second->from.ticks ? -1 : 1;
  return first->to.ticks < second->to.ticks ? -1 : first->to.ticks > second->to.ticks;
}

void dependence_table_finish(struct dependence_table *table) {
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_time);
}

void dependence_table_free(struct dependence_table *table) {
  free(table->records);
  *table = (struct dependence_table){0};
}
