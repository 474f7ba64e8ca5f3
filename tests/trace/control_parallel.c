// One thread pauses and starts again and again while the other goes through barriers, critical sections and
// nested regions, and in the end while a region, a lock and a critical section of both threads are open.
#include <omp.h>
#include <stdio.h>

#include "stave/stave.h"

int main(void) {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 20; i++) {
    int thread = omp_get_thread_num();
    if (thread == i % 2)
      stave_pause();
#pragma omp barrier
#pragma omp critical(first)
    {
      if (thread == (i + 1) % 2)
        stave_start();
#pragma omp atomic
      count++;
    }
    if (i % 5 == 0) {
#pragma omp parallel num_threads(2)
      {
        if (omp_get_thread_num() == 1)
          stave_pause();
#pragma omp critical(second)
        {
#pragma omp atomic
          count++;
        }
        if (omp_get_thread_num() == 1)
          stave_start();
      }
    }
    omp_set_lock(&lock);
    if (thread == 1)
      stave_pause();
#pragma omp atomic
    count++;
    if (thread == 1)
      stave_start();
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%d\n", count);
  return 0;
}
