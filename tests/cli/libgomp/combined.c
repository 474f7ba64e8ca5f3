/* Parallel regions that begin with a worksharing region in the same call, and with reductions of tasks: how
 * many threads were in such regions, and iterations. */
#include <omp.h>
#include <stdio.h>

static long members, iterations;

static void count(long *number) {
#pragma omp atomic
  ++*number;
}

static void loops(int threads) {
#pragma omp parallel for schedule(dynamic, 3) num_threads(threads)
  for (int i = 0; i < 20; i++)
    count(&iterations);
#pragma omp parallel for schedule(guided) num_threads(threads)
  for (int i = 0; i < 20; i++)
    count(&iterations);
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (long i = 0; i < 20; i += 3)
    count(&iterations);
  members += 3 * threads;
}

static void reductions(int threads) {
  int sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(threads)
  {
#pragma omp task in_reduction(+ : sum)
    sum++;
  }
  members += threads;
  printf("%d\n", sum);
}

static void sections(int threads) {
#pragma omp parallel sections num_threads(threads)
  {
#pragma omp section
    count(&iterations);
#pragma omp section
    count(&iterations);
  }
  iterations -= 2;
  members += threads;
}

int main(void) {
  omp_set_dynamic(0);
  for (int threads = 1; threads <= 3; threads++) {
    loops(threads);
    sections(threads);
    reductions(threads);
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    loops(1);
    count(&members);
  }
  fprintf(stderr, "truth: parallel %ld iterations %ld\n", members, iterations);
  printf("%ld %ld\n", members, iterations);
  return 3;
}
