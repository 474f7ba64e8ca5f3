#include "writer/archive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "writer/memory.h"
#include "writer/recovery.h"
#include "writer/room.h"

enum {
  DEFINITION_CHUNK_BYTES = 256 << 10, /* 4 MiB would cost 1.4 ms more a location */
  CHUNKS_AHEAD = 3,                   /* the one that is written now, a full one, and the last */
  DEFINITION_BYTES = 1 << 20,         /* kept free on the disk for what is written at the end, */
  LOCATION_BYTES = 8 << 10,           /* and for each location */
  DESCRIPTORS_KEPT = 32,              /* for everything but event files */
};

struct chunk {
  struct chunk *next;
  _Alignas(64) char bytes[];
};

/* The memory of a location's events: chunk after chunk, each in a block of the recovery file that is used again when its
 * chunk must be in the event file. Without such blocks it is one block of ordinary memory. */
struct events {
  struct recovery_block *blocks[RECOVERY_BLOCKS_MOST];
  unsigned count;
  bool is_ordinary; /* blocks[0] is, and the only one */
  bool is_full;     /* no block is added: the oldest is used again */
  uint64_t chunks;  /* given out so far */
  struct chunk *waiting; /* further ones, while no descriptor is left for the file */
  OTF2_EvtWriter *writer;
  bool is_refused; /* there was no room for its file */
  uint64_t chunks_written, events_written; /* what has gone to the file */
};

struct archive {
  OTF2_Archive *otf2;
  OTF2_GlobalDefWriter *global;
  struct recovery *recovery;
  struct events **events; /* by location; NULL: not open */
  size_t events_capacity, location_count;
  uint64_t open_locations, open_files, open_files_max;
  uint64_t event_bytes;
  uint64_t refused_events; /* of chunks that found no room */
  char *directory;
  int held_fd;    /* room for the definitions; -1: none */
  int stop_error; /* errno: nothing more should be written; 0: go on */
  bool is_failed;
};

static struct events *events_of(struct archive *archive, OTF2_LocationRef location) {
  memory_grow(&archive->events, &archive->events_capacity, location + 1, sizeof *archive->events);
  if (!archive->events[location])
    archive->events[location] = memory_get(1, sizeof *archive->events[location]);
  return archive->events[location];
}

static void add_block(struct archive *archive, struct events *events, OTF2_LocationRef location) {
  struct recovery_block *block = archive->recovery ? recovery_take(archive->recovery, RECOVERY_EVENTS) : NULL;
  events->is_full = !block || events->count + 1 == RECOVERY_BLOCKS_MOST;
  if (!block && events->count > 0)
    return;
  events->is_ordinary = !block;
  if (!block)
    block = memory_get_aligned(_Alignof(struct recovery_block), sizeof *block);
  block->location = (uint32_t)location;
  block->use = RECOVERY_EVENTS;
  events->blocks[events->count++] = block;
}

static void *next_chunk(struct archive *archive, OTF2_LocationRef location) {
  struct events *events = events_of(archive, location);
  if (!events->is_full)
    add_block(archive, events, location);
  struct recovery_block *block = events->blocks[events->chunks % events->count];
  block->sequence = events->chunks++;
  return block->bytes;
}

static void free_chunks(struct chunk *chunk) {
  for (struct chunk *next; chunk; chunk = next) {
    next = chunk->next;
    free(chunk);
  }
}

static void release_events(struct archive *archive, OTF2_LocationRef location) {
  struct events *events = events_of(archive, location);
  for (unsigned i = 0; i < events->count && !events->is_ordinary; i++)
    recovery_release(archive->recovery, events->blocks[i]);
  if (events->is_ordinary)
    free(events->blocks[0]);
  free(events);
  archive->events[location] = NULL;
}

static const char *event_path(const struct archive *archive, uint64_t location, char *path, size_t size) {
  snprintf(path, size, "%s/traces/%llu.evt", archive->directory, (unsigned long long)location);
  return path;
}

/* Stops while all that is in memory still fits: then the archive is whole, up to here. Locations that have a file have
 * reserved their room. */
static void look_at_room(struct archive *archive) {
  uint64_t unwritten = archive->open_locations - archive->open_files;
  uint64_t needed = (unwritten + 1) * RECOVERY_CHUNK_BYTES + archive->location_count * LOCATION_BYTES +
                    (archive->held_fd < 0 ? DEFINITION_BYTES : 0);
  if (!archive->stop_error && room_left(archive->directory) < needed)
    archive->stop_error = ENOSPC;
}

