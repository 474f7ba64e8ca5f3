/* Two ranks. What rank 0 does until a message comes that rank 1 sends late: it polls all the time, it polls
 * now and then and computes, it polls now and then between parallel regions. What rank 0 needed of each, of
 * which how long it was in calls that found nothing, and how many these were, is printed on stderr. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static const double LATE_S = 0.2, STEP_S = 20e-6;

static void compute(double seconds) {
  double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < seconds)
    continue;
}

static void now_and_then(void) {
  compute(STEP_S);
}

static void between_regions(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    compute(STEP_S);
}

/* Returns how many calls found nothing; *polled has their time. */
static unsigned query_always(MPI_Request *request, double *polled) {
  int flag = 0;
  unsigned failed = 0;
  double begin = MPI_Wtime();
  for (;;) {
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    if (flag)
      break;
    failed++;
  }
  *polled = MPI_Wtime() - begin;
  return failed;
}

static unsigned query_between(void (*step)(void), MPI_Request *request, double *polled) {
  int flag = 0;
  unsigned failed = 0;
  for (*polled = 0;; step()) {
    double before = MPI_Wtime();
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    if (flag)
      return failed;
    *polled += MPI_Wtime() - before;
    failed++;
  }
}

static void rank_0(const char *name, void (*step)(void)) {
  int got;
  double polled;
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  MPI_Irecv(&got, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
  unsigned failed = step ? query_between(step, &request, &polled) : query_always(&request, &polled);
  fprintf(stderr, "%s %.6f %.6f %u\n", name, MPI_Wtime() - begin, polled, failed);
}

static void rank_1(void) {
  int value = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  compute(LATE_S);
  MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*step)(void);
  } parts[] = {{"always", NULL}, {"sometimes", now_and_then}, {"between", between_regions}};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (rank == 0)
      rank_0(parts[i].name, parts[i].step);
    else
      rank_1();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
