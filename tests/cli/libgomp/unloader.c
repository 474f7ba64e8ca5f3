/* TURNS LIBRARY...: unloads the libraries by turns, and with each its libgomp, which is loaded to another
 * place the next time. The first thread calls it, another one or both; or one that ends with its call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static int (*volatile count)(void);
static pthread_barrier_t turns;
static void *other(void *data) {
  for (pthread_barrier_wait(&turns); count; pthread_barrier_wait(&turns)) {
    printf("%d\n", count());
    pthread_barrier_wait(&turns);
  }
  return data;
}
static void *job(void *data) {
  printf("%d\n", count());
  return data;
}
static void call_by_job(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, job, NULL);
  pthread_join(thread, NULL);
}
static void call(const char *path, int turn) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Dl_info libgomp = {0};
  count = (int (*)(void))dlsym(library, "count");
  dladdr(dlsym(library, "omp_get_num_threads"), &libgomp);
  if (turn % 3 != 1)
    printf("%d\n", count());
  for (int i = 0; i < 2 && turn % 3 != 0; i++)
    pthread_barrier_wait(&turns);
  if (turn % 5 == 4)
    call_by_job();
  dlclose(library);
  mmap(libgomp.dli_fbase, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}
int main(int argc, char **argv) {
  pthread_t thread;
  pthread_barrier_init(&turns, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  for (int turn = 0; turn < atoi(argv[1]); turn++)
    call(argv[2 + turn % (argc - 2)], turn);
  count = NULL;
  pthread_barrier_wait(&turns);
  pthread_join(thread, NULL);
  return 3;
}
