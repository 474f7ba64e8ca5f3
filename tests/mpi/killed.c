/* A rank that goes on with messages and parallel regions until somebody ends it; with "abort" rank 1 does so.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static double compute(double start) {
  double sum = start;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
  return sum;
}

int main(int argc, char **argv) {
  int rank;
  double value = 0, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < 100000000; i++) {
    value = compute((double)rank);
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i == 200 && argc > 2 && strcmp(argv[2], "abort") == 0 && rank == 1)
      MPI_Abort(MPI_COMM_WORLD, 3);
    if (i == 200) { /* the test waits for this */
      char name[4096];
      snprintf(name, sizeof name, "%s-%d", argv[1], rank);
      FILE *file = fopen(name, "w");
      if (file)
        fclose(file);
    }
  }
  MPI_Finalize();
  return all < 0;
}
