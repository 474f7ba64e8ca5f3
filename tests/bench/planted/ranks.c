/* Jobs of MPI of which one thing is wrong: mpirun -n RANKS ranks NAME planted|repaired. Rank 0 prints. */
#include <mpi.h>

#include "planted.h"

enum { TURNS = 20, STEPS = 20, STEP_MS = 50, LATE_MS = 20, EARLY_MS = 5, VALUES = 128 };

static int rank, ranks;

static void exchange(void) {
  static double sent[VALUES], received[VALUES];
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Irecv(received, VALUES, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, VALUES, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* PLANT late_rank */
}

/* Neighbours exchange, and the last rank has more to do before it does. */
static void late_rank(void) {
  double even = EARLY_MS + (LATE_MS - EARLY_MS) / (double)ranks;
  double own = is_repaired ? even : rank == ranks - 1 ? LATE_MS : EARLY_MS;
  for (int turn = 0; turn < TURNS; turn++) {
#pragma omp parallel
    work(own);
    exchange();
  }
}

/* Of each rank more threads compute than it has processors, if the launcher has bound it to one. */
static void bound_ranks(void) {
  for (int step_number = 0; step_number < STEPS; step_number++) {
#pragma omp parallel
    compute(1000.0 * STEP_MS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **arguments) {
  static const struct planted programs[] = {{"late_rank", late_rank}, {"bound_ranks", bound_ranks}};
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank > 0 && !freopen("/dev/null", "w", stdout))
    return 1;
  int status = planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
  MPI_Finalize();
  return status;
}
