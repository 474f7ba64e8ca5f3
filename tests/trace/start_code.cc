/* Functions that end with a call of the runtime: it goes back to whoever has called them, here the C library and the
 * code that starts programs, which is no place of the program's. (-O2: such calls are jumps.) */
#include <cstdio>
#include <omp.h>
#include <search.h>

struct Lock {
  omp_lock_t lock;
  Lock() { omp_init_lock(&lock); }
};

static Lock global;

__attribute__((destructor)) static void destroy() {
  omp_destroy_lock(&global.lock);
}

static int by_trying(const void *, const void *) {
  return omp_test_lock(&global.lock);
}

int main() {
  size_t count = 1; // (not by qsort: sanitizers' compares more often)
  lfind(&count, &count, &count, sizeof count, by_trying);
  omp_unset_lock(&global.lock);
  omp_lock_t own;
  omp_init_lock(&own);
  omp_destroy_lock(&own);
  printf("done\n");
  return 0;
}
