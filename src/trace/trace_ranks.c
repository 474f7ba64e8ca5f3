/* Reading the events of all locations merged by time, decoded by the other ranks of a job. */
#include "trace/trace_ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/rank_batches.h"
#include "trace/tournament.h"
#include "trace/trace_reader.h"

/* -- ranks that serve -- */

struct rank_server {
  struct trace *trace;
  struct ranks_job *ranks;
  struct rank_batch batches[RANK_BATCHES];
  size_t filling;
  struct rank_command command;
  struct ranks_transfer coming; /* the next command */
  uint64_t to_ticks;
  ranks_answer answer;
  void *data;
};

static void send_batch(struct rank_server *server) {
  struct rank_batch *batch = &server->batches[server->filling];
  bool has_events = batch->head->used <= rank_batch_bytes(server->ranks);
  size_t bytes = sizeof *batch->head + (batch->head->is_last ? TRACE_ERROR_BYTES : 0);
  if (has_events && !batch->head->is_last)
    bytes += batch->head->used;
  ranks_send(server->ranks, 0, TAG_BATCH, batch->head, bytes, &batch->transfer);
  server->filling = (server->filling + 1) % RANK_BATCHES;
  batch = &server->batches[server->filling];
  ranks_wait(server->ranks, &batch->transfer);
  *batch->head = (struct batch_head){.used = 0};
}

/* One event that does not fit into a batch. */
static void send_large(struct rank_server *server, const struct packed_event *packed) {
  struct ranks_transfer transfer;
  struct batch_head *head = server->batches[server->filling].head;
  *head = (struct batch_head){.used = packed->bytes, .events = head->events};
  send_batch(server);
  ranks_send(server->ranks, 0, TAG_LARGE, packed, packed->bytes, &transfer);
  ranks_wait(server->ranks, &transfer);
}

/* A command that has come meanwhile is to stop. */
bool rank_server_give(struct rank_server *server, const struct packed_event *packed) {
  struct batch_head *head = server->batches[server->filling].head;
  size_t most = rank_batch_bytes(server->ranks);
  if (head->used + packed->bytes > most && head->used > 0) {
    send_batch(server);
    head = server->batches[server->filling].head;
    if (ranks_is_over(server->ranks, &server->coming))
      return false;
  }
  if (packed->bytes > most) {
    send_large(server, packed);
    return true;
  }
  memcpy((char *)(head + 1) + head->used, packed, packed->bytes);
  head->used += packed->bytes;
  return true;
}

static void count_event(struct rank_server *server) {
  server->batches[server->filling].head->events++;
}

/* Of what is past the window rank 0 needs to see one event. */
static bool put(void *data, const struct packed_event *packed) {
  struct rank_server *server = data;
  if (!rank_server_give(server, packed))
    return false;
  count_event(server);
  return packed->ticks <= server->to_ticks;
}

static struct trace_span locations_of(const struct trace *trace, const struct ranks_job *ranks) {
  struct trace_span span = trace_parts_of(trace, ranks);
  size_t width = trace->reader->part_locations, count = trace->location_count;
  return (struct trace_span){span.first * width < count ? span.first * width : count,
                             span.end * width < count ? span.end * width : count};
}

/* After what is left of the process that the location before is of. */
static size_t next_process(const struct trace *trace, size_t location) {
  const struct trace_location *locations = trace->locations;
  while (location > 0 && location < trace->location_count &&
         locations[location].group == locations[location - 1].group)
    location++;
  return location;
}

static struct trace_span processes_of(const struct trace *trace, const struct ranks_job *ranks) {
  struct trace_span span = locations_of(trace, ranks);
  return (struct trace_span){next_process(trace, span.first), next_process(trace, span.end)};
}

static void send_last(struct rank_server *server, int result, const char *error) {
  if (server->batches[server->filling].head->used > 0)
    send_batch(server);
  struct rank_batch *batch = &server->batches[server->filling];
  *batch->head = (struct batch_head){.result = result, .events = batch->head->events, .is_last = true};
  snprintf(rank_batch_events(batch), TRACE_ERROR_BYTES, "%s", error);
  send_batch(server);
}

static int read_share(struct rank_server *server, const struct rank_command *command,
                      char error[TRACE_ERROR_BYTES]) {
  struct trace_span span = locations_of(server->trace, server->ranks);
  server->to_ticks = command->to_ticks;
  return trace_merge_packed(server->trace, &span, put, server, error);
}

static int answer_question(struct rank_server *server, const struct rank_command *command,
                           char error[TRACE_ERROR_BYTES]) {
  struct ranks_question question = {command->question, command->from_ticks, command->to_ticks};
  return server->answer(server->data, server, &question, error);
}

static void serve_command(struct rank_server *server, const struct rank_command *command, const char *why) {
  char error[TRACE_ERROR_BYTES] = "";
  int result = -EIO;
  if (!server->trace)
    snprintf(error, sizeof error, "rank %u: %.400s", ranks_own(server->ranks), why);
  else if (command->kind == COMMAND_READ)
    result = read_share(server, command, error);
  else
    result = answer_question(server, command, error);
  send_last(server, result, error);
}

struct trace *rank_server_trace(const struct rank_server *server) {
  return server->trace;
}

size_t rank_server_first(const struct rank_server *server, size_t *ret_end) {
  struct trace_span span = processes_of(server->trace, server->ranks);
  *ret_end = span.end;
  return span.first;
}

struct counted_reading {
  struct rank_server *server;
  trace_on_packed on_packed;
  void *data;
};

static bool count_and_give(void *data, const struct packed_event *packed) {
  const struct counted_reading *reading = data;
  count_event(reading->server);
  return reading->on_packed(reading->data, packed);
}

