/* names COUNT FILE [stop]: as many regions of the program's own, each with a name of its own, in a file of
 * that name (with a % in it, one for each region), which two threads enter by turns. Then it stops until it
 * is killed or goes on, on request. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stave/stave.h"

int main(int argc, char **argv) {
  long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0, recorded = 0;
  int is_each = argc > 2 && strchr(argv[2], '%') != NULL;
#pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+ : recorded)
  for (long i = 0; i < count; i++) {
    char name[64], file[64];
    snprintf(name, sizeof name, "kernel_%ld", i);
    snprintf(file, sizeof file, "%.32s%ld", argv[2], i);
    recorded += stave_region_begin_at(name, is_each ? file : argv[2], 1) == STAVE_SUCCESS;
    stave_region_end_at(name, is_each ? file : argv[2], 2);
  }
  printf("%ld\n", recorded);
  fflush(stdout);
  stave_flush();
  if (argc > 3)
    raise(SIGSTOP);
  return recorded != count;
}