static bool has_room(const struct archive *archive, uint64_t location, uint64_t chunks, int *ret_error) {
  char path[4200];
  *ret_error = room_reserve(event_path(archive, location, path, sizeof path), chunks * RECOVERY_CHUNK_BYTES);
  return *ret_error == 0;
}

/* Gets room for so many chunks of a location, of which OTF2 may have up to 4 MiB in its hands still. Without, it is time
 * to stop. */
static void reserve(struct archive *archive, uint64_t location, uint64_t chunks) {
  int error;
  if (!has_room(archive, location, chunks, &error) && !archive->stop_error)
    archive->stop_error = -error;
}

/* OTF2 refuses the events of what may not be written, and counts on: what follows may fit again. */
static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final) {
  (void)caller;
  struct archive *archive = data;
  if (type != OTF2_FILETYPE_EVENTS)
    return OTF2_FLUSH;
  struct events *events = events_of(archive, location);
  uint64_t count = 0;
  int error;
  if (events->is_refused && !is_final)
    return OTF2_NO_FLUSH;
  OTF2_EvtWriter_GetNumberOfEvents(events->writer, &count);
  look_at_room(archive);
  reserve(archive, location, events->chunks + CHUNKS_AHEAD - 1);
  if (!has_room(archive, location, events->chunks, &error)) {
    events->is_refused = true;
    archive->refused_events += is_final ? count - events->events_written : 0;
    return OTF2_NO_FLUSH;
  }
  archive->open_files += events->chunks_written == 0;
  events->chunks_written = events->chunks;
  events->events_written = count;
  return OTF2_FLUSH;
}

/* While there are no descriptors for more files, a location that has none yet keeps its chunks: they are written when it
 * is closed. */
static bool must_flush(const struct archive *archive, const struct events *events) {
  return events->chunks_written > 0 || archive->open_files < archive->open_files_max;
}

static void *waiting_chunk(struct events *events, uint64_t bytes) {
  struct chunk *chunk = malloc(sizeof *chunk + bytes);
  if (!chunk)
    return NULL;
  chunk->next = events->waiting;
  events->waiting = chunk;
  events->chunks++;
  return chunk->bytes;
}

/* OTF2 keeps 128 MiB a location in memory unless it is refused more chunks: then it writes what it has. */
static void *allocate_events(struct archive *archive, OTF2_LocationRef location, void **buffer, uint64_t bytes) {
  struct events *events = events_of(archive, location);
  if (*buffer && must_flush(archive, events))
    return NULL;
  archive->event_bytes += bytes;
  if (*buffer)
    return waiting_chunk(events, bytes);
  if (events->chunks_written > 0) /* the file was emptied when it was opened */
    reserve(archive, location, events->chunks + CHUNKS_AHEAD - 1);
  return *buffer = next_chunk(archive, location);
}

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes) {
  if (type == OTF2_FILETYPE_EVENTS)
    return allocate_events(data, location, buffer, bytes);
  struct chunk *chunk = malloc(sizeof *chunk + bytes);
  if (!chunk)
    return NULL;
  chunk->next = *buffer;
  *buffer = chunk;
  return chunk->bytes;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final) {
  if (type != OTF2_FILETYPE_EVENTS) {
    free_chunks(*buffer);
  } else {
    struct events *events = events_of(data, location);
    free_chunks(events->waiting);
    events->waiting = NULL;
    if (is_final)
      release_events(data, location);
  }
  *buffer = NULL;
}

static bool check(struct archive *archive, OTF2_ErrorCode error) {
  archive->is_failed |= error != OTF2_SUCCESS;
  return error == OTF2_SUCCESS;
}

