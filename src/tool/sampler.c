/* The timers and the handler of sampling.
 *
 * One timer a thread, on CLOCK_MONOTONIC so that waiting threads are sampled too, with SIGEV_THREAD_ID: the
 * handler runs on the thread that it samples. Timers do not survive fork, and exec removes them together with
 * pending signals. The handler stays in memory: this library is never unloaded (meson.build), since threads
 * may still be about to enter it then.
 *
 * The end of a session: is_sampled is cleared, then is_in_sample waited for. The handler sets is_in_sample,
 * then looks at is_sampled. Both sides are sequentially consistent, so one of them sees the other.
 *
 * The handler stays installed, too, and does nothing then. What is still to be delivered would end the
 * program by the default action: a timer that a thread gets at that moment and deletes right after, one that
 * cannot be deleted, and a signal that a debugger or strace has fetched and delivers later. The next program
 * after exec has the default action. */
#include "tool/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tool/call_path.h"
#include "tool/thread.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* what glibc calls it */
#endif

/* -- the handler -- */

struct sample {
  struct record_sample record;
  struct call_path path;
};

static void query_runtime(struct sample *sample) {
  ompt_wait_id_t wait_id = 0;
  sample->record.state = (uint32_t)(tool.get_state ? tool.get_state(&wait_id) : OMPT_STATE_undefined);
  sample->record.wait_id = wait_id;
}

static void put(struct thread *self, const struct sample *sample) {
  uint64_t position;
  unsigned slots = sample->record.more;
  if (!thread_reserve_sample(1 + slots, sample->record.ticks, &position))
    return;
  for (unsigned i = 0; i < slots; i++)
    memcpy(ring_at(&self->ring, position + 1 + i), sample->path.addresses + 4 * i, RECORD_BYTES);
  memcpy(ring_at(&self->ring, position), &sample->record, RECORD_BYTES);
  ring_commit(&self->ring, position, 1 + slots);
}

static void put_sample(struct thread *self, uint32_t missed, const void *context) {
  struct sample sample = {.record = {.type = RECORD_sample, .ticks = clock_ticks(tool.clock)}};
  query_runtime(&sample);
  uint32_t state = sample.record.state;
  bool is_in_runtime = state >= OMPT_STATE_wait_barrier && state != OMPT_STATE_undefined;
  call_path_find(&sample.path, context, self, is_in_runtime);
  sample.record.processor_and_missed = (uint32_t)sched_getcpu() | (uint64_t)missed << 32;
  sample.record.flags = sample.path.is_cut ? SAMPLE_FLAG_CUT : 0;
  sample.record.more = (uint8_t)((sample.path.count + 3) / 4);
  put(self, &sample);
}

static void on_timer(int number, siginfo_t *info, void *context) {
  (void)number;
  int error = errno;
  struct thread *self = thread_self;
  if (info->si_code != SI_TIMER || !self->ring.slot)
    return;
  atomic_store(&self->is_in_sample, true);
  if (atomic_load(&self->is_sampled))
    put_sample(self, (uint32_t)info->si_overrun, context);
  atomic_store(&self->is_in_sample, false);
  errno = error;
}

/* -- the signal -- */

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_timer;
}

static bool is_free(const struct sigaction *action) {
  return is_ours(action) || (!(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL);
}

/* A real-time signal that nobody has a use for; the highest ones are the least likely to get one. */
static int find_free_signal(void) {
  for (int number = SIGRTMAX - 1; number >= SIGRTMIN; number--) {
    struct sigaction present;
    if (sigaction(number, NULL, &present) == 0 && is_free(&present))
      return number;
  }
  return 0;
}

void sampler_start(void) {
  struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  if (tool.constants.config.sample_hz == 0 || tool.sample_signal)
    return;
  int number = find_free_signal();
  sigfillset(&action.sa_mask);
  if (!number || sigaction(number, &action, NULL) < 0) {
    tool_log("no real-time signal is free: the trace has no samples");
    return;
  }
  tool.sample_signal = number;
}

static void wait_for_handler(const struct thread *thread) {
  enum { LOOKS = 1000, LOOK_NS = 1000000 };
  for (int i = 0; i < LOOKS && atomic_load(&thread->is_in_sample); i++)
    nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
}

/* Ignoring a signal throws away what waits to be delivered, of all threads. */
static void discard_pending(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) == 0 && is_ours(&present) && signal(number, SIG_IGN) != SIG_ERR)
    sigaction(number, &present, NULL);
}

void sampler_stop(void) {
  int number = atomic_exchange(&tool.sample_signal, 0);
  if (!number)
    return;
  uint32_t slots = atomic_load(&tool.session->shared.slots_used);
  for (uint32_t i = 0; i < slots; i++)
    sampler_detach(&tool.threads[i]);
  for (uint32_t i = 0; i < slots; i++)
    wait_for_handler(&tool.threads[i]);
  discard_pending(number);
}

/* -- a thread's timer -- */

static int start_timer(int number, int *ret_timer) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
  event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, ret_timer) < 0)
    return -errno;
  uint64_t period_ns = 1000000000 / tool.constants.config.sample_hz;
  struct timespec period = {(time_t)(period_ns / 1000000000), (long)(period_ns % 1000000000)};
  if (syscall(SYS_timer_settime, *ret_timer, 0, &(struct itimerspec){period, period}, NULL) == 0)
    return 0;
  int error = errno;
  syscall(SYS_timer_delete, *ret_timer);
  return -error;
}

/* Once in a process: what is wrong with one thread's samples is wrong with many's. */
static void log_once(atomic_flag *is_printed, const char *text, int number) {
  if (!atomic_flag_test_and_set(is_printed))
    tool_log(text, number);
}

static void warn_if_blocked(int number) {
  static atomic_flag is_printed = ATOMIC_FLAG_INIT;
  sigset_t blocked;
  if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && sigismember(&blocked, number))
    log_once(&is_printed, "signal %d is blocked in a thread: it gives no samples while it is", number);
}

static void get_timer(struct thread *thread, int number) {
  static atomic_flag is_printed = ATOMIC_FLAG_INIT;
  warn_if_blocked(number);
  if (start_timer(number, &thread->timer) < 0) {
    atomic_fetch_add(&tool.session->shared.figures.threads_unsampled, 1);
    log_once(&is_printed,
             "the system has no timer for a thread (ulimit -i): the trace goes on without its samples",
             number);
    return;
  }
  atomic_store(&thread->is_sampled, true);
  if (atomic_load(&tool.sample_signal) != number)
    sampler_detach(thread);
}

void sampler_attach(struct thread *thread) {
  int error = errno;
  int number = atomic_load(&tool.sample_signal);
  if (number)
    get_timer(thread, number);
  errno = error;
}

void sampler_detach(struct thread *thread) {
  if (atomic_exchange(&thread->is_sampled, false))
    syscall(SYS_timer_delete, thread->timer);
}
