/* Tasks that are deferred, undeferred, final, mergeable and untied, in teams of 1 to 8 and outside of all. */
#include <stdio.h>

static long created, run;

static long fib(int n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp atomic
  created += 2;
#pragma omp task shared(a) firstprivate(n) if (n > 10) final(n < 8) mergeable
  {
#pragma omp atomic
    run++;
    a = fib(n - 1);
  }
#pragma omp task shared(b) firstprivate(n) untied
  {
#pragma omp atomic
    run++;
    b = fib(n - 2);
  }
#pragma omp taskwait
  return a + b;
}

int main(void) {
  for (int threads = 1; threads <= 8; threads *= 2) {
    long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    result = fib(14);
    printf("%ld\n", result);
  }
  printf("%ld\n", fib(12));
  fprintf(stderr, "truth: created %ld, complete %ld\n", created, run);
  return 3;
}
