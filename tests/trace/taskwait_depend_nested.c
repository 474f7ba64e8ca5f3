// A task that runs while a taskwait with depend waits, and has one itself.
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int has_started, is_over;

static void wait_for(atomic_int *flag) {
  while (!*flag)
    usleep(100);
}

int main(void) {
  int a = 0, b = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    {
      has_started = 1;
      wait_for(&is_over);
      a = 1;
    }
    wait_for(&has_started); // by the other thread: only this one can run what follows
#pragma omp task shared(b)
    {
#pragma omp task depend(out : b) shared(b)
      b = 1;
#pragma omp taskwait depend(in : b)
      is_over = 1;
    }
#pragma omp taskwait depend(in : a)
  }
  printf("a %d b %d\n", a, b);
  return 0;
}
