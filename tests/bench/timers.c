/* timers HZ: the same work on two threads in every run; with HZ > 0 each thread has a timer whose handler
 * does nothing. Prints the CPU time of the process in microseconds. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void do_nothing(int number) {
  (void)number;
}

static void start_timer(long hz) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX - 4};
  struct timespec period = {hz == 1, hz == 1 ? 0 : 1000000000 / hz};
  int timer;
  event._sigev_un._tid = (int)syscall(SYS_gettid);
  syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer);
  syscall(SYS_timer_settime, timer, 0, &(struct itimerspec){period, period}, NULL);
}

int main(int argc, char **argv) {
  long hz = argc > 1 ? atol(argv[1]) : 0;
  double sum = 0;
  struct rusage usage;
  signal(SIGRTMAX - 4, do_nothing);
#pragma omp parallel
  if (hz > 0)
    start_timer(hz);
  for (int round = 0; round < 400; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (long i = 1; i < 4000000; i++)
      sum += 1.0 / (double)i;
  }
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
                      usage.ru_stime.tv_usec);
  return sum < 0;
}
