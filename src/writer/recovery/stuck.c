#include "writer/recovery/stuck.h"

#include <errno.h>
#include <linux/magic.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* what glibc calls it */
#endif

enum {
  LOOKS_NS = 100000000, /* between two of them */
  WAITS_MAX = 16,       /* for pages, with as little done */
};

/* Of the thread, at one moment. */
struct state {
  uint64_t done;
  long faults, waits;
};

static struct {
  timer_t timer;
  volatile sig_atomic_t is_on, begins;
  struct state last;         /* at the last look */
  uint64_t waited_for, done; /* pages, and what was got done, since it has started */
  const uint64_t *counter;
  bool (*found)(void *data);
  void *data;
} watch;

bool stuck_is_possible(int fd) {
  struct statfs disk;
  return fstatfs(fd, &disk) == 0 && disk.f_type == BTRFS_SUPER_MAGIC;
}

static struct state look(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) < 0)
    return watch.last;
  return (struct state){*(const volatile uint64_t *)watch.counter, usage.ru_minflt + usage.ru_majflt,
                        usage.ru_nvcsw};
}

/* A wait may be for something else, and a page be new. */
static void add_since_last(void) {
  struct state now = look();
  long faults = now.faults - watch.last.faults, waits = now.waits - watch.last.waits;
  watch.waited_for += (uint64_t)(faults < waits ? faults : waits);
  watch.done += now.done - watch.last.done;
  watch.last = now;
}

static void begin(void) {
  watch.waited_for = watch.done = 0;
  watch.begins = false;
}

static void on_look(int number) {
  (void)number;
  int error = errno;
  add_since_last();
  if (watch.begins || watch.done > watch.waited_for) {
    begin();
  } else if (watch.is_on && watch.waited_for >= WAITS_MAX) {
    if (watch.found(watch.data))
      stuck_end();
    begin();
  }
  errno = error;
}

void stuck_watch(const uint64_t *done, bool (*found)(void *data), void *data) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
  event.sigev_notify_thread_id = gettid();
  watch.counter = done;
  watch.found = found;
  watch.data = data;
  watch.begins = true;
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_look, .sa_flags = SA_RESTART}, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &watch.timer) < 0)
    return;
  watch.is_on = true;
  struct timespec often = {.tv_nsec = LOOKS_NS};
  timer_settime(watch.timer, 0, &(struct itimerspec){often, often}, NULL);
}

void stuck_begin(void) {
  watch.begins = true;
}

void stuck_end(void) {
  if (watch.is_on)
    timer_delete(watch.timer);
  watch.is_on = false;
}
