/* What begins with one event and ends with another that has its number: one-sided operations, transfers,
 * files; and collective operations of MPI, of which a thread has one at a time, or has a request. */
#include <stdlib.h>

#include "base/memory.h"
#include "tables/tabulate.h"

/* In progress. */
struct pending_operation {
  struct trace_event started; /* without what it points to */
  struct sink_memory args;    /* of its begin, then of both ends */
  int64_t name;               /* of the region that it begins in */
};

enum operation_space { SPACE_RMA, SPACE_IO, SPACE_REQUEST };

/* Numbers are a process's own; those of different kinds may be the same. */
static uint64_t key_of(const struct trace_event *event, enum operation_space space, uint32_t object) {
  return (uint64_t)event->location << 34 | (uint64_t)space << 32 | object;
}

static void free_operation(struct pending_operation *operation) {
  if (operation)
    free(operation->args.bytes);
  free(operation);
}

/* -- one-sided operations and transfers -- */

static const char *window_name(const struct trace *trace, uint32_t ref) {
  for (size_t i = 0; i < trace->window_count; i++)
    if (trace->windows[i].ref == ref)
      return trace->windows[i].name;
  return NULL;
}

static void write_transfer(struct tabulator *tabulator, const struct pending_operation *operation,
                           struct cell end) {
  const struct trace_event *started = &operation->started;
  bool is_get = started->kind == TRACE_RmaGet;
  ROW(transfers);
  transfers[COLUMN_transfers_run] = tabulate_run(tabulator);
  transfers[COLUMN_transfers_thread] = tabulate_id(tabulator, TABLE_threads, started->location);
  transfers[COLUMN_transfers_kind] = cell_text(is_get ? "to device" : "from device");
  transfers[COLUMN_transfers_bytes] = cell_number(is_get ? started->RmaGet.bytes : started->RmaPut.bytes);
  transfers[COLUMN_transfers_matching] =
      cell_number(is_get ? started->RmaGet.matching_id : started->RmaPut.matching_id);
  transfers[COLUMN_transfers_begin_ns] = tabulate_ns(tabulator, started->ticks);
  transfers[COLUMN_transfers_end_ns] = end;
  transfers[COLUMN_transfers_args] = cell_text(tabulate_text(&operation->args));
  row_write(tabulator->writer, TABLE_transfers, transfers);
}

static void fill_rma(struct tabulator *tabulator, struct cell *rma, const char *kind, uint32_t window,
                     uint32_t remote, uint64_t bytes) {
  rma[COLUMN_rma_kind] = cell_text(kind);
  rma[COLUMN_rma_window] = cell_text(window_name(tabulator->trace, window));
  rma[COLUMN_rma_window_ref] = cell_integer(window);
  rma[COLUMN_rma_remote] = cell_integer(remote);
  rma[COLUMN_rma_bytes] = cell_number(bytes);
}

static void fill_atomic(struct cell *rma, const struct trace_event *started) {
  rma[COLUMN_rma_bytes_received] = cell_number(started->RmaAtomic.bytes_received);
  rma[COLUMN_rma_operation] = cell_integer(started->RmaAtomic.type);
}

static void write_rma(struct tabulator *tabulator, const struct pending_operation *operation,
                      struct cell end) {
  const struct trace_event *started = &operation->started;
  if (started->kind != TRACE_RmaAtomic &&
      trace_location_is_device(&tabulator->trace->locations[started->location])) {
    write_transfer(tabulator, operation, end);
    return;
  }
  ROW(rma);
  rma[COLUMN_rma_run] = tabulate_run(tabulator);
  rma[COLUMN_rma_thread] = tabulate_id(tabulator, TABLE_threads, started->location);
  if (started->kind == TRACE_RmaPut)
    fill_rma(tabulator, rma, "put", started->RmaPut.win, started->RmaPut.remote, started->RmaPut.bytes);
  else if (started->kind == TRACE_RmaGet)
    fill_rma(tabulator, rma, "get", started->RmaGet.win, started->RmaGet.remote, started->RmaGet.bytes);
  else
    fill_rma(tabulator, rma, "atomic", started->RmaAtomic.win, started->RmaAtomic.remote,
             started->RmaAtomic.bytes_sent);
  if (started->kind == TRACE_RmaAtomic)
    fill_atomic(rma, started);
  rma[COLUMN_rma_begin_ns] = tabulate_ns(tabulator, started->ticks);
  rma[COLUMN_rma_end_ns] = end;
  rma[COLUMN_rma_args] = cell_text(tabulate_text(&operation->args));
  row_write(tabulator->writer, TABLE_rma, rma);
}

/* -- files -- */

