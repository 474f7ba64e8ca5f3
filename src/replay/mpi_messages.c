/* Messages: both ends of each. */
#include <stdlib.h>

#include "replay/mpi_state.h"

static struct mpi_half *half_at(struct mpi_replay *mpi, uint32_t slot) {
  return pool_item(&mpi->halves, slot);
}

/* -- channels -- */

/* Of COMM_SELF each process has its own, also where all have one number. */
static uint64_t ranks_key(const struct mpi_replay *mpi, const struct mpi_message *message, size_t location) {
  if (mpi->ranks[message->comm].is_self)
    return (uint64_t)mpi->processes[location] << 32 | mpi->processes[location];
  return (uint64_t)message->sender << 32 | message->receiver;
}

static uint64_t comm_key(const struct mpi_message *message) {
  return (uint64_t)message->comm << 32 | message->tag;
}

static struct mpi_channel *find_channel(struct mpi_replay *mpi, const struct mpi_message *message,
                                        size_t location) {
  uintptr_t found =
      (uintptr_t)pair_map_get(&mpi->channels, comm_key(message), ranks_key(mpi, message, location));
  return found ? pool_item(&mpi->channel_pool, (uint32_t)(found - 1)) : NULL;
}

static void drop_channel(struct mpi_replay *mpi, const struct mpi_message *message, size_t location) {
  uintptr_t found =
      (uintptr_t)pair_map_remove(&mpi->channels, comm_key(message), ranks_key(mpi, message, location));
  pool_put(&mpi->channel_pool, (uint32_t)(found - 1));
}

static struct mpi_channel *make_channel(struct mpi_replay *mpi, const struct mpi_message *message,
                                        size_t location) {
  uint32_t slot;
  struct mpi_channel *channel = pool_new(&mpi->channel_pool, &slot);
  *channel = (struct mpi_channel){MPI_LINK_NONE, MPI_LINK_NONE};
  pair_map_put(&mpi->channels, comm_key(message), ranks_key(mpi, message, location),
               (void *)(uintptr_t)(slot + 1ull));
  return channel;
}

static void append(struct mpi_replay *mpi, const struct mpi_message *message, size_t location,
                   uint32_t slot) {
  struct mpi_channel *channel = find_channel(mpi, message, location);
  if (!channel)
    channel = make_channel(mpi, message, location);
  if (channel->first == MPI_LINK_NONE)
    channel->first = slot;
  else
    half_at(mpi, channel->last)->next = slot;
  channel->last = slot;
}

/* The first that waits for such an end; MPI_LINK_NONE: none does. */
static uint32_t remove_other_half(struct mpi_replay *mpi, const struct mpi_message *message, size_t location,
                                  bool is_send) {
  struct mpi_channel *channel = find_channel(mpi, message, location);
  uint32_t slot = channel ? channel->first : MPI_LINK_NONE;
  if (!channel || (is_send ? half_at(mpi, slot)->is_sent : half_at(mpi, slot)->is_received))
    return MPI_LINK_NONE;
  channel->first = half_at(mpi, slot)->next;
  if (channel->first == MPI_LINK_NONE)
    drop_channel(mpi, message, location);
  return slot;
}

/* A send that was cancelled waits for nobody. */
static void withdraw(struct mpi_replay *mpi, uint32_t slot) {
  const struct mpi_half *half = half_at(mpi, slot);
  size_t location = half->message.send.started.location;
  struct mpi_channel *channel = find_channel(mpi, &half->message, location);
  uint32_t before = MPI_LINK_NONE, at = channel ? channel->first : MPI_LINK_NONE;
  for (; at != MPI_LINK_NONE && at != slot; at = half_at(mpi, at)->next)
    before = at;
  if (at == MPI_LINK_NONE)
    return;
  if (before != MPI_LINK_NONE)
    half_at(mpi, before)->next = half->next;
  else
    channel->first = half->next;
  if (channel->last == slot)
    channel->last = before;
  if (channel->first == MPI_LINK_NONE)
    drop_channel(mpi, &half->message, location);
  pool_put(&mpi->halves, slot);
}

/* -- matching -- */

/* Who receives late has not waited. */
static void link_ends(const struct mpi_replay *mpi, const struct mpi_end *send,
                      const struct mpi_end *receive) {
  struct replay_link link = {REPLAY_LINK_MESSAGE,
                             {send->begin_ticks, send->started.location},
                             {receive->end_ticks, receive->ended.location},
                             receive->begin_ticks,
                             true};
  if (send->begin_ticks > receive->begin_ticks)
    mpi->observer.link(mpi->data, &link);
}

static void notify_if_complete(struct mpi_replay *mpi, uint32_t slot) {
  const struct mpi_half *half = half_at(mpi, slot);
  if (!half->is_sent || !half->is_received || half->is_open)
    return;
  if (mpi->observer.message)
    mpi->observer.message(mpi->data, &half->message);
  if (mpi->observer.link)
    link_ends(mpi, &half->message.send, &half->message.receive);
  mpi_release_ending(mpi, half->message.send.ending);
  mpi_release_ending(mpi, half->message.receive.ending);
  pool_put(&mpi->halves, slot);
}

