#include "timeline/content/transfer_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/shortest.h"

void transfer_table_begin(struct transfer_table *ret, size_t limit, uint64_t from, uint64_t to) {
  *ret = (struct transfer_table){.limit = limit, .from = from, .to = to};
}

static uint64_t length_of(const void *item) {
  const struct transfer_record *record = item;
  return record->end - record->begin;
}

static void begin(struct transfer_table *table, const struct trace_event *event, uint64_t matching_id,
                  uint64_t bytes, enum transfer_kind kind) {
  struct transfer_record *record = pair_map_get(&table->open, event->location, matching_id);
  if (!record) {
    record = memory_get(1, sizeof *record);
    pair_map_put(&table->open, event->location, matching_id, record);
  }
  *record = (struct transfer_record){
      .begin = event->ticks, .bytes = bytes, .location = event->location, .kind = kind};
}

static void keep(struct transfer_table *table, const struct transfer_record *record) {
  if (record->end < table->from || record->begin > table->to)
    return;
  table->all++;
  if (record->end - record->begin < table->shortest)
    return;
  if (table->count >= table->limit)
    table->count = shortest_leave_out(table->records, table->count, sizeof *table->records, table->limit / 2,
                                      &table->shortest, length_of);
  array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records);
  table->records[table->count++] = *record;
}

static void end(struct transfer_table *table, const struct trace_event *event, uint64_t matching_id) {
  struct transfer_record *record = pair_map_remove(&table->open, event->location, matching_id);
  if (!record)
    return;
  record->end = event->ticks > record->begin ? event->ticks : record->begin;
  keep(table, record);
  free(record);
}

void transfer_table_add(struct transfer_table *table, const struct trace_event *event) {
  if (event->kind == TRACE_RmaGet)
    begin(table, event, event->RmaGet.matching_id, event->RmaGet.bytes, TRANSFER_GET);
  else if (event->kind == TRACE_RmaPut)
    begin(table, event, event->RmaPut.matching_id, event->RmaPut.bytes, TRANSFER_PUT);
  else if (event->kind == TRACE_RmaAtomic)
    begin(table, event, event->RmaAtomic.matching_id,
          event->RmaAtomic.bytes_sent + event->RmaAtomic.bytes_received, TRANSFER_ATOMIC);
  else if (event->kind == TRACE_RmaOpCompleteBlocking || event->kind == TRACE_RmaOpCompleteNonBlocking ||
           event->kind == TRACE_RmaOpCompleteRemote) /* the first counts; all have the same fields */
    end(table, event, event->RmaOpCompleteBlocking.matching_id);
}

static int by_place(const void *one, const void *other) {
  const struct transfer_record *first = one, *second = other;
  if (first->location != second->location)
    return first->location < second->location ? -1 : 1;
  return first->begin < second->begin ? -1 : first->begin > second->begin;
}

void transfer_table_finish(struct transfer_table *table) {
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_place);
}

void transfer_table_free(struct transfer_table *table) {
  for (size_t i = 0; i < table->open.capacity; i++)
    free(table->open.entries[i].value);
  pair_map_free(&table->open);
  free(table->records);
  *table = (struct transfer_table){0};
}
