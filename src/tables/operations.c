/* What begins with one event and ends with another that has its number: one-sided operations, transfers,
 * files; and collective operations of MPI, of which a thread has one at a time, or has a request. */
#include <stdlib.h>

#include "tables/tabulate.h"

/* Under way. */
struct begun_operation {
  struct trace_event begun; /* without what it points to */
};

enum operation_space { SPACE_RMA, SPACE_IO, SPACE_REQUEST };

/* Numbers are a process's own; those of different kinds may be the same. */
static uint64_t key_of(const struct trace_event *event, enum operation_space space, uint32_t object) {
  return (uint64_t)event->location << 34 | (uint64_t)space << 32 | object;
}

static void begin(struct tabulator *tabulator, const struct trace_event *event, enum operation_space space,
                  uint32_t object, uint64_t number) {
  uint64_t key = key_of(event, space, object);
  struct begun_operation *operation = pair_map_get(&tabulator->operations, key, number);
  if (!operation)
    operation = malloc(sizeof *operation);
  if (!operation || !pair_map_put(&tabulator->operations, key, number, operation)) {
    tabulator->is_out_of_memory = true;
    return;
  }
  operation->begun = *event;
  operation->begun.attributes = NULL;
}

/* -- one-sided operations and transfers -- */

static const char *window_name(const struct trace *trace, uint32_t ref) {
  for (size_t i = 0; i < trace->window_count; i++)
    if (trace->windows[i].ref == ref)
      return trace->windows[i].name;
  return NULL;
}

static void write_transfer(struct tabulator *tabulator, const struct trace_event *begun, struct cell end) {
  bool is_get = begun->kind == TRACE_RmaGet;
  ROW(transfers);
  transfers[COLUMN_transfers_run] = tabulate_run(tabulator);
  transfers[COLUMN_transfers_thread] = tabulate_id(tabulator, TABLE_threads, begun->location);
  transfers[COLUMN_transfers_kind] = cell_text(is_get ? "to device" : "from device");
  transfers[COLUMN_transfers_bytes] = cell_number(is_get ? begun->RmaGet.bytes : begun->RmaPut.bytes);
  transfers[COLUMN_transfers_matching] =
      cell_number(is_get ? begun->RmaGet.matching_id : begun->RmaPut.matching_id);
  transfers[COLUMN_transfers_begin_ns] = tabulate_ns(tabulator, begun->ticks);
  transfers[COLUMN_transfers_end_ns] = end;
  row_write(tabulator->writer, TABLE_transfers, transfers);
}

static void fill_rma(struct tabulator *tabulator, struct cell *rma, const char *kind, uint32_t window,
                     uint32_t remote, uint64_t bytes) {
  rma[COLUMN_rma_kind] = cell_text(kind);
  rma[COLUMN_rma_window] = cell_text(window_name(tabulator->trace, window));
  rma[COLUMN_rma_remote] = cell_integer(remote);
  rma[COLUMN_rma_bytes] = cell_number(bytes);
}

static void write_rma(struct tabulator *tabulator, const struct trace_event *begun, struct cell end) {
  if (begun->kind != TRACE_RmaAtomic &&
      trace_location_is_device(&tabulator->trace->locations[begun->location])) {
    write_transfer(tabulator, begun, end);
    return;
  }
  ROW(rma);
  rma[COLUMN_rma_run] = tabulate_run(tabulator);
  rma[COLUMN_rma_thread] = tabulate_id(tabulator, TABLE_threads, begun->location);
  if (begun->kind == TRACE_RmaPut)
    fill_rma(tabulator, rma, "put", begun->RmaPut.win, begun->RmaPut.remote, begun->RmaPut.bytes);
  else if (begun->kind == TRACE_RmaGet)
    fill_rma(tabulator, rma, "get", begun->RmaGet.win, begun->RmaGet.remote, begun->RmaGet.bytes);
  else
    fill_rma(tabulator, rma, "atomic", begun->RmaAtomic.win, begun->RmaAtomic.remote,
             begun->RmaAtomic.bytes_sent);
  if (begun->kind == TRACE_RmaAtomic)
    rma[COLUMN_rma_bytes_received] = cell_number(begun->RmaAtomic.bytes_received);
  rma[COLUMN_rma_begin_ns] = tabulate_ns(tabulator, begun->ticks);
  rma[COLUMN_rma_end_ns] = end;
  row_write(tabulator->writer, TABLE_rma, rma);
}

/* -- files -- */

static void write_io(struct tabulator *tabulator, const struct trace_event *begun,
                     const struct trace_event *ended) {
  static const char *const kinds[] = {"read", "write", "flush"}; /* OTF2_IoOperationMode */
  uint8_t mode = begun->IoOperationBegin.mode;
  ROW(io);
  io[COLUMN_io_run] = tabulate_run(tabulator);
  io[COLUMN_io_thread] = tabulate_id(tabulator, TABLE_threads, begun->location);
  io[COLUMN_io_kind] = cell_text(mode < sizeof kinds / sizeof *kinds ? kinds[mode] : NULL);
  io[COLUMN_io_handle] = cell_integer(begun->IoOperationBegin.handle);
  io[COLUMN_io_bytes_requested] = cell_number(begun->IoOperationBegin.bytes_request);
  io[COLUMN_io_begin_ns] = tabulate_ns(tabulator, begun->ticks);
  if (ended && ended->kind == TRACE_IoOperationComplete)
    io[COLUMN_io_bytes] = cell_number(ended->IoOperationComplete.bytes_result);
  if (ended)
    io[COLUMN_io_end_ns] = tabulate_ns(tabulator, ended->ticks);
  row_write(tabulator->writer, TABLE_io, io);
}