static uint32_t new_half(struct mpi_replay *mpi, const struct mpi_message *message) {
  uint32_t slot;
  *(struct mpi_half *)pool_new(&mpi->halves, &slot) =
      (struct mpi_half){.message = *message, .next = MPI_LINK_NONE};
  return slot;
}

/* The half of this end, alone or with its other one. */
static uint32_t add_end(struct mpi_replay *mpi, const struct mpi_message *message, bool is_send) {
  size_t location = is_send ? message->send.started.location : message->receive.started.location;
  uint32_t slot = remove_other_half(mpi, message, location, is_send);
  if (slot == MPI_LINK_NONE) {
    slot = new_half(mpi, message);
    append(mpi, message, location, slot);
  }
  struct mpi_half *half = half_at(mpi, slot);
  if (is_send)
    half->message.send = message->send;
  else
    half->message.receive = message->receive;
  half->is_sent |= is_send;
  half->is_received |= !is_send;
  return slot;
}

static bool is_present(const struct mpi_replay *mpi, uint32_t comm, uint32_t rank) {
  return mpi->ranks[comm].is_self || mpi_rank_process(mpi, comm, rank) != UINT32_MAX;
}

/* The rank that the event's process has. */
static uint32_t own_rank(const struct mpi_replay *mpi, uint32_t comm, size_t location) {
  return mpi->ranks[comm].is_self ? 0 : mpi_process_rank(mpi, comm, mpi->processes[location]);
}

static void notify_end(struct mpi_replay *mpi, const struct mpi_message *message, bool is_send) {
  if (mpi->observer.end)
    mpi->observer.end(mpi->data, message, is_send);
}

/* The two kinds of sends begin with the same fields. */
static void on_send(struct mpi_replay *mpi, const struct trace_event *event, bool has_request) {
  uint32_t comm = mpi_comm_at(mpi, event->MpiSend.comm);
  if (comm == UINT32_MAX)
    return;
  struct mpi_call call = mpi_call_at(mpi, event);
  struct mpi_message message = {.comm = comm,
                                .sender = own_rank(mpi, comm, event->location),
                                .receiver = event->MpiSend.receiver,
                                .tag = event->MpiSend.msg_tag};
  message.send = (struct mpi_end){.started = call,
                                  .begin_ticks = event->ticks,
                                  .bytes = event->MpiSend.msg_length,
                                  .has_request = has_request};
  struct mpi_request request = {.started = call, .begin_ticks = event->ticks, .half = MPI_LINK_NONE};
  if (!has_request) {
    message.send.ended = call;
    message.send.end_ticks = event->ticks;
  }
  if (message.sender != UINT32_MAX && is_present(mpi, comm, message.receiver)) {
    if (mpi->observer.begins_in)
      mpi->observer.begins_in(mpi->data, &call);
    notify_end(mpi, &message, true);
    request.half = add_end(mpi, &message, true);
    if (has_request) {
      half_at(mpi, request.half)->is_open = true;
    } else {
      half_at(mpi, request.half)->message.send.ending = mpi_notify_end(mpi, &call);
      notify_if_complete(mpi, request.half);
    }
  }
  if (has_request)
    mpi_add_request(mpi, mpi->processes[event->location], event->MpiIsend.request, &request);
}

static void end_send(struct mpi_replay *mpi, const struct mpi_call *call, uint32_t slot, uint64_t ticks) {
  struct mpi_half *half = half_at(mpi, slot);
  half->is_open = false;
  half->message.send.ended = *call;
  half->message.send.end_ticks = ticks;
  half->message.send.ending = mpi_notify_end(mpi, call);
  notify_if_complete(mpi, slot);
}

static void on_send_complete(struct mpi_replay *mpi, const struct trace_event *event) {
  struct mpi_request request;
  struct mpi_call call = mpi_call_at(mpi, event);
  if (mpi_remove_request(mpi, mpi->processes[event->location], event->MpiIsendComplete.request, &request) &&
      request.half != MPI_LINK_NONE)
    end_send(mpi, &call, request.half, event->ticks);
}

/* Its turn has come. */
static void receive(void *data, uint64_t item) {
  struct mpi_replay *mpi = data;
  const struct mpi_late *late = pool_item(&mpi->late, (uint32_t)item);
  struct mpi_message message = late->message;
  pool_put(&mpi->late, (uint32_t)item);
  notify_if_complete(mpi, add_end(mpi, &message, false));
}

static void end_posting(struct mpi_replay *mpi, uint32_t process, uint64_t number,
                        const struct mpi_message *message) {
  uint32_t slot = 0;
  if (message)
    ((struct mpi_late *)pool_new(&mpi->late, &slot))->message = *message;
  match_queue_end(&mpi->receives[process], number, slot, !message, receive, mpi);
}

