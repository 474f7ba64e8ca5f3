/* Calls that poll and find nothing, a hundred of each, and calls that find something between them. Each rank
 * alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 100, COUNT = 3 };

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%d: not %s\n", __LINE__, #condition);                                                 \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                                          \
    }                                                                                                        \
  } while (0)

/* What has nothing to wait for answers yes. */
static void query_of(MPI_Request *requests) {
  int flag, index, count, indices[COUNT];
  MPI_Status statuses[COUNT];
  for (int i = 0; i < TIMES; i++) {
    MPI_Test(&requests[0], &flag, &statuses[0]);
    EXPECT(flag);
    MPI_Testany(COUNT, requests, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag && index == MPI_UNDEFINED);
    MPI_Testsome(COUNT, requests, &count, indices, statuses);
    EXPECT(count == MPI_UNDEFINED);
    MPI_Testall(COUNT, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT(flag);
  }
}

/* Polls for a message that nobody has sent yet. */
static void query_early(MPI_Request *requests) {
  int flag, index;
  MPI_Message message;
  for (int i = 0; i < TIMES; i++) {
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    MPI_Testany(COUNT, requests, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    MPI_Iprobe(0, 8, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    MPI_Improbe(0, 8, MPI_COMM_SELF, &flag, &message, MPI_STATUS_IGNORE);
    EXPECT(!flag);
  }
}

/* The only calls that are recorded: one of MPI_Testany, one of MPI_Testall. */
static void query_late(MPI_Request *requests, MPI_Request *persistent, const int *got) {
  int value = 1, flag, index;
  MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  do
    MPI_Testany(COUNT, requests, &index, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  EXPECT(index == 1 && *got == 1);
  for (int i = 0; i < COUNT; i++)
    MPI_Start(&persistent[i]);
  for (int i = 0; i < COUNT; i++)
    MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_SELF);
  do
    MPI_Testall(COUNT, persistent, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
}

int main(int argc, char **argv) {
  int got = 0, flag;
  MPI_Request requests[COUNT] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, persistent[COUNT];
  MPI_Init(&argc, &argv);
  query_of(requests);
  MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_SELF); /* 4 * TIMES + 1 polled before */
  for (int i = 0; i < COUNT; i++)
    MPI_Recv_init(&got, 1, MPI_INT, 0, i, MPI_COMM_SELF, &persistent[i]);
  query_of(persistent);
  MPI_Barrier(MPI_COMM_SELF); /* 4 * TIMES */
  MPI_Irecv(&got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[1]);
  query_early(requests);
  MPI_Barrier(MPI_COMM_SELF); /* 4 * TIMES */
  query_late(requests, persistent, &got);
  for (int i = 0; i < COUNT; i++)
    MPI_Request_free(&persistent[i]);
  MPI_Finalize();
  return 0;
}
