/* Calls of MPI's functions, and what they report messages, collective operations and communicators. */
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/mpi.h"
#include "writer/correlate/record_text.h"
#include "writer/definitions/call_sites.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/definitions_mpi.h"
#include "writer/definitions/regions.h"

/* -- regions -- */

static void enter_function(struct correlator *c, struct traced_thread *thread, uint32_t function,
                           uint64_t codeptr, struct event *enter) {
  if (!regions_is_nowhere(c->regions, codeptr)) {
    enter->attribute2 = ATTRIBUTE_call_site;
    enter->value2 = call_sites_get(c->call_sites, codeptr);
  }
  if (!enter->attribute) {
    enter->attribute = enter->attribute2;
    enter->value = enter->value2;
    enter->attribute2 = 0;
  }
  frame_enter_with(c, thread, thread->current,
                   (struct frame){.kind = FRAME_MPI,
                                  .detail = function,
                                  .region = regions_get(c->regions, CONSTRUCT_mpi, 0, function)},
                   enter);
}

static struct frame *top_function(struct traced_thread *thread) {
  struct stack *stack = &thread->current->stack;
  struct frame *top = stack->count ? &stack->frames[stack->count - 1] : NULL;
  return top && top->kind == FRAME_MPI ? top : NULL;
}

/* Whether calls with this begin and duration continue the region of those that found nothing: where the
 * program does little else between them, or a processor was lacking for a moment. */
static bool is_near(const struct traced_thread *thread, uint64_t begin, uint64_t duration) {
  uint64_t before = (thread->last_ticks - thread->polls_begin) / 8;
  return begin <= thread->last_ticks + (duration / 2 > before ? duration / 2 : before);
}

/* Calls that found nothing and what they found at last are one region, as a call is that waits. */
static bool goes_on(struct traced_thread *thread, const struct record_mpi_enter *record) {
  const struct frame *top = thread->has_polls ? top_function(thread) : NULL;
  uint64_t each = thread->polls ? (thread->last_ticks - thread->polls_begin) / thread->polls : 0;
  return top && top->detail == record->function && is_near(thread, record->ticks, 4 * each);
}

void on_mpi_enter(struct correlator *c, struct traced_thread *thread, const struct record_mpi_enter *record) {
  struct event enter = {.attribute = record->failed_tests ? ATTRIBUTE_failed_tests : 0,
                        .value = record->failed_tests};
  if (goes_on(thread, record)) {
    thread->has_polls = false;
    thread->polls += record->failed_tests;
    thread_now(c, thread, record->ticks);
    return;
  }
  mpi_polls_end(c, thread);
  enter.ticks = thread_now(c, thread, record->ticks);
  enter_function(c, thread, record->function, record->codeptr, &enter);
}

static void leave_function(struct correlator *c, struct traced_thread *thread, uint64_t now) {
  struct event leave = {.ticks = now, .attribute = ATTRIBUTE_failed_tests, .value = thread->polls};
  if (thread->polls)
    frame_leave_with(c, thread, thread->current, &leave);
  else
    frame_leave(c, thread, thread->current, now);
  thread->polls = 0;
}

void mpi_polls_end(struct correlator *c, struct traced_thread *thread) {
  if (thread->has_polls && top_function(thread))
    leave_function(c, thread, thread->last_ticks);
  thread->has_polls = false;
  thread->polls = 0;
}

/* Their region is as long as all of them together, and ends with the last one, or continues the region
 * before. */
void on_mpi_polls(struct correlator *c, struct traced_thread *thread, const struct record_mpi_polls *record) {
  uint64_t duration = record->polled_ticks < record->ticks ? record->polled_ticks : 0;
  uint64_t begin = record->ticks - duration;
  if (!thread->has_polls || !is_near(thread, begin, duration)) {
    mpi_polls_end(c, thread);
    struct event enter = {.ticks = thread_now(c, thread, begin)};
    enter_function(c, thread, record->function_and_count & UINT16_MAX, record->codeptr, &enter);
    thread->polls_begin = enter.ticks;
  }
  thread->has_polls = true;
  thread->polls += record->function_and_count >> 16;
  thread_now(c, thread, record->ticks);
}

