/* One-sided communication: windows of every kind, operations of every kind, and each way to complete them. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "everything.h"

enum { TURNS = 20 };

/* -- what is done, and what it is in the archive -- */

static void did_collective(void) {
  did("RmaCollectiveBegin", 1);
  did("RmaCollectiveEnd", 1);
}

static void did_operation(const char *kind, long bytes) {
  did(kind, 1);
  did("RmaOpCompleteNonBlocking", 1);
  did("RmaOpCompleteRemote", 1);
  did("bytes", bytes);
}

static void did_put(long bytes) {
  did_operation("RmaPut", bytes);
}

static void did_get(long bytes) {
  did_operation("RmaGet", bytes);
}

static void did_atomic(long sent, long received) {
  did_operation("RmaAtomic", sent);
  did("received", received);
}

static void did_make(void) {
  did_collective();
  did("RmaWinCreate", 1);
}

static void free_window(MPI_Win *window) {
  MPI_Win_free(window);
  did_collective();
  did("RmaWinDestroy", 1);
}

static void fence(MPI_Win window) {
  MPI_Win_fence(0, window);
  did_collective();
}

static void lock(int type, int target, MPI_Win window) {
  MPI_Win_lock(type, target, 0, window);
  did("RmaRequestLock", 1);
}

static void unlock(int target, MPI_Win window) {
  MPI_Win_unlock(target, window);
  did("RmaReleaseLock", 1);
}

static void lock_all(MPI_Win window) {
  MPI_Win_lock_all(0, window);
  did("RmaRequestLock", 1);
}

static void unlock_all(MPI_Win window) {
  MPI_Win_unlock_all(window);
  did("RmaReleaseLock", 1);
}

/* -- each way -- */

