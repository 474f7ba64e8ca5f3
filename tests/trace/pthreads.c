// Two pthreads that each use OpenMP for themselves, beside the main thread.
#include <pthread.h>
#include <stdio.h>

static int calls;

static void *three_regions(void *unused) {
  for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
    calls++;
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  three_regions(NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, three_regions, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  three_regions(NULL);
  printf("calls %d\n", calls);
  return 0;
}
