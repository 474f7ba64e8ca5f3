/* A thread that never ends, with more events than its ring has room for. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile long sink;
static void *work(void *unused) {
  for (;;) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(1)
    for (int i = 0; i < 1000; i++)
      sink++;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(1)
  sink++;
  pthread_create(&thread, NULL, work, NULL);
  usleep(100000);
  puts("done");
  return 3;
}
