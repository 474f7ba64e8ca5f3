/* LIBRARY: loads it, lets it do a parallel region, unloads it, with the libgomp that came with it, and ends.
 * Workers of that libgomp may still run. */
#include <dlfcn.h>
#include <stdio.h>
#if defined(IN_LIBRARY)
int count(void) {
  int n = 0;
#pragma omp parallel reduction(+ : n)
  n++;
  return n;
}
#else
int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library)
      printf("%d\n", ((int (*)(void))dlsym(library, "count"))());
    dlclose(library);
  }
  return 3;
}
#endif
