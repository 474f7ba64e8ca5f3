/* Files of MPI. */
#include <otf2/otf2.h>

#include "base/array.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/mpi.h"
#include "writer/correlate/record_text.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/definitions_mpi.h"

/* By the tool's number. */
struct mpi_file {
  uint32_t handle; /* its number in the archive, + 1; 0: not known */
  bool is_made;    /* its beginning is in the archive */
};

static const struct mpi_file *find(struct correlator *c, uint32_t number) {
  bool is_known = number < c->mpi.file_capacity && c->mpi.files[number].handle;
  c->figures.lost += !is_known;
  return is_known ? &c->mpi.files[number] : NULL;
}

/* -- handles -- */

static uint32_t file_of_text(struct correlator *c, unsigned more, uint64_t bytes) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES] = "";
  if (more)
    record_read_text(c, more, bytes, name, sizeof name);
  return definitions_mpi_file(c->definitions, definitions_string(c->definitions, name));
}

static uint32_t creation_of(unsigned flags) {
  return (flags & FILE_CREATE ? OTF2_IO_CREATION_FLAG_CREATE : 0u) |
         (flags & FILE_EXCLUSIVE ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : 0u) |
         (flags & FILE_UNIQUE ? OTF2_IO_CREATION_FLAG_UNIQUE : 0u) |
         (flags & FILE_NO_SEEK ? OTF2_IO_CREATION_FLAG_NO_SEEK : 0u);
}

static uint32_t status_of(unsigned flags) {
  return (flags & FILE_APPEND ? OTF2_IO_STATUS_FLAG_APPEND : 0u) |
         (flags & FILE_DELETE ? OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE : 0u);
}

static struct mpi_file *new_file(struct correlator *c, uint32_t number) {
  if (number >= MPI_NUMBERS_MAX)
    return NULL;
  array_reserve_zeroed(&c->mpi.files, &c->mpi.file_capacity, number + 1u, sizeof *c->mpi.files);
  return c->mpi.files[number].handle ? NULL : &c->mpi.files[number];
}

void on_mpi_file(struct correlator *c, struct traced_thread *thread, const struct record_mpi_file *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct mpi_file *file = new_file(c, record->file);
  if (!file || record->endpoint > OTF2_IO_ACCESS_MODE_READ_WRITE)
    return;
  struct mpi_handle_facts facts = {.file = file_of_text(c, record->more, record->name_bytes),
                                   .comm = COMM_UNKNOWN,
                                   .access = record->endpoint,
                                   .status = status_of(record->flags),
                                   .is_made = !c->is_paused};
  mpi_comm_find(c, (uint32_t)record->comm, &facts.comm);
  *file = (struct mpi_file){1 + definitions_mpi_handle(c->definitions, &facts), facts.is_made};
  if (file->is_made)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_HANDLE_CREATE,
                               .ticks = now,
                               .handle = file->handle - 1,
                               .mode = facts.access,
                               .flags = creation_of(record->flags) | facts.status << 16});
}

/* What was opened before a pause is closed in it all the same. */
void on_mpi_file_end(struct correlator *c, struct traced_thread *thread,
                     const struct record_mpi_file_end *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  const struct mpi_file *file = find(c, record->file);
  if (file && file->is_made)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_HANDLE_DESTROY, .ticks = now, .handle = file->handle - 1});
}

void on_mpi_file_delete(struct correlator *c, struct traced_thread *thread,
                        const struct record_mpi_file_delete *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  if (!c->is_paused)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_FILE_DELETE,
                               .ticks = now,
                               .handle = file_of_text(c, record->more, record->name_bytes)});
}

/* -- operations -- */

static bool is_hidden(struct correlator *c, const struct record_mpi_io *record) {
  if (record->endpoint == IO_BEGIN)
    return mpi_request_begins_hidden(c);
  if (record->endpoint == IO_ISSUED)
    return map_get(&c->mpi.hidden_requests, record->operation);
  return mpi_request_ends_hidden(c, record->operation);
}

void on_mpi_io(struct correlator *c, struct traced_thread *thread, const struct record_mpi_io *record) {
  static const enum mpi_event_kind kinds[] = {EVENT_IO_BEGIN, EVENT_IO_ISSUED, EVENT_IO_COMPLETE,
                                              EVENT_IO_CANCELLED};
  uint64_t now = thread_now(c, thread, record->ticks);
  const struct mpi_file *file = find(c, record->file);
  if (!file || record->endpoint > IO_CANCELLED || is_hidden(c, record))
    return;
  emit_event(c, thread,
             &(struct event){.kind = (uint8_t)kinds[record->endpoint],
                             .ticks = now,
                             .handle = file->handle - 1,
                             .mode = record->flags & 0xf,
                             .flags = record->flags >> 4,
                             .bytes = record->bytes,
                             .matching_id = record->endpoint == IO_BEGIN ? c->record_id : record->operation});
}

void on_mpi_seek(struct correlator *c, struct traced_thread *thread, const struct record_mpi_seek *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  const struct mpi_file *file = find(c, record->file);
  if (file && !c->is_paused)
    emit_event(c, thread,
               &(struct event){.kind = EVENT_IO_SEEK,
                               .ticks = now,
                               .handle = file->handle - 1,
                               .mode = record->flags,
                               .offset = record->offset,
                               .result = record->result});
}
