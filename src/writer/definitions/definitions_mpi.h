/* What the archive defines of MPI: the process, and communicators. */
#ifndef STAVE_WRITER_DEFINITIONS_DEFINITIONS_MPI_H
#define STAVE_WRITER_DEFINITIONS_DEFINITIONS_MPI_H

#include "writer/definitions/definitions.h"
#include "writer/recovery/journal.h"

/* More are no job: such a number is damaged. */
enum { MPI_PROCESSES_MAX = 1 << 26 };

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

/* A group of ranks in MPI_COMM_WORLD, copied; its number as events have it. */
uint32_t definitions_mpi_group(struct definitions *definitions, const uint32_t *ranks, uint32_t count);

/* A new window. */
uint32_t definitions_mpi_window(struct definitions *definitions, const struct mpi_window_facts *facts);

/* It gets this name; the last one stays. The second: a string's number. */
void definitions_mpi_window_name(struct definitions *definitions, uint32_t window, const char *name);
void definitions_mpi_window_restore_name(struct definitions *definitions, uint32_t window, uint32_t name);

/* The file of this name, a string's number. */
uint32_t definitions_mpi_file(struct definitions *definitions, uint32_t name);

/* A new handle of a file. */
uint32_t definitions_mpi_handle(struct definitions *definitions, const struct mpi_handle_facts *facts);

/* The process is `rank`, below MPI_PROCESSES_MAX, of `size`, at most as many. library: what MPI reports it
 * is. */
void definitions_mpi_process(struct definitions *definitions, uint32_t rank, uint32_t size,
                             const char *library);

/* One instant on this process's clock and on another one, whose domain is a text; of more than
 * MPI_CLOCKS_MAX the last one stays. */
enum { MPI_CLOCKS_MAX = 16 };
void definitions_mpi_clock(struct definitions *definitions, const struct clock_comparison *point,
                           const char *domain);

/* Sets the properties of the archive that show what unites the ranks' archives (stave/names.h), by
 * archive_set_property. Nothing without MPI. */
typedef void mpi_property_setter(struct archive *archive, const char *name, const char *value);
void definitions_mpi_properties(const struct definitions *definitions, mpi_property_setter *set,
                                struct archive *archive);

#endif
