/* What the archive reports of MPI's functions, by their number in src/mpi/functions.def. */
#ifndef STAVE_WRITER_DEFINITIONS_MPI_FUNCTIONS_H
#define STAVE_WRITER_DEFINITIONS_MPI_FUNCTIONS_H

#include <otf2/otf2.h>

/* "MPI_Send"; "MPI" for a number that no function has. Constant memory. */
const char *mpi_function_name(uint32_t number);

OTF2_RegionRole mpi_function_role(uint32_t number);

#endif
