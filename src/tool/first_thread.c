/* Up to libomp 19 and later, __kmpc_end_critical fetches a field of the runtime's thread 0, whoever calls it,
 * if `mutex_released` is registered. The program crashes at the end of a critical section where that thread
 * has ended. That happens where another thread than the main one is the first to use OpenMP. So
 * mutex_released is unregistered when that thread ends, and mutexes are not recorded any more: an acquisition
 * would seem to last.
 *
 * ompt_set_callback clears the handler's address, which another thread may be about to fetch: it has already
 * tested it. Between test and fetch are some ten instructions, after the end of a mutex. So no thread may
 * acquire a mutex for a while, until those that had one have released it. The other callbacks are not cleared
 * but replaced, by one store. */
#include "tool/first_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "tool/callbacks.h"
#include "tool/thread.h"

enum { NAP_NS = 20000, NAPS = 50 };

static void nap(void) {
  nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

static void log_once(void) {
  if (atomic_load(&tool.recording) == RECORDING_ON && !atomic_exchange(&tool.first_thread.has_printed, true))
    tool_log("the first thread that used OpenMP has ended: no locks and critical sections are recorded from "
             "here on, since LLVM's runtimes crash at their ends then if a tool registers them");
}

/* Who comes meanwhile waits before it acquires. */
static void at_gate(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                    const void *codeptr) {
  (void)kind, (void)hint, (void)impl, (void)wait_id, (void)codeptr;
  int error = errno;
  for (int i = 0; i < 2 * NAPS && atomic_load(&tool.first_thread.is_withdrawing); i++)
    nap();
  log_once();
  errno = error;
}

static void count_mutex(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr) {
  (void)kind, (void)wait_id, (void)codeptr;
  struct thread_slot *slot = thread_self->ring.slot;
  if (slot)
    atomic_fetch_add_explicit(&slot->figures.mutexes_withheld, 1, memory_order_relaxed);
}

static void ignore_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr) {
  (void)endpoint, (void)wait_id, (void)codeptr;
}

static bool is_main_thread(void) {
  return gettid() == getpid();
}

/* The main thread ends when the process does, as a rule: nobody is to wait then. */
static void let_others_release(void) {
  for (int i = 0; i < NAPS && !is_main_thread(); i++)
    nap();
}

static void withdraw(ompt_set_callback_t set_callback) {
  atomic_store(&tool.first_thread.is_withdrawing, true);
  set_callback(OMPT_CALLBACK_mutex_acquire, (ompt_callback_t)at_gate);
  let_others_release();
  set_callback(OMPT_CALLBACK_mutex_acquired, (ompt_callback_t)count_mutex);
  set_callback(OMPT_CALLBACK_nest_lock, (ompt_callback_t)ignore_nest_lock);
  set_callback(OMPT_CALLBACK_mutex_released, NULL);
  atomic_store(&tool.first_thread.is_withdrawing, false);
}

static void restore(ompt_set_callback_t set_callback) {
  set_callback(OMPT_CALLBACK_mutex_released, (ompt_callback_t)on_mutex_released);
  set_callback(OMPT_CALLBACK_nest_lock, (ompt_callback_t)on_nest_lock);
  set_callback(OMPT_CALLBACK_mutex_acquired, (ompt_callback_t)on_mutex_acquired);
  set_callback(OMPT_CALLBACK_mutex_acquire, (ompt_callback_t)on_mutex_acquire);
}

/* With two runtimes nobody knows whose thread it is. */
void first_thread_initialized(ompt_set_callback_t set_callback, bool has_released) {
  tool.first_thread.set_callback = has_released && tool.runtimes == 0 ? set_callback : NULL;
}

/* The main thread begins again when the runtime does (omp_pause_resource). */
void first_thread_begins(void) {
  struct first_thread *first = &tool.first_thread;
  if (first->process != getpid()) {
    first->thread = pthread_self();
    first->process = getpid();
  } else if (first->is_withdrawn && is_main_thread() && first->set_callback) {
    restore(first->set_callback);
    first->is_withdrawn = false;
  }
}

void first_thread_ends(void) {
  struct first_thread *first = &tool.first_thread;
  if (!first->set_callback || first->is_withdrawn || first->process != getpid() ||
      !pthread_equal(first->thread, pthread_self()))
    return;
  int error = errno;
  first->is_withdrawn = true;
  withdraw(first->set_callback);
  errno = error;
}
