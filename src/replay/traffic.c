#include "replay/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void traffic_begin(struct traffic *ret, const struct trace *trace, uint64_t from, uint64_t to) {
  *ret = (struct traffic){.trace = trace, .from = from, .to = to};
}

/* An item of an array by the place that the map has for two numbers, or a new one, all zero. */
static void *item_of(struct pair_map *places, uint64_t high, uint64_t low, void *items_address, size_t *count,
                     size_t item_bytes) {
  uintptr_t known = (uintptr_t)pair_map_get(places, high, low);
  unsigned char *items;
  memcpy(&items, items_address, sizeof items);
  if (known)
    return items + (known - 1) * item_bytes;
  void *item = array_add(items_address, count, item_bytes);
  pair_map_put(places, high, low, (void *)(uintptr_t)*count);
  return item;
}

static uint32_t process_of(const struct traffic *traffic, size_t location) {
  const struct trace *trace = traffic->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  return (uint32_t)(group ? (size_t)(group - trace->location_groups) : trace->location_group_count);
}

static bool is_in_window(const struct traffic *traffic, uint64_t begin, uint64_t end) {
  return end >= traffic->from && begin <= traffic->to;
}

static uint64_t in_window(const struct traffic *traffic, uint64_t begin, uint64_t end) {
  uint64_t first = begin > traffic->from ? begin : traffic->from;
  uint64_t last = end < traffic->to ? end : traffic->to;
  return last > first ? last - first : 0;
}

/* -- calls -- */

/* NULL: it is none. */
static struct traffic_call *call_of(struct traffic *traffic, const struct mpi_call *call) {
  if (call->id == 0 || call->region == UINT32_MAX)
    return NULL;
  uint32_t process = process_of(traffic, call->location);
  struct traffic_call *item = item_of(&traffic->call_places, (uint64_t)process << 32 | call->region,
                                      call->site, &traffic->calls, &traffic->call_count, sizeof *item);
  item->process = process;
  item->region = call->region;
  item->site = call->site;
  return item;
}

void traffic_left(struct traffic *traffic, const struct mpi_call *call, uint64_t leave_ticks) {
  struct traffic_call *item =
      is_in_window(traffic, call->enter_ticks, leave_ticks) ? call_of(traffic, call) : NULL;
  if (!item)
    return;
  item->count++;
  item->ticks += in_window(traffic, call->enter_ticks, leave_ticks);
}

/* A call waits for all that ends in it at the same time, so what it has waited before counts once. */
static void add_wait(struct traffic *traffic, const struct mpi_call *call, struct mpi_ending *ending,
                     uint64_t begin, uint64_t wait) {
  uint64_t counted = in_window(traffic, begin, begin + wait), before = ending ? ending->waited : 0;
  struct traffic_call *item = counted > before ? call_of(traffic, call) : NULL;
  if (!item)
    return;
  item->wait += counted - before;
  if (ending)
    ending->waited = counted;
}

/* -- messages -- */

/* Clocks of processes may differ. */
static uint64_t wait_of(const struct mpi_message *message, uint64_t end) {
  uint64_t sent = message->send.begin_ticks < end ? message->send.begin_ticks : end;
  uint64_t began = message->receive.ended.enter_ticks;
  return message->receive.ended.id > 0 && sent > began ? sent - began : 0;
}

/* Whether the send was over before a receive was posted. */
static bool is_early(const struct mpi_message *message) {
  uint64_t posted = message->receive.begin_ticks;
  return (message->send.has_request && message->send.end_ticks <= posted) || mpi_has_left(message, posted);
}

static uint64_t since(uint64_t ticks, uint64_t begin) {
  return ticks > begin ? ticks - begin : 0;
}

static uint64_t sender_wait_of(const struct mpi_message *message) {
  return is_early(message) ? 0 : since(message->receive.begin_ticks, message->send.ended.enter_ticks);
}

static uint64_t early_of(const struct mpi_message *message) {
  return is_early(message) ? since(message->receive.begin_ticks, message->send.begin_ticks) : 0;
}

static void add_to_pair(struct traffic *traffic, const struct mpi_message *message, uint64_t ticks,
                        uint64_t wait) {
  uint32_t from = process_of(traffic, message->send.started.location);
  uint32_t to = process_of(traffic, message->receive.ended.location);
  struct traffic_pair *pair =
      item_of(&traffic->pair_places, from, to, &traffic->pairs, &traffic->pair_count, sizeof *pair);
  pair->from = from;
  pair->to = to;
  pair->messages++;
  pair->bytes += message->send.bytes;
  pair->ticks += ticks;
  pair->longest = ticks > pair->longest ? ticks : pair->longest;
  pair->wait += wait;
  pair->sender_wait += sender_wait_of(message);
  pair->early += early_of(message);
}

static void add_wait_of_end(struct traffic *traffic, const struct mpi_end *end, uint64_t wait) {
  add_wait(traffic, &end->ended, end->ending, end->ended.enter_ticks, wait);
}

