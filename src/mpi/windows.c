/* Calls that make and free windows, and those that synchronize. Which operations a call completes the writer
 * knows. */
#include "mpi/windows.h"

#include <string.h>

#include "mpi/comms.h"
#include "mpi/groups.h"
#include "mpi/messages.h"
#include "mpi/own_heap.h"
#include "mpi/polls.h"

static struct handles windows = HANDLES;

struct known_window *window_of(word handle) {
  return (struct known_window *)handle_find(&windows, handle_of(handle));
}

/* -- making -- */

/* The call is collective on the communicator, as are those that make others of it: they have one order. */
static struct known_window *describe(const struct call *call, word comm) {
  const struct known_comm *of = mpi_records(EVENT_CLASS_mpi_rma) ? comm_of(comm) : NULL;
  struct known_window *window = of ? heap_get(1, sizeof *window) : NULL;
  if (!window)
    return NULL;
  struct origin origin = comm_creates(comm);
  window->number = atomic_fetch_add(&windows.count, 1);
  window->rank = (uint32_t)of->rank;
  window->groups[EPOCH_ACCESS] = window->groups[EPOCH_EXPOSURE] = GROUP_NONE;
  window->is_allocated = call->argument == WINDOW_OF_ALLOCATED;
  const struct record_mpi_window record = {.type = RECORD_mpi_window,
                                           .key = origin.key ? key_of(origin.key, "window", 6) : 0,
                                           .comm = of->number,
                                           .window = window->number};
  mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
  return window;
}

static void end_making(const struct call *call, struct known_window *window) {
  uint32_t operation = window->is_allocated ? OPERATION_CREATE_AND_ALLOCATE : OPERATION_CREATE_HANDLE;
  bool is_made = call_succeeded(call);
  put_window(is_made ? WINDOW_MADE : WINDOW_NOT_MADE, window->number, WINDOW_ALL, 0, operation);
  if (is_made) {
    window->item.handle = handle_at(call->a[mpi_parameters(call->function) - 1], 0);
    handle_add(&windows, &window->item);
  } else {
    heap_free(window);
  }
}

void mpi_on_window_create(struct call *call) {
  static const uint8_t comm_at[] = {
      [WINDOW_OF_MEMORY] = 4, [WINDOW_OF_ALLOCATED] = 3, [WINDOW_OF_ATTACHED] = 1};
  call_enter(call, 0);
  struct known_window *window = describe(call, call->a[comm_at[call->argument]]);
  if (window)
    put_window(WINDOW_COLLECTIVE_BEGIN, window->number, WINDOW_ALL, 0, 0);
  call_invoke(call);
  if (window)
    end_making(call, window);
  call_leave(call);
}

void mpi_on_window_free(struct call *call) {
  call_enter(call, 0);
  struct known_window *window =
      (struct known_window *)handle_remove(&windows, handle_of(handle_at(call->a[0], 0)));
  if (window)
    put_window(WINDOW_COLLECTIVE_BEGIN, window->number, WINDOW_ALL, 0, 0);
  call_invoke(call);
  if (window)
    put_window(WINDOW_FREED, window->number, WINDOW_ALL, 0,
               window->is_allocated ? OPERATION_DESTROY_AND_DEALLOCATE : OPERATION_DESTROY_HANDLE);
  heap_free(window);
  call_leave(call);
}

void mpi_on_window_set_name(struct call *call) {
  enum { NAME_BYTES_MAX = 1024 };
  uint64_t words[NAME_BYTES_MAX / sizeof(uint64_t)] = {0};
  call_plain(call);
  const struct known_window *window = window_of(call->a[0]);
  if (!window || !call_succeeded(call))
    return;
  size_t bytes = strnlen((const char *)call->a[1], NAME_BYTES_MAX);
  memcpy(words, (const char *)call->a[1], bytes);
  const struct record_mpi_window_name record = {.type = RECORD_mpi_window_name,
                                                .more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES),
                                                .name_bytes = bytes,
                                                .window = window->number};
  mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}

/* -- passive targets -- */

/* Of calls with a rank in front of the window, and of those for all members. Nothing is done to
 * MPI_PROC_NULL. */
