#include "tool/enter.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session/clock.h"
#include "tool/tool.h"
#include "tool/wait_limit.h"

enum { NAP_NS = 100000, PROCESS_SHIFT = 32 };

static uint64_t this_thread(void) {
  return (uint64_t)(uint32_t)getpid() << PROCESS_SHIFT | (uint32_t)syscall(SYS_gettid);
}

/* Who forks meanwhile leaves nobody in the child who would let the others in. */
static bool is_of_process(uint64_t thread, uint64_t self) {
  return thread >> PROCESS_SHIFT == self >> PROCESS_SHIFT;
}

/* A thread that has left by longjmp is not waited for longer than a writer is. */
static bool claim(_Atomic uint64_t *entering, uint64_t self) {
  uint64_t other = 0;
  struct wait_limit limit = wait_limit_begin(clock_ns(CLOCK_MONOTONIC), tool.constants.config.timeout);
  while (!atomic_compare_exchange_strong(entering, &other, self)) {
    if (!is_of_process(other, self))
      continue;
    if (other == self || wait_limit_is_over(&limit, clock_ns(CLOCK_MONOTONIC)))
      return false;
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    other = 0;
  }
  return true;
}

bool enter_alone(bool (*begin)(void)) {
  static _Atomic uint64_t entering; /* in this process, or in the one that this was forked from */
  int cancellation = tool_forbid_cancellation();
  bool is_alone = claim(&entering, this_thread()), is_done = false;
  if (is_alone) {
    is_done = begin();
    atomic_store(&entering, 0);
  }
  tool_allow_cancellation(cancellation);
  return is_done;
}
