// A distributed loop over a league, and one that is parallel inside.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp teams num_teams(2) thread_limit(2)
  {
#pragma omp distribute
    for (int i = 0; i < 10; i++) {
#pragma omp atomic
      sum += i;
    }
#pragma omp distribute parallel for num_threads(2)
    for (int i = 0; i < 10; i++) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("sum %d\n", sum);
  return 0;
}
