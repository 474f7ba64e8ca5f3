#include "writer/definitions/definitions_mpi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "stave/names.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

static uint32_t *copy_ranks(const uint32_t *ranks, uint32_t count) {
  uint32_t *copy = memory_get(count, sizeof *copy);
  if (count)
    memcpy(copy, ranks, count * sizeof *copy);
  return copy;
}

uint32_t definitions_mpi_comm(struct definitions *definitions, const struct mpi_comm_facts *facts,
                              const uint32_t *ranks, uint32_t count) {
  array_reserve_zeroed(&definitions->comms, &definitions->comm_capacity, definitions->comm_count + 1,
                       sizeof *definitions->comms);
  struct comm_of_mpi *mpi = memory_get(1, sizeof *mpi);
  mpi->facts = *facts;
  struct comm *comm = &definitions->comms[definitions->comm_count];
  *comm =
      (struct comm){copy_ranks(ranks, count), count, facts->parent, false, mpi, definitions->group_count++};
  journal_add_mpi_comm(definitions->recovery, facts, comm->members, count);
  definitions->has_mpi = true;
  return (uint32_t)definitions->comm_count++;
}

static struct comm_of_mpi *mpi_of(const struct definitions *definitions, uint32_t comm) {
  return comm < definitions->comm_count ? definitions->comms[comm].mpi : NULL;
}

void definitions_mpi_comm_restore_name(struct definitions *definitions, uint32_t comm, uint32_t name) {
  struct comm_of_mpi *mpi = mpi_of(definitions, comm);
  if (mpi)
    mpi->name = name + 1;
}

void definitions_mpi_comm_name(struct definitions *definitions, uint32_t comm, const char *name) {
  const struct journal_mpi_name entry = {comm, definitions_string(definitions, name)};
  definitions_mpi_comm_restore_name(definitions, comm, entry.name);
  journal_add_mpi_name(definitions->recovery, &entry);
}

bool definitions_mpi_comm_is_made(const struct definitions *definitions, uint32_t comm) {
  const struct comm_of_mpi *mpi = mpi_of(definitions, comm);
  return mpi && mpi->facts.is_made;
}

void definitions_mpi_process(struct definitions *definitions, uint32_t rank, uint32_t size,
                             const char *library) {
  struct journal_mpi_process process = {rank, size};
  definitions->has_mpi = true;
  definitions->mpi_process = process;
  definitions->mpi_library = definitions_string(definitions, library) + 1;
  journal_add_mpi_process(definitions->recovery, &process, library);
}

void definitions_mpi_clock(struct definitions *definitions, const struct clock_comparison *point,
                           const char *domain) {
  size_t count = definitions->mpi_clock_count, at = count < MPI_CLOCKS_MAX ? count : MPI_CLOCKS_MAX - 1;
  definitions->mpi_clocks[at] = *point;
  definitions->mpi_clock_count = at + 1;
  definitions->mpi_clock_domain = definitions_string(definitions, domain);
  journal_add_mpi_clock(definitions->recovery, point, domain);
}

/* -- writing -- */

void definitions_write_mpi_paradigm(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, definitions_write_string(definitions, "MPI"),
                                     OTF2_PARADIGM_CLASS_PROCESS);
}

/* By rank the first thread of each; other ranks' are in their own archives. */
void definitions_write_mpi_locations(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  uint32_t size = definitions->mpi_process.size, rank = definitions->mpi_process.rank;
  if (!definitions->has_mpi)
    return;
  size = rank < size ? size : rank + 1;
  uint64_t *ids = memory_get(size, sizeof *ids);
  for (uint32_t i = 0; i < size; i++)
    ids[i] = OTF2_UNDEFINED_LOCATION;
  ids[rank] = 0;
  OTF2_GlobalDefWriter_WriteGroup(w, GROUP_MPI_LOCATIONS, definitions_write_string(definitions, "MPI"),
                                  OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                  size, ids);
  free(ids);
}

void definitions_write_mpi_ranks(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t group,
                                 OTF2_GroupType type, const uint32_t *ranks, size_t count) {
  uint64_t *ids = memory_get(count, sizeof *ids);
  for (size_t i = 0; i < count; i++)
    ids[i] = ranks[i];
  OTF2_GlobalDefWriter_WriteGroup(w, group, definitions_write_string(definitions, ""), type,
                                  OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)count, ids);
  free(ids);
}

void definitions_write_mpi_group(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                 const struct comm *comm, uint32_t group) {
  if (comm->mpi->facts.is_self)
    definitions_write_mpi_ranks(definitions, w, group, OTF2_GROUP_TYPE_COMM_SELF, NULL, 0);
  else
    definitions_write_mpi_ranks(definitions, w, group, OTF2_GROUP_TYPE_COMM_GROUP, comm->members,
                                comm->count);
}

void definitions_write_mpi_comm(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct comm *comm, uint32_t number, uint32_t group) {
  const struct comm_of_mpi *mpi = comm->mpi;
  OTF2_CommRef parent = comm->parent == COMM_UNKNOWN ? OTF2_UNDEFINED_COMM : comm->parent;
  OTF2_CommFlag flags = mpi->facts.is_made ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
  uint32_t name = mpi->name ? mpi->name - 1 : definitions_write_string(definitions, "");
  OTF2_GlobalDefWriter_WriteComm(w, number, name, group, parent, flags);
}

static void set_number(mpi_property_setter *set, struct archive *archive, const char *name, uint32_t number) {
  char text[16];
  snprintf(text, sizeof text, "%" PRIu32, number);
  set(archive, name, text);
}

static void set_clocks(const struct definitions *definitions, mpi_property_setter *set,
                       struct archive *archive) {
  char name[64], text[96];
  if (definitions->mpi_clock_count > 0)
    set(archive, STAVE_PROPERTY_CLOCK_REFERENCE, definitions->strings[definitions->mpi_clock_domain]);
  for (size_t i = 0; i < definitions->mpi_clock_count; i++) {
    const struct clock_comparison *point = &definitions->mpi_clocks[i];
    snprintf(name, sizeof name, STAVE_PROPERTY_CLOCK_POINT "%zu", i);
    snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRIu64, point->local, point->remote,
             point->deviation);
    set(archive, name, text);
  }
}

void definitions_mpi_properties(const struct definitions *definitions, mpi_property_setter *set,
                                struct archive *archive) {
  char name[64], text[32];
  if (!definitions->mpi_library)
    return;
  set_number(set, archive, STAVE_PROPERTY_MPI_RANK, definitions->mpi_process.rank);
  set_number(set, archive, STAVE_PROPERTY_MPI_SIZE, definitions->mpi_process.size);
  set(archive, STAVE_PROPERTY_MPI_LIBRARY, definitions->strings[definitions->mpi_library - 1]);
  set_clocks(definitions, set, archive);
  for (size_t i = 0; i < definitions->comm_count; i++) {
    const struct comm_of_mpi *mpi = definitions->comms[i].mpi;
    if (!mpi || !mpi->facts.key)
      continue;
    snprintf(name, sizeof name, STAVE_PROPERTY_MPI_COMM "%zu", i);
    snprintf(text, sizeof text, "%016" PRIx64, mpi->facts.key);
    set(archive, name, text);
  }
  definitions_window_properties(definitions, set, archive);
}