int rank_server_read(struct rank_server *server, trace_on_packed on_packed, void *data,
                     char error[TRACE_ERROR_BYTES]) {
  struct trace_span span = processes_of(server->trace, server->ranks);
  struct counted_reading reading = {server, on_packed, data};
  return trace_merge_packed(server->trace, &span, count_and_give, &reading, error);
}

static struct rank_command next_command(struct rank_server *server) {
  ranks_wait(server->ranks, &server->coming);
  struct rank_command command = server->command;
  if (command.kind != COMMAND_END)
    ranks_receive(server->ranks, 0, TAG_COMMAND, &server->command, sizeof command, &server->coming);
  return command;
}

static void serve_all(struct rank_server *server, const char *why) {
  ranks_receive(server->ranks, 0, TAG_COMMAND, &server->command, sizeof server->command, &server->coming);
  for (;;) {
    struct rank_command command = next_command(server);
    if (command.kind == COMMAND_END)
      return;
    if (command.kind != COMMAND_STOP) /* to stop a reading that is over is nothing */
      serve_command(server, &command, why);
  }
}

void trace_serve(struct trace *trace, struct ranks_job *ranks, const char *why, ranks_answer answer,
                 void *data) {
  struct rank_server server = {.trace = trace, .ranks = ranks, .answer = answer, .data = data};
  rank_batches_make(server.batches, ranks);
  serve_all(&server, why);
  for (int i = 0; i < RANK_BATCHES; i++)
    send_batch(&server);
  for (int i = 0; i < RANK_BATCHES; i++)
    ranks_wait(ranks, &server.batches[i].transfer);
  rank_batches_free(server.batches);
}

_Static_assert((int)TRACE_ERROR_BYTES == (int)RANKS_ERROR_BYTES, "errors of ranks are those of traces");

/* -- rank 0 -- */

static const struct packed_event *first_of(const struct rank_source *source) {
  return (const void *)source->at;
}

static struct contender next_of(const struct rank_source *source) {
  return source->is_reading ? (struct contender){first_of(source)->ticks, source->rank - 1}
                            : (struct contender){UINT64_MAX, TOURNAMENT_NONE};
}

/* What the others still send has no taker. */
static void stop_all(struct trace *trace) {
  struct rank_sources *all = trace->reader->sources;
  char error[TRACE_ERROR_BYTES];
  for (size_t i = 0; i < all->count; i++)
    if (all->sources[i].is_reading)
      rank_command_send(all->ranks, all->sources[i].rank, (struct rank_command){.kind = COMMAND_STOP});
  for (size_t i = 0; i < all->count; i++)
    while (all->sources[i].is_reading)
      rank_source_next(all->ranks, &all->sources[i], trace->progress, error);
}

static int begin_all(struct trace *trace, struct rank_command command, struct tournament *tournament,
                     char error[TRACE_ERROR_BYTES]) {
  struct rank_sources *all = trace->reader->sources;
  int result = 0;
  for (size_t i = 0; i < all->count; i++) {
    rank_command_send(all->ranks, all->sources[i].rank, command);
    all->sources[i].is_reading = true;
  }
  for (size_t i = 0; i < all->count && result == 0; i++) {
    result = rank_source_next(all->ranks, &all->sources[i], trace->progress, error);
    tournament_enter(tournament, i, next_of(&all->sources[i]));
  }
  tournament_play_all(tournament);
  return result;
}

/* The others' items: rank 0 receives them in the order of ticks. */
struct rank_reading {
  struct trace *trace;
  struct rank_command command;
  trace_on_packed on_packed;
  void *data;
};

static int read_in_order(const struct rank_reading *reading, struct tournament *tournament,
                         char error[TRACE_ERROR_BYTES]) {
  struct rank_sources *all = reading->trace->reader->sources;
  int result = begin_all(reading->trace, reading->command, tournament, error);
  while (result == 0 && tournament->first.number != TOURNAMENT_NONE) {
    struct rank_source *source = &all->sources[tournament->first.number];
    if (!reading->on_packed(reading->data, first_of(source)))
      return 0;
    source->at += first_of(source)->bytes;
    if (source->at == source->end)
      result = rank_source_next(all->ranks, source, reading->trace->progress, error);
    tournament_replay(tournament, source->rank - 1, next_of(source));
  }
  return result;
}

static int read_all(const struct rank_reading *reading, char error[TRACE_ERROR_BYTES]) {
  struct tournament tournament = {.leaves = 0};
  tournament_begin(&tournament, reading->trace->reader->sources->count);
  int result = read_in_order(reading, &tournament, error);
  stop_all(reading->trace);
  free(tournament.losers);
  return result;
}

static bool deliver(void *data, const struct packed_event *packed) {
  return trace_deliver(data, packed);
}

int trace_read_by_ranks(struct trace *trace, const struct trace_window *window,
                        char error[TRACE_ERROR_BYTES]) {
  struct trace_delivery delivery = {.trace = trace, .window = window};
  struct rank_command command = {.kind = COMMAND_READ, .to_ticks = window->to_ticks};
  trace_delivery_begin(&delivery);
  int result = read_all(&(struct rank_reading){trace, command, deliver, &delivery}, error);
  return trace_delivery_end(&delivery, result, error);
}

size_t trace_rank_count(const struct trace *trace) {
  return trace->reader->sources ? trace->reader->sources->count : 0;
}

int trace_query_ranks(struct trace *trace, const struct ranks_question *question, trace_on_packed on_item,
                      void *data, char error[TRACE_ERROR_BYTES]) {
  struct rank_command command = {.kind = COMMAND_QUERY,
                                 .question = question->number,
                                 .from_ticks = question->from_ticks,
                                 .to_ticks = question->to_ticks};
  return read_all(&(struct rank_reading){trace, command, on_item, data}, error);
}