static bool is_of_receive(const struct mpi_request *request) {
  return !request->is_collective && request->posting > 0;
}

/* The two kinds of receives begin with the same fields. */
static void on_receive(struct mpi_replay *mpi, const struct trace_event *event, bool has_request) {
  uint32_t comm = mpi_comm_at(mpi, event->MpiRecv.comm), process = mpi->processes[event->location];
  struct mpi_call call = mpi_call_at(mpi, event);
  struct mpi_request request;
  bool is_posted = has_request && mpi_remove_request(mpi, process, event->MpiIrecv.request, &request) &&
                   is_of_receive(&request);
  if (!is_posted)
    request = (struct mpi_request){.started = call,
                                   .begin_ticks = call.enter_ticks,
                                   .posting = match_queue_begin(&mpi->receives[process])};
  struct mpi_message message = {.comm = comm, .sender = event->MpiRecv.sender, .tag = event->MpiRecv.msg_tag};
  bool is_known = comm != UINT32_MAX && is_present(mpi, comm, message.sender);
  message.receiver = comm == UINT32_MAX ? UINT32_MAX : own_rank(mpi, comm, event->location);
  is_known &= message.receiver != UINT32_MAX;
  message.receive = (struct mpi_end){.started = request.started,
                                     .ended = call,
                                     .begin_ticks = request.begin_ticks,
                                     .end_ticks = event->ticks,
                                     .bytes = event->MpiRecv.msg_length,
                                     .has_request = has_request};
  if (is_known) {
    notify_end(mpi, &message, false);
    message.receive.ending = mpi_notify_end(mpi, &call);
  }
  end_posting(mpi, process, request.posting, is_known ? &message : NULL);
}

static void on_receive_request(struct mpi_replay *mpi, const struct trace_event *event) {
  uint32_t process = mpi->processes[event->location];
  struct mpi_request request = {.started = mpi_call_at(mpi, event),
                                .begin_ticks = event->ticks,
                                .posting = match_queue_begin(&mpi->receives[process]),
                                .half = MPI_LINK_NONE};
  mpi_add_request(mpi, process, event->MpiIrecvRequest.request, &request);
}

static void on_cancelled(struct mpi_replay *mpi, const struct trace_event *event) {
  struct mpi_request request;
  uint32_t process = mpi->processes[event->location];
  if (!mpi_remove_request(mpi, process, event->MpiRequestCancelled.request, &request))
    return;
  if (request.half != MPI_LINK_NONE && !half_at(mpi, request.half)->is_received)
    withdraw(mpi, request.half);
  else if (is_of_receive(&request))
    end_posting(mpi, process, request.posting, NULL);
}

void mpi_messages_process(struct mpi_replay *mpi, const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_MpiSend:
  case TRACE_MpiIsend:
    on_send(mpi, event, event->kind == TRACE_MpiIsend);
    break;
  case TRACE_MpiRecv:
  case TRACE_MpiIrecv:
    on_receive(mpi, event, event->kind == TRACE_MpiIrecv);
    break;
  case TRACE_MpiIsendComplete:
    on_send_complete(mpi, event);
    break;
  case TRACE_MpiIrecvRequest:
    on_receive_request(mpi, event);
    break;
  default:
    on_cancelled(mpi, event);
  }
}

/* -- at the end -- */

static void notify_requests(struct mpi_replay *mpi) {
  for (size_t i = 0; i < mpi->request_table.capacity; i++) {
    uintptr_t slot = (uintptr_t)mpi->request_table.entries[i].value;
    if (!slot)
      continue;
    const struct mpi_request *request = pool_item(&mpi->requests, (uint32_t)(slot - 1));
    if (mpi->observer.open_request)
      mpi->observer.open_request(mpi->data, &request->started);
    if (request->half != MPI_LINK_NONE) {
      half_at(mpi, request->half)->is_open = false;
      notify_if_complete(mpi, request->half);
    }
  }
}

static void notify_channel(struct mpi_replay *mpi, const struct mpi_channel *channel) {
  for (uint32_t at = channel->first; at != MPI_LINK_NONE; at = half_at(mpi, at)->next) {
    const struct mpi_half *half = half_at(mpi, at);
    if (mpi->observer.unmatched)
      mpi->observer.unmatched(mpi->data, &half->message, half->is_sent);
  }
}

void mpi_messages_finish(struct mpi_replay *mpi) {
  for (size_t i = 0; i < mpi->process_count; i++)
    match_queue_finish(&mpi->receives[i], receive, mpi);
  notify_requests(mpi);
  for (size_t i = 0; i < mpi->channels.capacity; i++) {
    uintptr_t slot = (uintptr_t)mpi->channels.entries[i].value;
    if (slot)
      notify_channel(mpi, pool_item(&mpi->channel_pool, (uint32_t)(slot - 1)));
  }
}
