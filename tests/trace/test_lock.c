// A lock tested while the other thread holds it (fails three times), then while it is free.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int failed = 0, taken = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < 3; i++)
        failed += !omp_test_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      omp_unset_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1 && omp_test_lock(&lock)) {
      taken++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  printf("failed %d taken %d\n", failed, taken);
  return 0;
}
