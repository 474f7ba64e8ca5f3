/* What the endpoints and flags of MPI's records mean (records.def): libstave-mpi.so writes them, stave-writer
 * reads them. */
#ifndef STAVE_SESSION_MPI_RECORDS_H
#define STAVE_SESSION_MPI_RECORDS_H

#include <stdint.h>

/* The numbers of these two. */
enum { COMM_WORLD, COMM_SELF };

/* endpoint of mpi_ranks */
enum ranks_of { RANKS_OF_COMM, RANKS_OF_OTHER_GROUP, RANKS_OF_GROUP };

/* endpoint of mpi_message and mpi_complete */
enum message { MESSAGE_SEND, MESSAGE_RECV, MESSAGE_ISEND, MESSAGE_IRECV, MESSAGE_CANCELLED };

/* endpoint of mpi_collective */
enum collective_moment { COLLECTIVE_BEGIN, COLLECTIVE_END, COLLECTIVE_REQUEST, COLLECTIVE_COMPLETE };

/* endpoint and flags of mpi_rma; the other flags are OTF2_RmaAtomicType */
enum rma_kind { KIND_PUT, KIND_GET, KIND_ATOMIC };
enum { RMA_FLAG_REQUEST = 0x80 };

/* endpoint of mpi_rma_sync */
enum window_moment {
  WINDOW_COLLECTIVE_BEGIN,
  WINDOW_MADE,
  WINDOW_FREED,
  WINDOW_NOT_MADE,
  WINDOW_FENCED,
  WINDOW_LOCK,
  WINDOW_UNLOCK,
  WINDOW_COMPLETE,
  WINDOW_COMPLETE_HERE,
  WINDOW_REQUEST_COMPLETE,
  WINDOW_GROUP_BEGIN,
  WINDOW_GROUP_END,
  WINDOW_SYNC,
  WINDOW_MOMENTS
};

/* remote of mpi_rma_sync: for all members */
enum { WINDOW_ALL = UINT32_MAX };

/* flags of WINDOW_GROUP_END */
enum { WINDOW_GROUP_COMPLETES = 1 };

/* endpoint of mpi_io */
enum io_moment { IO_BEGIN, IO_ISSUED, IO_COMPLETE, IO_CANCELLED };

/* flags of mpi_file */
enum {
  FILE_CREATE = 1,
  FILE_EXCLUSIVE = 2,
  FILE_UNIQUE = 4,
  FILE_NO_SEEK = 8,
  FILE_APPEND = 16,
  FILE_DELETE = 32
};

#endif
