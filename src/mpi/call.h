/* A call of a function of MPI as it passes through libstave-mpi.so, and what every subject uses of it.
 *
 * Every argument of MPI's functions is an integer, a pointer or a handle, and each of these is one machine
 * word where arguments are passed, on all processors that Stave knows. What is above an int in its word means
 * nothing and is handed on as it came. So one body serves every MPI, whatever its handles are: what differs
 * between them is struct abi. */
#ifndef STAVE_MPI_CALL_H
#define STAVE_MPI_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/recorder.h"

typedef uintptr_t word;
typedef word mpi_function(word, ...); /* called with as many words as it has parameters, one at least */

enum mpi_function_number {
#define PLAIN(name, parameters, class, role) MPI_FUNCTION_##name,
#define SPECIAL(name, parameters, class, role, handler, argument, is_large) MPI_FUNCTION_##name,
#include "mpi/functions.def"
  MPI_FUNCTION_COUNT
};

/* What MPI's ABIs define otherwise. Handles: as words. */
struct abi {
  const char *name;
  unsigned handle_bytes;
  int any_source, proc_null, any_tag, root;
  int lock_exclusive, seek_set, seek_cur;
  int mode_create, mode_excl, mode_wronly, mode_rdwr, mode_unique_open, mode_sequential, mode_append,
      mode_delete_on_close;
  /* of MPI_Status */
  unsigned status_bytes, source_at, tag_at;
  word in_place, status_ignore; /* also that for arrays of them */
  word comm_null, comm_world, comm_self, request_null, message_null, message_no_proc, byte, no_op,
      errors_return;
  /* bytes that were received, and whether the request was cancelled, of a status */
  uint64_t (*received)(const void *status);
  bool (*is_cancelled)(const void *status);
};

/* The one state of the library. */
struct mpi {
  _Atomic uint32_t classes; /* enum event_class: what is recorded now; 0: nothing */
  const struct recorder *recorder;
  stave_recorder_t *find_recorder; /* libstave.so's; NULL: was not there before the program began */
  struct abi abi;
  int rank, size;
  bool is_refused;     /* no session, or none requested: stays so */
  uint64_t loop_ticks; /* of a loop around calls that poll, with Stave's part */
};

extern struct mpi mpi __attribute__((visibility("hidden")));

/* Calls in a row that polled and found nothing (polls.h). */
struct mpi_polls {
  uint64_t row;      /* how many are in records */
  uint32_t count;    /* those that wait for one */
  uint32_t function; /* of the first of them */
  const void *code;
  uint64_t ticks;    /* their duration */
  uint64_t end;      /* of the last one */
  uint64_t position; /* of the thread's next record: another one means that something came between */
  uint64_t late;     /* that cannot be recorded any more */
};

/* What a thread of the program has beside. */
struct mpi_thread {
  struct mpi_polls polls;
};

extern _Thread_local struct mpi_thread mpi_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

enum { CALL_WORDS = 13 };

struct call {
  uint32_t function; /* enum mpi_function_number */
  uint32_t argument; /* of its row in functions.def */
  bool is_large;
  bool is_entered;  /* its Enter was recorded */
  const void *code; /* where it returns to */
  word a[CALL_WORDS];
  word result;
};

/* -- the library (library.c) -- */

/* The MPI's own function, PMPI_NAME. Ends the process if the MPI has none, as the dynamic linker would. */
mpi_function *mpi_real(uint32_t function);

/* Whether the MPI has it. */
bool mpi_has(uint32_t function);

/* Finds the functions of an MPI that is there before the program begins. False: there is none. */
bool library_prepare(void);

/* Learns which MPI it is. False: it is none that is known. */
bool library_open(void);

/* How many parameters it has. */
unsigned mpi_parameters(uint32_t function);

/* Calls the function with the call's words; its result is the call's. */
void call_invoke(struct call *call);

/* The function's class of STAVE_EVENTS (enum event_class). */
uint32_t mpi_class(uint32_t function);

static inline bool call_succeeded(const struct call *call) {
  return (int)call->result == 0; /* MPI_SUCCESS in every MPI */
}

static inline int int_of(word result) {
  return (int)result;
}

/* Calls one of MPI's functions for Stave's own needs; an int is its result. */
#define REAL(name, ...) int_of(mpi_real(MPI_FUNCTION_##name)(__VA_ARGS__))

/* The function of this library with this name ("MPI_Send"), or NULL. */
const void *mpi_wrapper(const char *name);

/* -- Fortran (fortran.c, fortran_ranges.c) -- */

/* Lets calls from Fortran come here. Before the program begins. */
void fortran_prepare(void);

/* The MPI's Fortran interface lies there, too. False: no more can be kept. Before the program begins. */
bool fortran_add(uint64_t base, uint64_t end);

/* Whether the address is in the MPI's Fortran interface. */
bool fortran_has(const void *code);

/* -- records -- */

static inline bool mpi_records(uint32_t class) {
  return atomic_load_explicit(&mpi.classes, memory_order_relaxed) & class;
}

/* Enter at `ticks` (0: now) from `code`, and Leave. What a thread does between them is inside of the
 * function's region. */
void call_put_enter(uint32_t function, uint64_t ticks, const void *code);
void call_put_leave(uint32_t function);

/* The same of a call, if its class is recorded. */
void call_enter(struct call *call, uint64_t ticks);
void call_leave(const struct call *call);

/* Enter, the call, Leave. */
void call_plain(struct call *call);

/* -- words -- */

static inline int64_t count_of(const struct call *call, word argument) {
  return call->is_large ? (int64_t)argument : (int)argument;
}

static inline word handle_of(word argument) {
  return mpi.abi.handle_bytes == sizeof(word) ? argument : (uint32_t)argument;
}

/* The handle at this place of an array, or where a pointer to one leads. */
static inline word handle_at(word array, size_t index) {
  if (mpi.abi.handle_bytes == sizeof(word))
    return ((const word *)array)[index];
  return ((const uint32_t *)array)[index];
}

static inline int status_source(const void *status) {
  return *(const int *)((const char *)status + mpi.abi.source_at);
}

static inline int status_tag(const void *status) {
  return *(const int *)((const char *)status + mpi.abi.tag_at);
}

/* Bytes of so many elements of a datatype. */
uint64_t bytes_of(int64_t count, word datatype);

/* -- the handlers of functions.def: each makes the call -- */

#define PLAIN(name, parameters, class, role)
#define SPECIAL(name, parameters, class, role, handler, argument, is_large)                                  \
  void mpi_on_##handler(struct call *call);
#include "mpi/functions.def"

#endif