/* What is open inside goes with it: a function that was left by longjmp, from a handler of errors. */
void on_mpi_leave(struct correlator *c, struct traced_thread *thread, const struct record_mpi_leave *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct task *task = thread->current;
  size_t i = task->stack.count;
  while (i > 0 && (task->stack.frames[i - 1].kind != FRAME_MPI ||
                   task->stack.frames[i - 1].detail != record->function))
    i--;
  if (i == 0) {
    c->ignored_ends++;
    return;
  }
  frames_leave_above(c, thread, task, now, i);
  leave_function(c, thread, now);
}

/* -- communicators -- */

static struct mpi_comm *comm_at(struct correlator *c, uint32_t number) {
  if (number >= MPI_NUMBERS_MAX)
    return NULL;
  if (number >= c->mpi.comm_count) {
    array_reserve_zeroed(&c->mpi.comms, &c->mpi.comm_capacity, number + 1u, sizeof *c->mpi.comms);
    c->mpi.comm_count = number + 1u;
  }
  return &c->mpi.comms[number];
}

bool mpi_comm_find(const struct correlator *c, uint32_t number, uint32_t *ret) {
  if (number >= c->mpi.comm_count || !c->mpi.comms[number].reference)
    return false;
  *ret = c->mpi.comms[number].reference - 1;
  return true;
}

/* A distance may be negative: that is modulo 2^32, as ranks are. */
static void add_ranks(struct mpi_ranks *ranks, uint64_t first_and_count, uint32_t distance, uint32_t most) {
  uint32_t first = (uint32_t)first_and_count, count = (uint32_t)(first_and_count >> 32);
  if (count > most - (ranks->count < most ? ranks->count : most))
    return;
  array_reserve_zeroed(&ranks->all, &ranks->capacity, ranks->count + count, sizeof *ranks->all);
  for (uint32_t i = 0; i < count; i++)
    ranks->all[ranks->count++] = first + i * distance;
}

void on_mpi_ranks(struct correlator *c, struct traced_thread *thread, const struct record_mpi_ranks *record) {
  bool is_of_group = record->endpoint == RANKS_OF_GROUP;
  struct mpi_comm *comm = is_of_group ? NULL : comm_at(c, record->comm);
  struct mpi_group_ranks *group = is_of_group ? mpi_group_at(c, record->comm) : NULL;
  thread_now(c, thread, record->ticks);
  if (!comm && !group)
    return;
  for (uint64_t i = 0; i < record->groups && 2 * i + 1 < 4u * record->more; i++)
    add_ranks(group ? &group->ranks : &comm->ranks[record->endpoint == RANKS_OF_OTHER_GROUP], c->words[2 * i],
              (uint32_t)c->words[2 * i + 1], MPI_PROCESSES_MAX);
}

struct mpi_group_ranks *mpi_group_at(struct correlator *c, uint32_t number) {
  if (number >= MPI_NUMBERS_MAX)
    return NULL;
  array_reserve_zeroed(&c->mpi.groups, &c->mpi.group_capacity, number + 1u, sizeof *c->mpi.groups);
  return &c->mpi.groups[number];
}

static void free_ranks(struct mpi_comm *comm) {
  for (size_t i = 0; i < sizeof comm->ranks / sizeof *comm->ranks; i++) {
    free(comm->ranks[i].all);
    comm->ranks[i] = (struct mpi_ranks){0};
  }
}

static void emit_comm(struct correlator *c, struct traced_thread *thread, enum mpi_event_kind kind,
                      uint64_t now, uint32_t reference) {
  if (!c->is_paused)
    emit_event(c, thread, &(struct event){.kind = (uint8_t)kind, .ticks = now, .mpi_comm = reference});
}

/* One between two groups is written as one of all their members, the group with the lower first rank in
 * front, on both sides the same: python3-otf2 reads no archive with an InterComm definition. */
static void join_groups(struct mpi_comm *comm) {
  struct mpi_ranks *own = &comm->ranks[0], *other = &comm->ranks[1];
  if (own->count == 0 || other->count == 0)
    return;
  bool is_own_first = own->all[0] < other->all[0];
  struct mpi_ranks *first = is_own_first ? own : other, *second = is_own_first ? other : own;
  comm->before_others = is_own_first ? (uint32_t)own->count : 0;
  array_reserve_zeroed(&first->all, &first->capacity, first->count + second->count, sizeof *first->all);
  memcpy(first->all + first->count, second->all, second->count * sizeof *second->all);
  first->count += second->count;
  if (!is_own_first) {
    struct mpi_ranks swapped = *own;
    *own = *other;
    *other = swapped;
  }
}

