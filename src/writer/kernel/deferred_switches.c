#include "writer/kernel/deferred_switches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "writer/correlate/running.h"

enum { DEFERRED_MAX = 1 << 16 };

static struct deferred_switch with_id(struct deferred_switches *deferred, uint32_t slot,
                                      struct record record) {
  uint64_t number = deferred->ever++ & ((UINT64_C(1) << ID_POSITION_BITS) - 1);
  return (struct deferred_switch){id_base(RUNNING_SLOT | slot) + number, record};
}

void deferred_put(struct deferred_switches *deferred, uint32_t slot, struct record record) {
  array_reserve_zeroed(&deferred->records, &deferred->capacity, deferred->end + 1, sizeof *deferred->records);
  deferred->records[deferred->end++] = with_id(deferred, slot, record);
}

static int by_time(const void *first, const void *second) {
  const struct deferred_switch *a = first, *b = second;
  if (a->record.ticks != b->record.ticks)
    return a->record.ticks < b->record.ticks ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_new(struct deferred_switches *deferred) {
  size_t from = deferred->settled;
  uint64_t last = from > deferred->begin ? deferred->records[from - 1].record.ticks : 0;
  if (from < deferred->end)
    qsort(deferred->records + from, deferred->end - from, sizeof *deferred->records, by_time);
  for (size_t i = from; i < deferred->end && deferred->records[i].record.ticks < last; i++)
    deferred->records[i].record.ticks = last;
  deferred->settled = deferred->end;
}

static void make_room(struct deferred_switches *deferred) {
  size_t waiting = deferred->end - deferred->begin;
  if (waiting <= DEFERRED_MAX)
    return;
  deferred->dropped += waiting - DEFERRED_MAX;
  deferred->begin = deferred->end - DEFERRED_MAX;
  if (deferred->begin < DEFERRED_MAX)
    return;
  memcpy(deferred->records, deferred->records + deferred->begin, DEFERRED_MAX * sizeof *deferred->records);
  deferred->begin = 0;
  deferred->end = deferred->settled = DEFERRED_MAX;
}

void deferred_settle(struct deferred_switches *deferred) {
  sort_new(deferred);
  make_room(deferred);
}

static void hand_on(const struct deferred_switch *deferred, merge_sink sink, void *data) {
  sink(data, (uint32_t)(deferred->id >> ID_POSITION_BITS), deferred->id, &deferred->record, NULL);
}

void deferred_hand_on_now(struct deferred_switches *deferred, uint32_t slot, struct record record,
                          merge_sink sink, void *data) {
  struct deferred_switch now = with_id(deferred, slot, record);
  hand_on(&now, sink, data);
}

void deferred_hand_on(struct deferred_switches *deferred, uint64_t until, merge_sink sink, void *data) {
  for (; deferred->begin < deferred->settled && deferred->records[deferred->begin].record.ticks <= until;
       deferred->begin++) {
    uint64_t ticks = deferred->records[deferred->begin].record.ticks;
    if (deferred->dropped)
      deferred_hand_on_now(
          deferred, 0, (struct record){.ticks = ticks, .a = deferred->dropped, .endpoint = RUNNING_MISSED},
          sink, data);
    deferred->dropped = 0;
    hand_on(&deferred->records[deferred->begin], sink, data);
  }
  if (deferred->begin == deferred->end)
    deferred->begin = deferred->settled = deferred->end = 0;
}

void deferred_free(struct deferred_switches *deferred) {
  free(deferred->records);
  *deferred = (struct deferred_switches){0};
}
