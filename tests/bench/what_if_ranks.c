/* Ranks of a job of MPI of which one thing can be otherwise: mpirun -n 2 what_if_ranks NAME [changed]. Work
 * is sleeping, so that it lasts as long on a busy machine. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 10, LARGE = 1 << 20 };

static bool is_changed;
static int rank, ranks;
static char *buffer;

static void work(double ms) {
  struct timespec pause = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  while (nanosleep(&pause, &pause) != 0)
    ;
}

/* Rank 0 is twice as fast if it is changed. */
static double of_rank(double first, double others) {
  return rank > 0 ? others : is_changed ? first / 2 : first;
}

static void pass(int bytes) {
  if (rank == 0)
    MPI_Send(buffer, bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(buffer, bytes, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The receiver waits for rank 0, and works longer than that when it is changed. */
static void late_sender(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    work(of_rank(40, 25));
    pass(8);
  }
}

/* Rank 0 receives late, and a long message is sent at its receive. */
static void late_receiver(void) {
  for (int turn = 0; turn < TURNS; turn++) {
    work(of_rank(40, 10));
    if (rank == 1)
      MPI_Send(buffer, LARGE, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    else if (rank == 0)
      MPI_Recv(buffer, LARGE, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(of_rank(15, 15));
  }
}

/* Neighbours exchange without blocking and all agree. */
static void halo(void) {
  MPI_Request requests[2];
  int sum = 0, other = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int turn = 0; turn < TURNS; turn++) {
    MPI_Irecv(buffer, 1024, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(buffer + LARGE, 1024, MPI_CHAR, other, 1, MPI_COMM_WORLD, &requests[1]);
    work(of_rank(45, 20));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (turn % 3 == 2)
      MPI_Allreduce(&turn, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* The root gets what the others have, and hands out more. */
static void rooted(void) {
  int sum, value = 1;
  for (int turn = 0; turn < TURNS; turn++) {
    work(of_rank(50, 30));
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      work(of_rank(10, 0));
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static const struct {
  const char *name;
  void (*run)(void);
} programs[] = {
    {"late_sender", late_sender}, {"late_receiver", late_receiver}, {"halo", halo}, {"rooted", rooted}};

int main(int argc, char **argv) {
  is_changed = argc > 2 && strcmp(argv[2], "changed") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  buffer = calloc(2, LARGE);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    if (argc < 2 || strcmp(argv[1], programs[i].name) != 0)
      continue;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    programs[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      printf("%.6f\n", MPI_Wtime() - begin);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
