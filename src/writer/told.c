#include "writer/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/running.h"

enum { TOLD_MAX = 1 << 16 };

static struct told_record with_id(struct deferred_switches *told, uint32_t slot, struct record record) {
  uint64_t number = told->ever++ & ((UINT64_C(1) << ID_POSITION_BITS) - 1);
  return (struct told_record){id_base(RUNNING_SLOT | slot) + number, record};
}

void told_put(struct deferred_switches *told, uint32_t slot, struct record record) {
  memory_grow(&told->records, &told->capacity, told->end + 1, sizeof *told->records);
  told->records[told->end++] = with_id(told, slot, record);
}

static int by_time(const void *first, const void *second) {
  const struct told_record *a = first, *b = second;
  if (a->record.ticks != b->record.ticks)
    return a->record.ticks < b->record.ticks ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_new(struct deferred_switches *told) {
  size_t from = told->settled;
  uint64_t last = from > told->begin ? told->records[from - 1].record.ticks : 0;
  if (from < told->end)
    qsort(told->records + from, told->end - from, sizeof *told->records, by_time);
  for (size_t i = from; i < told->end && told->records[i].record.ticks < last; i++)
    told->records[i].record.ticks = last;
  told->settled = told->end;
}

static void make_room(struct deferred_switches *told) {
  size_t waiting = told->end - told->begin;
  if (waiting <= TOLD_MAX)
    return;
  told->dropped += waiting - TOLD_MAX;
  told->begin = told->end - TOLD_MAX;
  if (told->begin < TOLD_MAX)
    return;
  memcpy(told->records, told->records + told->begin, TOLD_MAX * sizeof *told->records);
  told->begin = 0;
  told->end = told->settled = TOLD_MAX;
}

void told_settle(struct deferred_switches *told) {
  sort_new(told);
  make_room(told);
}

static void hand_on(const struct told_record *told, merge_sink sink, void *data) {
  sink(data, (uint32_t)(told->id >> ID_POSITION_BITS), told->id, &told->record, NULL);
}

void told_at_once(struct deferred_switches *told, uint32_t slot, struct record record, merge_sink sink,
                  void *data) {
  struct told_record now = with_id(told, slot, record);
  hand_on(&now, sink, data);
}

void told_hand_on(struct deferred_switches *told, uint64_t until, merge_sink sink, void *data) {
  for (; told->begin < told->settled && told->records[told->begin].record.ticks <= until; told->begin++) {
    uint64_t ticks = told->records[told->begin].record.ticks;
    if (told->dropped)
      told_at_once(told, 0, (struct record){.ticks = ticks, .a = told->dropped, .endpoint = RUNNING_MISSED},
                   sink, data);
    told->dropped = 0;
    hand_on(&told->records[told->begin], sink, data);
  }
  if (told->begin == told->end)
    told->begin = told->settled = told->end = 0;
}

void told_free(struct deferred_switches *told) {
  free(told->records);
  *told = (struct deferred_switches){0};
}