/* -- collective operations -- */

struct collective_part {
  uint32_t comm, root;
  uint64_t sent, received;
};

static void write_collective(struct tabulator *tabulator, const struct trace_event *event,
                             const struct collective_part *what, struct cell begin_ns) {
  const struct trace *trace = tabulator->trace;
  const struct trace_location_group *group =
      trace_location_group(trace, trace->locations[event->location].group);
  const struct trace_comm *comm = trace_comm(trace, what->comm);
  const struct entered *inner = tabulate_innermost(tabulator, event->location);
  ROW(collectives);
  collectives[COLUMN_collectives_run] = tabulate_run(tabulator);
  collectives[COLUMN_collectives_thread] = tabulate_id(tabulator, TABLE_threads, event->location);
  if (group)
    collectives[COLUMN_collectives_process] =
        tabulate_id(tabulator, TABLE_processes, (uint64_t)(group - trace->location_groups));
  if (inner)
    collectives[COLUMN_collectives_region] = tabulate_name_cell(tabulator, inner->name);
  collectives[COLUMN_collectives_comm] = cell_text(comm ? comm->name : NULL);
  if (what->root < UINT32_MAX - 2) /* none, this thread, this group */
    collectives[COLUMN_collectives_root] = cell_integer(what->root);
  collectives[COLUMN_collectives_bytes_sent] = cell_number(what->sent);
  collectives[COLUMN_collectives_bytes_received] = cell_number(what->received);
  collectives[COLUMN_collectives_begin_ns] = begin_ns;
  collectives[COLUMN_collectives_end_ns] = tabulate_ns(tabulator, event->ticks);
  row_write(tabulator->writer, TABLE_collectives, collectives);
}

static void end_collective(struct tabulator *tabulator, const struct trace_event *event) {
  struct tabulate_place *place = &tabulator->places[event->location];
  const struct collective_part what = {event->MpiCollectiveEnd.comm, event->MpiCollectiveEnd.root,
                                       event->MpiCollectiveEnd.size_sent,
                                       event->MpiCollectiveEnd.size_received};
  struct cell begin_ns = {CELL_NULL, {0}};
  if (place->has_collective)
    begin_ns = tabulate_ns(tabulator, place->collective_ticks);
  place->has_collective = false;
  write_collective(tabulator, event, &what, begin_ns);
}

static void end_request(struct tabulator *tabulator, const struct trace_event *event) {
  struct begun_operation *operation = pair_map_remove(&tabulator->operations, key_of(event, SPACE_REQUEST, 0),
                                                      event->NonBlockingCollectiveComplete.request);
  const struct collective_part what = {
      event->NonBlockingCollectiveComplete.comm, event->NonBlockingCollectiveComplete.root,
      event->NonBlockingCollectiveComplete.size_sent, event->NonBlockingCollectiveComplete.size_received};
  struct cell begin_ns = {CELL_NULL, {0}};
  if (operation)
    begin_ns = tabulate_ns(tabulator, operation->begun.ticks);
  free(operation);
  write_collective(tabulator, event, &what, begin_ns);
}

/* -- events -- */

static void end(struct tabulator *tabulator, const struct trace_event *event, enum operation_space space,
                uint32_t object, uint64_t number) {
  struct begun_operation *operation =
      pair_map_remove(&tabulator->operations, key_of(event, space, object), number);
  if (!operation)
    return;
  if (space == SPACE_RMA)
    write_rma(tabulator, &operation->begun, tabulate_ns(tabulator, event->ticks));
  else
    write_io(tabulator, &operation->begun, event);
  free(operation);
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
    end(tabulator, event, SPACE_RMA, event->RmaOpCompleteBlocking.win,
        event->RmaOpCompleteBlocking.matching_id);
    return true;
  case TRACE_RmaOpCompleteNonBlocking:
    end(tabulator, event, SPACE_RMA, event->RmaOpCompleteNonBlocking.win,
        event->RmaOpCompleteNonBlocking.matching_id);
    return true;
  case TRACE_RmaOpCompleteRemote:
    end(tabulator, event, SPACE_RMA, event->RmaOpCompleteRemote.win, event->RmaOpCompleteRemote.matching_id);
    return true;
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
    end(tabulator, event, SPACE_IO, event->IoOperationComplete.handle,
        event->IoOperationComplete.matching_id);
    return true;
  case TRACE_IoOperationCancelled:
    end(tabulator, event, SPACE_IO, event->IoOperationCancelled.handle,
        event->IoOperationCancelled.matching_id);
    return true;
  case TRACE_MpiCollectiveBegin:
    tabulator->places[event->location].has_collective = true;
    tabulator->places[event->location].collective_ticks = event->ticks;
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
  for (size_t i = 0; i < tabulator->operations.capacity; i++) {
    const struct begun_operation *operation = tabulator->operations.entries[i].value;
    if (operation && operation->begun.kind == TRACE_IoOperationBegin)
      write_io(tabulator, &operation->begun, NULL);
    else if (operation && operation->begun.kind != TRACE_NonBlockingCollectiveRequest)
      write_rma(tabulator, &operation->begun, (struct cell){CELL_NULL, {0}});
  }
}

void tabulate_operations_close(struct tabulator *tabulator) {
  for (size_t i = 0; i < tabulator->operations.capacity; i++)
    free(tabulator->operations.entries[i].value);
  pair_map_free(&tabulator->operations);
}
