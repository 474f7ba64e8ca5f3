// A nest lock set three deep: only the outermost set acquires it.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int count = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 10; i++) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    count++;
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  printf("count %d\n", count);
  return 0;
}
