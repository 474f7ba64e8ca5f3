/* Point to point, collective operations, communicators, windows and files of every kind, in each rank on two
 * threads. Prints nothing and returns 0 if all that was received is right.
 *
 * usage: everything FOLDER      (FOLDER: for files; and for truth-RANK: what the archive of one-sided
 * operations and files should have, lines of a kind of event and a number) */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "everything.h"

/* REPLY: a tag that no other message has, since it is received of anybody. */
enum { REPLY = 12, LARGE = 100000, BUFFER_BYTES = 1 << 20, KINDS_MOST = 64 };

int rank, size;

static int errors;

static struct {
  const char *kind;
  long count;
} kinds[KINDS_MOST];

void expect(int is_right, const char *file, int line) {
  if (is_right)
    return;
  fprintf(stderr, "rank %d: %s:%d is wrong\n", rank, file, line);
  errors++;
}

void did(const char *kind, long count) {
  int i = 0;
  while (kinds[i].kind && strcmp(kinds[i].kind, kind) != 0)
    i++;
  kinds[i].kind = kind;
  kinds[i].count += count;
}

static void write_numbers(const char *folder) {
  char name[1024];
  snprintf(name, sizeof name, "%s/truth-%d", folder, rank);
  FILE *file = fopen(name, "w");
  EXPECT(file != NULL);
  for (int i = 0; file && kinds[i].kind; i++)
    fprintf(file, "%s %ld\n", kinds[i].kind, kinds[i].count);
  if (file)
    fclose(file);
}

int left(void) {
  return (rank + size - 1) % size;
}

int right(void) {
  return (rank + 1) % size;
}

/* -- point to point -- */

