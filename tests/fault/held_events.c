/* Events in a library of its own, whose code nobody has encountered before. */
#include <omp.h>

void lock_events(omp_lock_t *lock);
void few_events(int threads, omp_lock_t *lock);
void many_events(int threads);

void lock_events(omp_lock_t *lock) {
  omp_set_lock(lock);
  omp_unset_lock(lock);
}

/* For which the runtime requests no memory, once it has had such a team. */
void few_events(int threads, omp_lock_t *lock) {
  static int sum;
#pragma omp parallel num_threads(threads)
  {
    lock_events(lock);
#pragma omp barrier
#pragma omp master
    sum++;
  }
}

void many_events(int threads) {
  static int sum;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical(held)
    sum++;
#pragma omp for
    for (int i = 0; i < 4; i++)
#pragma omp atomic
      sum++;
#pragma omp single
    {
#pragma omp task shared(sum)
#pragma omp atomic
      sum++;
    }
  }
  few_events(threads, &lock);
  omp_destroy_lock(&lock);
}
