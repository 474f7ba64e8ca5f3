// small_stack BYTES [later | coroutine]: a thread with a stack of so many bytes uses OpenMP, as the first one
// or after the process's own; or the process's own thread does, on such a stack.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static int sum;

static void *use_openmp(void *argument) {
  for (int i = 0; i < 1000; i++)
#pragma omp parallel num_threads(2)
#pragma omp critical
    sum++;
  return argument;
}

static ucontext_t caller, coroutine;

static void run(void) {
  use_openmp(NULL);
}

static int on_own_stack(size_t bytes) {
  enum { GUARD_BYTES = 4096 };
  char *stack = mmap(NULL, GUARD_BYTES + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) || getcontext(&coroutine))
    return 2;
  coroutine.uc_stack.ss_sp = stack + GUARD_BYTES;
  coroutine.uc_stack.ss_size = bytes;
  coroutine.uc_link = &caller;
  makecontext(&coroutine, run, 0);
  return swapcontext(&caller, &coroutine) ? 2 : 0;
}

static int in_thread(size_t bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, bytes) ||
      pthread_create(&thread, &attributes, use_openmp, NULL))
    return 2;
  return pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  size_t bytes = (size_t)atoi(argv[1]);
  if (argc > 2 && strcmp(argv[2], "later") == 0)
    use_openmp(NULL);
  if (argc > 2 && strcmp(argv[2], "coroutine") == 0 ? on_own_stack(bytes) : in_thread(bytes))
    return 2;
  printf("%d\n", sum);
  return 7;
}