static const char *name_of(const struct record_mpi_comm *record) {
  if (record->comm == COMM_WORLD)
    return "MPI_COMM_WORLD";
  return record->comm == COMM_SELF ? "MPI_COMM_SELF" : record->endpoint == 1 ? "inter-communicator" : NULL;
}

void on_mpi_comm(struct correlator *c, struct traced_thread *thread, const struct record_mpi_comm *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct mpi_comm *comm = comm_at(c, record->comm);
  uint32_t parent = COMM_UNKNOWN;
  if (!comm)
    return;
  mpi_comm_find(c, (uint32_t)record->parent, &parent);
  const struct mpi_comm_facts facts = {.key = record->key,
                                       .parent = parent,
                                       .is_self = record->comm == COMM_SELF,
                                       .is_made = record->flags & 1};
  comm->is_between = record->endpoint == 1;
  join_groups(comm);
  comm->reference =
      1 + definitions_mpi_comm(c->definitions, &facts, comm->ranks[0].all, (uint32_t)comm->ranks[0].count);
  free_ranks(comm);
  if (name_of(record))
    definitions_mpi_comm_name(c->definitions, comm->reference - 1, name_of(record));
  if (facts.is_made)
    emit_comm(c, thread, EVENT_COMM_CREATE, now, comm->reference - 1);
}

void on_mpi_comm_end(struct correlator *c, struct traced_thread *thread,
                     const struct record_mpi_comm_end *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  uint32_t reference;
  if (mpi_comm_find(c, record->comm, &reference) && definitions_mpi_comm_is_made(c->definitions, reference))
    emit_comm(c, thread, EVENT_COMM_DESTROY, now, reference);
}

void on_mpi_comm_name(struct correlator *c, struct traced_thread *thread,
                      const struct record_mpi_comm_name *record) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES];
  uint32_t reference;
  thread_now(c, thread, record->ticks);
  if (!record->more || !mpi_comm_find(c, record->comm, &reference))
    return;
  record_read_text(c, record->more, record->name_bytes, name, sizeof name);
  definitions_mpi_comm_name(c->definitions, reference, name);
}

void on_mpi_process(struct correlator *c, struct traced_thread *thread,
                    const struct record_mpi_process *record) {
  char library[RECORD_SLOTS_MAX * RECORD_BYTES] = "";
  thread_now(c, thread, record->ticks);
  if (record->rank >= MPI_PROCESSES_MAX || record->size > MPI_PROCESSES_MAX)
    return;
  if (record->more)
    record_read_text(c, record->more, record->library_bytes, library, sizeof library);
  definitions_mpi_process(c->definitions, (uint32_t)record->rank, (uint32_t)record->size, library);
}

void on_mpi_clock(struct correlator *c, struct traced_thread *thread, const struct record_mpi_clock *record) {
  const struct clock_comparison point = {record->local, record->remote, record->deviation};
  char domain[CLOCK_DOMAIN_BYTES] = "";
  thread_now(c, thread, record->ticks);
  if (record->more)
    record_read_text(c, record->more, UINT64_MAX, domain, sizeof domain);
  definitions_mpi_clock(c->definitions, &point, domain);
}

void mpi_comms_free(struct correlator *c) {
  for (size_t i = 0; i < c->mpi.comm_count; i++)
    free_ranks(&c->mpi.comms[i]);
  free(c->mpi.comms);
  for (size_t i = 0; i < c->mpi.group_capacity; i++)
    free(c->mpi.groups[i].ranks.all);
  free(c->mpi.groups);
  map_clear(&c->mpi.hidden_requests);
}

/* -- requests: what began in a pause is not in the archive, nor is its end -- */

bool mpi_request_begins_hidden(struct correlator *c) {
  if (c->is_paused)
    map_put(&c->mpi.hidden_requests, c->record_id, c);
  return c->is_paused;
}

bool mpi_request_ends_hidden(struct correlator *c, uint64_t request) {
  if (!map_get(&c->mpi.hidden_requests, request))
    return false;
  map_remove(&c->mpi.hidden_requests, request);
  return true;
}

/* -- messages -- */

/* Between two groups those beside the root in its group do not know which one it is: nobody reports it
 * then. */
static uint32_t root_of(const struct correlator *c, const struct record_mpi_collective *record) {
  bool is_known = record->more && !c->mpi.comms[record->comm].is_between;
  return is_known ? (uint32_t)c->words[0] : OTF2_COLLECTIVE_ROOT_NONE;
}

