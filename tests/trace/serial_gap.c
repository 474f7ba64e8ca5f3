// A second of serial work between two regions. The runtime reports the worker's end of the first
// one only when the second begins; the worker did not wait in the barrier that long.
#include <stdio.h>
#include <unistd.h>

static int calls;

static void region(void) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
  calls++;
}

int main(void) {
  region();
  sleep(1);
  region();
  printf("calls %d\n", calls);
  return 0;
}
