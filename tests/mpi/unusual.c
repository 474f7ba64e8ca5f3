/* Calls that fail where the program gets their errors, and collective operations between two groups, whose
 * root hands over arguments that mean nothing. "errors" or "groups". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* -- errors -- */

enum completion { WAIT, TEST, WAITANY, TESTANY, WAITSOME, TESTSOME, WAITALL, TESTALL, COMPLETIONS };

static int complete(enum completion how, MPI_Request *request) {
  int error = MPI_SUCCESS, flag = 0, index = 0, count = 0;
  switch (how) {
  case WAIT:
    return MPI_Wait(request, MPI_STATUS_IGNORE);
  case WAITANY:
    return MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
  case WAITSOME:
    return MPI_Waitsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
  case WAITALL:
    return MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
  case TEST:
    while (!error && !flag)
      error = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return error;
  case TESTANY:
    while (!error && !flag)
      error = MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
    return error;
  case TESTSOME:
    while (!error && count == 0)
      error = MPI_Testsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
    return error;
  default:
    while (!error && !flag)
      error = MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
    return error;
  }
}

/* One that is too short for its message, then one that is not, which may get the handle of the first. */
static void receive_too_few(enum completion how) {
  int got[4] = {0};
  MPI_Request request;
  MPI_Irecv(got, 1, MPI_INT, 1, 2 * (int)how, MPI_COMM_WORLD, &request);
  printf("%d: %s", (int)how, complete(how, &request) ? "fails" : "succeeds");
  MPI_Irecv(got, 4, MPI_INT, 1, 2 * (int)how + 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf(", %d\n", got[3]);
}

static void begin_nothing(void) {
  int value = 0, results[2];
  MPI_Request request = MPI_REQUEST_NULL;
  results[0] = MPI_Irecv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &request);
  results[1] = MPI_Ibcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD, &request);
  printf("begins: %s, %s\n", results[0] ? "fails" : "succeeds", results[1] ? "fails" : "succeeds");
}

static void errors(void) {
  int sent[4] = {1, 2, 3, 4};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < COMPLETIONS; i++)
    if (rank == 0) {
      receive_too_few((enum completion)i);
    } else if (rank == 1) {
      MPI_Send(sent, 4, MPI_INT, 0, 2 * i, MPI_COMM_WORLD);
      MPI_Send(sent, 4, MPI_INT, 0, 2 * i + 1, MPI_COMM_WORLD);
    }
  if (rank == 0)
    begin_nothing();
}

/* -- groups: rank 0 alone, and all others -- */

static void groups(void) {
  MPI_Comm own, between;
  int is_alone = rank == 0, value = rank, values[4] = {0}, sum[4] = {0}, sent[4] = {1, 2, 3, 4};
  /* each array ends where its last element does */
  int *counts = malloc((size_t)(is_alone ? 1 : size - 1) * sizeof *counts);
  int *displacements = calloc((size_t)size, sizeof *displacements);
  MPI_Comm_split(MPI_COMM_WORLD, is_alone, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, is_alone ? 1 : 0, 7, &between);
  for (int i = 0; i < (is_alone ? 1 : size - 1); i++)
    counts[i] = is_alone ? size - 1 : 1;
  for (int i = 0; i < size; i++)
    displacements[i] = i;
  if (is_alone) {
    int ones[4] = {1, 1, 1, 1};
    MPI_Gather(NULL, 1, MPI_DATATYPE_NULL, values, 1, MPI_INT, MPI_ROOT, between);
    MPI_Gatherv(NULL, 1, MPI_DATATYPE_NULL, values, ones, displacements, MPI_INT, MPI_ROOT, between);
    MPI_Scatter(values, 1, MPI_INT, NULL, 1, MPI_DATATYPE_NULL, MPI_ROOT, between);
    MPI_Scatterv(values, ones, displacements, MPI_INT, NULL, 1, MPI_DATATYPE_NULL, MPI_ROOT, between);
    MPI_Bcast(values, 2, MPI_INT, MPI_ROOT, between);
    MPI_Reduce(&value, sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, between);
  } else {
    MPI_Gather(&value, 1, MPI_INT, NULL, 1, MPI_DATATYPE_NULL, 0, between);
    MPI_Gatherv(&value, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, between);
    MPI_Scatter(NULL, 1, MPI_DATATYPE_NULL, &value, 1, MPI_INT, 0, between);
    MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, &value, 1, MPI_INT, 0, between);
    MPI_Bcast(values, 2, MPI_INT, 0, between);
    MPI_Reduce(&value, sum, 1, MPI_INT, MPI_SUM, 0, between);
  }
  MPI_Reduce_scatter(sent, values, counts, MPI_INT, MPI_SUM, between);
  printf("%d: %d %d %d\n", rank, value, values[0], sum[0]);
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  free(counts);
  free(displacements);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(argv[1], "errors") == 0)
    errors();
  else
    groups();
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
