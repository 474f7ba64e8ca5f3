/* LLVM's runtimes write after an array, and often end the program, where `dependences` is registered and a
 * task that waits for its dependences immediately (taskwait depend, task if(0) depend, target depend) has one
 * of type mutexinoutset or inoutset. For programs in which that can be seen beforehand it is not registered
 * (callbacks.c); gcc's calls of `task if` look like those of all tasks, and libraries are loaded later. But
 * each such task is reported by task_create before the runtime looks whether `dependences` is registered:
 * there it is undone, for all that comes.
 *
 * ompt_set_callback clears the handler's address, which another thread may be about to fetch: it has looked
 * whether there is one. So each thread reports that it is between task_create and `dependences`, and looks
 * whether somebody is taking the callback back; who does that reports it and looks for such threads. Both do
 * it in this order, in one order of all: one of them sees the other. In doacross loops, the only other place,
 * no event comes before: where a loaded file calls their functions the callback stays. */
#include "tool/unregister_dependences.h"

#include <errno.h>
#include <time.h>

#include "tool/imports.h"

const char *const dependences_in_doacross[] = {"__kmpc_doacross_wait",
                                               "__kmpc_doacross_post",
                                               "GOMP_doacross_wait",
                                               "GOMP_doacross_post",
                                               "GOMP_doacross_ull_wait",
                                               "GOMP_doacross_ull_post",
                                               NULL};

enum { NAP_NS = 20000, NAPS_MAX = 50000 };

static void nap(void) {
  int cancellation = tool_forbid_cancellation();
  nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  tool_allow_cancellation(cancellation);
}

/* A forked child's threads have none yet, and its parent's session is not mapped. */
static uint32_t slots_used(void) {
  if (!tool.session || tool_is_forked_child())
    return 0;
  uint32_t used = atomic_load(&tool.session->shared.slots_used), most = tool.session->constants.slots_max;
  return used < most ? used : most;
}

static bool is_anyone_between(void) {
  uint32_t used = slots_used();
  bool is_one = atomic_load(&tool.withdrawal.awaited) > 0;
  for (uint32_t i = 0; i < used && !is_one; i++)
    is_one = atomic_load(&tool.threads[i].awaits_dependences);
  return is_one;
}

/* A thread is between the two for as long as the runtime needs to copy the dependences; without end, if there
 * were none. */
static bool wait_for_others(void) {
  int naps = 0;
  while (is_anyone_between() && naps++ < NAPS_MAX)
    nap();
  return naps <= NAPS_MAX; /* who comes now reports it for a moment, then waits */
}

static void wait_until_withdrawn(void) {
  for (int i = 0; i < 2 * NAPS_MAX && atomic_load(&tool.dependences) == DEPENDENCES_WITHDRAWING; i++)
    nap();
}

static void withdraw(void) {
  bool is_safe = wait_for_others() && !imports_any(dependences_in_doacross);
  if (is_safe)
    tool.withdrawal.set_callback(OMPT_CALLBACK_dependences, NULL);
  else
    tool_log("the program waits immediately for dependences, beside doacross loops or tasks without any; "
             "LLVM's runtimes end it if one is mutexinoutset or inoutset: STAVE_EVENTS=all,-depend "
             "avoids that");
  atomic_store(&tool.dependences, is_safe ? DEPENDENCES_WITHDRAWN : DEPENDENCES_STAY);
}

void dependences_withdraw(void) {
  int expected = DEPENDENCES_REQUESTED_AGAIN, error = errno;
  if (atomic_compare_exchange_strong(&tool.dependences, &expected, DEPENDENCES_WITHDRAWING))
    withdraw();
  else
    wait_until_withdrawn();
  errno = error;
}

void dependences_registered(ompt_set_callback_t set_callback) {
  tool.withdrawal.set_callback = set_callback;
  atomic_store(&tool.dependences, DEPENDENCES_REQUESTED_AGAIN);
}

/* What has no slot is counted. */
static bool announce(void) {
  if (thread_self->ring.slot)
    return dependences_may_come(thread_self);
  atomic_fetch_add(&tool.withdrawal.awaited, 1);
  return atomic_load(&tool.dependences) < DEPENDENCES_WITHDRAWING;
}

void dependences_have_come_slow(void) {
  if (thread_self->ring.slot)
    dependences_have_come(thread_self);
  else if (atomic_load(&tool.withdrawal.awaited) > 0)
    atomic_fetch_sub(&tool.withdrawal.awaited, 1);
}

void dependences_await(void) {
  int error = errno;
  if (!announce()) {
    dependences_have_come_slow();
    wait_until_withdrawn();
    if (thread_self->ring.slot)
      atomic_fetch_add_explicit(&thread_self->ring.slot->figures.dependences_withheld, 1,
                                memory_order_relaxed);
  }
  errno = error;
}
