// Locks made with hints, and destroyed.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int count = 0;
  omp_lock_t first, second;
  omp_nest_lock_t third;
  omp_init_lock(&first);
  omp_init_lock_with_hint(&second, omp_sync_hint_contended);
  omp_init_nest_lock_with_hint(&third, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&second);
    count++;
    omp_unset_lock(&second);
  }
  omp_destroy_lock(&first);
  omp_destroy_lock(&second);
  omp_destroy_nest_lock(&third);
  printf("count %d\n", count);
  return 0;
}
