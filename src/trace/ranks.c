#include "trace/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

/* Handles are ints or pointers: as words they are passed alike (src/mpi/call.h). */
typedef uintptr_t word;

#define MPI_CALLS(X)                                                                                         \
  X(Init, int *, char ***)                                                                                   \
  X(Finalize, void)                                                                                          \
  X(Comm_rank, word, int *)                                                                                  \
  X(Comm_size, word, int *)                                                                                  \
  X(Isend, const void *, int, word, int, int, word, word *)                                                  \
  X(Irecv, void *, int, word, int, int, word, word *)                                                        \
  X(Test, word *, int *, word)

struct mpi_calls {
#define POINTER(name, ...) int (*name)(__VA_ARGS__);
  MPI_CALLS(POINTER)
#undef POINTER
};

/* Of an ABI (src/mpi/library.c). */
struct constants {
  word comm_world, byte, status_ignore;
};

static const struct constants mpich = {0x44000000, 0x4c00010d, 1}, standard = {0x101, 0x247, 0};

struct ranks_job {
  struct mpi_calls mpi;
  struct constants constants;
  _Atomic bool *is_waiting;
  int own, count;
};

/* -- which MPI -- */

enum { NAMES_MAX = 4 };

static const char openmpi_name[] = "libmpi.so.40", standard_name[] = "libmpi_abi.so.0";

/* By what launchers set: Open MPI's mpirun; Hydra, of MPICH and Intel MPI; others, as Slurm's srun, serve
 * all. */
static void *load(const char *requested) {
  static const char *const by_openmpi[NAMES_MAX] = {openmpi_name, "libmpi.so"},
                           *const by_hydra[NAMES_MAX] = {"libmpi.so.12", "libmpich.so.12", standard_name},
                           *const by_others[NAMES_MAX] = {standard_name, openmpi_name, "libmpi.so.12",
                                                          "libmpich.so.12"};
  const char *const *names = getenv("OMPI_COMM_WORLD_SIZE") ? by_openmpi
                             : getenv("PMI_SIZE")           ? by_hydra
                                                            : by_others;
  void *library = NULL;
  if (requested)
    return dlopen(requested, RTLD_NOW | RTLD_GLOBAL);
  for (size_t i = 0; i < NAMES_MAX && names[i] && !library; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
  return library;
}

static bool find_calls(struct ranks_job *ranks, void *library) {
  bool has_all = true;
#define FIND(name, ...)                                                                                      \
  void *name = dlsym(library, "MPI_" #name);                                                                 \
  memcpy(&ranks->mpi.name, &name, sizeof name);                                                              \
  has_all &= name != NULL;
  MPI_CALLS(FIND)
#undef FIND
  return has_all;
}

/* Open MPI's handles are addresses of its variables. What is in the standard ABI's library has no others. */
static void find_constants(struct ranks_job *ranks, void *library) {
  void *world = dlsym(library, "ompi_mpi_comm_world"), *byte = dlsym(library, "ompi_mpi_byte");
  Dl_info info;
  bool is_standard = dladdr((void *)(uintptr_t)ranks->mpi.Init, &info) && info.dli_fname &&
                     strstr(info.dli_fname, "libmpi_abi");
  if (is_standard)
    ranks->constants = standard;
  else if (world && byte)
    ranks->constants = (struct constants){(word)world, (word)byte, 0};
  else
    ranks->constants = mpich;
}

static int begin(struct ranks_job *ranks, const char *requested, char error[RANKS_ERROR_BYTES]) {
  void *library = load(requested);
  const char *why = library ? "it lacks functions of MPI" : dlerror();
  if (!library || !find_calls(ranks, library)) {
    snprintf(error, RANKS_ERROR_BYTES, "no MPI can be loaded (--mpi=LIBRARY names one): %.300s",
             why ? why : "none is known");
    return -ENOENT;
  }
  find_constants(ranks, library);
  ranks->mpi.Init(NULL, NULL);
  ranks->mpi.Comm_rank(ranks->constants.comm_world, &ranks->own);
  ranks->mpi.Comm_size(ranks->constants.comm_world, &ranks->count);
  return 0;
}

int ranks_begin(struct ranks_job **ret, const char *library, _Atomic bool *is_waiting,
                char error[RANKS_ERROR_BYTES]) {
  struct ranks_job *ranks = memory_get(1, sizeof *ranks);
  ranks->is_waiting = is_waiting;
  int result = begin(ranks, library, error);
  if (result == 0)
    *ret = ranks;
  else
    free(ranks);
  return result;
}

/* The library stays: what it has registered for the process's end must be there then. */
void ranks_end(struct ranks_job *ranks) {
  if (!ranks)
    return;
  ranks->mpi.Finalize();
  free(ranks);
}

unsigned ranks_own(const struct ranks_job *ranks) {
  return (unsigned)ranks->own;
}

unsigned ranks_count(const struct ranks_job *ranks) {
  return (unsigned)ranks->count;
}

/* -- transfers: an MPI's errors end the job, as MPI has it -- */

void ranks_send(struct ranks_job *ranks, unsigned to, int tag, const void *bytes, size_t size,
                struct ranks_transfer *transfer) {
  *transfer = (struct ranks_transfer){.is_active = true};
  ranks->mpi.Isend(bytes, (int)size, ranks->constants.byte, (int)to, tag, ranks->constants.comm_world,
                   &transfer->request);
}

void ranks_receive(struct ranks_job *ranks, unsigned from, int tag, void *bytes, size_t size,
                   struct ranks_transfer *transfer) {
  *transfer = (struct ranks_transfer){.is_active = true};
  ranks->mpi.Irecv(bytes, (int)size, ranks->constants.byte, (int)from, tag, ranks->constants.comm_world,
                   &transfer->request);
}

bool ranks_is_over(struct ranks_job *ranks, struct ranks_transfer *transfer) {
  int is_over = 1;
  if (transfer->is_active)
    ranks->mpi.Test(&transfer->request, &is_over, ranks->constants.status_ignore);
  transfer->is_active = !is_over;
  return is_over;
}

/* MPIs wait with a processor of their own, which another rank may need. */
void ranks_wait(struct ranks_job *ranks, struct ranks_transfer *transfer) {
  enum { YIELDS = 64, NAP_NS = 50000 };
  for (unsigned i = 0; !ranks_is_over(ranks, transfer); i++) {
    if (i < YIELDS) {
      sched_yield();
      continue;
    }
    if (ranks->is_waiting)
      atomic_store(ranks->is_waiting, true);
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  }
  if (ranks->is_waiting)
    atomic_store(ranks->is_waiting, false);
}
