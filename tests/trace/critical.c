// Both threads pass one critical section fifty times.
#include <stdio.h>

int main(void) {
  int count = 0;
#pragma omp parallel
  for (int i = 0; i < 50; i++) {
#pragma omp critical
    count++;
  }
  printf("count %d\n", count);
  return 0;
}
