/* The records of messages, collective operations, files and windows. */
#ifndef STAVE_MPI_MESSAGES_H
#define STAVE_MPI_MESSAGES_H

#include "mpi/call.h"
#include "mpi/requests.h"
#include "session/mpi_records.h"

/* roots that are no rank: OTF2_CollectiveRoot */
enum { ROOT_NONE = UINT32_MAX, ROOT_SELF = UINT32_MAX - 1, ROOT_THIS_GROUP = UINT32_MAX - 2 };

/* OTF2_CollectiveOp, which this library does not include. */
enum collective_operation {
  OPERATION_BARRIER,
  OPERATION_BCAST,
  OPERATION_GATHER,
  OPERATION_GATHERV,
  OPERATION_SCATTER,
  OPERATION_SCATTERV,
  OPERATION_ALLGATHER,
  OPERATION_ALLGATHERV,
  OPERATION_ALLTOALL,
  OPERATION_ALLTOALLV,
  OPERATION_ALLTOALLW,
  OPERATION_ALLREDUCE,
  OPERATION_REDUCE,
  OPERATION_REDUCE_SCATTER,
  OPERATION_SCAN,
  OPERATION_EXSCAN,
  OPERATION_REDUCE_SCATTER_BLOCK,
  OPERATION_CREATE_HANDLE,
  OPERATION_DESTROY_HANDLE,
  OPERATION_CREATE_AND_ALLOCATE = 21,
  OPERATION_DESTROY_AND_DEALLOCATE,
};

enum mpi_collective {
#define COLLECTIVE(name, ...) COLLECTIVE_##name,
#include "mpi/collectives.def"
};

/* Return the record's id. */
uint64_t put_message(enum message message, uint32_t comm, int peer, int tag, uint64_t bytes);
void put_complete(enum message message, uint64_t request, uint32_t comm, int peer, int tag, uint64_t bytes);
uint64_t put_collective(enum collective_moment moment, const struct request *what);
uint64_t put_io(enum io_moment moment, uint32_t file, uint64_t operation, uint64_t bytes, uint32_t flags);

void put_window(enum window_moment moment, uint32_t window, uint32_t remote, uint64_t what, uint32_t flags);

#endif
