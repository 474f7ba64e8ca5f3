/* Two processes that start two more; all of them talk over the communicator between them and one of all. And
 * where the MPI has it, partitioned communication. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void expect(int is_right, int line) {
  if (!is_right)
    fprintf(stderr, "rank %d of %d: line %d is wrong\n", rank, size, line);
}

#define EXPECT(condition) expect(condition, __LINE__)

static void talk(MPI_Comm others, int is_parent) {
  int got = -1, sent = rank + (is_parent ? 10 : 20), sum = 0;
  MPI_Comm all;
  MPI_Request requests[2];
  MPI_Irecv(&got, 1, MPI_INT, rank, 1, others, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, rank, 1, others, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(got == rank + (is_parent ? 20 : 10));
  MPI_Barrier(others);
  MPI_Intercomm_merge(others, !is_parent, &all);
  MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, all);
  EXPECT(sum == 62);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
}

static void partitioned(void) {
#if MPI_VERSION >= 4
  int got[4] = {0}, sent[4] = {rank, rank, rank, rank}, flag = 0;
  MPI_Request requests[2];
  MPI_Precv_init(got, 2, 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(sent, 2, 2, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 2; i++) {
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[1]);
    MPI_Pready_range(1, 1, requests[1]);
    while (!flag)
      MPI_Parrived(requests[0], 0, &flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(got[3] == 1 - rank);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
#endif
}

int main(int argc, char **argv) {
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
  partitioned();
#ifdef OPEN_MPI
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
  talk(parent == MPI_COMM_NULL ? children : parent, parent == MPI_COMM_NULL);
#else
  (void)children, (void)talk;
#endif
  MPI_Finalize();
  return 0;
}
