/* Events of MPI, as OTF2 writes them. */
#ifndef STAVE_WRITER_CORRELATE_EMIT_MPI_H
#define STAVE_WRITER_CORRELATE_EMIT_MPI_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/model/event.h"

struct event_writer;

/* Writes one of enum mpi_event_kind; false: it was not taken. */
bool emit_mpi(struct event_writer *writer, const struct event *event, uint64_t t);

#endif
