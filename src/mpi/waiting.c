/* Calls that complete requests. They are removed from the table before the call, and put back if they are not
 * complete after it (requests.h). A call that only tests, and finds nothing complete, shares a record with
 * others (polls.h). So does one that has nothing to test (no request, inactive ones), which is complete by
 * that. */
#include "mpi/own_heap.h"
#include "mpi/polls.h"
#include "mpi/requests.h"

enum { STATUS_BYTES_MAX = 32, OWN_MAX = 64 };

/* What a call may complete, and where the statuses are. */
struct waited {
  size_t count;
  word requests; /* the program's array */
  struct request **removed;
  const char *statuses; /* the program's, or own ones */
  struct request *own_removed[OWN_MAX];
  _Alignas(8) char own_statuses[OWN_MAX * STATUS_BYTES_MAX];
  void *memory; /* where there are more; NULL: there are not */
};

/* Own statuses where the program needs none (*statuses). Without memory nothing is taken. */
static void remove_all(struct waited *set, int count, word requests, word *statuses) {
  set->count = count > 0 ? (size_t)count : 0;
  set->requests = requests;
  set->removed = set->own_removed;
  set->memory = NULL;
  char *own = set->own_statuses;
  if (set->count > OWN_MAX) {
    set->memory = heap_get(set->count, sizeof *set->removed + STATUS_BYTES_MAX);
    set->removed = set->memory;
    own = (char *)(set->removed + set->count);
    set->count = set->memory ? set->count : 0;
  }
  if (*statuses == mpi.abi.status_ignore && (set->count || count <= 0))
    *statuses = (word)own;
  set->statuses = (const char *)*statuses;
  for (size_t i = 0; i < set->count; i++) {
    word handle = handle_at(requests, i);
    set->removed[i] = handle == mpi.abi.request_null ? NULL : request_remove(handle);
  }
}

/* The request at `index` is complete, with the status at `position`. */
static void complete_one(struct waited *set, size_t index, size_t position) {
  if (index >= set->count || !set->removed[index])
    return;
  request_complete(set->removed[index], set->statuses + position * mpi.abi.status_bytes);
  set->removed[index] = NULL;
}

static void put_rest_back(struct waited *set) {
  for (size_t i = 0; i < set->count; i++)
    request_put_back(set->removed[i]);
  heap_free(set->memory);
}

/* Of a call that has failed some may be complete all the same: their handles are gone. */
static bool is_gone(const struct waited *set, size_t index) {
  return index < set->count && handle_at(set->requests, index) == mpi.abi.request_null;
}

static void complete_gone(struct waited *set) {
  for (size_t i = 0; i < set->count; i++)
    if (is_gone(set, i))
      complete_one(set, i, i);
}

static void complete_all(struct waited *set) {
  for (size_t i = 0; i < set->count; i++)
    complete_one(set, i, i);
}

/* A call that failed may have left the count as it was: there are no more indices than requests. */
static void complete_some(struct waited *set, const int *indices, int count) {
  for (int i = 0; i < count && (size_t)i < set->count; i++)
    complete_one(set, (size_t)indices[i], (size_t)i);
}

/* -- one -- */

void mpi_on_wait(struct call *call) {
  struct waited set;
  call_enter(call, 0);
  remove_all(&set, 1, call->a[0], &call->a[1]);
  call_invoke(call);
  if (call_succeeded(call))
    complete_all(&set);
  else
    complete_gone(&set);
  put_rest_back(&set);
  call_leave(call);
}

/* Whether one of the requests is in progress. One that is not known may be: it was started while nothing was
 * recorded. */
static bool has_active(const struct waited *set) {
  for (size_t i = 0; i < set->count; i++) {
    const struct request *request = set->removed[i];
    if (request ? request->is_active : handle_at(set->requests, i) != mpi.abi.request_null)
      return true;
  }
  return false;
}

/* Enters where the call is worth it: it has got something, or failed. */
static bool is_worth_it(struct call *call, uint64_t begin, bool has_something) {
  if (call_succeeded(call) && !has_something)
    return false;
  call_enter(call, begin);
  return true;
}

