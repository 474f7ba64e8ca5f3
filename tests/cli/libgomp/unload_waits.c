/* IN_CLOSE and IN_OPEN: libraries, else LIBRARY LIBRARY: the program. The first one's destructor lets another
 * thread load the second one, whose constructor waits until the first is unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
enum { STEP_US = 100, LONG_ENOUGH_US = 200000 };
extern atomic_int closes, is_closed;
#if defined(IN_CLOSE)
int count(void) {
  int n = 0;
#pragma omp parallel num_threads(1) reduction(+ : n)
  n++;
  return n;
}
__attribute__((destructor)) static void end(void) {
  closes = 1;
  usleep(LONG_ENOUGH_US); /* the other thread waits for the linker's lock by then */
}
#elif defined(IN_OPEN)
__attribute__((constructor)) static void begin(void) {
  while (!is_closed)
    usleep(STEP_US);
}
#else
atomic_int closes, is_closed;
static void *load(void *path) {
  while (!closes)
    usleep(STEP_US);
  return dlopen(path, RTLD_NOW);
}
int main(int argc, char **argv) {
  pthread_t thread;
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL, *loaded = NULL;
  int n = library ? ((int (*)(void))dlsym(library, "count"))() : 0;
  pthread_create(&thread, NULL, load, argv[2]);
  dlclose(library);
  is_closed = 1;
  pthread_join(thread, &loaded);
  return loaded && n == 1 ? 3 : 1;
}
#endif
