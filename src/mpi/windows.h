/* Windows of one-sided communication. */
#ifndef STAVE_MPI_WINDOWS_H
#define STAVE_MPI_WINDOWS_H

#include "mpi/handles.h"
#include "session/mpi_records.h"

/* The argument in functions.def of a function that makes one. */
enum { WINDOW_OF_MEMORY, WINDOW_OF_ALLOCATED, WINDOW_OF_ATTACHED };

/* OTF2_LockType, which this library does not include. */
enum { LOCK_IS_EXCLUSIVE, LOCK_IS_SHARED };

/* What becomes of the epochs that MPI_Win_start and MPI_Win_post begin. */
enum window_epoch { EPOCH_ACCESS, EPOCH_EXPOSURE, EPOCHS };

struct known_window {
  struct handle_item item;
  uint32_t number;
  uint32_t rank; /* the process's own */
  bool is_allocated;
  uint32_t groups[EPOCHS]; /* of the epochs that are open */
};

/* NULL: it is not known. Valid until it is freed. */
struct known_window *window_of(word handle);

/* What rma.def has. */
enum window_operation {
#define RMA(name, ...) RMA_##name,
#include "mpi/rma.def"
};

#endif