/* The end of a call that tests, as is_worth_it has decided. */
static void end_test(struct call *call, uint64_t begin, struct waited *set, bool is_entered) {
  put_rest_back(set);
  if (is_entered)
    call_leave(call);
  else
    polls_add(call, begin);
}

static bool flag_at(const struct call *call, size_t argument) {
  return *(const int *)call->a[argument];
}

/* MPI_Test and MPI_Testall, whose flag and statuses are at these arguments. */
static void test_all(struct call *call, int count, word requests, size_t flag, size_t statuses) {
  struct waited set;
  uint64_t begin = mpi.recorder->ticks();
  remove_all(&set, count, requests, &call->a[statuses]);
  bool can_find = has_active(&set);
  call_invoke(call);
  bool is_entered = is_worth_it(call, begin, can_find && flag_at(call, flag));
  if (is_entered && call_succeeded(call))
    complete_all(&set);
  else if (is_entered)
    complete_gone(&set);
  end_test(call, begin, &set, is_entered);
}

void mpi_on_test(struct call *call) {
  test_all(call, 1, call->a[0], 1, 2);
}

/* -- all -- */

void mpi_on_waitall(struct call *call) {
  struct waited set;
  call_enter(call, 0);
  remove_all(&set, (int)call->a[0], call->a[1], &call->a[2]);
  call_invoke(call);
  if (call_succeeded(call))
    complete_all(&set);
  else
    complete_gone(&set);
  put_rest_back(&set);
  call_leave(call);
}

void mpi_on_testall(struct call *call) {
  test_all(call, (int)call->a[0], call->a[1], 2, 3);
}

/* -- any -- */

/* An index that is none (MPI_UNDEFINED) is negative; a call that failed may have left it as it was. */
static void complete_any(struct waited *set, const struct call *call, size_t index_at) {
  int index = *(const int *)call->a[index_at];
  if (index >= 0 && (call_succeeded(call) || is_gone(set, (size_t)index)))
    complete_one(set, (size_t)index, 0);
}

void mpi_on_waitany(struct call *call) {
  struct waited set;
  call_enter(call, 0);
  remove_all(&set, (int)call->a[0], call->a[1], &call->a[3]);
  call_invoke(call);
  complete_any(&set, call, 2);
  put_rest_back(&set);
  call_leave(call);
}

void mpi_on_testany(struct call *call) {
  struct waited set;
  uint64_t begin = mpi.recorder->ticks();
  remove_all(&set, (int)call->a[0], call->a[1], &call->a[4]);
  call_invoke(call);
  bool is_entered = is_worth_it(call, begin, flag_at(call, 3) && *(const int *)call->a[2] >= 0);
  if (is_entered)
    complete_any(&set, call, 2);
  end_test(call, begin, &set, is_entered);
}

/* -- some: MPI_Waitsome(count, requests, outcount, indices, statuses) -- */

void mpi_on_waitsome(struct call *call) {
  struct waited set;
  call_enter(call, 0);
  remove_all(&set, (int)call->a[0], call->a[1], &call->a[4]);
  call_invoke(call);
  complete_some(&set, (const int *)call->a[3], *(const int *)call->a[2]);
  put_rest_back(&set);
  call_leave(call);
}

void mpi_on_testsome(struct call *call) {
  struct waited set;
  uint64_t begin = mpi.recorder->ticks();
  remove_all(&set, (int)call->a[0], call->a[1], &call->a[4]);
  call_invoke(call);
  bool is_entered = is_worth_it(call, begin, *(const int *)call->a[2] > 0);
  if (is_entered)
    complete_some(&set, (const int *)call->a[3], *(const int *)call->a[2]);
  end_test(call, begin, &set, is_entered);
}

/* -- none -- */

/* A send is complete for its program here (OTF2_EvtWriter.h, MpiIsendComplete); of a receive nobody will
 * know. */
void mpi_on_request_free(struct call *call) {
  call_enter(call, 0);
  word handle = handle_at(call->a[0], 0);
  struct request *request = handle == mpi.abi.request_null ? NULL : request_remove(handle);
  if (request && request->kind == REQUEST_SEND && request->is_active)
    request_end_send(request);
  if (request)
    request_drop(request);
  call_invoke(call);
  call_leave(call);
}
