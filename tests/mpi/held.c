/* held LOCK: a thread holds a lock of the C library's, or waits where the C library holds one, until another
 * thread has made calls of MPI: the first ones of their functions, or those for which MPI requests no memory.
 * Exit status 3: they did not come to an end meanwhile. */
#define _GNU_SOURCE
#include <mpi.h>

#include "../support/held.h"

enum { MESSAGES = 100, TAG = 5 };

static struct {
  bool has_many;    /* calls in which MPI requests memory */
  bool has_windows; /* calls in which Open MPI calls the linker */
} test;

static const struct holder holders[] = {
    {"libraries", hold_list_of_libraries, true, false},
    {"constructor", hold_linker, true, false},
    {"stdio", hold_streams, true, true},
    {"malloc", hold_allocator, false, false},
};

/* -- who goes on -- */

/* More requests than libstave-mpi.so has room for on its stack. */
static void exchange(void) {
  static int sent[MESSAGES], received[MESSAGES];
  MPI_Request requests[2 * MESSAGES];
  for (int i = 0; i < MESSAGES; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < MESSAGES; i++)
    MPI_Isend(&sent[i], 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[MESSAGES + i]);
  MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
}

/* -- first calls -- */

static void make_communicators(void) {
  enum { COUNT = 8 };
  MPI_Comm made[COUNT];
  char name[] = "held";
  for (int i = 0; i < COUNT; i++) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made[i]);
    MPI_Comm_set_name(made[i], name);
  }
  for (int i = 0; i < COUNT; i++) {
    MPI_Barrier(made[i]);
    MPI_Comm_free(&made[i]);
  }
}

static void open_epochs(void) {
  int memory[4] = {0}, value = 1;
  MPI_Win window;
  MPI_Group group;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_free(&window);
}

static void first_calls(void) {
  int value = 0, other = 0, flag;
  MPI_Status status;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, TAG, &other, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &status);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  make_communicators();
  if (test.has_windows)
    open_epochs();
}

static void *go_on(void *data) {
  exchange();
  sem_post(&held.ready);
  wait_for(&held.is_held);
  exchange();
  if (test.has_many)
    first_calls();
  sem_post(&held.is_done);
  return data;
}

int main(int argc, char **argv) {
  const struct holder *holder =
      argc > 1 ? find_holder(holders, sizeof holders / sizeof *holders, argv[1]) : NULL;
  int provided;
  if (!holder)
    return 2;
  test.has_many = holder->has_many;
  test.has_windows = holder->has_windows;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int result = hold_meanwhile(holder, go_on, NULL);
  MPI_Finalize();
  return result;
}
