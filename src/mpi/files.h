/* Operations on files of MPI. */
#ifndef STAVE_MPI_FILES_H
#define STAVE_MPI_FILES_H

#include "mpi/call.h"
#include "session/mpi_records.h"

/* What functions.def says of one. */
enum { IO_READ = 0, IO_WRITE = 1, IO_AT = 2, IO_COLLECTIVE = 4 };
enum { POINTER_OWN, POINTER_SHARED };

/* OTF2_IoAccessMode, which this library does not include. */
enum { ACCESS_READ, ACCESS_WRITE, ACCESS_READ_WRITE };

/* Returns the record's id. */
uint64_t put_io(enum io_moment moment, uint32_t file, uint64_t operation, uint64_t bytes, uint32_t flags);

#endif
