#include "merge/local.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "merge/clocks.h"
#include "merge/files.h"

enum { IDS_MAX = 1 << 26, AT_ONCE_BYTES = 64 << 20 };

/* A location's own definitions. */
struct local {
  struct merging *merge;
  struct numbers tables[OTF2_MAPPING_MAX]; /* what its numbers represent in its source; count 0: no table */
  struct clock_offset *offsets;
  size_t offset_count, offset_capacity;
};

/* -- reading -- */

static void add_pair(uint64_t self, uint64_t source_number, void *data) {
  struct numbers *table = data;
  if (self >= IDS_MAX)
    return;
  array_reserve_zeroed(&table->to, &table->capacity, self + 1, sizeof *table->to);
  for (; table->count <= self; table->count++) /* what a sparse table leaves out stays as it is */
    table->to[table->count] = (uint32_t)table->count;
  table->to[self] = source_number < OTF2_UNDEFINED_UINT32 ? (uint32_t)source_number : OTF2_UNDEFINED_UINT32;
}

static OTF2_CallbackCode on_table(void *data, OTF2_MappingType type, const OTF2_IdMap *map) {
  struct local *local = data;
  if (type < OTF2_MAPPING_MAX)
    OTF2_IdMap_Traverse(map, add_pair, &local->tables[type]);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock_offset(void *data, OTF2_TimeStamp time, int64_t offset, double deviation) {
  struct local *local = data;
  array_reserve_zeroed(&local->offsets, &local->offset_capacity, local->offset_count + 1,
                       sizeof *local->offsets);
  local->offsets[local->offset_count++] = (struct clock_offset){time, offset, deviation};
  return OTF2_CALLBACK_SUCCESS;
}

/* One of a location's own files. */
static void name_file(char path[PATH_MAX], const struct merge_source *source, uint64_t location,
                      const char *suffix) {
  int stem = (int)(strlen(source->anchor) - strlen(".otf2"));
  snprintf(path, PATH_MAX, "%.*s/%" PRIu64 ".%s", stem, source->anchor, location, suffix);
}

/* Archives without local definitions are complete, too. False: they cannot be read. */
static bool read_local(const struct merge_source *source, OTF2_Reader *reader, uint64_t location,
                       struct local *local) {
  OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
  uint64_t count;
  char path[PATH_MAX];
  name_file(path, source, location, "def");
  if (!definitions)
    return access(path, F_OK) < 0;
  OTF2_DefReaderCallbacks *callbacks = memory_given(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_table);
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
  OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, local);
  OTF2_DefReaderCallbacks_Delete(callbacks);
  bool is_complete = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseDefReader(reader, definitions);
  return is_complete;
}

/* -- writing -- */

/* The table of the merged archive: the location's own one, then the source's. */
static uint32_t composed(const struct numbers *own, const struct numbers *source, uint32_t id) {
  uint32_t number = id < own->count ? own->to[id] : id;
  return number < source->count ? source->to[number] : OTF2_UNDEFINED_UINT32;
}

static void write_table(struct merging *merge, OTF2_DefWriter *writer, OTF2_MappingType type,
                        const struct numbers *own) {
  const struct numbers *source = &merge->unified.numbers[type];
  size_t count = own->count > source->count ? own->count : source->count, changed = 0;
  uint32_t *table = memory_get(count, sizeof *table);
  for (size_t i = 0; i < count; i++) {
    uint32_t number = composed(own, source, (uint32_t)i);
    changed += number != i && number != OTF2_UNDEFINED_UINT32;
    table[i] = number == OTF2_UNDEFINED_UINT32 ? (uint32_t)i : number; /* no event has it */
  }
  if (changed > 0) {
    OTF2_IdMap *map = memory_given(OTF2_IdMap_CreateFromUint32Array(count, table, true));
    merge_check(merge, OTF2_DefWriter_WriteMappingTable(writer, type, map));
    OTF2_IdMap_Free(map);
  }
  free(table);
}

static void write_tables(struct merging *merge, OTF2_DefWriter *writer, const struct local *local) {
  for (OTF2_MappingType type = 0; type < OTF2_MAPPING_MAX; type++)
    if (type != OTF2_MAPPING_LOCATION && type != OTF2_MAPPING_LOCATION_GROUP)
      write_table(merge, writer, type, &local->tables[type]);
}

static void write_local(struct merging *merge, const struct merge_source *source, uint64_t location,
                        const struct local *local) {
  OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(merge->archive, location);
  if (!writer) {
    merge_check(merge, OTF2_ERROR_MEM_ALLOC_FAILED);
    return;
  }
  write_tables(merge, writer, local);
  clocks_write(merge, writer, source, local->offsets, local->offset_count);
  merge_check(merge, OTF2_Archive_CloseDefWriter(merge->archive, writer));
}

static void give_events(struct merging *merge, const struct merge_source *source, uint64_t old,
                        uint64_t new) {
  char from[PATH_MAX], to[PATH_MAX];
  bool is_copy;
  name_file(from, source, old, "evt");
  snprintf(to, sizeof to, "%s/traces/%" PRIu64 ".evt", merge->request->out, new);
  int error = files_give(from, to, merge->request->files, &is_copy);
  if (error)
    merge_fail(merge, -error, "%s cannot be linked or copied to %s: %s", from, to, strerror(-error));
  else
    merge->result->copied += is_copy;
}

static void free_local(struct local *local) {
  for (int i = 0; i < OTF2_MAPPING_MAX; i++)
    free(local->tables[i].to);
  free(local->offsets);
}

static void write_one(struct merging *merge, const struct merge_source *source, OTF2_Reader *reader,
                      size_t at) {
  struct local local = {.merge = merge};
  uint64_t location = source->locations[at];
  *merge->reason = '\0';
  if (!read_local(source, reader, location, &local))
    merge_fail(merge, EIO, "%s: a location's own definitions cannot be read: %s", source->anchor,
               merge->reason);
  if (local.offset_count > 0 && !merge->request->sides)
    merge_fail(merge, EINVAL, "%s: its clocks have been corrected already: merge what it was made of",
               source->anchor);
  give_events(merge, source, location, source->first_location + at);
  write_local(merge, source, source->first_location + at, &local);
  free_local(&local);
  merge_step(merge);
}

/* -- some at a time -- */

/* OTF2 keeps a chunk for each location whose definitions it has read, until the reader is closed. */
static size_t count_at_once(OTF2_Reader *reader) {
  uint64_t events = 0, definitions = 0;
  OTF2_Reader_GetChunkSize(reader, &events, &definitions);
  return definitions > 0 && definitions < AT_ONCE_BYTES ? (size_t)(AT_ONCE_BYTES / definitions) : 1;
}

/* From this position on; returns where it has stopped. */
static size_t write_some(struct merging *merge, const struct merge_source *source, OTF2_Reader *reader,
                         size_t from) {
  size_t left = source->location_count - from, count = count_at_once(reader);
  size_t end = from + (count < left ? count : left);
  for (size_t i = from; i < end; i++)
    OTF2_Reader_SelectLocation(reader, source->locations[i]);
  OTF2_Reader_OpenDefFiles(reader);
  for (size_t i = from; i < end && !merge->error; i++)
    write_one(merge, source, reader, i);
  OTF2_Reader_CloseDefFiles(reader);
  return end;
}

void local_write(struct merging *merge, const struct merge_source *source) {
  for (size_t at = 0; at < source->location_count && !merge->error;) {
    OTF2_Reader *reader = merge_open(merge, source);
    if (!reader)
      return;
    at = write_some(merge, source, reader, at);
    OTF2_Reader_Close(reader);
  }
}