static void fences(void) {
  int memory[COUNT] = {0}, sent[COUNT] = {rank, rank}, got[2] = {-1, -1};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  did_make();
  MPI_Win_set_name(window, "fenced");
  fence(window);
  MPI_Put(sent, 2, MPI_INT, right(), 0, 2, MPI_INT, window);
  did_put(2 * sizeof(int));
  MPI_Put(sent, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
  MPI_Accumulate(sent, 1, MPI_INT, right(), 4, 1, MPI_INT, MPI_SUM, window);
  did_atomic(sizeof(int), 0);
  fence(window);
  EXPECT(memory[0] == left() && memory[4] == left());
  MPI_Get(got, 2, MPI_INT, right(), 0, 2, MPI_INT, window);
  did_get(2 * sizeof(int));
  fence(window);
  EXPECT(got[1] == rank);
  free_window(&window);
}

static void locks(void) {
  int *memory, sent = rank, got = -1, old = -1;
  MPI_Win window;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  did_make();
  lock(MPI_LOCK_EXCLUSIVE, rank, window);
  memset(memory, 0, COUNT * sizeof(int));
  unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  lock(MPI_LOCK_EXCLUSIVE, right(), window);
  MPI_Put(&sent, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
  did_put(sizeof(int));
  MPI_Win_flush(right(), window);
  MPI_Get(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, window);
  did_get(sizeof(int));
  MPI_Win_flush_local(right(), window);
  EXPECT(got == rank);
  unlock(right(), window);
  lock(MPI_LOCK_SHARED, 0, window);
  MPI_Fetch_and_op(&sent, &old, MPI_INT, 0, 1, MPI_SUM, window);
  did_atomic(sizeof(int), sizeof(int));
  MPI_Compare_and_swap(&sent, &got, &old, MPI_INT, 0, 2, window);
  did_atomic(sizeof(int), sizeof(int));
  MPI_Get_accumulate(NULL, 0, MPI_INT, &got, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_NO_OP, window);
  did_atomic(0, sizeof(int));
  unlock(0, window);
  EXPECT(got == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

/* Those with requests: waited for before they are complete at the other side, and after that. */
static void requests(void) {
  int *memory, sent = rank + 1, got = -1, old = -1;
  MPI_Win window;
  MPI_Request all[4];
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  did_make();
  lock_all(window);
  memset(memory, 0, COUNT * sizeof(int));
  MPI_Win_sync(window);
  did("RmaSync", 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rput(&sent, 1, MPI_INT, right(), 0, 1, MPI_INT, window, &all[0]);
  did_put(sizeof(int));
  MPI_Raccumulate(&sent, 1, MPI_INT, right(), 1, 1, MPI_INT, MPI_SUM, window, &all[1]);
  did_atomic(sizeof(int), 0);
  MPI_Rget_accumulate(&sent, 1, MPI_INT, &old, 1, MPI_INT, right(), 2, 1, MPI_INT, MPI_SUM, window, &all[2]);
  did_atomic(sizeof(int), sizeof(int));
  MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Rget(&got, 1, MPI_INT, right(), 0, 1, MPI_INT, window, &all[3]);
  did_get(sizeof(int));
  MPI_Win_flush_local_all(window);
  MPI_Wait(&all[3], MPI_STATUS_IGNORE);
  EXPECT(got == rank + 1 && old == 0);
  MPI_Rput(&sent, 1, MPI_INT, right(), 3, 1, MPI_INT, window, &all[0]);
  did_put(sizeof(int));
  unlock_all(window);
  MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free_window(&window);
}

/* With two neighbours, whose groups are of one member each. */
static void epochs(void) {
  int memory = -1, sent = rank, flag = 0, source = left(), target = right();
  MPI_Win window;
  MPI_Group world, sources, targets;
  MPI_Win_create(&memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  did_make();
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &source, &sources);
  MPI_Group_incl(world, 1, &target, &targets);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(sources, 0, window);
    MPI_Win_start(targets, 0, window);
    MPI_Put(&sent, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    did_put(sizeof(int));
    MPI_Win_complete(window);
    if (i == 0)
      MPI_Win_wait(window);
    for (flag = i == 0; !flag;)
      MPI_Win_test(window, &flag);
    did("RmaGroupSync", 4);
#ifdef OPEN_MPI /* MPICH 4.0 puts nothing there, traced or not */
    EXPECT(memory == source);
#endif
  }
  MPI_Group_free(&sources);
  MPI_Group_free(&targets);
  MPI_Group_free(&world);
  free_window(&window);
}

static void dynamic(void) {
  int memory = -1, sent = rank;
  MPI_Aint address, addresses[RANKS_MOST];
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  did_make();
  MPI_Win_attach(window, &memory, sizeof memory);
  MPI_Get_address(&memory, &address);
  MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
  lock(MPI_LOCK_EXCLUSIVE, right(), window);
  MPI_Put(&sent, 1, MPI_INT, right(), addresses[right()], 1, MPI_INT, window);
  did_put(sizeof(int));
  unlock(right(), window);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(memory == left());
  MPI_Win_detach(window, &memory);
  free_window(&window);
}

/* Of a communicator of its own, and of the process alone. */
static void shared(void) {
  int *memory, unit, *others, first = rank;
  MPI_Aint bytes;
  MPI_Comm node;
  MPI_Win window;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &window);
  did_make();
  lock_all(window);
  *memory = rank;
  MPI_Win_sync(window);
  did("RmaSync", 1);
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Win_sync(window);
  did("RmaSync", 1);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &others);
  EXPECT(*others == first);
  unlock_all(window);
  free_window(&window);
  MPI_Comm_free(&node);
#ifndef OPEN_MPI /* 4.1 makes no window of a process alone: MPI_ERR_WIN */
  MPI_Win_create(&unit, sizeof unit, sizeof unit, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  did_make();
  fence(window);
  free_window(&window);
#endif
}

/* Each thread has a window of its own. */
static void threads(int has_threads) {
  static int memory[2][COUNT];
  MPI_Win window[2];
  for (int i = 0; i < 2; i++) {
    MPI_Win_create(memory[i], sizeof memory[i], sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window[i]);
    did_make();
    lock_all(window[i]);
  }
#pragma omp parallel num_threads(2)
  {
    int number = omp_get_thread_num(), sent = number;
    for (int i = 0; i < TURNS && (has_threads || number == 0); i++) {
      MPI_Put(&sent, 1, MPI_INT, right(), i % COUNT, 1, MPI_INT, window[number]);
      MPI_Win_flush(right(), window[number]);
#pragma omp critical
      did_put(sizeof(int));
    }
  }
  for (int i = 0; i < 2; i++) {
    unlock_all(window[i]);
    free_window(&window[i]);
  }
}

void windows(int has_threads) {
  fences();
  locks();
  requests();
  epochs();
  dynamic();
  shared();
  threads(has_threads);
}
