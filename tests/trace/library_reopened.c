/* Libraries that come and go, two of them at the same addresses one after the other: each region has the
 * source of the library that was there when it ran. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *open_beside_program(const char *name) {
  char path[PATH_MAX] = "";
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
  if (n < 0)
    return NULL;
  char *slash = strrchr(path, '/');
  snprintf(slash + 1, 64, "%s", name);
  return dlopen(path, RTLD_NOW);
}

static int run(const char *name) {
  void *library = open_beside_program(name);
  if (!library)
    return -1;
  int (*work)(void);
  *(void **)&work = dlsym(library, "work");
  int result = work();
  dlclose(library);
  return result;
}

int main(void) {
  int own = 0;
#pragma omp parallel num_threads(2) reduction(+ : own)
  own += 1;
  int first = run("library_first.so"), second = run("library_second.so"), again = run("library_first.so");
  printf("%d %d %d %d\n", own, first, second, again);
  return first < 0 || second < 0;
}