static struct known_window *target_of(const struct call *call, word rank, word handle, uint32_t *ret_remote) {
  bool is_for_all = mpi_parameters(call->function) == 1;
  *ret_remote = is_for_all ? WINDOW_ALL : (uint32_t)rank;
  return is_for_all || (int)rank != mpi.abi.proc_null ? window_of(handle) : NULL;
}

static void lock(struct call *call, const struct known_window *window, uint32_t remote, bool is_exclusive) {
  call_enter(call, 0);
  if (window)
    put_window(WINDOW_LOCK, window->number, remote, 0, is_exclusive ? LOCK_IS_EXCLUSIVE : LOCK_IS_SHARED);
  call_invoke(call);
  if (window && !call_succeeded(call))
    put_window(WINDOW_UNLOCK, window->number, remote, 0, 0);
  call_leave(call);
}

void mpi_on_window_lock(struct call *call) {
  const word *a = call->a;
  const struct known_window *window = (int)a[1] == mpi.abi.proc_null ? NULL : window_of(a[3]);
  lock(call, window, (uint32_t)a[1], (int)a[0] == mpi.abi.lock_exclusive);
}

void mpi_on_window_lock_all(struct call *call) {
  lock(call, window_of(call->a[1]), WINDOW_ALL, false);
}

/* MPI_Win_unlock, MPI_Win_flush and their like: argument is what it means. */
void mpi_on_window_complete(struct call *call) {
  uint32_t remote;
  call_enter(call, 0);
  const struct known_window *window =
      target_of(call, call->a[0], call->a[mpi_parameters(call->function) - 1], &remote);
  call_invoke(call);
  if (window && call_succeeded(call))
    put_window((enum window_moment)call->argument, window->number, remote, 0, 0);
  call_leave(call);
}

void mpi_on_window_sync(struct call *call) {
  call_enter(call, 0);
  const struct known_window *window = window_of(call->a[0]);
  call_invoke(call);
  if (window)
    put_window(WINDOW_SYNC, window->number, window->rank, 0, 0);
  call_leave(call);
}

/* -- active targets -- */

void mpi_on_window_fence(struct call *call) {
  call_enter(call, 0);
  const struct known_window *window = window_of(call->a[1]);
  if (window)
    put_window(WINDOW_COLLECTIVE_BEGIN, window->number, WINDOW_ALL, 0, 0);
  call_invoke(call);
  if (window)
    put_window(WINDOW_FENCED, window->number, WINDOW_ALL, 0, OPERATION_BARRIER);
  call_leave(call);
}

/* MPI_Win_start and MPI_Win_post: argument is the epoch. */
void mpi_on_window_begin(struct call *call) {
  call_enter(call, 0);
  struct known_window *window = window_of(call->a[2]);
  uint32_t group = window ? group_number(call->a[0]) : GROUP_NONE;
  call_invoke(call);
  if (window && call_succeeded(call)) {
    window->groups[call->argument] = group;
    put_window(WINDOW_GROUP_BEGIN, window->number, WINDOW_ALL, group, 0);
  }
  call_leave(call);
}

static void end_epoch(struct known_window *window, enum window_epoch epoch) {
  uint32_t group = window->groups[epoch];
  window->groups[epoch] = GROUP_NONE;
  put_window(WINDOW_GROUP_END, window->number, WINDOW_ALL, group,
             epoch == EPOCH_ACCESS ? WINDOW_GROUP_COMPLETES : 0);
}

/* MPI_Win_complete and MPI_Win_wait. */
void mpi_on_window_end(struct call *call) {
  call_enter(call, 0);
  struct known_window *window = window_of(call->a[0]);
  call_invoke(call);
  if (window && call_succeeded(call))
    end_epoch(window, (enum window_epoch)call->argument);
  call_leave(call);
}

/* Those that get a no share records (polls.h). */
void mpi_on_window_test(struct call *call) {
  struct known_window *window = window_of(call->a[0]);
  uint64_t begin = mpi.recorder->ticks();
  call_invoke(call);
  if (call_succeeded(call) && !*(const int *)call->a[1]) {
    polls_add(call, begin);
    return;
  }
  call_enter(call, begin);
  if (window && call_succeeded(call))
    end_epoch(window, EPOCH_EXPOSURE);
  call_leave(call);
}