static void write_io(struct tabulator *tabulator, const struct pending_operation *operation,
                     const struct trace_event *ended) {
  static const char *const kinds[] = {"read", "write", "flush"}; /* OTF2_IoOperationMode */
  const struct trace_event *started = &operation->started;
  uint8_t mode = started->IoOperationBegin.mode;
  ROW(io);
  io[COLUMN_io_run] = tabulate_run(tabulator);
  io[COLUMN_io_thread] = tabulate_id(tabulator, TABLE_threads, started->location);
  io[COLUMN_io_kind] = cell_text(mode < sizeof kinds / sizeof *kinds ? kinds[mode] : NULL);
  io[COLUMN_io_handle] = cell_integer(started->IoOperationBegin.handle);
  io[COLUMN_io_bytes_requested] = cell_number(started->IoOperationBegin.bytes_request);
  io[COLUMN_io_begin_ns] = tabulate_ns(tabulator, started->ticks);
  if (ended && ended->kind == TRACE_IoOperationComplete)
    io[COLUMN_io_bytes] = cell_number(ended->IoOperationComplete.bytes_result);
  if (ended)
    io[COLUMN_io_end_ns] = tabulate_ns(tabulator, ended->ticks);
  io[COLUMN_io_flags] = cell_integer(started->IoOperationBegin.flags);
  io[COLUMN_io_args] = cell_text(tabulate_text(&operation->args));
  row_write(tabulator->writer, TABLE_io, io);
}

/* -- collective operations -- */

struct collective_part {
  uint32_t comm, root, operation;
  uint64_t sent, received;
};

/* What is known from its begin on. */
static void fill_collective(struct tabulator *tabulator, struct cell *row, size_t location, int64_t name,
                            struct cell begin_ns) {
  const struct trace *trace = tabulator->trace;
  const struct trace_location_group *group = trace_location_group(trace, trace->locations[location].group);
  row[COLUMN_collectives_run] = tabulate_run(tabulator);
  row[COLUMN_collectives_thread] = tabulate_id(tabulator, TABLE_threads, location);
  if (group)
    row[COLUMN_collectives_process] =
        tabulate_id(tabulator, TABLE_processes, (uint64_t)(group - trace->location_groups));
  row[COLUMN_collectives_region] = tabulate_name_cell(tabulator, name);
  row[COLUMN_collectives_begin_ns] = begin_ns;
}

static int64_t name_around(struct tabulator *tabulator, size_t location) {
  const struct entered *inner = tabulate_innermost(tabulator, location);
  return inner ? inner->name : -1;
}

static void write_collective(struct tabulator *tabulator, const struct trace_event *event,
                             const struct collective_part *what, struct cell begin_ns) {
  const struct trace_comm *comm = trace_comm(tabulator->trace, what->comm);
  ROW(collectives);
  fill_collective(tabulator, collectives, event->location, name_around(tabulator, event->location), begin_ns);
  collectives[COLUMN_collectives_comm] = cell_text(comm ? comm->name : NULL);
  collectives[COLUMN_collectives_comm_ref] = cell_integer(what->comm);
  if (what->root < UINT32_MAX - 2) /* none, this thread, this group */
    collectives[COLUMN_collectives_root] = cell_integer(what->root);
  collectives[COLUMN_collectives_bytes_sent] = cell_number(what->sent);
  collectives[COLUMN_collectives_bytes_received] = cell_number(what->received);
  collectives[COLUMN_collectives_end_ns] = tabulate_ns(tabulator, event->ticks);
  collectives[COLUMN_collectives_operation] = cell_integer(what->operation);
  tabulator->made.count = 0;
  tabulate_args(tabulator, event, false, &tabulator->made);
  collectives[COLUMN_collectives_args] = cell_text(tabulate_text(&tabulator->made));
  row_write(tabulator->writer, TABLE_collectives, collectives);
}

/* One that never ends. */
static void write_unfinished(struct tabulator *tabulator, size_t location, int64_t name, uint64_t ticks) {
  ROW(collectives);
  fill_collective(tabulator, collectives, location, name, tabulate_ns(tabulator, ticks));
  row_write(tabulator->writer, TABLE_collectives, collectives);
}

static void begin_collective(struct tabulator *tabulator, const struct trace_event *event) {
  struct tabulate_place *place = &tabulator->places[event->location];
  place->has_collective = true;
  place->collective_ticks = event->ticks;
  place->collective_name = name_around(tabulator, event->location);
}

static void end_collective(struct tabulator *tabulator, const struct trace_event *event) {
  struct tabulate_place *place = &tabulator->places[event->location];
  const struct collective_part what = {
      event->MpiCollectiveEnd.comm, event->MpiCollectiveEnd.root, event->MpiCollectiveEnd.collective_op,
      event->MpiCollectiveEnd.size_sent, event->MpiCollectiveEnd.size_received};
  struct cell begin_ns = {CELL_NULL, {0}};
  if (place->has_collective)
    begin_ns = tabulate_ns(tabulator, place->collective_ticks);
  place->has_collective = false;
  write_collective(tabulator, event, &what, begin_ns);
}

static void end_request(struct tabulator *tabulator, const struct trace_event *event) {
  struct pending_operation *operation = pair_map_remove(
      &tabulator->operations, key_of(event, SPACE_REQUEST, 0), event->NonBlockingCollectiveComplete.request);
  const struct collective_part what = {
      event->NonBlockingCollectiveComplete.comm, event->NonBlockingCollectiveComplete.root,
      event->NonBlockingCollectiveComplete.collective_op, event->NonBlockingCollectiveComplete.size_sent,
      event->NonBlockingCollectiveComplete.size_received};
  struct cell begin_ns = {CELL_NULL, {0}};
  if (operation)
    begin_ns = tabulate_ns(tabulator, operation->started.ticks);
  free_operation(operation);
  write_collective(tabulator, event, &what, begin_ns);
}

