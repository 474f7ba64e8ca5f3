/* A program that uses CUDA, as far as CUPTI is concerned: its driver loads what CUDA_INJECTION64_PATH names,
 * and then it does what has been recorded (played_cupti.c). */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *symbol(const char *path, const char *name) {
  void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
  return library ? dlsym(library, name) : NULL;
}

int main(int argc, char **argv) {
  int (*inject)(void) =
      (int (*)(void))(uintptr_t)symbol(getenv("CUDA_INJECTION64_PATH"), "InitializeInjection");
  void (*run)(void) = (void (*)(void))(uintptr_t)symbol(getenv("PLAYED_CUPTI"), "played_run");
  if (inject)
    inject();
  if (run)
    run();
  if (argc > 1 && strcmp(argv[1], "flushed") == 0) {
    int (*flush)(unsigned) =
        (int (*)(unsigned))(uintptr_t)symbol(getenv("PLAYED_CUPTI"), "cuptiActivityFlushAll");
    flush(0);
    usleep(50000);
  }
  puts("done");
  fflush(stdout);
  if (argc > 1)
    _Exit(3);
  return 0;
}
