// One small region, a line of output and an exit status of its own: for tests of everything else. With an
// argument it has a timer, whose handler runs twenty times a second.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static void ignore(int number) {
  (void)number;
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 50000}, {0, 50000}}, NULL);
  }
  int calls = 0;
#pragma omp parallel
#pragma omp atomic
  calls++;
  printf("calls %d\n", calls);
  return 7;
}
