/* The libgomp that a caller means, and its functions. */
#ifndef STAVE_LIBGOMP_LIBRARY_H
#define STAVE_LIBGOMP_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of libgomp that are no events and that answer questions of tools:
 * INQUIRY(result, name, parameters). libgomp has all of them since gcc 9, omp_get_max_teams since 12. */
#define INQUIRIES                                                                                            \
  INQUIRY(int, omp_get_num_threads, (void))                                                                  \
  INQUIRY(int, omp_get_thread_num, (void))                                                                   \
  INQUIRY(int, omp_get_max_threads, (void))                                                                  \
  INQUIRY(int, omp_get_team_num, (void))                                                                     \
  INQUIRY(int, omp_get_num_teams, (void))                                                                    \
  INQUIRY(int, omp_get_max_teams, (void))                                                                    \
  INQUIRY(int, omp_get_num_procs, (void))                                                                    \
  INQUIRY(int, omp_get_num_devices, (void))                                                                  \
  INQUIRY(int, omp_get_initial_device, (void))                                                               \
  INQUIRY(int, omp_get_default_device, (void))                                                               \
  INQUIRY(int, omp_get_cancellation, (void))                                                                 \
  INQUIRY(void, omp_get_schedule, (int *kind, int *chunk))                                                   \
  INQUIRY(int, omp_get_num_places, (void))                                                                   \
  INQUIRY(int, omp_get_place_num, (void))                                                                    \
  INQUIRY(int, omp_get_place_num_procs, (int place))                                                         \
  INQUIRY(void, omp_get_place_proc_ids, (int place, int *ids))                                               \
  INQUIRY(int, omp_get_partition_num_places, (void))                                                         \
  INQUIRY(void, omp_get_partition_place_nums, (int *places))

/* Of a mapped file: another one may have its place later. */
struct file_identity {
  uintptr_t begin, device, inode;
};

/* One libgomp of the process. NULL: a function that it does not have. */
struct library {
  uintptr_t base; /* of its mapping; 0: not known; 1: about to be, or not to be */
  struct file_identity file;
  unsigned workers;  /* threads of its own that were seen, and have not ended */
  bool is_kept;      /* for these (library_keep_used) */
  bool has_own_ompt; /* LLVM's, which has libgomp's names, too, or a libgomp that looks for tools itself */
  bool can_cancel;   /* OMP_CANCELLATION is true */
  int gcc_version;   /* of the first gcc whose libgomp had what this one has; 0: not known */
#define EVENT(version, result, name, parameters) result(*name) parameters;
#define OLD_EVENT(version, result, name, parameters) result(*old_##name) parameters;
#include "gomp/events.def"
#undef EVENT
#undef OLD_EVENT
#define INQUIRY(result, name, parameters) result(*name) parameters;
  INQUIRIES
#undef INQUIRY
};

/* Addresses from begin on, bytes many, modulo the size of the address space; as long as `library_generation`
 * is `generation`. */
struct caller_range {
  uintptr_t begin, bytes, generation;
};

/* Another one after each step of a dlclose, as what threads know of addresses may then be wrong. */
extern uintptr_t library_generation __attribute__((visibility("hidden")));

static inline bool caller_range_has(const struct caller_range *range, const void *code) {
  return (uintptr_t)code - range->begin < range->bytes &&
         __atomic_load_n(&library_generation, __ATOMIC_RELAXED) == range->generation;
}

/* The one in the program's global scope, if there is one. */
extern struct library library_in_scope __attribute__((visibility("hidden")));

/* Threads may write it meanwhile, all the same. */
static inline bool library_can_cancel(const struct library *library) {
  return __atomic_load_n(&library->can_cancel, __ATOMIC_RELAXED);
}

/* When this library is loaded: finds the one in scope. */
void library_prepare(void);

/* The libgomp whose functions the code at `caller` means, and in `ret` a range around it for which that
 * holds. NULL: none is found. Acquires no lock of the dynamic linker's. */
const struct library *library_of(const void *caller, struct caller_range *ret);

/* One of its own threads has had its first event, or ends. */
void library_add_worker(const struct library *library);
void library_remove_worker(const struct library *library);

/* Whether all of them are: there is a tool. */
void library_count_workers(bool are_counted);

/* In the program's dlclose, before it begins: libgomps that have workers stay loaded; all, where these are
 * not counted and the process has other threads. They wait in its code for the next region, and would run
 * into nothing. Untraced they often have no time to, as the program ends right after; traced, it waits for
 * the archive first. */
void library_keep_used(void);

/* Around the program's dlclose: libgomps and callers that are gone then are forgotten, by all threads.
 * Acquire no lock, as another thread may be in dlopen by then, and wait for this one. */
void library_begin_close(void);
void library_end_close(void);

/* Whether `address` is in this library itself. */
bool library_is_own(const void *address);

#endif