/* -- events -- */

/* `ended` NULL: that is not in the archive. */
static void write_ended(struct tabulator *tabulator, struct pending_operation *operation,
                        const struct trace_event *ended) {
  if (ended)
    tabulate_args(tabulator, ended, false, &operation->args);
  if (operation->started.kind == TRACE_IoOperationBegin)
    write_io(tabulator, operation, ended);
  else if (operation->started.kind == TRACE_NonBlockingCollectiveRequest)
    write_unfinished(tabulator, operation->started.location, operation->name, operation->started.ticks);
  else
    write_rma(tabulator, operation,
              ended ? tabulate_ns(tabulator, ended->ticks) : (struct cell){CELL_NULL, {0}});
}

static void begin(struct tabulator *tabulator, const struct trace_event *event, enum operation_space space,
                  uint32_t object, uint64_t number) {
  uint64_t key = key_of(event, space, object);
  struct pending_operation *operation = pair_map_remove(&tabulator->operations, key, number);
  if (operation)
    write_ended(tabulator, operation, NULL);
  free_operation(operation);
  operation = memory_get(1, sizeof *operation);
  pair_map_put(&tabulator->operations, key, number, operation);
  tabulate_args(tabulator, event, false, &operation->args);
  operation->started = *event;
  operation->started.attributes = NULL;
  operation->name = name_around(tabulator, event->location);
}

/* False if that has not started, or has ended: what is complete on the other side, too, reports it once
 * more. */
static bool end(struct tabulator *tabulator, const struct trace_event *event, enum operation_space space,
                uint32_t object, uint64_t number) {
  struct pending_operation *operation =
      pair_map_remove(&tabulator->operations, key_of(event, space, object), number);
  if (operation)
    write_ended(tabulator, operation, event);
  free_operation(operation);
  return operation != NULL;
}

static bool process_rma(struct tabulator *tabulator, const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_RmaPut:
    begin(tabulator, event, SPACE_RMA, event->RmaPut.win, event->RmaPut.matching_id);
    return true;
  case TRACE_RmaGet:
    begin(tabulator, event, SPACE_RMA, event->RmaGet.win, event->RmaGet.matching_id);
    return true;
  case TRACE_RmaAtomic:
    begin(tabulator, event, SPACE_RMA, event->RmaAtomic.win, event->RmaAtomic.matching_id);
    return true;
  case TRACE_RmaOpCompleteBlocking:
    return end(tabulator, event, SPACE_RMA, event->RmaOpCompleteBlocking.win,
               event->RmaOpCompleteBlocking.matching_id);
  case TRACE_RmaOpCompleteNonBlocking:
    return end(tabulator, event, SPACE_RMA, event->RmaOpCompleteNonBlocking.win,
               event->RmaOpCompleteNonBlocking.matching_id);
  case TRACE_RmaOpCompleteRemote:
    return end(tabulator, event, SPACE_RMA, event->RmaOpCompleteRemote.win,
               event->RmaOpCompleteRemote.matching_id);
  default:
    return false;
  }
}

bool tabulate_operation(struct tabulator *tabulator, const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_IoOperationBegin:
    begin(tabulator, event, SPACE_IO, event->IoOperationBegin.handle, event->IoOperationBegin.matching_id);
    return true;
  case TRACE_IoOperationComplete:
    return end(tabulator, event, SPACE_IO, event->IoOperationComplete.handle,
               event->IoOperationComplete.matching_id);
  case TRACE_IoOperationCancelled:
    return end(tabulator, event, SPACE_IO, event->IoOperationCancelled.handle,
               event->IoOperationCancelled.matching_id);
  case TRACE_MpiCollectiveBegin:
    begin_collective(tabulator, event);
    return true;
  case TRACE_MpiCollectiveEnd:
    end_collective(tabulator, event);
    return true;
  case TRACE_NonBlockingCollectiveRequest:
    begin(tabulator, event, SPACE_REQUEST, 0, event->NonBlockingCollectiveRequest.request);
    return true;
  case TRACE_NonBlockingCollectiveComplete:
    end_request(tabulator, event);
    return true;
  default:
    return process_rma(tabulator, event);
  }
}

void tabulate_operations_finish(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->trace->location_count; i++)
    if (tabulator->places[i].has_collective)
      write_unfinished(tabulator, i, tabulator->places[i].collective_name,
                       tabulator->places[i].collective_ticks);
  for (size_t i = 0; i < tabulator->operations.capacity; i++) {
    if (tabulator->operations.entries[i].value)
      write_ended(tabulator, tabulator->operations.entries[i].value, NULL);
  }
}

void tabulate_operations_close(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->operations.capacity; i++)
    free_operation(tabulator->operations.entries[i].value);
  pair_map_free(&tabulator->operations);
}
