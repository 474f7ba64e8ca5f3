// Two locks in opposite orders, which a barrier, the end of a region or the number of threads keeps apart.
#include <omp.h>
#include <stdio.h>

static omp_lock_t first, second;
static int count;

static void acquire(omp_lock_t *outer, omp_lock_t *inner) {
  omp_set_lock(outer);
  omp_set_lock(inner);
  count++;
  omp_unset_lock(inner);
  omp_unset_lock(outer);
}

int main(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(3)
    {
      acquire(&first, &second);
#pragma omp barrier
      acquire(&second, &first);
#pragma omp barrier
#pragma omp for
      for (int j = 0; j < 3; j++)
        acquire(&first, &second);
#pragma omp single
      acquire(&second, &first);
    }
#pragma omp parallel num_threads(3)
    acquire(&second, &first);
    acquire(&first, &second);
  }
  printf("count %d\n", count);
  return 0;
}
