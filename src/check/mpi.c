/* MPI: whether messages, requests, collective operations and communicators of all ranks fit together, and who
 * waited when the job was ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "check/checker.h"
#include "check/mpi_early.h"
#include "stave/names.h"
#include "trace/label.h"

enum { ROOT_MIN_SPECIAL = -8 }; /* OTF2 has its special roots from here on */

struct check_mpi {
  struct mpi_replay *mpi;
  uint64_t deviation_ns; /* that clocks may be wrong against each other */
  struct mpi_early *early;
  bool *has_finalized;     /* by process: it came to MPI_Finalize */
  size_t *initialiser;     /* by process: 1 + the location that called MPI_Init; 0: none */
  struct pair_map comms;   /* that are not freed, by comm and process */
  struct mpi_call *makers; /* of these: where they were made */
  size_t maker_count, maker_capacity;
};

static const char *process_name(const struct checker *checker, size_t process) {
  const struct trace *trace = checker->trace;
  return process < trace->location_group_count ? trace->location_groups[process].name : "a process";
}

static const char *comm_name(const struct checker *checker, uint32_t comm) {
  const char *name = checker->trace->comms[comm].name;
  return *name ? name : "a communicator";
}

static bool has_finalized(const struct checker *checker, uint32_t process) {
  return process < checker->trace->location_group_count && checker->mpi->has_finalized[process];
}

static bool is_called(const struct checker *checker, const struct mpi_call *call, const char *name) {
  return strcmp(checker->trace->regions[call->region].name, name) == 0;
}

static uint64_t time_of(const struct mpi_call *call) {
  return call->enter_ticks;
}

/* -- messages -- */

static void on_end(void *data, const struct mpi_message *message, bool is_send) {
  struct checker *checker = data;
  size_t location = is_send ? message->send.started.location : message->receive.ended.location;
  mpi_early_end(checker->mpi->early, checker_process(checker, location), message, is_send);
}

/* One finding a process, at the message for which it is worst. */
static void find_early(struct checker *checker, size_t process) {
  const struct mpi_earliness *here = mpi_early_of(checker->mpi->early, process);
  const struct mpi_message *worst = &here->worst;
  if (here->early == 0)
    return;
  struct check_finding *found =
      checker_find_called(checker, CHECK_MPI_EARLY, &worst->receive.ended, time_of(&worst->receive.ended));
  char label[LABEL_BYTES];
  if (found)
    snprintf(found->detail, sizeof found->detail,
             "%" PRIu64 " of %" PRIu64 " messages; this one %" PRIu64 " ns before rank %u of %.40s sent it, "
             "%s; clocks may be wrong by %" PRIu64 " ns",
             here->early, here->received, here->most_ns, worst->sender, comm_name(checker, worst->comm),
             label_call(label, checker->trace, worst->send.started.region, worst->send.started.site),
             checker->mpi->deviation_ns);
}

static void on_message(void *data, const struct mpi_message *message) {
  struct checker *checker = data;
  mpi_early_message(checker->mpi->early, checker_process(checker, message->receive.ended.location), message);
  if (!checks(checker, CHECK_MPI_LENGTH) || message->send.bytes == message->receive.bytes)
    return;
  char label[LABEL_BYTES];
  struct check_finding *found = checker_find_called(checker, CHECK_MPI_LENGTH, &message->receive.ended,
                                                    time_of(&message->receive.ended));
  if (found)
    snprintf(found->detail, sizeof found->detail,
             "%" PRIu64 " bytes were received of %" PRIu64
             " that rank %u of %s sent to rank %u with tag %u, %s",
             message->receive.bytes, message->send.bytes, message->sender, comm_name(checker, message->comm),
             message->receiver, message->tag,
             label_call(label, checker->trace, message->send.started.region, message->send.started.site));
}

static void on_unmatched(void *data, const struct mpi_message *message, bool is_send) {
  struct checker *checker = data;
  enum check_rule rule = is_send ? CHECK_MPI_SEND : CHECK_MPI_RECEIVE;
  const struct mpi_call *call = is_send ? &message->send.started : &message->receive.ended;
  uint32_t own = (uint32_t)checker_process(checker, call->location);
  uint32_t other =
      mpi_rank_process(checker->mpi->mpi, message->comm, is_send ? message->receiver : message->sender);
  other = other == UINT32_MAX ? own : other; /* of MPI_COMM_SELF */
  if (!checks(checker, rule) || !has_finalized(checker, own) || !has_finalized(checker, other))
    return;
  struct check_finding *found = checker_find_called(checker, rule, call, time_of(call));
  if (found)
    snprintf(found->detail, sizeof found->detail,
             is_send ? "rank %u of %s sent %" PRIu64
                       " bytes with tag %u to rank %u, which never received them"
                     : "rank %u of %s is recorded as the sender of %" PRIu64
                       " bytes with tag %u to rank %u, and did not",
             message->sender, comm_name(checker, message->comm),
             is_send ? message->send.bytes : message->receive.bytes, message->tag, message->receiver);
}

