/* LIBRARY OTHER: unloads the library, whose destructor is the first to use libgomp, and unloads the other
 * one. */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#if defined(IN_LIBRARY)
void *other;
static int count;
__attribute__((destructor)) static void end(void) {
#pragma omp critical
  count++;
  dlclose(other);
}
#else
static void *idle(void *data) {
  pause();
  return data;
}
int main(int argc, char **argv) {
  pthread_t thread;
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  void **other = library ? dlsym(library, "other") : NULL;
  if (!other || !(*other = dlopen(argv[2], RTLD_NOW)))
    return 1;
  pthread_create(&thread, NULL, idle, NULL);
  dlclose(library);
  return 3;
}
#endif
