/* A rank is a forked child of a program that has used OpenMP, and forks a child in its turn, which uses
 * OpenMP and of MPI what any process may. More is not possible: Open MPI and MPICH hang or abort in the
 * MPI_Finalize of a process that is forked after MPI_Init. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, TIMES = 50 };

static int count_threads(void) {
  int count = 0;
  for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(THREADS) reduction(+ : count)
    count++;
  }
  return count;
}

static void expect(int is_true, const char *what) {
  if (is_true)
    return;
  fprintf(stderr, "not %s\n", what);
  exit(3);
}

static int run(int (*act)(void)) {
  int status = 1;
  pid_t child = fork();
  if (child == 0)
    exit(act());
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static int use_openmp(void) {
  int is_initialized = 0, is_finalized = 1;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  expect(is_initialized && !is_finalized, "initialized");
  expect(count_threads() == THREADS * TIMES, "all threads of the rank's child");
  return 5;
}

static int be_rank(void) {
  int rank, size, sum = 0, one = 1;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(count_threads() == THREADS * TIMES, "all threads of the rank");
  expect(run(use_openmp) == 5, "the status of the rank's child");
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum == size, "the sum");
  MPI_Finalize();
  if (rank == 0)
    puts("done");
  return 6;
}

int main(void) {
  expect(count_threads() == THREADS * TIMES, "all threads");
  return run(be_rank) == 6 ? 0 : 7;
}
