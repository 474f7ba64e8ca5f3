/* Loops with reductions of tasks. libgomp is called as each begins: with bounds where it hands out the
 * chunks, else with others in their place. */
#include <stdio.h>

enum { THREADS = 3, STATIC = 64, DYNAMIC = 30 };

int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < STATIC; i++)
      sum += i;
#pragma omp for reduction(task, + : sum) schedule(static, 2)
    for (unsigned long long i = STATIC; i > 0; i--)
      sum += (long)i;
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < DYNAMIC; i++)
      sum += i;
  }
  printf("%ld\n", sum);
  fprintf(stderr, "truth: named %d, iterations %d\n", THREADS * DYNAMIC, DYNAMIC);
  return 3;
}
