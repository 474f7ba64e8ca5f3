#include "writer/archive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "writer/memory.h"
#include "writer/recovery.h"

enum { DEFINITION_CHUNK_BYTES = 256 << 10 /* 4 MiB would cost 1.4 ms more a location */ };

/* The memory of a location's events: chunk after chunk, each in a block of the recovery file that is used again when its
 * chunk must be in the event file. Without such blocks it is one block of ordinary memory. */
struct events {
  struct recovery_block *blocks[RECOVERY_BLOCKS_MOST];
  unsigned count;
  bool is_ordinary; /* blocks[0] is, and the only one */
  bool is_full;     /* no block is added: the oldest is used again */
  uint64_t chunks;  /* given out so far */
};

struct archive {
  OTF2_Archive *otf2;
  OTF2_GlobalDefWriter *global;
  struct recovery *recovery;
  struct events **events; /* by location; NULL: not open */
  size_t events_capacity;
  uint64_t event_bytes;
  bool is_failed;
};

/* The chunks of a buffer of definitions, newest first. */
struct chunk {
  struct chunk *next;
  _Alignas(64) char bytes[];
};

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

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
    block = memory_get(1, sizeof *block);
  block->location = (uint32_t)location;
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

static void release_events(struct archive *archive, OTF2_LocationRef location) {
  struct events *events = events_of(archive, location);
  for (unsigned i = 0; i < events->count && !events->is_ordinary; i++)
    recovery_release(archive->recovery, events->blocks[i]);
  if (events->is_ordinary)
    free(events->blocks[0]);
  free(events);
  archive->events[location] = NULL;
}

/* OTF2 keeps 128 MiB a location in memory unless it is refused more chunks: then it writes what it has. */
static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t bytes) {
  struct archive *archive = data;
  struct chunk *first = *buffer;
  if (type == OTF2_FILETYPE_EVENTS) {
    archive->event_bytes += first ? 0 : bytes;
    return first ? NULL : (*buffer = next_chunk(archive, location));
  }
  struct chunk *chunk = malloc(sizeof *chunk + bytes);
  if (!chunk)
    return NULL;
  chunk->next = first;
  *buffer = chunk;
  return chunk->bytes;
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final) {
  struct chunk *next;
  if (type != OTF2_FILETYPE_EVENTS)
    for (struct chunk *chunk = *buffer; chunk; chunk = next) {
      next = chunk->next;
      free(chunk);
    }
  else if (is_final)
    release_events(data, location);
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

struct archive *archive_open(const char *directory, struct recovery *recovery) {
  static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
  static const OTF2_MemoryCallbacks memory = {allocate, free_all};
  OTF2_Error_RegisterCallback(swallow_error, NULL);
  struct archive *archive = memory_get(1, sizeof *archive);
  archive->recovery = recovery;
  archive->otf2 = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, RECOVERY_CHUNK_BYTES,
                                    DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive->otf2 && check(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flush, archive)) &&
      check(archive, OTF2_Archive_SetMemoryCallbacks(archive->otf2, &memory, archive)) &&
      check(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2)) &&
      check(archive, OTF2_Archive_OpenEvtFiles(archive->otf2)))
    return archive;
  free(archive);
  return NULL;
}

OTF2_EvtWriter *archive_open_location(struct archive *archive, uint32_t location) {
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive->otf2, location);
  archive->is_failed |= !writer;
  return writer;
}

_Atomic uint64_t *archive_whole_events(struct archive *archive, uint32_t location) {
  return &events_of(archive, location)->blocks[0]->count;
}

uint64_t archive_close_location(struct archive *archive, OTF2_EvtWriter *writer) {
  uint64_t events = 0;
  check(archive, OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  check(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, writer));
  return events;
}

int archive_end_events(struct archive *archive) {
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
  free(archive->events);
  free(archive);
  return is_failed ? -EIO : 0;
}
