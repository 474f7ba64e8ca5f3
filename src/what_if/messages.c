#include "what_if/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "replay/mpi_flow.h"

/* MPI_Init or MPI_Finalize of all processes. */
struct all_calls {
  struct mpi_call *calls;
  size_t count, capacity;
};

struct message_search {
  struct messages *found;
  const struct trace *trace;
  struct mpi_replay *mpi;
  uint64_t *left; /* by call: when it was left; 0: not yet */
  size_t left_capacity;
  uint64_t early_bytes;  /* the most that were sent before a receive was posted, and 1 */
  uint64_t waited_bytes; /* the fewest whose send waited for the receive, and 1 */
  uint64_t several;      /* moments of several calls so far */
  struct all_calls init, finalize;
};

static void add(struct message_search *search, struct message_wait wait) {
  struct messages *found = search->found;
  if (wait.call == 0 || wait.moment == 0 || wait.call == wait.moment)
    return;
  array_reserve(&found->waits, &found->wait_capacity, found->wait_count + 1, sizeof *found->waits);
  found->waits[found->wait_count++] = wait;
}

static void add_part(struct message_search *search, uint64_t call, uint64_t moment) {
  struct messages *found = search->found;
  array_reserve(&found->parts, &found->part_capacity, found->part_count + 1, sizeof *found->parts);
  found->parts[found->part_count++] = (struct message_wait){.call = call, .moment = moment};
}

/* -- messages -- */

static uint64_t left_at(const struct message_search *search, uint64_t call) {
  return call < search->left_capacity ? search->left[call] : 0;
}

static const char *name_of(const struct message_search *search, const struct mpi_call *call) {
  return call->region < search->trace->region_count ? search->trace->regions[call->region].name : "";
}

/* MPI_Ssend, MPI_Issend, MPI_Ssend_init wait for the receiver by definition (MPI 4.0, 3.4). */
static bool is_synchronous(const struct message_search *search, const struct mpi_call *call) {
  const char *name = name_of(search, call);
  return strncmp(name, "MPI_Ssend", 9) == 0 || strncmp(name, "MPI_Issend", 10) == 0;
}

/* The call of the other process that a wait from `since` to `until` has ended with. Without a progress thread
 * a message moves only while its processes are in MPI: then it is not the one in which the message was
 * started, but that in which it ended, if the wait's end is nearer to it. */
static uint64_t cause_of(const struct mpi_end *other, uint64_t since, uint64_t until) {
  uint64_t again = other->ended.enter_ticks;
  bool is_moved_then = other->has_request && other->ended.id > other->started.id && again > since &&
                       until >= again && until - again < again - other->started.enter_ticks;
  return is_moved_then ? other->ended.id : other->started.id;
}

/* Whether a send waits for its receiver the MPI decides by the number of bytes, which the run shows. */
static void add_send(struct message_search *search, const struct mpi_message *message) {
  const struct mpi_end *send = &message->send, *receive = &message->receive;
  uint64_t left = left_at(search, send->ended.id);
  uint64_t until = left > 0 ? left : receive->end_ticks;
  struct message_wait wait = {send->ended.id, cause_of(receive, send->ended.enter_ticks, until),
                              send->bytes + 1};
  if (is_synchronous(search, &send->started)) {
    wait.bytes = UINT64_MAX;
    add(search, wait);
    return;
  }
  if (left > 0 && left <= receive->begin_ticks) {
    search->early_bytes = wait.bytes > search->early_bytes ? wait.bytes : search->early_bytes;
    return;
  }
  if (receive->begin_ticks > send->ended.enter_ticks && wait.bytes < search->waited_bytes)
    search->waited_bytes = wait.bytes;
  add(search, wait);
}

static void on_message(void *data, const struct mpi_message *message) {
  struct message_search *search = data;
  const struct mpi_end *receive = &message->receive;
  uint64_t sent = cause_of(&message->send, receive->ended.enter_ticks, receive->end_ticks);
  add(search, (struct message_wait){.call = receive->ended.id, .moment = sent});
  add_send(search, message);
}

static void on_left(void *data, const struct mpi_call *call, uint64_t ticks) {
  struct message_search *search = data;
  array_reserve_zeroed(&search->left, &search->left_capacity, call->id + 1, sizeof *search->left);
  search->left[call->id] = ticks;
}

/* -- several calls -- */

/* Whether each went on only when the last had come, in the trace. */
static bool is_for_all(const struct mpi_operation *operation) {
  uint64_t last_begin = 0, first_end = UINT64_MAX;
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    last_begin = member->begin_ticks > last_begin ? member->begin_ticks : last_begin;
    first_end = member->end_ticks < first_end ? member->end_ticks : first_end;
  }
  return operation->member_count > 1 && operation->member_count == operation->expected &&
         first_end >= last_begin;
}

