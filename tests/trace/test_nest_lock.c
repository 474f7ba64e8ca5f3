// A nest lock tested by its owner, and by another thread while it is held.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int depth = 0, failed = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      depth = omp_test_nest_lock(&lock);
      depth += omp_test_nest_lock(&lock);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      failed += !omp_test_nest_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
  }
  omp_destroy_nest_lock(&lock);
  printf("depth %d failed %d\n", depth, failed);
  return 0;
}
