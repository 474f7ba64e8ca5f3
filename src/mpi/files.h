/* Operations on files of MPI. */
#ifndef STAVE_MPI_FILES_H
#define STAVE_MPI_FILES_H

#include "mpi/call.h"
#include "session/mpi_records.h"

/* The argument of a file's function in functions.def. */
enum { IO_READ = 0, IO_WRITE = 1, IO_AT = 2, IO_COLLECTIVE = 4 };
enum { POINTER_OWN, POINTER_SHARED };

/* OTF2_IoAccessMode, which this library does not include. */
enum { ACCESS_READ, ACCESS_WRITE, ACCESS_READ_WRITE };

#endif
