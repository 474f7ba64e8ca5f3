/* One rank of each clock (rendezvous.h) requests the time from the first of them, again and again. What that
 * answers was true at some time between question and answer. So half of the shortest time between these is
 * the most by which the point in their middle can be wrong.
 *
 * Messages go over a communicator of Stave's own with those ranks alone, which the program never sees. Its
 * errors are returned, and end the comparison. No call of MPI made here blocks, but the one that makes the
 * communicator, which is called by all of its ranks or by none (agreement.h). Who waits for another one looks
 * whether it still lives. */
#include "mpi/clocks.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agreement.h"
#include "mpi/call.h"
#include "mpi/rendezvous.h"
#include "session/clock.h"

enum message_kind { MESSAGE_HERE = 1, MESSAGE_READY, MESSAGE_QUERY, MESSAGE_TIME, MESSAGE_DONE };

struct clock_message {
  uint64_t kind, ticks;
  char domain[CLOCK_DOMAIN_BYTES]; /* of MESSAGE_READY */
};

enum {
  TAG = 1,
  SHORT_BYTES = offsetof(struct clock_message, domain),
  ANSWER_MS = 1000, /* the longest for one who is there */
  BEGIN_MS = 10000, /* for one who has just left MPI_Init, but may have failed */
  /* for all clocks together: at least, and at most where answers are slow; each has 2 ms at least */
  ALL_MIN_MS = 20,
  ALL_MAX_MS = 1000,
  EACH_MIN_MS = 2
};

static struct {
  word comm;
  size_t count;              /* of ranks in comm; 0: there is none */
  int rank;                  /* in it */
  int ranks[RENDEZVOUS_MAX]; /* in MPI_COMM_WORLD */
  pid_t process;
  char domain[CLOCK_DOMAIN_BYTES];
  /* by rank: where MPI may still read or write after nobody waits for it any more */
  struct clock_message sent[RENDEZVOUS_MAX], received[RENDEZVOUS_MAX];
} clocks;

/* -- messages -- */

static bool is_longer(uint64_t since_ns, uint64_t ms) {
  return clock_ns(CLOCK_MONOTONIC) - since_ns > ms * 1000000;
}

static void rest(unsigned turn) {
  enum { SPINS = 64 };
  if (turn % SPINS == 0)
    sched_yield();
}

/* Waits for a rank that may come much later: as long as its process lives. */
static bool lives(unsigned turn, int peer) {
  enum { LOOKS_AT_ONCE = 2000, PAUSE_US = 200, PAUSES_A_SECOND = 5000 };
  if (turn < LOOKS_AT_ONCE)
    return true;
  usleep(PAUSE_US);
  return turn % PAUSES_A_SECOND != 0 ||
         !rendezvous_has_left(mpi.recorder->job_archive(), mpi.rank, clocks.ranks[peer]);
}

enum patience { FOR_AN_ANSWER, FOR_ITS_BEGIN, WHILE_IT_LIVES };

/* The first rank begins with one after the other. */
static uint64_t limit_ms(enum patience patience) {
  return patience == FOR_AN_ANSWER ? ANSWER_MS : clocks.rank == 0 ? BEGIN_MS : BEGIN_MS * clocks.count;
}

static bool is_over(enum patience patience, uint64_t begin_ns, unsigned turn, int peer) {
  enum { LOOK = 64 };
  if (patience == WHILE_IT_LIVES)
    return !lives(turn, peer);
  return turn % LOOK == 0 && is_longer(begin_ns, limit_ms(patience));
}

/* False: an error, or nothing has come. */
static bool wait_for(word *request, int peer, enum patience patience) {
  uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
  int is_complete = 0;
  for (unsigned turn = 1;; turn++) {
    if (REAL(Test, (word)request, (word)&is_complete, mpi.abi.status_ignore) != 0 || is_complete)
      return is_complete;
    if (is_over(patience, begin_ns, turn, peer))
      return false;
    rest(turn);
  }
}

