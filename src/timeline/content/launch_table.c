#include "timeline/content/launch_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/shortest.h"

enum { CALLS_MAX = 1 << 22 };

static size_t find_attribute(const struct trace *trace, const char *name) {
  for (size_t i = 0; i < trace->attribute_count; i++)
    if (strcmp(trace->attributes[i].name, name) == 0)
      return i;
  return SIZE_MAX;
}

static bool has_devices(const struct trace *trace) {
  for (size_t i = 0; i < trace->location_count; i++)
    if (trace_location_is_device(&trace->locations[i]))
      return true;
  return false;
}

void launch_table_begin(struct launch_table *ret, const struct trace *trace, size_t limit, uint64_t from,
                        uint64_t to) {
  *ret = (struct launch_table){.limit = limit,
                               .from = from,
                               .to = to,
                               .matching = find_attribute(trace, "matching id"),
                               .waited_by = find_attribute(trace, "waited by"),
                               .location_count = trace->location_count};
  if (ret->matching == SIZE_MAX || !has_devices(trace))
    return;
  ret->open = memory_get(trace->location_count, sizeof *ret->open);
}

static uint64_t attribute_of(const struct trace *trace, const struct trace_event *event, size_t requested) {
  for (uint32_t i = 0; requested != SIZE_MAX && i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    if (trace_attribute(trace, attribute.attribute) == &trace->attributes[requested])
      return attribute.number;
  }
  return 0;
}

/* -- calls -- */

static const struct launch_place *call_of(const struct launch_table *table, uint64_t id) {
  uintptr_t number = id ? (uintptr_t)pair_map_get(&table->by_id, 0, id) : 0;
  return number ? &table->calls[number - 1] : NULL;
}

static void add_call(struct launch_table *table, const struct trace_event *event, uint64_t id) {
  if (id == 0 || table->call_count >= CALLS_MAX)
    return;
  array_reserve(&table->calls, &table->call_capacity, table->call_count + 1, sizeof *table->calls);
  table->calls[table->call_count++] = (struct launch_place){event->location, event->ticks};
  pair_map_put(&table->by_id, 0, id, (void *)(uintptr_t)table->call_count);
}

/* -- operations -- */

static uint64_t length_of(const void *item) {
  const struct launch_record *record = item;
  return record->end - record->started.ticks;
}

static void keep(struct launch_table *table, const struct launch_record *record) {
  if (record->end < table->from || record->submitted.ticks > table->to)
    return;
  table->all++;
  if (record->end - record->started.ticks < table->shortest)
    return;
  if (table->count >= table->limit)
    table->count = shortest_leave_out(table->records, table->count, sizeof *table->records, table->limit / 2,
                                      &table->shortest, length_of);
  array_reserve(&table->records, &table->capacity, table->count + 1, sizeof *table->records);
  table->records[table->count++] = *record;
}

static void begin(struct launch_table *table, const struct trace_event *event, uint64_t id) {
  const struct launch_place *call = call_of(table, id);
  table->open[event->location] = (struct launch_record){0};
  if (id)
    table->open[event->location].started = (struct launch_place){event->location, event->ticks};
  if (call)
    table->open[event->location].submitted = *call;
}

static void end(struct launch_table *table, const struct trace *trace, const struct trace_event *event) {
  struct launch_record *open = &table->open[event->location];
  const struct launch_place *waiting = call_of(table, attribute_of(trace, event, table->waited_by));
  if (open->submitted.ticks == 0) { /* no call is known: it is one that is left out */
    table->all += open->started.ticks > 0;
    *open = (struct launch_record){0};
    return;
  }
  open->end = event->ticks > open->started.ticks ? event->ticks : open->started.ticks;
  if (waiting)
    open->waited = *waiting;
  keep(table, open);
  *open = (struct launch_record){0};
}

void launch_table_add(struct launch_table *table, const struct trace *trace,
                      const struct trace_event *event) {
  if (!table->open)
    return;
  bool is_device = trace_location_is_device(&trace->locations[event->location]);
  if (event->kind == TRACE_Enter && !is_device)
    add_call(table, event, attribute_of(trace, event, table->matching));
  else if (!is_device)
    return;
  else if (event->kind == TRACE_Enter)
    begin(table, event, attribute_of(trace, event, table->matching));
  else if (event->kind == TRACE_RmaGet)
    begin(table, event, event->RmaGet.matching_id);
  else if (event->kind == TRACE_RmaPut)
    begin(table, event, event->RmaPut.matching_id);
  else if (event->kind == TRACE_Leave || event->kind == TRACE_RmaOpCompleteBlocking ||
           event->kind == TRACE_RmaOpCompleteNonBlocking)
    end(table, trace, event);
}

static int by_submission(const void *one, const void *other) {
  const struct launch_record *first = one, *second = other;
  if (first->submitted.ticks != second->submitted.ticks)
    return first->submitted.ticks < second->submitted.ticks ? -1 : 1;
  return first->started.ticks < second->started.ticks ? -1 : first->started.ticks > second->started.ticks;
}

void launch_table_finish(struct launch_table *table) {
  if (table->count)
    qsort(table->records, table->count, sizeof *table->records, by_submission);
}

void launch_table_free(struct launch_table *table) {
  pair_map_free(&table->by_id);
  free(table->calls);
  free(table->open);
  free(table->records);
  *table = (struct launch_table){0};
}
