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
  *server->batches[server->filling].head = (struct batch_head){.used = packed->bytes, .events = 1};
  send_batch(server);
  ranks_send(server->ranks, 0, TAG_LARGE, packed, packed->bytes, &transfer);
  ranks_wait(server->ranks, &transfer);
}

/* Of what is past the window rank 0 needs to see one event. A command that has come meanwhile is to stop. */
static bool put(void *data, const struct packed_event *packed) {
  struct rank_server *server = data;
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
  } else {
    memcpy((char *)(head + 1) + head->used, packed, packed->bytes);
    head->used += packed->bytes;
    head->events++;
  }
  return packed->ticks <= server->to_ticks;
}

static struct trace_span locations_of(const struct trace *trace, const struct ranks_job *ranks) {
  struct trace_span span = trace_parts_of(trace, ranks);
  size_t width = trace->reader->part_locations, count = trace->location_count;
  return (struct trace_span){span.first * width < count ? span.first * width : count,
                             span.end * width < count ? span.end * width : count};
}

static void send_last(struct rank_server *server, int result, const char *error) {
  if (server->batches[server->filling].head->used > 0)
    send_batch(server);
  struct rank_batch *batch = &server->batches[server->filling];
  *batch->head = (struct batch_head){.result = result, .is_last = true};
  snprintf(rank_batch_events(batch), TRACE_ERROR_BYTES, "%s", error);
  send_batch(server);
}

static void serve_reading(struct rank_server *server, const char *why) {
  char error[TRACE_ERROR_BYTES] = "";
  int result = -EIO;
  if (server->trace) {
    struct trace_span span = locations_of(server->trace, server->ranks);
    result = trace_merge_packed(server->trace, &span, put, server, error);
  } else {
    snprintf(error, sizeof error, "rank %u: %.400s", ranks_own(server->ranks), why);
  }
  send_last(server, result, error);
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
    server->to_ticks = command.to_ticks;
    if (command.kind == COMMAND_READ) /* to stop a reading that is over is nothing */
      serve_reading(server, why);
  }
}

int trace_serve(struct trace *trace, struct ranks_job *ranks, const char *why) {
  struct rank_server server = {.trace = trace, .ranks = ranks};
  if (!rank_batches_make(server.batches, ranks)) {
    rank_batches_free(server.batches);
    return -ENOMEM;
  }
  serve_all(&server, why);
  for (int i = 0; i < RANK_BATCHES; i++)
    send_batch(&server);
  for (int i = 0; i < RANK_BATCHES; i++)
    ranks_wait(ranks, &server.batches[i].transfer);
  rank_batches_free(server.batches);
  return 0;
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

static int begin_all(struct trace *trace, uint64_t to_ticks, struct tournament *tournament,
                     char error[TRACE_ERROR_BYTES]) {
  struct rank_sources *all = trace->reader->sources;
  int result = 0;
  for (size_t i = 0; i < all->count; i++) {
    rank_command_send(all->ranks, all->sources[i].rank,
                      (struct rank_command){.kind = COMMAND_READ, .to_ticks = to_ticks});
    all->sources[i].is_reading = true;
  }
  for (size_t i = 0; i < all->count && result == 0; i++) {
    result = rank_source_next(all->ranks, &all->sources[i], trace->progress, error);
    tournament_enter(tournament, i, next_of(&all->sources[i]));
  }
  tournament_play_all(tournament);
  return result;
}

static int deliver_all(struct trace_delivery *delivery, struct tournament *tournament,
                       char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = delivery->trace;
  struct rank_sources *all = trace->reader->sources;
  int result = begin_all(trace, delivery->window->to_ticks, tournament, error);
  while (result == 0 && tournament->first.number != TOURNAMENT_NONE) {
    struct rank_source *source = &all->sources[tournament->first.number];
    if (!trace_deliver(delivery, first_of(source)))
      return 0;
    source->at += first_of(source)->bytes;
    if (source->at == source->end)
      result = rank_source_next(all->ranks, source, trace->progress, error);
    tournament_replay(tournament, source->rank - 1, next_of(source));
  }
  return result;
}

int trace_read_by_ranks(struct trace *trace, const struct trace_window *window,
                        char error[TRACE_ERROR_BYTES]) {
  struct trace_delivery delivery = {.trace = trace, .window = window};
  struct tournament tournament = {.leaves = 0};
  int result = -ENOMEM;
  if (!trace_delivery_begin(&delivery, error))
    return result;
  if (tournament_begin(&tournament, trace->reader->sources->count))
    result = deliver_all(&delivery, &tournament, error);
  else
    snprintf(error, TRACE_ERROR_BYTES, "out of memory");
  stop_all(trace);
  free(tournament.losers);
  return trace_delivery_end(&delivery, result, error);
}
