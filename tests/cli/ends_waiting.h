/* Ends a deadlocked program from within, as soon as all threads that will wait do. */
#ifndef STAVE_TESTS_ENDS_WAITING_H
#define STAVE_TESTS_ENDS_WAITING_H

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4 };

static struct waiter {
  atomic_bool is_coming;
  pid_t tid;
  clockid_t clock;
  long start_ns, seen_ns;
} waiters[THREADS];

static long time_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static char state_of(pid_t tid) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
  FILE *file = fopen(path, "r");
  if (file)
    (void)!fread(text, 1, sizeof text - 1, file);
  if (file)
    fclose(file);
  const char *end = strrchr(text, ')');
  return end ? end[2] : '?';
}

/* It spins or sleeps: its last callback is long over. */
static int is_waiting(struct waiter *waiter) {
  enum { SPUN_NS = 20000000 };
  if (!waiter->is_coming)
    return 0;
  long now = time_of(waiter->clock);
  int has_slept = now == waiter->seen_ns && state_of(waiter->tid) == 'S';
  waiter->seen_ns = now;
  return has_slept || now - waiter->start_ns > SPUN_NS;
}

static void *end_all(void *count) {
  for (int waiting = 0; waiting < *(int *)count;) {
    usleep(20000);
    waiting = 0;
    for (int i = 0; i < THREADS; i++)
      waiting += is_waiting(&waiters[i]);
  }
  kill(getpid(), SIGKILL);
  return NULL;
}

static void end_when_waiting(int count) {
  static int end_count;
  pthread_t thread;
  end_count = count;
  pthread_create(&thread, NULL, end_all, &end_count);
}

/* This thread is about to wait. */
static void will_wait_as(struct waiter *waiter) {
  waiter->tid = gettid();
  pthread_getcpuclockid(pthread_self(), &waiter->clock);
  waiter->start_ns = time_of(waiter->clock);
  waiter->is_coming = 1;
}

/* What this thread does next never ends. */
static void will_wait(void) {
  will_wait_as(&waiters[omp_get_thread_num()]);
}

#endif
