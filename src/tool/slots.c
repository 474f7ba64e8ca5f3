/* A thread gives its slot back in thread_end. One that the runtime does not know has none (it has only
 * fulfilled an event), and what is cancelled or leaves by the system call has none either. Only the kernel
 * knows of every end: a thread that needs a slot when none is free looks up there, now and then, whether the
 * owners of all slots exist.
 *
 * A slot is given back for its owner only if the kernel had no such thread and `owner`, with its count of
 * threads, is still the same after that: nobody else can change it then. Only one thread looks at a time: the
 * one that brings slots_since_look to LOOK_EVERY, which stays beyond until that thread is done. */
#include "tool/slots.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session/process_stat.h"
#include "session/session.h"
#include "tool/counters.h"
#include "tool/sampler.h"
#include "tool/thread.h"

enum { LOOK_EVERY = 32 };

/* Not tgkill: a process that shares the memory only has ids of its own. */
static bool is_dead(int32_t kernel_tid) {
  return syscall(SYS_tkill, kernel_tid, 0) < 0 && errno == ESRCH;
}

void slots_give_back(uint32_t index) {
  struct thread_slot *slot = session_slot(tool.session, index);
  uint64_t unread = atomic_load_explicit(&slot->head, memory_order_relaxed) -
                    atomic_load_explicit(&slot->tail, memory_order_relaxed);
  if (unread <= atomic_load_explicit(&slot->mask, memory_order_relaxed) / 2)
    session_return_slot(tool.session, index);
  else
    session_end_slot(tool.session, slot);
}

enum answer { NOT_OWNED, ALIVE, DEAD };

static enum answer give_back_if_dead(uint32_t index) {
  struct thread_slot *slot = session_slot(tool.session, index);
  uint64_t owner = atomic_load_explicit(&slot->owner, memory_order_acquire);
  if ((int32_t)owner <= 0)
    return NOT_OWNED;
  if (!is_dead((int32_t)owner) || atomic_load_explicit(&slot->owner, memory_order_acquire) != owner)
    return ALIVE;
  sampler_detach(&tool.threads[index]);
  counters_detach(&tool.threads[index]);
  slots_give_back(index);
  return DEAD;
}

/* The next look comes when there are twice as many slots as threads were alive: so slots stay within twice
 * the most threads that ever lived together, and looking costs each thread two system calls at most. */
static void look_for_dead(void) {
  uint32_t used = atomic_load(&tool.session->shared.slots_used), most = tool.session->constants.slots_max;
  uint32_t alive = 0;
  used = used < most ? used : most;
  for (uint32_t i = 0; i < used; i++)
    alive += give_back_if_dead(i) == ALIVE;
  uint32_t needed = 2 * alive > LOOK_EVERY ? 2 * alive : LOOK_EVERY;
  atomic_store(&tool.slots_since_look,
               needed > used ? LOOK_EVERY - (int32_t)(needed - used) : LOOK_EVERY - 1);
}

static bool is_time_to_look(void) {
  bool is_one_free = (uint32_t)atomic_load(&tool.session->shared.slots_free) != 0;
  return !is_one_free && atomic_fetch_add(&tool.slots_since_look, 1) + 1 == LOOK_EVERY;
}

struct thread_slot *slots_get(int32_t kernel_tid, uint32_t *ret_index) {
  enum { ENDED_MAX = 32, NAPS = 50, NAP_NS = 100000 };
  if (is_time_to_look())
    look_for_dead();
  for (int i = 0; i < NAPS && atomic_load(&tool.session->shared.slots_ended) >= ENDED_MAX; i++) {
    session_wake_writer(tool.session);
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
  }
  return session_get_slot(tool.session, kernel_tid, ret_index);
}

/* R: it runs or waits for a processor. Z: it has ended. */
static char state_of(int32_t kernel_tid) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(getpid(), kernel_tid, text);
  return fields ? *fields : '\0';
}

static bool is_alive(uint32_t index, int32_t owner) {
  (void)index;
  return !is_dead(owner);
}

/* A team's worker, or the primary thread of LLVM's hidden helpers: the runtime has called itself there. */
static bool is_of_runtime(uint32_t index) {
  const struct thread *thread = &tool.threads[index];
  return thread->is_worker || thread->module_base - tool.constants.runtime_base < tool.constants.runtime_size;
}

static bool is_alive_of_runtime(uint32_t index, int32_t owner) {
  return is_of_runtime(index) && !is_dead(owner);
}

static bool is_alive_of_program(uint32_t index, int32_t owner) {
  return !is_of_runtime(index) && !is_dead(owner);
}

static bool is_running_other(uint32_t index, int32_t owner) {
  (void)index;
  return state_of(owner) == 'R';
}

static bool is_running_of_program(uint32_t index, int32_t owner) {
  return !is_of_runtime(index) && state_of(owner) == 'R';
}

/* Up to `enough` of them. */
static uint32_t count_others(bool (*is_such)(uint32_t, int32_t), uint32_t enough) {
  uint32_t used = atomic_load(&tool.session->shared.slots_used), most = tool.session->constants.slots_max;
  int32_t self = (int32_t)syscall(SYS_gettid);
  uint32_t count = 0;
  for (uint32_t i = 0; i < used && i < most && count < enough; i++) {
    int32_t owner =
        (int32_t)atomic_load_explicit(&session_slot(tool.session, i)->owner, memory_order_acquire);
    count += owner > 0 && owner != self && is_such(i, owner);
  }
  return count;
}

bool slots_have_others(void) {
  return count_others(is_alive, 1) > 0;
}

bool slots_have_running_others(void) {
  return count_others(is_running_other, 1) > 0;
}

bool slots_have_running_of_program(void) {
  return count_others(is_running_of_program, 1) > 0;
}

bool slots_main_has_ended(void) {
  return state_of(getpid()) == 'Z';
}

uint32_t slots_of_runtime(void) {
  return count_others(is_alive_of_runtime, UINT32_MAX);
}

uint32_t slots_others_of_program(void) {
  return count_others(is_alive_of_program, UINT32_MAX);
}