static bool post(int peer, word *request) {
  struct clock_message *message = &clocks.received[peer];
  *request = 0;
  return REAL(Irecv, (word)message, sizeof *message, mpi.abi.byte, (word)peer, TAG, clocks.comm,
              (word)request) == 0;
}

static bool send(const struct clock_message *message, size_t bytes, int peer) {
  word request = 0;
  clocks.sent[peer] = *message;
  return REAL(Isend, (word)&clocks.sent[peer], bytes, mpi.abi.byte, (word)peer, TAG, clocks.comm,
              (word)&request) == 0 &&
         wait_for(&request, peer, FOR_AN_ANSWER);
}

static bool receive(struct clock_message *message, int peer, enum patience patience) {
  word request;
  if (!post(peer, &request))
    return false;
  if (wait_for(&request, peer, patience)) {
    *message = clocks.received[peer];
    return true;
  }
  if (REAL(Cancel, (word)&request) == 0)
    wait_for(&request, peer, FOR_AN_ANSWER);
  return false;
}

/* -- the rank that answers -- */

static void answer(int peer, enum patience patience) {
  struct clock_message message = {0};
  if (!receive(&message, peer, patience))
    return;
  message.kind = MESSAGE_READY;
  memcpy(message.domain, clocks.domain, sizeof message.domain);
  if (!send(&message, sizeof message, peer))
    return;
  while (receive(&message, peer, FOR_AN_ANSWER) && message.kind == MESSAGE_QUERY) {
    message = (struct clock_message){.kind = MESSAGE_TIME, .ticks = mpi.recorder->ticks()};
    if (!send(&message, SHORT_BYTES, peer))
      return;
  }
}

/* -- the ranks that request the time -- */

struct point {
  uint64_t local, remote, deviation; /* ticks; deviation: of the own clock */
};

/* False: no answer. */
static bool query_time(struct point *ret) {
  struct clock_message answer = {0};
  const struct clock_message question = {.kind = MESSAGE_QUERY};
  uint64_t before = mpi.recorder->ticks();
  if (!send(&question, SHORT_BYTES, 0) || !receive(&answer, 0, FOR_AN_ANSWER) || answer.kind != MESSAGE_TIME)
    return false;
  uint64_t width = mpi.recorder->ticks() - before;
  *ret = (struct point){before + width / 2, answer.ticks, width - width / 2};
  return true;
}

/* Until no answer is much faster than the fastest before, or the time is up. */
static bool query_clock(struct point *ret) {
  enum { ENOUGH = 50 };
  uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), others = clocks.count - 1;
  uint64_t least_ms = EACH_MIN_MS + ALL_MIN_MS / others, most_ms = EACH_MIN_MS + ALL_MAX_MS / others;
  struct point point;
  *ret = (struct point){.deviation = UINT64_MAX};
  for (int in_vain = 0; !is_longer(begin_ns, in_vain < ENOUGH ? most_ms : least_ms); in_vain++) {
    if (!query_time(&point))
      return false;
    if (point.deviation < ret->deviation - ret->deviation / 16)
      in_vain = 0;
    if (point.deviation < ret->deviation)
      *ret = point;
  }
  return ret->deviation != UINT64_MAX;
}

static void put_point(const struct point *point, const char *domain) {
  uint64_t words[CLOCK_DOMAIN_BYTES / sizeof(uint64_t)] = {0};
  size_t bytes = strnlen(domain, CLOCK_DOMAIN_BYTES - 1);
  memcpy(words, domain, bytes);
  const struct record_mpi_clock record = {
      .type = RECORD_mpi_clock,
      .more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES),
      .local = point->local,
      .remote = point->remote,
      .deviation = point->deviation < UINT32_MAX ? (uint32_t)point->deviation : UINT32_MAX};
  mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}

