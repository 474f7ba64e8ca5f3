// small_stack BYTES [later]: a thread with a stack of so many bytes uses OpenMP, as the first one or after
// the process's own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int sum;

static void *use_openmp(void *argument) {
  for (int i = 0; i < 1000; i++)
#pragma omp parallel num_threads(2)
#pragma omp critical
    sum++;
  return argument;
}

int main(int argc, char **argv) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (argc < 2)
    return 2;
  if (argc > 2)
    use_openmp(NULL);
  if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, (size_t)atoi(argv[1])) ||
      pthread_create(&thread, &attributes, use_openmp, NULL))
    return 2;
  pthread_join(thread, NULL);
  printf("%d\n", sum);
  return 7;
}
