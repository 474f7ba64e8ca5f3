// A loop that its first iteration cancels: its end never comes.
#include <stdio.h>

int main(void) {
  int rounds = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; i++) {
#pragma omp cancel for
#pragma omp atomic
      rounds++;
    }
#pragma omp barrier
  }
  printf("rounds %d\n", rounds);
  return 0;
}
