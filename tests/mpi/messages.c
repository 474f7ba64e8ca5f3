/* Every rank sends to every other one and receives whatever comes from it, so many times; "kill" as second
 * argument: then it waits to be killed. The third one is a file that each rank makes when it is that far. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void exchange(int rank, int size) {
  for (int step = 1; step < size; step++) {
    int to = (rank + step) % size, from = (rank + size - step) % size, got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, to, step, &got, 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (got != from)
      MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void wait_to_be_killed(const char *file, int rank) {
  char name[4096];
  snprintf(name, sizeof name, "%s-%d", file, rank);
  fclose(fopen(name, "w"));
  for (;;)
    pause();
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < atoi(argv[1]); i++) {
    exchange(rank, size);
    usleep(200);
  }
  if (argc > 3 && strcmp(argv[2], "kill") == 0)
    wait_to_be_killed(argv[3], rank);
  MPI_Finalize();
  return 0;
}
