#include "writer/archive/archive.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "writer/archive/chunk_thread.h"
#include "writer/archive/event_files.h"
#include "writer/archive/local_files.h"
#include "writer/archive/room.h"
#include "writer/recovery/recovery_file.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
  DEFINITION_CHUNK_BYTES = 256 << 10,    /* 4 MiB take 1.4 ms more for each file of local definitions */
  DEFINITION_CHUNK_BYTES_MAX = 16 << 20, /* OTF2's */
  DEFINITION_HEAD_BYTES = 1 << 10,       /* of a chunk and a record, and numbers beside the members */
  MEMBER_BYTES = 5,                      /* at most, of a 32-bit number */
  DEFINITION_BYTES = 1 << 20,            /* kept free on the disk for what is written at the end */
  FEW_DEFINITION_BYTES = 256 << 10,      /* with few threads and events: each page costs time on tmpfs */
  FEW_LOCATIONS = 256,
};

/* Of definitions. */
struct chunk {
  struct chunk *next;
  uint64_t bytes_most;
  _Alignas(64) char bytes[];
};

struct archive {
  OTF2_Archive *otf2;
  OTF2_GlobalDefWriter *global;
  struct event_files *files;
  struct local_files *local_files;
  char *anchor;               /* path of the file that is written last */
  int held_fd;                /* room for the definitions; -1: none */
  bool holds_all;             /* DEFINITION_BYTES of it, or no more is to be had */
  _Atomic uint64_t *progress; /* NULL: nobody looks */
  int cause;                  /* errno that OTF2 has encountered last; 0: none */
  int error;                  /* errno for which the archive cannot be complete; 0: it can */
  struct chunk *spare;        /* for who needs one next; NULL: none */
  bool is_defining;           /* none of the calls that write definitions may fail */
};

/* OTF2 writes definitions only on request; events never go through it. */
static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* OTF2 fills it with zeros: all its pages together are faster than one by one. */
static struct chunk *new_chunk(uint64_t bytes) {
  uint64_t units = (sizeof(struct chunk) + bytes + RECOVERY_UNIT_BYTES - 1) / RECOVERY_UNIT_BYTES;
  uint64_t all = units * RECOVERY_UNIT_BYTES; /* of pages of any size */
  struct chunk *chunk = aligned_alloc(RECOVERY_UNIT_BYTES, all);
  if (!chunk)
    return NULL;
  madvise(chunk, all, MADV_POPULATE_WRITE);
  chunk->bytes_most = bytes;
  return chunk;
}

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                      uint64_t bytes) {
  (void)type, (void)location;
  struct archive *archive = data;
  struct chunk *chunk = archive->spare;
  if (chunk && chunk->bytes_most >= bytes)
    archive->spare = NULL;
  else if (!(chunk = new_chunk(bytes))) {
    archive->cause = ENOMEM; /* OTF2 has no reason of its own */
    return NULL;
  }
  chunk->next = *buffer;
  *buffer = chunk;
  return chunk->bytes;
}

/* One is kept: each file of definitions needs one after the other. */
static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                     bool is_final) {
  (void)type, (void)location, (void)is_final;
  struct archive *archive = data;
  for (struct chunk *chunk = *buffer, *next; chunk; chunk = next) {
    next = chunk->next;
    free(archive->spare);
    archive->spare = chunk;
  }
  *buffer = NULL;
}

/* OTF2 has numbers of its own for what the system reported. 0: this is something else. */
static int errno_of(OTF2_ErrorCode error) {
  static const struct {
    OTF2_ErrorCode code;
    int number;
  } rows[] = {
#define ROW(name) {OTF2_ERROR_##name, name},
      ROW(ENOSPC) ROW(EDQUOT) ROW(EFBIG) ROW(EIO) ROW(ENOENT) ROW(ENOTDIR) ROW(EACCES) ROW(EPERM) ROW(EROFS)
          ROW(EMFILE) ROW(ENFILE) ROW(ENOMEM) ROW(ENAMETOOLONG) ROW(ESTALE)
#undef ROW
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == error)
      return rows[i].number;
  return 0;
}

/* The first reason is the one; OTF2's calls often return another than the system gave. */
static void fail(struct archive *archive, int number) {
  if (!archive->error)
    archive->error = archive->cause ? archive->cause : number ? number : EIO;
}

static bool check(struct archive *archive, OTF2_ErrorCode error) {
  if (error != OTF2_SUCCESS)
    fail(archive, errno_of(error));
  return error == OTF2_SUCCESS;
}

/* OTF2 prints its errors on stderr by default; ours go to the caller. None of the many calls that write
 * definitions may fail, which is noted here for all of them: memory for a chunk, for example. */
