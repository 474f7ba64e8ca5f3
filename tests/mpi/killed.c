/* A rank that goes on with messages, parallel regions, and operations in a window and on a file until
 * somebody ends it; with "abort" rank 1 does so, with "end" all do. */
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
  double value = 0, all, memory = 0;
  char name[4096];
  MPI_Win window;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_name(window, "open");
  MPI_Win_lock_all(0, window);
  snprintf(name, sizeof name, "%s-file", argv[1]);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (long i = 0; i < 100000000; i++) {
    MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush_local(0, window);
    MPI_File_write_at(file, rank * (MPI_Offset)sizeof value, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    value = compute((double)rank);
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (i == 200 && argc > 2 && strcmp(argv[2], "abort") == 0 && rank == 1)
      MPI_Abort(MPI_COMM_WORLD, 3);
    if (i == 200 && argc > 2 && strcmp(argv[2], "end") == 0)
      break;
    if (i == 200) { /* the test waits for this */
      snprintf(name, sizeof name, "%s-%d", argv[1], rank);
      FILE *mark = fopen(name, "w");
      if (mark)
        fclose(mark);
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_File_close(&file);
  MPI_Finalize();
  return all < 0;
}
