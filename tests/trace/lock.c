// A simple lock, taken thirty times by both threads.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int count = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  for (int i = 0; i < 30; i++) {
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("count %d\n", count);
  return 0;
}
