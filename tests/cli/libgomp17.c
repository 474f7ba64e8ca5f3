/* In place of a libgomp to come: entry points that no table knows, and, with OMPT, a search for tools of its
 * own. */
#include <stdint.h>
#include <stdio.h>

#ifdef WITH_OMPT
/* What a runtime with OMPT looks up. */
const char *libgomp17_looks_for = "ompt_start_tool";
#endif

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads, (void)flags;
  fn(data);
}

int omp_get_num_threads(void) {
  return 1;
}

int omp_get_thread_num(void) {
  return 0;
}

int omp_get_max_threads(void) {
  return 1;
}

int omp_get_initial_device(void) {
  return 0;
}

void GOMP_loop_static_worksharing(long iterations) {
  printf("%ld\n", iterations);
}
