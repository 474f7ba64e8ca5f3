/* late: for each number that it reads, a team of so many threads, which compute for 50 ms; then prints a
 * line. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  int threads;
  while (scanf("%d", &threads) == 1) {
#pragma omp parallel num_threads(threads)
    for (double end = omp_get_wtime() + 0.05; omp_get_wtime() < end;) {
    }
    printf("%d\n", threads);
    fflush(stdout);
  }
  return 0;
}