static void blocking(void) {
  static char buffer[BUFFER_BYTES];
  int got[COUNT], sent[COUNT] = {rank}, detached;
  void *address;
  MPI_Status status;
  MPI_Buffer_attach(buffer, BUFFER_BYTES);
  MPI_Bsend(sent, COUNT, MPI_INT, right(), 1, MPI_COMM_WORLD);
  MPI_Recv(got, COUNT, MPI_INT, left(), 1, MPI_COMM_WORLD, &status);
  EXPECT(got[0] == left() && status.MPI_SOURCE == left());
  MPI_Buffer_detach(&address, &detached);
  if (rank % 2 == 0) {
    MPI_Ssend(sent, 1, MPI_INT, rank ^ 1, 2, MPI_COMM_WORLD);
    MPI_Recv(got, COUNT, MPI_INT, MPI_ANY_SOURCE, REPLY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    MPI_Recv(got, COUNT, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(sent, 1, MPI_INT, rank ^ 1, REPLY, MPI_COMM_WORLD);
  }
  EXPECT(got[0] == (rank ^ 1));
  MPI_Sendrecv(sent, COUNT, MPI_INT, right(), 4, got, COUNT, MPI_INT, left(), 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT(got[0] == left());
  MPI_Sendrecv_replace(sent, COUNT, MPI_INT, right(), 5, left(), 5, MPI_COMM_WORLD, &status);
  EXPECT(sent[0] == left());
  MPI_Send(sent, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
  MPI_Recv(got, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
  MPI_Sendrecv(sent, 1, MPI_INT, rank, 7, got, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Many together, some of them complete when they are started, completed by each of the functions that do
 * that.
 */
static void nonblocking(void) {
  int got[COUNT], sent[COUNT], indices[COUNT], count, index, flag = 0;
  MPI_Request requests[2 * COUNT];
  MPI_Status statuses[2 * COUNT];
  for (int i = 0; i < COUNT; i++) {
    sent[i] = rank * COUNT + i;
    MPI_Irecv(&got[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&sent[i], 1, MPI_INT, right(), i, MPI_COMM_WORLD, &requests[COUNT + i]);
  }
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  while (!flag)
    MPI_Test(&requests[1], &flag, &statuses[0]);
  EXPECT(statuses[0].MPI_TAG == 1);
  MPI_Waitany(2, requests + 2, &index, MPI_STATUS_IGNORE);
  EXPECT(index == 0 || index == 1);
  MPI_Waitsome(4, requests + 2, &count, indices, MPI_STATUSES_IGNORE);
  EXPECT(count >= 1);
  do
    MPI_Testany(2, requests + 6, &index, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  do
    MPI_Testsome(2 * COUNT, requests, &count, indices, statuses);
  while (count == 0);
  do
    MPI_Testall(COUNT, requests, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < COUNT; i++)
    EXPECT(got[i] == left() * COUNT + i);
}

static void large(void) {
  int *got = calloc(LARGE, sizeof *got), *sent = calloc(LARGE, sizeof *sent);
  MPI_Request requests[2];
  sent[LARGE - 1] = rank;
  MPI_Irecv(got, LARGE, MPI_INT, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(sent, LARGE, MPI_INT, right(), 20, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT(got[LARGE - 1] == left());
  free(got);
  free(sent);
}

static void persistent(void) {
  int got, sent;
  MPI_Request requests[2];
  MPI_Recv_init(&got, 1, MPI_INT, left(), 30, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&sent, 1, MPI_INT, right(), 30, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; i++) {
    sent = rank + i;
    if (i == 1)
      MPI_Start(&requests[0]), MPI_Start(&requests[1]);
    else
      MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT(got == left() + i);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* both are inactive: nothing is complete */
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void cancelled_and_freed(void) {
  int got, sent = rank, flag;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, left(), 40, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag);
  MPI_Isend(&sent, 1, MPI_INT, right(), 41, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(&got, 1, MPI_INT, left(), 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(got == left());
}

static void matched(void) {
  int got, sent = rank, flag = 0;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  MPI_Send(&sent, 1, MPI_INT, right(), 50, MPI_COMM_WORLD);
  MPI_Mprobe(left(), 50, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  EXPECT(got == left());
  MPI_Send(&sent, 1, MPI_INT, right(), 51, MPI_COMM_WORLD);
  while (!flag)
    MPI_Improbe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &flag, &message, &status);
  MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, &status);
  EXPECT(status.MPI_SOURCE == left());
}

/* -- collective operations -- */

static void collective(MPI_Comm comm) {
  int members, number, own[RANKS_MOST] = {0}, all[RANKS_MOST], counts[RANKS_MOST], places[RANKS_MOST];
  MPI_Datatype types[RANKS_MOST];
  MPI_Comm_size(comm, &members);
  MPI_Comm_rank(comm, &number);
  for (int i = 0; i < RANKS_MOST; i++)
    own[i] = number, counts[i] = 1, places[i] = i, types[i] = MPI_INT;
  MPI_Barrier(comm);
  MPI_Bcast(own, 1, MPI_INT, members - 1, comm);
  EXPECT(own[0] == members - 1);
  MPI_Gather(&number, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
  MPI_Gatherv(&number, 1, MPI_INT, all, counts, places, MPI_INT, 0, comm);
  MPI_Scatter(all, 1, MPI_INT, own, 1, MPI_INT, 0, comm);
  EXPECT(own[0] == number);
  MPI_Scatterv(all, counts, places, MPI_INT, own, 1, MPI_INT, 0, comm);
  MPI_Allgather(&number, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, comm);
  EXPECT(all[members - 1] == members - 1);
  MPI_Alltoall(own, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Alltoallv(own, counts, places, MPI_INT, all, counts, places, MPI_INT, comm);
  for (int i = 0; i < members; i++)
    places[i] = (int)sizeof(int) * i;
  MPI_Alltoallw(own, counts, places, types, all, counts, places, types, comm);
  MPI_Reduce(&number, all, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allreduce(MPI_IN_PLACE, own, 1, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(own, all, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(own, all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Scan(&number, all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(&number, all, 1, MPI_INT, MPI_SUM, comm);
}

static void nonblocking_collective(MPI_Comm comm) {
  int own = rank, all[RANKS_MOST], sum, flag = 0;
  MPI_Request requests[3];
  MPI_Ibarrier(comm, &requests[0]);
  while (!flag)
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Ibcast(&own, 1, MPI_INT, 0, comm, &requests[0]);
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* Who is no neighbour begins when one has ended. */
static void neighbours(MPI_Comm ring) {
  int own[2] = {rank, rank}, all[2];
  MPI_Request request;
  if (rank == 2) /* of four or more */
    MPI_Recv(all, 1, MPI_INT, 0, 55, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Neighbor_allgather(own, 1, MPI_INT, all, 1, MPI_INT, ring);
  if (rank == 0 && size > 2)
    MPI_Send(own, 1, MPI_INT, 2, 55, MPI_COMM_WORLD);
  MPI_Neighbor_alltoall(own, 1, MPI_INT, all, 1, MPI_INT, ring);
  MPI_Ineighbor_allgather(own, 1, MPI_INT, all, 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* -- communicators -- */

static void intercommunicators(MPI_Comm half) {
  MPI_Comm between, merged;
  int number, got = -1, is_upper = rank >= size / 2, remote;
  MPI_Comm_rank(half, &number);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_upper ? 0 : size / 2, 60, &between);
  MPI_Comm_remote_size(between, &remote);
  MPI_Sendrecv(&rank, 1, MPI_INT, number % remote, 61, &got, 1, MPI_INT, number % remote, 61, between,
               MPI_STATUS_IGNORE);
  EXPECT(got == (is_upper ? number : number + size / 2));
  MPI_Bcast(&got, 1, MPI_INT, is_upper ? 0 : number == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  MPI_Barrier(between);
  MPI_Intercomm_merge(between, is_upper, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
}

static void communicators(void) {
  MPI_Comm half, copy, later, line, ring, some = MPI_COMM_NULL;
  MPI_Group world, members;
  MPI_Request request;
  int dimensions[1] = {size}, periods[1] = {1}, remaining[1] = {1}, first = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &half);
  MPI_Comm_set_name(half, rank >= size / 2 ? "upper half" : "lower half");
  collective(half);
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_SUM, copy);
  MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(later);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 0, &ring);
  neighbours(ring);
  MPI_Cart_sub(ring, remaining, &line);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &first, &members);
  MPI_Comm_create(MPI_COMM_WORLD, members, &some);
  EXPECT((some != MPI_COMM_NULL) == (rank == 0));
  if (some != MPI_COMM_NULL)
    MPI_Barrier(some);
  if (some != MPI_COMM_NULL)
    MPI_Comm_free(&some);
  if (rank == 0)
    MPI_Comm_create_group(MPI_COMM_WORLD, members, 9, &some);
  if (some != MPI_COMM_NULL)
    MPI_Comm_free(&some);
  intercommunicators(half);
  MPI_Group_free(&members);
  MPI_Group_free(&world);
  MPI_Comm_free(&line);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&later);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

/* -- threads: each with its counterpart in the next rank -- */

static void threads(int level) {
#pragma omp parallel num_threads(2)
  {
    int number = omp_get_thread_num(), got = -1, sent = rank;
    MPI_Request requests[2];
    for (int i = 0; i < 50 && (level == MPI_THREAD_MULTIPLE || number == 0); i++) {
      MPI_Irecv(&got, 1, MPI_INT, left(), 100 + number, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&sent, 1, MPI_INT, right(), 100 + number, MPI_COMM_WORLD, &requests[1]);
      if (i % 2) {
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      } else {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
#pragma omp critical
      EXPECT(got == left());
    }
  }
}

/* Sends that are complete immediately may have one handle: each thread ends its own, the second one first. */
static void one_handle(int level) {
#pragma omp parallel num_threads(2) if (level == MPI_THREAD_MULTIPLE)
  {
    int number = omp_get_thread_num(), got = -1, sent = rank;
    MPI_Request send, receive;
    MPI_Irecv(&got, 1, MPI_INT, left(), 200 + number, MPI_COMM_WORLD, &receive);
#pragma omp barrier
    if (number == 0)
      MPI_Isend(&sent, 1, MPI_INT, right(), 200 + number, MPI_COMM_WORLD, &send);
#pragma omp barrier
    if (number == 1) {
      MPI_Isend(&sent, 1, MPI_INT, right(), 200 + number, MPI_COMM_WORLD, &send);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
#pragma omp barrier
    if (number == 0)
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  blocking();
  nonblocking();
  large();
  persistent();
  cancelled_and_freed();
  matched();
  collective(MPI_COMM_WORLD);
  collective(MPI_COMM_SELF);
  nonblocking_collective(MPI_COMM_WORLD);
  communicators();
  threads(level);
  one_handle(level);
  windows(level == MPI_THREAD_MULTIPLE);
  files(argv[1]);
  write_numbers(argv[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return errors ? 1 : 0;
}
