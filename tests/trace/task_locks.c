// Tasks that acquire a lock and pass a critical section.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0, passed = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task shared(done, passed)
    {
      omp_set_lock(&lock);
      done++;
      omp_unset_lock(&lock);
#pragma omp critical
      passed++;
    }
  }
  omp_destroy_lock(&lock);
  printf("done %d passed %d\n", done, passed);
  return 0;
}
