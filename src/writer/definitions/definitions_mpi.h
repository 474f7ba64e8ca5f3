/* What the archive defines of MPI: the process, and communicators. */
#ifndef STAVE_WRITER_DEFINITIONS_DEFINITIONS_MPI_H
#define STAVE_WRITER_DEFINITIONS_DEFINITIONS_MPI_H

#include "writer/definitions/definitions.h"

/* More are no job: such a number is damaged. */
enum { MPI_PROCESSES_MOST = 1 << 26 };

struct mpi_comm_facts {
  uint64_t key;    /* the same in all processes; 0: none */
  uint32_t parent; /* COMM_UNKNOWN: none */
  uint8_t is_self, is_made;
};

/* A new communicator; ranks are those in MPI_COMM_WORLD, copied. Numbers are those of teams' communicators
 * too. */
uint32_t definitions_mpi_comm(struct definitions *definitions, const struct mpi_comm_facts *facts,
                              const uint32_t *ranks, uint32_t count);

/* It gets this name; the last one stays. */
void definitions_mpi_comm_name(struct definitions *definitions, uint32_t comm, const char *name);

/* The same for a name whose number is known. */
void definitions_mpi_comm_restore_name(struct definitions *definitions, uint32_t comm, uint32_t name);

/* Whether the program made it: its beginning is in the archive. */
bool definitions_mpi_comm_is_made(const struct definitions *definitions, uint32_t comm);

/* The process is `rank`, below MPI_PROCESSES_MOST, of `size`, at most as many. library: what MPI says it
 * is. */
void definitions_mpi_process(struct definitions *definitions, uint32_t rank, uint32_t size,
                             const char *library);

/* Sets the properties of the archive that tell what unites the ranks' archives (stave/names.h), by
 * archive_set_property. Nothing without MPI. */
typedef void mpi_property_setter(struct archive *archive, const char *name, const char *value);
void definitions_mpi_properties(const struct definitions *definitions, mpi_property_setter *set,
                                struct archive *archive);

#endif