static void emit_message(struct correlator *c, struct traced_thread *thread, enum mpi_event_kind kind,
                         uint64_t now, const struct record_mpi_message *record, uint64_t request) {
  uint32_t reference;
  if (!mpi_comm_find(c, record->comm, &reference)) {
    c->figures.lost++;
    return;
  }
  emit_event(
      c, thread,
      &(struct event){.kind = (uint8_t)kind,
                      .ticks = now,
                      .bytes = record->bytes,
                      .request = request,
                      .peer = (uint32_t)record->peer_and_tag + c->mpi.comms[record->comm].before_others,
                      .mpi_comm = reference,
                      .tag = (uint32_t)(record->peer_and_tag >> 32)});
}

void on_mpi_message(struct correlator *c, struct traced_thread *thread,
                    const struct record_mpi_message *record) {
  static const enum mpi_event_kind kinds[] = {EVENT_MPI_SEND, EVENT_MPI_RECV, EVENT_MPI_ISEND,
                                              EVENT_MPI_IRECV_REQUEST};
  uint64_t now = thread_now(c, thread, record->ticks);
  bool is_request = record->endpoint == MESSAGE_ISEND || record->endpoint == MESSAGE_IRECV;
  if (record->endpoint > MESSAGE_IRECV || (is_request ? mpi_request_begins_hidden(c) : c->is_paused))
    return;
  emit_message(c, thread, kinds[record->endpoint], now, record, c->record_id);
}

/* The two records have the same fields. */
void on_mpi_complete(struct correlator *c, struct traced_thread *thread,
                     const struct record_mpi_complete *record) {
  uint64_t now = thread_now(c, thread, record->ticks), request = record->more ? c->words[0] : 0;
  enum mpi_event_kind kind = record->endpoint == MESSAGE_ISEND   ? EVENT_MPI_ISEND_COMPLETE
                             : record->endpoint == MESSAGE_IRECV ? EVENT_MPI_IRECV
                                                                 : EVENT_MPI_CANCELLED;
  if (request && !mpi_request_ends_hidden(c, request))
    emit_message(c, thread, kind, now, (const struct record_mpi_message *)record, request);
}

/* -- collective operations -- */

void mpi_collective_begins(const struct correlator *c, struct traced_thread *thread) {
  thread->mpi_collectives += !c->is_paused;
}

bool mpi_collective_ends(struct traced_thread *thread) {
  bool is_written = thread->mpi_collectives > 0;
  thread->mpi_collectives -= is_written;
  return is_written;
}

static bool moment_is_hidden(struct correlator *c, struct traced_thread *thread, unsigned moment,
                             uint64_t request) {
  if (moment == COLLECTIVE_COMPLETE)
    return mpi_request_ends_hidden(c, request);
  if (moment == COLLECTIVE_REQUEST)
    return mpi_request_begins_hidden(c);
  if (moment == COLLECTIVE_END)
    return !mpi_collective_ends(thread);
  mpi_collective_begins(c, thread);
  return c->is_paused;
}

void on_mpi_collective(struct correlator *c, struct traced_thread *thread,
                       const struct record_mpi_collective *record) {
  static const enum mpi_event_kind kinds[] = {EVENT_MPI_COLLECTIVE_BEGIN, EVENT_MPI_COLLECTIVE_END,
                                              EVENT_MPI_COLLECTIVE_REQUEST, EVENT_MPI_COLLECTIVE_COMPLETE};
  uint64_t now = thread_now(c, thread, record->ticks);
  bool has_request = record->endpoint == COLLECTIVE_COMPLETE;
  uint64_t request = has_request && record->more ? c->words[1] : c->record_id;
  uint32_t reference;
  if (record->endpoint > COLLECTIVE_COMPLETE || moment_is_hidden(c, thread, record->endpoint, request))
    return;
  if (!mpi_comm_find(c, record->comm, &reference)) {
    c->figures.lost++;
    return;
  }
  emit_event(c, thread,
             &(struct event){.kind = (uint8_t)kinds[record->endpoint],
                             .ticks = now,
                             .bytes = record->sent,
                             .received = record->received,
                             .collective_request = request,
                             .root = root_of(c, record),
                             .operation = record->flags,
                             .mpi_comm = reference});
}