void traffic_message(struct traffic *traffic, const struct mpi_message *message) {
  uint64_t begin = message->send.begin_ticks, end = message->receive.end_ticks;
  if (!is_in_window(traffic, begin, end > begin ? end : begin))
    return;
  uint64_t wait = wait_of(message, end);
  add_to_pair(traffic, message, end > begin ? end - begin : 0, wait);
  add_wait_of_end(traffic, &message->receive, wait);
  add_wait_of_end(traffic, &message->send, sender_wait_of(message));
  struct traffic_call *sender = message->send.bytes > 0 ? call_of(traffic, &message->send.started) : NULL;
  if (sender)
    sender->bytes += message->send.bytes;
}

/* -- collective operations -- */

static const struct mpi_member *last_of(const struct mpi_operation *operation) {
  const struct mpi_member *last = &operation->members[0];
  for (size_t i = 1; i < operation->member_count; i++)
    last = operation->members[i].begin_ticks > last->begin_ticks ? &operation->members[i] : last;
  return last;
}

/* Without blocking it begins with the call that ends the operation. */
static uint64_t wait_begin_of(const struct mpi_member *member) {
  return member->ended.enter_ticks > member->begin_ticks ? member->ended.enter_ticks : member->begin_ticks;
}

/* How long a member waited for the last one, at most as long as it participated. */
static uint64_t wait_of_member(const struct mpi_member *member, const struct mpi_member *last) {
  bool is_over = member->end_ticks > 0 && member->end_ticks < last->begin_ticks; /* 0: not yet */
  return since(is_over ? member->end_ticks : last->begin_ticks, wait_begin_of(member));
}

static uint64_t end_of(const struct mpi_operation *operation) {
  uint64_t end = last_of(operation)->begin_ticks;
  for (size_t i = 0; i < operation->member_count; i++)
    end = operation->members[i].end_ticks > end ? operation->members[i].end_ticks : end;
  return end;
}

static uint64_t begin_of(const struct mpi_operation *operation) {
  uint64_t begin = UINT64_MAX;
  for (size_t i = 0; i < operation->member_count; i++)
    begin = operation->members[i].begin_ticks < begin ? operation->members[i].begin_ticks : begin;
  return begin;
}

void traffic_operation(struct traffic *traffic, const struct mpi_operation *operation) {
  if (operation->member_count < 2 || !is_in_window(traffic, begin_of(operation), end_of(operation)))
    return;
  const struct mpi_member *last = last_of(operation);
  uint32_t region = operation->members[0].started.region;
  struct traffic_operation *item = item_of(&traffic->operation_places, operation->comm, region,
                                           &traffic->operations, &traffic->operation_count, sizeof *item);
  item->comm = operation->comm;
  item->region = region;
  item->count++;
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    uint64_t wait = wait_of_member(member, last);
    item->ticks += member->end_ticks > 0 ? since(member->end_ticks, member->begin_ticks) : wait;
    item->wait += wait;
    if (wait > item->longest) {
      item->longest = wait;
      item->last = last->process;
    }
    add_wait(traffic, &member->ended, member->ending, wait_begin_of(member), wait);
  }
}

/* -- the end -- */

static int by_processes(const void *one, const void *other) {
  const struct traffic_pair *first = one, *second = other;
  uint64_t key = (uint64_t)first->from << 32 | first->to,
           other_key = (uint64_t)second->from << 32 | second->to;
  return key < other_key ? -1 : key > other_key;
}

static int calls_by_ticks(const void *one, const void *other) {
  const struct traffic_call *first = one, *second = other;
  if (first->ticks != second->ticks)
    return first->ticks > second->ticks ? -1 : 1;
  return first->process < second->process ? -1 : first->process > second->process;
}

static int operations_by_wait(const void *one, const void *other) {
  const struct traffic_operation *first = one, *second = other;
  return first->wait > second->wait ? -1 : first->wait < second->wait;
}

void traffic_finish(struct traffic *traffic, const struct mpi_replay *mpi, uint64_t end_ticks) {
  for (size_t i = 0; i < traffic->trace->location_count; i++) {
    struct mpi_call call = mpi_open_call(mpi, i);
    if (call.id > 0)
      traffic_left(traffic, &call, end_ticks);
  }
  if (traffic->pair_count > 1)
    qsort(traffic->pairs, traffic->pair_count, sizeof *traffic->pairs, by_processes);
  if (traffic->call_count > 1)
    qsort(traffic->calls, traffic->call_count, sizeof *traffic->calls, calls_by_ticks);
  if (traffic->operation_count > 1)
    qsort(traffic->operations, traffic->operation_count, sizeof *traffic->operations, operations_by_wait);
}

void traffic_free(struct traffic *traffic) {
  free(traffic->pairs);
  free(traffic->calls);
  free(traffic->operations);
  pair_map_free(&traffic->pair_places);
  pair_map_free(&traffic->call_places);
  pair_map_free(&traffic->operation_places);
  *traffic = (struct traffic){0};
}