static void on_operation(void *data, const struct mpi_operation *operation) {
  struct message_search *search = data;
  enum mpi_flow flow = operation->member_count ? mpi_flow_of(search->trace, operation) : MPI_FLOW_UNKNOWN;
  if (flow == MPI_FLOW_UNKNOWN && !is_for_all(operation))
    return;
  flow = flow == MPI_FLOW_UNKNOWN ? MPI_FLOW_ALL : flow;
  uint64_t moment = MESSAGE_OF_SEVERAL | search->several++;
  for (size_t i = 0; i < operation->member_count; i++) {
    const struct mpi_member *member = &operation->members[i];
    if (mpi_is_awaited(search->mpi, operation, member, flow))
      add_part(search, member->started.id, moment);
    if (mpi_waits(search->mpi, operation, member, flow))
      add(search, (struct message_wait){.call = member->ended.id, .moment = moment});
  }
}

/* -- MPI_Init and MPI_Finalize -- */

static void add_to_all(struct all_calls *all, const struct mpi_call *call) {
  array_reserve(&all->calls, &all->capacity, all->count + 1, sizeof *all->calls);
  all->calls[all->count++] = *call;
}

static void on_begin(struct message_search *search, const struct mpi_call *call) {
  const char *name = name_of(search, call);
  if (strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0)
    add_to_all(&search->init, call);
  else if (strcmp(name, "MPI_Finalize") == 0)
    add_to_all(&search->finalize, call);
}

/* Of other calls than these there are events. */
static void add_all_calls(struct message_search *search, const struct all_calls *all) {
  uint64_t moment = MESSAGE_OF_SEVERAL | search->several++, last = 0, first_left = UINT64_MAX;
  for (size_t i = 0; i < all->count; i++) {
    uint64_t left = left_at(search, all->calls[i].id);
    last = all->calls[i].enter_ticks > last ? all->calls[i].enter_ticks : last;
    first_left = left < first_left ? left : first_left;
  }
  for (size_t i = 0; first_left >= last && i < all->count; i++) {
    add_part(search, all->calls[i].id, moment);
    add(search, (struct message_wait){.call = all->calls[i].id, .moment = moment});
  }
}

/* -- all -- */

static bool on_event(void *data, const struct trace_event *event) {
  struct message_search *search = data;
  uint64_t before = mpi_open_call(search->mpi, event->location).id;
  mpi_process(search->mpi, event);
  struct mpi_call now = mpi_open_call(search->mpi, event->location);
  if (now.id != before && now.id > 0)
    on_begin(search, &now);
  return true;
}

static int by_call(const void *one, const void *other) {
  const struct message_wait *first = one, *second = other;
  if (first->call != second->call)
    return first->call < second->call ? -1 : 1;
  return first->moment < second->moment ? -1 : first->moment > second->moment;
}

static int by_moment(const void *one, const void *other) {
  uint64_t first = *(const uint64_t *)one, second = *(const uint64_t *)other;
  return first < second ? -1 : first > second;
}

/* Sends that are short enough to have gone before a receive was posted wait for nobody. */
static void drop_early(struct message_search *search) {
  struct messages *found = search->found;
  size_t kept = 0;
  for (size_t i = 0; i < found->wait_count; i++) {
    const struct message_wait *wait = &found->waits[i];
    if (wait->bytes == 0 || (wait->bytes > search->early_bytes && wait->bytes >= search->waited_bytes))
      found->waits[kept++] = *wait;
  }
  found->wait_count = kept;
}

static void finish(struct message_search *search) {
  struct messages *found = search->found;
  mpi_finish(search->mpi);
  add_all_calls(search, &search->init);
  add_all_calls(search, &search->finalize);
  drop_early(search);
  found->awaited = memory_get(found->wait_count, sizeof *found->awaited);
  for (size_t i = 0; i < found->wait_count; i++)
    found->awaited[i] = found->waits[i].moment;
  if (found->wait_count > 0) {
    qsort(found->waits, found->wait_count, sizeof *found->waits, by_call);
    qsort(found->awaited, found->wait_count, sizeof *found->awaited, by_moment);
  }
  if (found->part_count > 0)
    qsort(found->parts, found->part_count, sizeof *found->parts, by_call);
}

int messages_find(struct messages *ret, struct trace *trace, char error[TRACE_ERROR_BYTES]) {
  static const struct mpi_observer observer = {
      .message = on_message, .operation = on_operation, .left = on_left};
  struct message_search search = {.found = ret, .trace = trace, .waited_bytes = UINT64_MAX};
  int result = 0;
  *ret = (struct messages){0};
  search.mpi = mpi_create(trace, &observer, &search);
  if (mpi_is_there(search.mpi))
    result = trace_read_in_order(trace, 0, UINT64_MAX, on_event, &search, error);
  if (result == 0)
    finish(&search);
  mpi_free(search.mpi);
  free(search.left);
  free(search.init.calls);
  free(search.finalize.calls);
  return result;
}

void messages_free(struct messages *messages) {
  free(messages->waits);
  free(messages->parts);
  free(messages->awaited);
}

size_t messages_first(const struct message_wait *waits, size_t count, uint64_t call) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (waits[middle].call < call)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t first_moment(const struct messages *messages, uint64_t moment) {
  size_t low = 0, high = messages->wait_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (messages->awaited[middle] < moment)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t messages_awaited(const struct messages *messages, uint64_t moment) {
  return first_moment(messages, moment + 1) - first_moment(messages, moment);
}
