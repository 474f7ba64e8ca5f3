// waits: a thread waits at barriers for the other one, which works when that one is there. Prints how often
// threads gave their processor away there by sched_yield, how often they lost it (these among them), and how
// often they slept, as the kernel counts for /proc/PID/task/TID/status, too.
#define _GNU_SOURCE
#include <omp.h>
#include <stave/stave.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { INSTANCES = 10, WORK_NS = 20000000 };

static __thread long yields;
static long yielded, lost, slept;
static atomic_int come;

static struct rusage used(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used;
}

// In front of the C library's: counts those after which another thread ran.
int sched_yield(void) {
  long before = used().ru_nivcsw;
  int result = (int)syscall(SYS_sched_yield);
  yields += used().ru_nivcsw > before;
  return result;
}

static void work(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  for (long end = now.tv_sec * 1000000000 + now.tv_nsec + WORK_NS;
       now.tv_sec * 1000000000 + now.tv_nsec < end;)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

static void wait_for_all(void) {
  struct rusage started = used();
  yields = 0;
#pragma omp barrier // waits
  struct rusage ended = used();
#pragma omp atomic
  yielded += yields;
#pragma omp atomic
  lost += ended.ru_nivcsw - started.ru_nivcsw;
#pragma omp atomic
  slept += ended.ru_nvcsw - started.ru_nvcsw;
}

int main(void) {
#pragma omp parallel num_threads(2)
  used();
  stave_flush(); // now the writer knows both threads
  for (int i = 0; i < INSTANCES; i++) {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 1)
        come = i + 1;
      while (come <= i)
        syscall(SYS_sched_yield);
      if (omp_get_thread_num() == 0)
        work();
      wait_for_all();
    }
  }
  printf("%ld %ld %ld\n", yielded, lost, slept);
  return 0;
}
