#include "mpi/agreement.h"

#include <sched.h>
#include <unistd.h>

#include "mpi/call.h"
#include "mpi/rendezvous.h"
#include "session/clock.h"

enum { QUESTION_MS = 7500, ANSWERS_MS = 5000, ENDING_MS = 1000 };
enum { TAG = 32109 }; /* every MPI has tags up to 32767 (MPI 4.0, 9.1.2) */

enum content { QUESTION = 1, HERE, YES, NO };

/* A message to or from a rank. MPI may still use it after nobody waits for it any more. */
struct agreement_message {
  int content;
  bool is_open, is_received;
  word request;
};

/* Of the first rank: by rank, its question, the answer and the decision. Of the others: the same of
 * themselves, in [0]. */
static struct {
  size_t count;
  struct agreement_message questions[RENDEZVOUS_MAX], answered[RENDEZVOUS_MAX], decided[RENDEZVOUS_MAX];
} messages;

/* -- messages -- */

static void receive(struct agreement_message *message, int rank) {
  message->is_received = true;
  message->request = 0;
  message->is_open = REAL(Irecv, (word)&message->content, sizeof message->content, mpi.abi.byte, (word)rank,
                          TAG, mpi.abi.comm_world, (word)&message->request) == 0;
}

static void send(struct agreement_message *message, int rank, enum content content) {
  message->content = (int)content;
  message->request = 0;
  message->is_open = REAL(Isend, (word)&message->content, sizeof message->content, mpi.abi.byte, (word)rank,
                          TAG, mpi.abi.comm_world, (word)&message->request) == 0;
}

/* Whether nothing is to be waited for any more: it has come or gone, or never will. */
static bool is_over(struct agreement_message *message) {
  int is_complete = 0;
  if (message->is_open &&
      (REAL(Test, (word)&message->request, (word)&is_complete, mpi.abi.status_ignore) != 0 || is_complete))
    message->is_open = false;
  return !message->is_open;
}

static void rest(unsigned turn) {
  enum { TURNS_AT_ONCE = 2000, PAUSE_US = 200 };
  if (turn < TURNS_AT_ONCE)
    sched_yield();
  else
    usleep(PAUSE_US);
}

/* All of them; false: some are not, after so long. for_ms 0: without end. */
static bool wait_for(struct agreement_message *several, size_t count, uint64_t for_ms) {
  uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
  size_t over = 0;
  for (unsigned turn = 0;; turn++) {
    while (over < count && is_over(&several[over]))
      over++;
    if (over == count)
      return true;
    if (for_ms > 0 && clock_ns(CLOCK_MONOTONIC) - begin_ns > for_ms * 1000000)
      return false;
    rest(turn);
  }
}

static void end(struct agreement_message *message) {
  if (is_over(message))
    return;
  if (message->is_received)
    REAL(Cancel, (word)&message->request);
  wait_for(message, 1, ENDING_MS);
}

/* -- the first rank -- */

static bool all_answer(const int *ranks, size_t count) {
  for (size_t i = 1; i < count; i++) {
    receive(&messages.answered[i], ranks[i]);
    send(&messages.questions[i], ranks[i], QUESTION);
  }
  bool have_all = wait_for(messages.answered + 1, count - 1, ANSWERS_MS);
  for (size_t i = 1; i < count; i++)
    have_all &= messages.answered[i].content == HERE;
  return have_all;
}

static bool decide(const char *archive, const int *ranks, size_t count) {
  bool listens[RENDEZVOUS_MAX];
  bool is_yes = rendezvous_await_ready(archive, ranks, count, listens) && all_answer(ranks, count);
  for (size_t i = 1; i < count; i++)
    if (listens[i])
      send(&messages.decided[i], ranks[i], is_yes ? YES : NO);
  wait_for(messages.decided + 1, count - 1, ENDING_MS);
  return is_yes;
}

/* -- the others -- */

/* It is the first one's to answer no: who has answered is waited for if it answers yes. */
static bool answer(int first) {
  if (!wait_for(messages.questions, 1, QUESTION_MS) || messages.questions->content != QUESTION)
    return false;
  send(messages.answered, first, HERE);
  wait_for(messages.decided, 1, 0);
  return messages.decided->content == YES;
}

static bool follow(const char *archive, int first) {
  receive(messages.questions, first);
  receive(messages.decided, first);
  if (!messages.questions->is_open || !messages.decided->is_open ||
      !rendezvous_publish_ready(archive, mpi.rank))
    return false;
  bool is_yes = answer(first);
  rendezvous_withdraw(archive, mpi.rank);
  if (!messages.questions->is_open) /* else it may still come */
    end(messages.decided);
  return is_yes;
}

bool agreement_reach(const char *archive, const int *ranks, size_t count) {
  messages.count = count;
  return mpi.rank == ranks[0] ? decide(archive, ranks, count) : follow(archive, ranks[0]);
}

void agreement_end(void) {
  for (size_t i = 0; i < messages.count; i++) {
    end(&messages.questions[i]);
    end(&messages.answered[i]);
    end(&messages.decided[i]);
  }
}
