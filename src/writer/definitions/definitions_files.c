/* Files of MPI, and the handles by which the program uses them. */
#include "base/array.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

uint32_t definitions_mpi_file(struct definitions *definitions, uint32_t name) {
  uint64_t known = (uintptr_t)map_get(&definitions->file_numbers, name);
  if (known)
    return (uint32_t)known - 1;
  array_reserve_zeroed(&definitions->files, &definitions->file_capacity, definitions->file_count + 1,
                       sizeof *definitions->files);
  definitions->files[definitions->file_count] = name;
  map_put(&definitions->file_numbers, name, (void *)(uintptr_t)(definitions->file_count + 1));
  journal_add_mpi_file(definitions->recovery, &name);
  return (uint32_t)definitions->file_count++;
}

uint32_t definitions_mpi_handle(struct definitions *definitions, const struct mpi_handle_facts *facts) {
  array_reserve_zeroed(&definitions->handles, &definitions->handle_capacity, definitions->handle_count + 1,
                       sizeof *definitions->handles);
  definitions->handles[definitions->handle_count] = *facts;
  journal_add_mpi_handle(definitions->recovery, facts);
  return (uint32_t)definitions->handle_count++;
}

uint32_t definitions_file_count(const struct definitions *definitions) {
  return (uint32_t)definitions->file_count;
}

uint32_t definitions_handle_count(const struct definitions *definitions) {
  return (uint32_t)definitions->handle_count;
}

/* -- writing -- */

/* One that was opened in a pause is there without an event that creates it. */
static void write_handle(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t number) {
  const struct mpi_handle_facts *facts = &definitions->handles[number];
  OTF2_CommRef comm = facts->comm == COMM_UNKNOWN ? OTF2_UNDEFINED_COMM : facts->comm;
  OTF2_GlobalDefWriter_WriteIoHandle(
      w, number, definitions_write_string(definitions, ""), facts->file, IO_PARADIGM_MPI,
      facts->is_made ? OTF2_IO_HANDLE_FLAG_NONE : OTF2_IO_HANDLE_FLAG_PRE_CREATED, comm,
      OTF2_UNDEFINED_IO_HANDLE);
  if (!facts->is_made)
    OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(w, number, facts->access, facts->status);
}

void definitions_write_files(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  if (!definitions->file_count)
    return;
  uint32_t name = definitions_write_string(definitions, "MPI-IO");
  OTF2_GlobalDefWriter_WriteIoParadigm(w, IO_PARADIGM_MPI, name, name, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                       OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL);
  for (uint32_t i = 0; i < definitions->file_count; i++)
    OTF2_GlobalDefWriter_WriteIoRegularFile(w, i, definitions->files[i], OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t i = 0; i < definitions->handle_count; i++)
    write_handle(definitions, w, i);
}
