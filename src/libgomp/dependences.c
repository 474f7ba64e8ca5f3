#include "libgomp/dependences.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "libgomp/callbacks.h"

/* Of depend objects, and of the second layout: { address, kind }. */
enum {
  GOMP_DEPEND_IN = 1,
  GOMP_DEPEND_OUT,
  GOMP_DEPEND_INOUT,
  GOMP_DEPEND_MUTEXINOUTSET,
  GOMP_DEPEND_INOUTSET
};

static ompt_dependence_type_t type_of(uintptr_t kind) {
  switch (kind) {
  case GOMP_DEPEND_IN:
    return OMPT_DEPENDENCE_in;
  case GOMP_DEPEND_OUT:
    return OMPT_DEPENDENCE_out;
  case GOMP_DEPEND_MUTEXINOUTSET:
    return OMPT_DEPENDENCE_mutexinoutset;
  case GOMP_DEPEND_INOUTSET:
    return OMPT_DEPENDENCE_inoutset;
  default:
    return OMPT_DEPENDENCE_inout;
  }
}

/* { number of all, of out and inout, addresses }, or { 0, number of all, of out and inout, of mutexinoutset,
 * of in, addresses, then depend objects }. */
struct dependence_list {
  size_t count, outs, mutexes, ins;
  void **addresses;
};

static struct dependence_list read_list(void **dependences) {
  bool is_short = (uintptr_t)dependences[0] > 0;
  if (is_short)
    return (struct dependence_list){.count = (uintptr_t)dependences[0],
                                    .outs = (uintptr_t)dependences[1],
                                    .ins = (uintptr_t)dependences[0] - (uintptr_t)dependences[1],
                                    .addresses = dependences + 2};
  return (struct dependence_list){.count = (uintptr_t)dependences[1],
                                  .outs = (uintptr_t)dependences[2],
                                  .mutexes = (uintptr_t)dependences[3],
                                  .ins = (uintptr_t)dependences[4],
                                  .addresses = dependences + 5};
}

static ompt_dependence_t dependence_at(const struct dependence_list *list, size_t i) {
  void *address = list->addresses[i];
  ompt_dependence_type_t type = OMPT_DEPENDENCE_in;
  if (i < list->outs) {
    type = OMPT_DEPENDENCE_inout;
  } else if (i < list->outs + list->mutexes) {
    type = OMPT_DEPENDENCE_mutexinoutset;
  } else if (i >= list->outs + list->mutexes + list->ins) {
    void **object = address;
    address = object[0];
    type = type_of((uintptr_t)object[1]);
  }
  /* omp_all_memory */
  if (!address && type == OMPT_DEPENDENCE_inout)
    type = OMPT_DEPENDENCE_inout_all_memory;
  return (ompt_dependence_t){.variable.ptr = address, .dependence_type = type};
}

void dependences_deliver(ompt_data_t *task, void **dependences) {
  enum { ON_STACK = 64 };
  ompt_dependence_t few[ON_STACK], *all = few;
  const struct dependence_list list = read_list(dependences);
  size_t bytes = list.count * sizeof *all;
  if (!IS_REGISTERED(dependences))
    return;
  if (list.count > ON_STACK)
    all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return;
  for (size_t i = 0; i < list.count; i++)
    all[i] = dependence_at(&list, i);
  DELIVER(dependences, task, all, (int)list.count);
  if (all != few)
    munmap(all, bytes);
}