/* OTF2 prints its errors on stderr unless told otherwise; ours go to whoever asked. */
static OTF2_ErrorCode swallow_error(void *data, const char *file, uint64_t line, const char *function,
                                    OTF2_ErrorCode error, const char *format, va_list arguments) {
  (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
  return error;
}

static uint64_t descriptors_for_files(void) {
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > 2 * DESCRIPTORS_KEPT ? limit.rlim_cur - DESCRIPTORS_KEPT : 1;
}

static void free_archive(struct archive *archive) {
  if (archive->held_fd >= 0)
    close(archive->held_fd);
  free(archive->directory);
  free(archive->events);
  free(archive);
}

struct archive *archive_open(const char *directory, struct recovery *recovery) {
  static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
  static const OTF2_MemoryCallbacks memory = {allocate, free_all};
  OTF2_Error_RegisterCallback(swallow_error, NULL);
  struct archive *archive = memory_get(1, sizeof *archive);
  archive->recovery = recovery;
  archive->directory = strcpy(memory_get(strlen(directory) + 1, 1), directory);
  archive->open_files_max = descriptors_for_files();
  archive->held_fd = room_hold(directory, DEFINITION_BYTES);
  look_at_room(archive);
  archive->otf2 = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES,
                                    DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive->otf2 && check(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, archive)) &&
      check(archive, OTF2_Archive_SetMemoryCallbacks(archive->otf2, &memory, archive)) &&
      check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2)) &&
      check(archive, OTF2_Archive_OpenEvtFiles(archive->otf2)))
    return archive;
  free_archive(archive);
  return NULL;
}

OTF2_EvtWriter *archive_open_location(struct archive *archive, uint32_t location) {
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive->otf2, location);
  archive->is_failed |= !writer;
  events_of(archive, location)->writer = writer;
  archive->location_count++;
  archive->open_locations++;
  look_at_room(archive);
  return writer;
}

_Atomic uint64_t *archive_whole_events(struct archive *archive, uint32_t location) {
  return &events_of(archive, location)->blocks[0]->count;
}

uint64_t archive_close_location(struct archive *archive, OTF2_EvtWriter *writer) {
  char path[4200];
  OTF2_LocationRef location = 0;
  uint64_t events = 0, refused = archive->refused_events;
  check(archive, OTF2_EvtWriter_GetLocationID(writer, &location));
  check(archive, OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  uint64_t other_files = archive->open_files - (events_of(archive, location)->chunks_written > 0);
  check(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, writer));
  archive->open_locations--;
  archive->open_files = other_files;
  room_release(event_path(archive, location, path, sizeof path));
  return events - (archive->refused_events - refused);
}

int archive_stop_error(const struct archive *archive) {
  return archive->stop_error;
}

uint64_t archive_refused_events(const struct archive *archive) {
  return archive->refused_events;
}

int archive_end_events(struct archive *archive) {
  if (archive->held_fd >= 0)
    close(archive->held_fd);
  archive->held_fd = -1;
  return check(archive, OTF2_Archive_CloseEvtFiles(archive->otf2)) &&
         check(archive, OTF2_Archive_OpenDefFiles(archive->otf2));
}

static void write_mapping(struct archive *archive, OTF2_DefWriter *writer, const uint32_t *regions, uint32_t count) {
  OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(count, regions, false);
  if (!map) {
    archive->is_failed = true;
    return;
  }
  check(archive, OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map));
  OTF2_IdMap_Free(map);
}

void archive_write_local(struct archive *archive, uint32_t location, const uint32_t *regions, uint32_t count) {
  OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->otf2, location);
  if (!writer) {
    archive->is_failed = true;
    return;
  }
  if (regions)
    write_mapping(archive, writer, regions, count);
  check(archive, OTF2_Archive_CloseDefWriter(archive->otf2, writer));
}

OTF2_GlobalDefWriter *archive_global(struct archive *archive) {
  if (!archive->global) {
    check(archive, OTF2_Archive_CloseDefFiles(archive->otf2));
    archive->global = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    archive->is_failed |= !archive->global;
  }
  return archive->global;
}

void archive_set_property(struct archive *archive, const char *name, const char *value) {
  check(archive, OTF2_Archive_SetProperty(archive->otf2, name, value, true));
}

void archive_describe(struct archive *archive, const char *creator, const char *machine, const char *description) {
  check(archive, OTF2_Archive_SetCreator(archive->otf2, creator));
  check(archive, OTF2_Archive_SetMachineName(archive->otf2, machine));
  check(archive, OTF2_Archive_SetDescription(archive->otf2, description));
}

uint64_t archive_bytes(const struct archive *archive) {
  return archive->event_bytes;
}

int archive_close(struct archive *archive) {
  if (!archive)
    return 0;
  if (archive->global)
    check(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->global));
  check(archive, OTF2_Archive_Close(archive->otf2));
  bool is_failed = archive->is_failed;
  free_archive(archive);
  return is_failed ? -EIO : 0;
}
