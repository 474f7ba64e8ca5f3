/* Reductions of which each iteration has the value that they have there. */
#include <stdio.h>

enum { COUNT = 1000 };
static int numbers[COUNT];

int main(void) {
  int sum = 0, wrong = 0;
  for (int i = 0; i < COUNT; i++)
    numbers[i] = i;
#pragma omp parallel for num_threads(2) reduction(inscan, + : sum)
  for (int i = 0; i < COUNT; i++) {
    sum += numbers[i];
#pragma omp scan inclusive(sum)
    numbers[i] = sum;
  }
#pragma omp parallel for num_threads(2) reduction(inscan, + : sum)
  for (int i = 0; i < COUNT; i++) {
    numbers[i] -= sum;
#pragma omp scan exclusive(sum)
    sum += 1;
  }
  wrong += sum != COUNT * (COUNT - 1) / 2 + COUNT;
  printf("%d wrong\n", wrong);
  fprintf(stderr, "truth: parallel 4\n");
  return wrong ? 1 : 3;
}