static void on_open_request(void *data, const struct mpi_call *started) {
  struct checker *checker = data;
  if (!checks(checker, CHECK_MPI_REQUEST) ||
      !has_finalized(checker, (uint32_t)checker_process(checker, started->location)))
    return;
  struct check_finding *found = checker_find_called(checker, CHECK_MPI_REQUEST, started, time_of(started));
  if (found)
    snprintf(found->detail, sizeof found->detail, "%s never completed it",
             process_name(checker, checker_process(checker, started->location)));
}

/* -- collective operations -- */

static bool is_rank(uint32_t root) {
  return root < (uint32_t)ROOT_MIN_SPECIAL;
}

static bool is_other(const struct mpi_member *one, const struct mpi_member *other) {
  bool has_other_root = is_rank(one->root) && is_rank(other->root) && one->root != other->root;
  return one->operation != other->operation || has_other_root;
}

static void describe_member(const struct checker *checker, const struct mpi_member *member, char text[128]) {
  char label[LABEL_BYTES], root[24] = "";
  if (is_rank(member->root))
    snprintf(root, sizeof root, " with root %u", member->root);
  snprintf(text, 128, "%.32s %.64s%s", process_name(checker, member->process),
           label_call(label, checker->trace, member->started.region, member->started.site), root);
}

static void find_other(struct checker *checker, const struct mpi_operation *operation,
                       const struct mpi_member *one, const struct mpi_member *other) {
  char first[128], second[128];
  struct check_finding *found =
      checker_find_called(checker, CHECK_MPI_COLLECTIVE, &other->started, other->begin_ticks);
  describe_member(checker, one, first);
  describe_member(checker, other, second);
  if (found)
    snprintf(found->detail, sizeof found->detail, "operation %" PRIu64 " of %.40s: %s, %s",
             operation->number + 1, comm_name(checker, operation->comm), first, second);
}

/* Of those who came to MPI_Finalize: the first that has not called it. */
static void find_absent(struct checker *checker, const struct mpi_operation *operation) {
  for (uint32_t rank = 0, process; rank < UINT32_MAX; rank++) {
    const struct trace_group *group =
        trace_group(checker->trace, checker->trace->comms[operation->comm].group);
    if (!group || rank >= group->member_count)
      return;
    process = mpi_rank_process(checker->mpi->mpi, operation->comm, rank);
    size_t i = 0;
    while (i < operation->member_count && operation->members[i].process != process)
      i++;
    if (i < operation->member_count || !has_finalized(checker, process))
      continue;
    struct check_finding *found = checker_find_called(
        checker, CHECK_MPI_COLLECTIVE, &operation->members[0].started, operation->members[0].begin_ticks);
    if (found)
      snprintf(found->detail, sizeof found->detail, "operation %" PRIu64 " of %.40s: %s has called none",
               operation->number + 1, comm_name(checker, operation->comm), process_name(checker, process));
    return;
  }
}

static void on_operation(void *data, const struct mpi_operation *operation) {
  struct checker *checker = data;
  if (!checks(checker, CHECK_MPI_COLLECTIVE) || operation->member_count == 0)
    return;
  for (size_t i = 1; i < operation->member_count; i++)
    if (is_other(&operation->members[0], &operation->members[i])) {
      find_other(checker, operation, &operation->members[0], &operation->members[i]);
      return;
    }
  if (operation->member_count < operation->expected)
    find_absent(checker, operation);
}

/* -- communicators -- */

static void make_comm(struct checker *checker, const struct trace_event *event) {
  struct check_mpi *state = checker->mpi;
  size_t process = checker_process(checker, event->location);
  array_reserve(&state->makers, &state->maker_capacity, state->maker_count + 1, sizeof *state->makers);
  struct mpi_call *maker = &state->makers[state->maker_count++];
  *maker = mpi_open_call(state->mpi, event->location);
  maker->location = event->location;
  if (maker->id == 0)
    *maker = (struct mpi_call){.location = event->location,
                               .region = CHECK_NO_REGION,
                               .site = TRACE_NO_REF,
                               .enter_ticks = event->ticks};
  pair_map_put(&state->comms, event->CommCreate.comm, process, (void *)(uintptr_t)state->maker_count);
}

static void find_kept_comms(struct checker *checker) {
  struct check_mpi *state = checker->mpi;
  for (size_t i = 0; i < state->comms.capacity; i++) {
    uintptr_t maker = (uintptr_t)state->comms.entries[i].value;
    if (!maker || !has_finalized(checker, (uint32_t)state->comms.entries[i].low))
      continue;
    const struct mpi_call *call = &state->makers[maker - 1];
    struct check_finding *found = checker_find_called(checker, CHECK_MPI_COMM, call, call->enter_ticks);
    const struct trace_comm *comm = trace_comm(checker->trace, state->comms.entries[i].high);
    if (found)
      snprintf(found->detail, sizeof found->detail, "%s of %s", comm && *comm->name ? comm->name : "it",
               process_name(checker, state->comms.entries[i].low));
  }
}

/* -- who waited at the end -- */