static OTF2_ErrorCode swallow_error(void *data, const char *file, uint64_t line, const char *function,
                                    OTF2_ErrorCode error, const char *format, va_list arguments) {
  (void)file, (void)line, (void)function, (void)format, (void)arguments;
  struct archive *archive = data;
  if (archive && errno_of(error))
    archive->cause = errno_of(error);
  if (archive && archive->is_defining)
    fail(archive, errno_of(error));
  return error;
}

static void free_archive(struct archive *archive) {
  OTF2_Error_RegisterCallback(swallow_error, NULL);
  if (archive->held_fd >= 0)
    room_give_back(archive->held_fd);
  event_files_close(archive->files);
  local_files_close(archive->local_files);
  free(archive->spare);
  free(archive->anchor);
  free(archive);
}

/* What is not held must be left free. */
static uint64_t hold_few(struct archive *archive, const char *directory) {
  archive->held_fd = room_hold(directory, FEW_DEFINITION_BYTES);
  archive->holds_all = archive->held_fd < 0;
  return archive->held_fd < 0 ? DEFINITION_BYTES : DEFINITION_BYTES - FEW_DEFINITION_BYTES;
}

static void hold_all(struct archive *archive) {
  bool is_held = !archive->holds_all && room_reserve(archive->held_fd, 0, DEFINITION_BYTES) >= 0;
  archive->holds_all = true;
  if (is_held)
    event_files_keep(archive->files, 0);
}

struct archive *archive_open(const char *directory, struct recovery *recovery) {
  static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
  static const OTF2_MemoryCallbacks memory = {allocate, free_all};
  struct archive *archive = memory_get(1, sizeof *archive);
  OTF2_Error_RegisterCallback(swallow_error, archive);
  size_t anchor_bytes = strlen(directory) + sizeof "/traces.otf2";
  archive->anchor = memory_get(anchor_bytes, 1);
  snprintf(archive->anchor, anchor_bytes, "%s/traces.otf2", directory);
  uint64_t flight_buffer_bytes = hold_few(archive, directory);
  archive->files = event_files_open(directory, recovery, flight_buffer_bytes);
  archive->local_files = local_files_open(directory);
  archive->otf2 = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES,
                                    OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive->otf2 && check(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, archive)) &&
      check(archive, OTF2_Archive_SetMemoryCallbacks(archive->otf2, &memory, archive)) &&
      check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2)) &&
      check(archive, OTF2_Archive_OpenEvtFiles(archive->otf2)))
    return archive;
  free_archive(archive);
  return NULL;
}

void archive_prepare_end(struct archive *archive) {
  if (!archive->spare)
    archive->spare = new_chunk(DEFINITION_CHUNK_BYTES);
}

void archive_count_into(struct archive *archive, _Atomic uint64_t *counter) {
  archive->progress = counter;
}

/* Thousands of files need seconds where the disk is slow. */
static void count_progress(struct archive *archive) {
  if (archive->progress)
    atomic_fetch_add_explicit(archive->progress, 1, memory_order_relaxed);
}

void archive_write_beside(struct archive *archive, bool is_beside) {
  event_files_write_beside(archive->files, is_beside);
}

void archive_rest_beside(struct archive *archive, bool rests) {
  chunk_thread_rest(event_files_beside(archive->files), rests);
}

bool archive_help_beside(struct archive *archive) {
  return chunk_thread_help(event_files_beside(archive->files));
}

struct event_writer *archive_open_location(struct archive *archive, uint32_t location) {
  struct event_writer *writer = event_writer_open(archive->files, location); /* first, if inodes run out */
  local_files_add(archive->local_files, location);
  if (location >= FEW_LOCATIONS)
    hold_all(archive);
  return writer;
}

_Atomic uint64_t *archive_complete_events(struct archive *archive, uint32_t location) {
  return event_files_complete_events(archive->files, location);
}

uint64_t archive_expect_more(struct archive *archive, uint32_t location, uint64_t events) {
  uint64_t next = event_files_expect_more(archive->files, location, events);
  if (next == UINT64_MAX)
    hold_all(archive);
  return next;
}

uint64_t archive_close_location(struct archive *archive, struct event_writer *writer) {
  uint64_t events = event_writer_events(writer), refused = event_files_refused(archive->files);
  event_writer_close(writer);
  count_progress(archive);
  return events - (event_files_refused(archive->files) - refused);
}

int archive_stop_error(const struct archive *archive) {
  return event_files_stop_error(archive->files);
}

int archive_lack(const struct archive *archive) {
  int failure = event_files_failure(archive->files), stop = event_files_stop_error(archive->files);
  if (failure)
    return failure;
  return event_files_refused(archive->files) == 0 ? 0 : stop ? stop : EIO;
}