static bool compare(enum patience patience) {
  const struct clock_message here = {.kind = MESSAGE_HERE}, done = {.kind = MESSAGE_DONE};
  struct clock_message ready = {0};
  struct point point;
  if (!send(&here, SHORT_BYTES, 0) || !receive(&ready, 0, patience) || ready.kind != MESSAGE_READY)
    return false;
  bool has_point = query_clock(&point);
  ready.domain[sizeof ready.domain - 1] = '\0';
  if (has_point && send(&done, SHORT_BYTES, 0))
    put_point(&point, ready.domain);
  return has_point;
}

static void compare_all(enum patience patience) {
  if (clocks.rank > 0)
    compare(patience);
  for (size_t i = 1; clocks.rank == 0 && i < clocks.count; i++)
    answer((int)i, patience);
}

/* -- the communicator -- */

static bool make_from(word world) {
  word group = 0, comm = 0;
  if (REAL(Group_incl, world, clocks.count, (word)clocks.ranks, (word)&group) != 0)
    return false;
  bool is_made =
      REAL(Comm_create_group, mpi.abi.comm_world, handle_at((word)&group, 0), TAG, (word)&comm) == 0;
  REAL(Group_free, (word)&group);
  clocks.comm = handle_at((word)&comm, 0);
  return is_made && REAL(Comm_set_errhandler, clocks.comm, mpi.abi.errors_return) == 0;
}

static bool make_comm(void) {
  word world = 0;
  bool is_made = REAL(Comm_group, mpi.abi.comm_world, (word)&world) == 0 &&
                 make_from(handle_at((word)&world, 0)) &&
                 REAL(Comm_rank, clocks.comm, (word)&clocks.rank) == 0;
  if (world)
    REAL(Group_free, (word)&world);
  return is_made;
}

/* -- errors on MPI_COMM_WORLD must not end the program -- */

static bool return_errors(word *ret_handler) {
  *ret_handler = 0;
  return REAL(Comm_get_errhandler, mpi.abi.comm_world, (word)ret_handler) == 0 &&
         REAL(Comm_set_errhandler, mpi.abi.comm_world, mpi.abi.errors_return) == 0;
}

static void treat_errors_again(word handler) {
  REAL(Comm_set_errhandler, mpi.abi.comm_world, handle_at((word)&handler, 0));
}

/* -- beginning and end -- */

static bool is_among(size_t count) {
  for (size_t i = 0; i < count; i++)
    if (clocks.ranks[i] == mpi.rank)
      return true;
  return false;
}

void clocks_begin(void) {
  const char *archive = mpi.recorder->job_archive();
  if (mpi.size < 2 || !archive || mpi.recorder->config->clocks == 1)
    return;
  mpi.recorder->clock_domain(clocks.domain);
  size_t count = clock_rendezvous(archive, mpi.rank, mpi.size, clocks.domain, clocks.ranks);
  word handler;
  if (count < 2 || !is_among(count) || !mpi_has(MPI_FUNCTION_Comm_create_group) || !return_errors(&handler))
    return;
  clocks.process = getpid();
  clocks.count = count;
  if (!agreement_reach(archive, clocks.ranks, count) || !make_comm())
    clocks.count = 0;
  treat_errors_again(handler);
  if (clocks.count > 0)
    compare_all(FOR_ITS_BEGIN);
}

static void end_agreement(void) {
  word handler;
  if (!return_errors(&handler))
    return;
  agreement_end();
  treat_errors_again(handler);
}

void clocks_end(void) {
  const char *archive = mpi.recorder ? mpi.recorder->job_archive() : NULL;
  bool has_agreed = clocks.process == getpid();
  if (clocks.count > 0 && has_agreed) {
    compare_all(WHILE_IT_LIVES);
    REAL(Comm_free, (word)&clocks.comm);
    clocks.count = 0;
  }
  if (has_agreed)
    end_agreement();
  if (archive && mpi.rank == 0 && mpi.size > 1)
    rendezvous_end(archive, mpi.rank);
}
