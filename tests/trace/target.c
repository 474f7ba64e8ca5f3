// Everything that has to do with devices, on the host's own plugin: see target.expect and offload.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };
static double a[N], b[N];

#pragma omp declare target
static void maybe_abort(int is_requested) {
  if (is_requested)
    abort();
}
#pragma omp end declare target

static void through_routines(void) {
  int host = omp_get_initial_device();
  void *first = omp_target_alloc(4096, 0), *second = omp_target_alloc(2048, 1);
  omp_target_memcpy(first, a, 800, 0, 0, 0, host);
  omp_target_memcpy(a, first, 400, 0, 0, host, 0);
  omp_target_associate_ptr(b, first, 1600, 0, 0);
  omp_target_disassociate_ptr(b, 0);
  omp_target_free(first, 0);
  omp_target_free(second, 1);
}

int main(int argc, char **argv) {
  int is_abort_requested = argc > 1 && !strcmp(argv[1], "abort");
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp target data map(to : a) map(from : b)
  {
#pragma omp target
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];
  }
#pragma omp target enter data map(to : a) device(1)
#pragma omp target nowait map(a) device(1)
  for (int i = 0; i < N; i++)
    a[i] += 1;
#pragma omp taskwait
#pragma omp target update from(a [0:100]) device(1)
#pragma omp target exit data map(delete : a) device(1)
#pragma omp target teams distribute parallel for map(tofrom : b) num_teams(2)
  for (int i = 0; i < N; i++)
    b[i] += 1;
#pragma omp target map(to : is_abort_requested)
  maybe_abort(is_abort_requested);
  through_routines();
  printf("%g %g\n", a[10], b[10]);
  return 0;
}
