/* Messages of MPI, whose ends two ranks have. */
#include "tables/tabulate.h"

static struct cell process_cell(const struct tabulator *tabulator, uint32_t comm, uint32_t rank) {
  uint32_t process = mpi_rank_process(tabulator->mpi, comm, rank);
  return process == UINT32_MAX ? (struct cell){CELL_NULL, {0}}
                               : tabulate_id(tabulator, TABLE_processes, process);
}

static void fill_send(const struct tabulator *tabulator, struct cell *row, const struct mpi_end *send) {
  row[COLUMN_messages_send_thread] = tabulate_id(tabulator, TABLE_threads, send->started.location);
  row[COLUMN_messages_send_begin_ns] = tabulate_ns(tabulator, send->begin_ticks);
  if (send->has_request && send->ended.id)
    row[COLUMN_messages_send_end_ns] = tabulate_ns(tabulator, send->end_ticks);
}

static void fill_receive(const struct tabulator *tabulator, struct cell *row, const struct mpi_end *receive) {
  size_t location = receive->ended.id ? receive->ended.location : receive->started.location;
  row[COLUMN_messages_receive_thread] = tabulate_id(tabulator, TABLE_threads, location);
  row[COLUMN_messages_receive_begin_ns] = tabulate_ns(tabulator, receive->begin_ticks);
  if (!receive->has_request || receive->ended.id)
    row[COLUMN_messages_receive_end_ns] = tabulate_ns(tabulator, receive->end_ticks);
}

static void write_message(struct tabulator *tabulator, const struct mpi_message *message, bool has_send,
                          bool has_receive) {
  const struct trace *trace = tabulator->trace;
  ROW(messages);
  messages[COLUMN_messages_run] = tabulate_run(tabulator);
  if (message->comm < trace->comm_count) {
    messages[COLUMN_messages_comm] = cell_text(trace->comms[message->comm].name);
    messages[COLUMN_messages_comm_ref] = cell_integer(trace->comms[message->comm].ref);
  }
  messages[COLUMN_messages_tag] = cell_integer(message->tag);
  messages[COLUMN_messages_bytes] = cell_number(has_send ? message->send.bytes : message->receive.bytes);
  messages[COLUMN_messages_sender] = process_cell(tabulator, message->comm, message->sender);
  messages[COLUMN_messages_receiver] = process_cell(tabulator, message->comm, message->receiver);
  messages[COLUMN_messages_sender_rank] = cell_integer(message->sender);
  messages[COLUMN_messages_receiver_rank] = cell_integer(message->receiver);
  if (has_send)
    fill_send(tabulator, messages, &message->send);
  if (has_receive)
    fill_receive(tabulator, messages, &message->receive);
  row_write(tabulator->writer, TABLE_messages, messages);
}

static void on_message(void *data, const struct mpi_message *message) {
  write_message(data, message, true, true);
}

static void on_unmatched(void *data, const struct mpi_message *message, bool is_send) {
  write_message(data, message, is_send, !is_send);
}

static void on_link(void *data, const struct replay_link *link) {
  tabulate_path_link(data, link);
}

void tabulate_messages_open(struct tabulator *tabulator) {
  static const struct mpi_observer observer = {
      .message = on_message, .unmatched = on_unmatched, .link = on_link};
  tabulator->mpi = mpi_create(tabulator->trace, &observer, tabulator);
}