uint64_t archive_refused_events(const struct archive *archive) {
  return event_files_refused(archive->files);
}

_Static_assert(MEMBER_BYTES *(uint64_t)ARCHIVE_MEMBERS_MAX + DEFINITION_HEAD_BYTES <=
                   DEFINITION_CHUNK_BYTES_MAX,
               "fits into the largest chunk");

/* A record has to fit into a chunk. */
static uint64_t definition_chunk_bytes(uint64_t members) {
  uint64_t bytes = DEFINITION_CHUNK_BYTES;
  while (bytes < DEFINITION_CHUNK_BYTES_MAX && bytes < MEMBER_BYTES * members + DEFINITION_HEAD_BYTES)
    bytes *= 2;
  return bytes;
}

int archive_end_events(struct archive *archive, uint64_t members_most) {
  if (archive->held_fd >= 0)
    room_give_back(archive->held_fd);
  archive->held_fd = -1;
  archive->is_defining = true;
  OTF2_Error_RegisterCallback(swallow_error, archive); /* there is one of the process, which a reader had */
  bool is_closed = check(archive, OTF2_Archive_CloseEvtFiles(archive->otf2));
  event_files_release_room(archive->files);
  return is_closed &&
         check(archive, OTF2_Archive_SetDefChunkSize(archive->otf2, definition_chunk_bytes(members_most))) &&
         check(archive, OTF2_Archive_OpenDefFiles(archive->otf2));
}

static void write_mapping(struct archive *archive, OTF2_DefWriter *writer, const uint32_t *regions,
                          uint32_t count) {
  OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(count, regions, false);
  if (!map) {
    fail(archive, ENOMEM);
    return;
  }
  check(archive, OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map));
  OTF2_IdMap_Free(map);
}

static void write_local(struct archive *archive, uint32_t location, const uint32_t *regions, uint32_t count) {
  OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->otf2, location);
  if (!writer) {
    fail(archive, ENOMEM);
    return;
  }
  if (regions)
    write_mapping(archive, writer, regions, count);
  check(archive, OTF2_Archive_CloseDefWriter(archive->otf2, writer));
  count_progress(archive);
}

void archive_write_local(struct archive *archive, const uint32_t *regions, uint32_t count) {
  size_t file_count;
  const uint32_t *locations = local_files_to_write(archive->local_files, &file_count);
  for (size_t i = 0; i < file_count; i++)
    write_local(archive, locations[i], regions, count);
}

OTF2_GlobalDefWriter *archive_global(struct archive *archive) {
  if (!archive->global) {
    check(archive, OTF2_Archive_CloseDefFiles(archive->otf2));
    archive->global = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    if (!archive->global)
      fail(archive, ENOMEM);
  }
  return archive->global;
}

void archive_set_property(struct archive *archive, const char *name, const char *value) {
  char *valid = utf8_valid_copy(value);
  check(archive, OTF2_Archive_SetProperty(archive->otf2, name, valid, true));
  free(valid);
}

void archive_describe(struct archive *archive, const char *creator, const char *machine,
                      const char *description) {
  char *valid_machine = utf8_valid_copy(machine), *valid_description = utf8_valid_copy(description);
  check(archive, OTF2_Archive_SetCreator(archive->otf2, creator));
  check(archive, OTF2_Archive_SetMachineName(archive->otf2, valid_machine));
  check(archive, OTF2_Archive_SetDescription(archive->otf2, valid_description));
  free(valid_machine);
  free(valid_description);
}

uint64_t archive_event_bytes(const struct archive *archive) {
  return event_files_ended_bytes(archive->files);
}

uint64_t archive_bytes(const struct archive *archive) {
  return event_files_bytes(archive->files);
}

/* OTF2 3.0 returns nothing when it cannot write the anchor file. The error with which reading it fails is not
 * the reason. */
static void check_anchor(struct archive *archive) {
  int cause = archive->cause;
  OTF2_Reader *reader = OTF2_Reader_Open(archive->anchor);
  archive->cause = cause;
  if (reader)
    OTF2_Reader_Close(reader);
  else
    fail(archive, EIO);
}

int archive_close(struct archive *archive) {
  if (!archive)
    return 0;
  OTF2_Error_RegisterCallback(swallow_error, archive);
  if (archive->global)
    check(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->global));
  check(archive, OTF2_Archive_Close(archive->otf2));
  archive->is_defining = false;
  int failure = event_files_failure(archive->files);
  if (failure)
    archive->error = failure;
  else if (!archive->error)
    check_anchor(archive);
  int error = archive->error;
  free_archive(archive);
  return -error;
}
