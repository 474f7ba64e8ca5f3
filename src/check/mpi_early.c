#include "check/mpi_early.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pair_map.h"
#include "base/pool.h"

/* What a process has received. */
struct arrivals {
  bool has_any, has_many_threads; /* threads: that receive */
  size_t location;                /* of the first one */
  struct mpi_earliness paired, counted;
};

/* Messages of one sender, receiver, communicator and tag. */
struct channel {
  uint64_t sent;        /* more than were received */
  uint32_t first, last; /* receives that have ended before as many were sent; POOL_NONE: none */
};

struct early_receive {
  size_t process;
  struct mpi_message message;
  uint32_t next;
};

struct mpi_early {
  const struct trace *trace;
  uint64_t deviation_ns;
  struct arrivals *arrivals; /* by process */
  struct pair_map channels;
  struct pool channel_pool, pending_pool;
};

static void note(const struct mpi_early *early, struct mpi_earliness *here,
                 const struct mpi_message *message) {
  here->received++;
  if (message->receive.end_ticks >= message->send.begin_ticks)
    return;
  uint64_t ns = trace_span_ns(early->trace, message->send.begin_ticks - message->receive.end_ticks);
  here->early += ns > early->deviation_ns;
  if (ns > here->most_ns) {
    here->most_ns = ns;
    here->worst = *message;
  }
}

/* -- channels: those are kept in which the numbers differ -- */

static uint64_t comm_key(const struct mpi_message *message) {
  return (uint64_t)message->comm << 32 | message->tag;
}

static uint64_t ranks_key(const struct mpi_message *message) {
  return (uint64_t)message->sender << 32 | message->receiver;
}

static struct channel *channel_of(struct mpi_early *early, const struct mpi_message *message) {
  uintptr_t found = (uintptr_t)pair_map_get(&early->channels, comm_key(message), ranks_key(message));
  if (found)
    return pool_item(&early->channel_pool, (uint32_t)(found - 1));
  uint32_t slot;
  struct channel *channel = pool_new(&early->channel_pool, &slot);
  *channel = (struct channel){.first = POOL_NONE, .last = POOL_NONE};
  pair_map_put(&early->channels, comm_key(message), ranks_key(message), (void *)(uintptr_t)(slot + 1ull));
  return channel;
}

static void drop_if_even(struct mpi_early *early, const struct channel *channel,
                         const struct mpi_message *message) {
  if (channel->sent > 0 || channel->first != POOL_NONE)
    return;
  uintptr_t found = (uintptr_t)pair_map_remove(&early->channels, comm_key(message), ranks_key(message));
  pool_put(&early->channel_pool, (uint32_t)(found - 1));
}

/* It replaces the first that was received too early. */
static void send(struct mpi_early *early, struct channel *channel, const struct mpi_message *message) {
  uint32_t slot = channel->first;
  if (slot == POOL_NONE) {
    channel->sent++;
    return;
  }
  struct early_receive *pending = pool_item(&early->pending_pool, slot);
  channel->first = pending->next;
  pending->message.send = message->send;
  note(early, &early->arrivals[pending->process].counted, &pending->message);
  pool_put(&early->pending_pool, slot);
}

static void receive(struct mpi_early *early, struct channel *channel, size_t process,
                    const struct mpi_message *message) {
  if (channel->sent > 0) {
    channel->sent--;
    early->arrivals[process].counted.received++;
    return;
  }
  uint32_t slot;
  *(struct early_receive *)pool_new(&early->pending_pool, &slot) =
      (struct early_receive){.process = process, .message = *message, .next = POOL_NONE};
  if (channel->first == POOL_NONE)
    channel->first = slot;
  else
    ((struct early_receive *)pool_item(&early->pending_pool, channel->last))->next = slot;
  channel->last = slot;
}

static void note_thread(struct arrivals *here, size_t location) {
  here->has_many_threads |= here->has_any && here->location != location;
  here->location = location;
  here->has_any = true;
}

void mpi_early_end(struct mpi_early *early, size_t process, const struct mpi_message *message, bool is_send) {
  if (process >= early->trace->location_group_count || message->sender == message->receiver)
    return; /* a process has one clock */
  struct channel *channel = channel_of(early, message);
  if (is_send)
    send(early, channel, message);
  else {
    note_thread(&early->arrivals[process], message->receive.ended.location);
    receive(early, channel, process, message);
  }
  drop_if_even(early, channel, message);
}

void mpi_early_message(struct mpi_early *early, size_t process, const struct mpi_message *message) {
  if (process < early->trace->location_group_count && message->sender != message->receiver)
    note(early, &early->arrivals[process].paired, message);
}

const struct mpi_earliness *mpi_early_of(const struct mpi_early *early, size_t process) {
  const struct arrivals *here = &early->arrivals[process];
  return here->has_many_threads ? &here->counted : &here->paired;
}

/* -- beginning and end -- */

struct mpi_early *mpi_early_create(const struct trace *trace, uint64_t deviation_ns) {
  struct mpi_early *early = memory_get(1, sizeof *early);
  *early = (struct mpi_early){.trace = trace,
                              .deviation_ns = deviation_ns,
                              .channel_pool.item_bytes = sizeof(struct channel),
                              .pending_pool.item_bytes = sizeof(struct early_receive)};
  early->arrivals = memory_get(trace->location_group_count + 1, sizeof *early->arrivals);
  return early;
}

void mpi_early_free(struct mpi_early *early) {
  if (!early)
    return;
  pair_map_free(&early->channels);
  pool_free(&early->channel_pool, NULL);
  pool_free(&early->pending_pool, NULL);
  free(early->arrivals);
  free(early);
}
