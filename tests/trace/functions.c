// Orphaned constructs in functions that several regions call.
#include <stdio.h>

static int sum;

static void loop(void) {
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 4; i++) {
#pragma omp atomic
    sum += i;
  }
}

static void both(void) {
  loop();
#pragma omp critical
  sum++;
}

int main(void) {
  loop();
#pragma omp parallel num_threads(2)
  both();
#pragma omp parallel num_threads(2)
  both();
  printf("sum %d\n", sum);
  return 0;
}
