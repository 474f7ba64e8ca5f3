/* Loops that hand out chunks, in steps of one and others, within each other and after each other: iterations
 * and chunks. */
#include <stdio.h>

static long iterations, chunks;

static void did(long chunk, long i) {
#pragma omp atomic
  iterations++;
  if (i % chunk == 0) {
#pragma omp atomic
    chunks++;
  }
}

static void inner(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < 100; i += 7)
      did(2, i / 7);
#pragma omp for schedule(dynamic, 3)
    for (unsigned long long i = 50; i > 7; i -= 4)
      did(3, (long)(50 - i) / 4);
#pragma omp for schedule(dynamic, 5) nowait
    for (unsigned long long i = 3; i < 40; i++)
      did(5, (long)i - 3);
#pragma omp for schedule(dynamic, 2)
    for (int i = 9; i > 0; i--)
      did(2, 9 - i);
  }
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 20; i++) {
      did(3, i);
      inner();
    }
#pragma omp for schedule(dynamic, 4) ordered
    for (int i = 0; i < 30; i++) {
      did(4, i);
#pragma omp ordered
      inner();
    }
#pragma omp for schedule(dynamic, 1)
    for (long i = 0; i < 10; i++) {
      did(1, i);
#pragma omp task
      inner();
    }
  }
  fprintf(stderr, "truth: iterations %ld chunks %ld\n", iterations, chunks);
  printf("%ld %ld\n", iterations, chunks);
  return 3;
}
