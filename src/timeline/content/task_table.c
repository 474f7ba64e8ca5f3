#include "timeline/content/task_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/shortest.h"

void task_table_begin(struct task_table *ret, size_t limit, uint64_t from, uint64_t to) {
  *ret = (struct task_table){.limit = limit, .from = from, .to = to};
}

static void discard(struct task_record *record) {
  free(record->pieces);
  *record = (struct task_record){0};
}

/* -- tasks that live -- */

static struct task_record *live_record(struct task_table *table, uint32_t slot) {
  array_reserve_zeroed(&table->live, &table->live_count, (size_t)slot + 1, sizeof *table->live);
  return &table->live[slot];
}

static void create(struct task_record *record, const struct replay_task_event *event) {
  discard(record);
  record->created = event->ticks;
  record->created_on = event->location;
}

static void begin_piece(struct task_record *record, const struct replay_task_event *event) {
  if (record->piece_count == TASK_MAX_PIECES)
    return;
  struct task_piece *piece = array_add(&record->pieces, &record->piece_count, sizeof *piece);
  *piece = (struct task_piece){event->ticks, event->ticks, event->location};
  record->is_running = true;
}

static void end_piece(struct task_record *record, uint64_t ticks) {
  if (!record->is_running)
    return;
  struct task_piece *piece = &record->pieces[record->piece_count - 1];
  if (ticks > piece->begin)
    piece->end = ticks;
  if (piece->end - piece->begin > record->longest)
    record->longest = piece->end - piece->begin;
  record->is_running = false;
}

/* -- tasks that are over -- */

static bool is_in_window(const struct task_table *table, const struct task_record *record) {
  if (record->created >= table->from && record->created <= table->to)
    return true;
  for (size_t i = 0; i < record->piece_count; i++)
    if (record->pieces[i].end >= table->from && record->pieces[i].begin <= table->to)
      return true;
  return false;
}

/* Leaves out the shorter tasks until at least half of the room is free. */
static void make_room(struct task_table *table) {
  while (table->count > table->limit / 2 && table->shortest < UINT64_MAX) {
    table->shortest = shortest_next(table->shortest);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
      if (table->records[i].longest >= table->shortest)
        table->records[kept++] = table->records[i];
      else
        discard(&table->records[i]);
    }
    table->count = kept;
  }
}

/* Moves the record to those that are over, or leaves it out. */
static void keep(struct task_table *table, struct task_record *record) {
  bool is_requested = is_in_window(table, record);
  table->all += is_requested;
  if (table->over)
    table->over(table->data, record);
  if (!is_requested || record->longest < table->shortest) {
    discard(record);
    return;
  }
  if (table->count >= table->limit)
    make_room(table);
  array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records);
  table->records[table->count++] = *record;
  *record = (struct task_record){0};
}

static void complete(struct task_table *table, struct task_record *record,
                     const struct replay_task_event *event) {
  const struct replay_task *task = event->task;
  end_piece(record, event->ticks);
  record->is_complete = true;
  record->region = task->region != REPLAY_NONE ? task->region : task->create_region;
  keep(table, record);
}

void task_table_update(struct task_table *table, const struct replay_task_event *event) {
  struct task_record *record = live_record(table, event->task->slot);
  switch (event->step) {
  case REPLAY_TASK_CREATED:
    create(record, event);
    record->region = event->task->create_region;
    record->thread = event->task->thread;
    record->generation = event->task->generation;
    break;
  case REPLAY_TASK_STARTED:
  case REPLAY_TASK_RESUMED:
    if (record->generation != 0)
      begin_piece(record, event);
    break;
  case REPLAY_TASK_SUSPENDED:
    end_piece(record, event->ticks);
    break;
  case REPLAY_TASK_COMPLETED:
    if (record->generation != 0)
      complete(table, record, event);
    break;
  }
}

static int by_creation(const void *one, const void *other) {
  const struct task_record *first = one, *second = other;
  if (first->created != second->created)
    return first->created < second->created ? -1 : 1;
  return first->generation < second->generation ? -1 : first->generation > second->generation;
}

void task_table_finish(struct task_table *table, uint64_t ticks) {
  for (size_t i = 0; i < table->live_count; i++) {
    end_piece(&table->live[i], ticks);
    if (table->live[i].generation != 0)
      keep(table, &table->live[i]);
  }
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_creation);
}

void task_table_free(struct task_table *table) {
  for (size_t i = 0; i < table->count; i++)
    discard(&table->records[i]);
  for (size_t i = 0; i < table->live_count; i++)
    discard(&table->live[i]);
  free(table->records);
  free(table->live);
  *table = (struct task_table){0};
}
