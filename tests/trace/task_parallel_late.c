/* Regions whose tasks have regions of their own, run by threads that are at the outer region's end already.
 */
#include <omp.h>

enum { TIMES = 3, TASKS = 64, THREADS = 4 };

static void work(int *sum) {
  volatile double x = 0;
  for (int i = 0; i < 20000; i++)
    x += i;
#pragma omp parallel num_threads(1)
#pragma omp atomic
  *sum += 1;
}

int main(void) {
  int sum = 0;
  for (int time = 0; time < TIMES; time++) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single nowait
    for (int i = 0; i < TASKS; i++) {
#pragma omp task
      work(&sum);
    }
  }
  return sum != TIMES * TASKS;
}
