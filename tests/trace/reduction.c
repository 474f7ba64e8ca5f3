// A sum over two threads (the runtime reduces atomically) and over six (by a tree).
#include <omp.h>
#include <stdio.h>

static long sum_over(int threads) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
  for (int i = 0; i < 1000; i++)
    sum += i;
  return sum;
}

int main(void) {
  omp_set_dynamic(0);
  long sums[] = {sum_over(2), sum_over(6)};
  printf("sums %ld %ld\n", sums[0], sums[1]);
  return 0;
}
