#include "timeline/content/message_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/shortest.h"

void message_table_begin(struct message_table *ret, size_t limit, uint64_t from, uint64_t to) {
  *ret = (struct message_table){.limit = limit, .from = from, .to = to};
}

static bool is_in_window(const struct message_table *table, uint64_t begin, uint64_t end) {
  return end >= table->from && begin <= table->to;
}

/* -- messages -- */

static uint64_t length_of(const void *item) {
  const struct message_record *record = item;
  return record->end - record->begin;
}

void message_table_add(struct message_table *table, const struct mpi_message *message) {
  uint64_t begin = message->send.begin_ticks, end = message->receive.end_ticks;
  end = end > begin ? end : begin; /* clocks may be wrong against each other */
  if (!is_in_window(table, begin, end))
    return;
  const struct message_record record = {.begin = begin,
                                        .end = end,
                                        .bytes = message->send.bytes,
                                        .from = message->send.started.location,
                                        .to = message->receive.ended.location,
                                        .tag = message->tag};
  table->all_messages++;
  if (table->message)
    table->message(table->data, &record);
  if (end - begin < table->shortest)
    return;
  if (table->message_count >= table->limit)
    table->message_count = shortest_leave_out(table->messages, table->message_count, sizeof *table->messages,
                                              table->limit / 2, &table->shortest, length_of);
  array_reserve(&table->messages, &table->message_capacity, table->message_count + 1,
                sizeof *table->messages);
  table->messages[table->message_count++] = record;
}

/* -- collective operations -- */

static void make_room_for_parts(struct message_table *table) {
  while (table->part_count > table->limit / 2 && table->shortest_operation < UINT64_MAX) {
    size_t kept = 0;
    table->shortest_operation = shortest_next(table->shortest_operation);
    for (size_t i = 0; i < table->operation_count; i++) {
      struct operation_record *record = &table->operations[i];
      if (record->end - record->begin >= table->shortest_operation) {
        table->operations[kept++] = *record;
      } else {
        table->part_count -= record->part_count;
        free(record->parts);
      }
    }
    table->operation_count = kept;
  }
}

static struct operation_record record_of(const struct mpi_operation *operation) {
  struct operation_record record = {.begin = UINT64_MAX,
                                    .region = operation->members[0].started.region,
                                    .parts = memory_get(operation->member_count, sizeof *record.parts),
                                    .part_count = operation->member_count};
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    record.begin = member->begin_ticks < record.begin ? member->begin_ticks : record.begin;
    record.end = member->end_ticks > record.end ? member->end_ticks : record.end;
    record.parts[i] = (struct operation_part){member->begin_ticks, member->end_ticks, member->ended.location};
  }
  return record;
}

/* Whether the record is the table's now. */
static bool keep(struct message_table *table, const struct operation_record *record) {
  if (!is_in_window(table, record->begin, record->end))
    return false;
  table->all_operations++;
  if (table->operation)
    table->operation(table->data, record);
  if (record->end - record->begin < table->shortest_operation || record->part_count > table->limit / 2)
    return false;
  if (table->part_count + record->part_count > table->limit)
    make_room_for_parts(table);
  array_reserve(&table->operations, &table->operation_capacity, table->operation_count + 1,
                sizeof *table->operations);
  table->operations[table->operation_count++] = *record;
  table->part_count += record->part_count;
  return true;
}

void message_table_add_operation(struct message_table *table, const struct mpi_operation *operation) {
  if (operation->member_count < 2)
    return;
  struct operation_record record = record_of(operation);
  if (!keep(table, &record))
    free(record.parts);
}

/* -- the end -- */

static int by_begin(const void *one, const void *other) {
  const struct message_record *first = one, *second = other;
  if (first->begin != second->begin)
    return first->begin < second->begin ? -1 : 1;
  return first->from < second->from ? -1 : first->from > second->from;
}

static int operations_by_begin(const void *one, const void *other) {
  const struct operation_record *first = one, *second = other;
  return first->begin < second->begin ? -1 : first->begin > second->begin;
}

static int parts_by_location(const void *one, const void *other) {
  const struct operation_part *first = one, *second = other;
  return first->location < second->location ? -1 : first->location > second->location;
}

void message_table_finish(struct message_table *table) {
  if (table->message_count > 1)
    qsort(table->messages, table->message_count, sizeof *table->messages, by_begin);
  if (table->operation_count > 1)
    qsort(table->operations, table->operation_count, sizeof *table->operations, operations_by_begin);
  for (size_t i = 0; i < table->operation_count; i++)
    qsort(table->operations[i].parts, table->operations[i].part_count, sizeof *table->operations[i].parts,
          parts_by_location);
}

void message_table_free(struct message_table *table) {
  for (size_t i = 0; i < table->operation_count; i++)
    free(table->operations[i].parts);
  free(table->operations);
  free(table->messages);
  *table = (struct message_table){0};
}