static bool may_wait(const struct checker *checker, const struct mpi_call *call) {
  static const char *const never[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Test"};
  if (call->id == 0)
    return false;
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    if (is_called(checker, call, never[i]))
      return false;
  return true;
}

/* Threads other than those who call MPI do not keep a process from waiting: they wait for it in turn. */
static size_t count_at_work(const struct checker *checker) {
  size_t at_work = 0;
  for (size_t process = 0; process < checker->trace->location_group_count; process++) {
    bool has_threads = false, waits = false;
    for (size_t i = 0; i < checker->trace->location_count; i++)
      if (checker_process(checker, i) == process &&
          !trace_location_is_device(&checker->trace->locations[i]) &&
          !trace_location_is_metric(&checker->trace->locations[i])) {
        const struct mpi_call call = mpi_open_call(checker->mpi->mpi, i);
        has_threads = true;
        waits |= call.id > 0;
      }
    at_work += has_threads && !waits;
  }
  return at_work;
}

static void find_stuck(struct checker *checker, size_t location, size_t at_work) {
  struct mpi_call call = mpi_open_call(checker->mpi->mpi, location);
  if (!may_wait(checker, &call))
    return;
  struct check_finding *found = checker_find_called(checker, CHECK_MPI_STUCK, &call, call.enter_ticks);
  if (!found)
    return;
  snprintf(found->detail, sizeof found->detail, "%s waited since then%s",
           process_name(checker, checker_process(checker, location)),
           at_work == 0 ? "; all processes waited in MPI, nobody could go on: a deadlock" : "");
}

static void find_all_stuck(struct checker *checker) {
  if (checker->end_ticks == UINT64_MAX || checker->result->is_partial)
    return;
  size_t at_work = count_at_work(checker);
  for (size_t i = 0; i < checker->trace->location_count; i++)
    find_stuck(checker, i, at_work);
}

/* -- threads -- */

/* No event has what MPI_Init_thread provided. */
static void check_thread(struct checker *checker, const struct mpi_call *call) {
  size_t *initialiser = &checker->mpi->initialiser[checker_process(checker, call->location)];
  if (is_called(checker, call, "MPI_Init"))
    *initialiser = call->location + 1;
  if (*initialiser == 0 || *initialiser == call->location + 1 || !checks(checker, CHECK_MPI_THREAD))
    return;
  struct check_finding *found = checker_find_called(checker, CHECK_MPI_THREAD, call, call->enter_ticks);
  if (found)
    snprintf(found->detail, sizeof found->detail, "%s called MPI_Init",
             checker->trace->locations[*initialiser - 1].name);
}

/* -- all -- */

void check_mpi_open(struct checker *checker) {
  static const struct mpi_observer observer = {.message = on_message,
                                               .end = on_end,
                                               .unmatched = on_unmatched,
                                               .open_request = on_open_request,
                                               .operation = on_operation};
  struct check_mpi *state = checker->mpi = memory_get(1, sizeof *state);
  state->mpi = mpi_create(checker->trace, &observer, checker);
  state->has_finalized = memory_get(checker->trace->location_group_count + 1, sizeof *state->has_finalized);
  state->initialiser = memory_get(checker->trace->location_group_count + 1, sizeof *state->initialiser);
  state->deviation_ns = trace_archive_number(checker->trace, STAVE_PROPERTY_CLOCK_DEVIATION_NS);
  state->early = mpi_early_create(checker->trace, state->deviation_ns);
}

void check_mpi_on_event(struct checker *checker, const struct trace_event *event) {
  struct check_mpi *state = checker->mpi;
  if (!mpi_is_there(state->mpi))
    return;
  mpi_process(state->mpi, event);
  if (event->kind == TRACE_CommCreate)
    make_comm(checker, event);
  else if (event->kind == TRACE_CommDestroy)
    pair_map_remove(&state->comms, event->CommDestroy.comm, checker_process(checker, event->location));
  else if (event->kind == TRACE_Enter) {
    struct mpi_call call = mpi_open_call(state->mpi, event->location);
    checker->result->has_openmp |= call.id > 0;
    if (call.id > 0 && is_called(checker, &call, "MPI_Finalize"))
      state->has_finalized[checker_process(checker, event->location)] = true;
    if (call.id > 0)
      check_thread(checker, &call);
  }
}

void check_mpi_finish(struct checker *checker) {
  if (!mpi_is_there(checker->mpi->mpi) || checker->result->is_partial)
    return;
  if (checks(checker, CHECK_MPI_STUCK))
    find_all_stuck(checker);
  if (checks(checker, CHECK_MPI_COMM))
    find_kept_comms(checker);
  mpi_finish(checker->mpi->mpi);
  for (size_t i = 0; checks(checker, CHECK_MPI_EARLY) && i < checker->trace->location_group_count; i++)
    find_early(checker, i);
}

void check_mpi_close(struct checker *checker) {
  struct check_mpi *state = checker->mpi;
  mpi_free(state->mpi);
  pair_map_free(&state->comms);
  free(state->makers);
  mpi_early_free(state->early);
  free(state->has_finalized);
  free(state->initialiser);
  free(state);
}
