#include "merge/merge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "merge/clocks.h"
#include "merge/copy.h"
#include "merge/local.h"
#include "merge/properties.h"
#include "merge/survey.h"

enum { CHUNK_BYTES = 256 << 10, CHUNK_MAX_BYTES = 16 << 20, TABLE_ENTRY_BYTES = 6 };

/* -- errors -- */

/* OTF2 prints its errors on stderr by default. The first is the cause. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode error, const char *format, va_list arguments) {
  (void)file, (void)line, (void)function;
  struct merging *merge = data;
  if (*merge->reason)
    return error;
  int used = snprintf(merge->reason, sizeof merge->reason, "%s: ", OTF2_Error_GetDescription(error));
  if (used > 0 && (size_t)used < sizeof merge->reason)
    vsnprintf(merge->reason + used, sizeof merge->reason - (size_t)used, format ? format : "", arguments);
  return error;
}

/* -- the new archive -- */

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* A mapping table is one record, which has to fit into a chunk. */
static uint64_t chunk_bytes(const struct merging *merge) {
  uint64_t bytes = CHUNK_BYTES;
  while (bytes < CHUNK_MAX_BYTES && bytes < merge->ids_most * TABLE_ENTRY_BYTES + CHUNK_BYTES / 2)
    bytes *= 2;
  return bytes;
}

/* Readers get the size of event chunks from the anchor file: it is that of the sources. */
static bool open_archive(struct merging *merge) {
  static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
  *merge->reason = '\0';
  merge->archive =
      OTF2_Archive_Open(merge->request->out, "traces", OTF2_FILEMODE_WRITE, merge->sources->chunk_bytes,
                        chunk_bytes(merge), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!merge->archive) {
    merge_check(merge, OTF2_ERROR_FILE_INTERACTION);
    return false;
  }
  merge_check(merge, OTF2_Archive_SetFlushCallbacks(merge->archive, &flush, merge));
  merge_check(merge, OTF2_Archive_SetSerialCollectiveCallbacks(merge->archive));
  merge_check(merge, OTF2_Archive_OpenEvtFiles(merge->archive)); /* makes their directory */
  merge_check(merge, OTF2_Archive_CloseEvtFiles(merge->archive));
  merge_check(merge, OTF2_Archive_OpenDefFiles(merge->archive));
  merge->writer = OTF2_Archive_GetGlobalDefWriter(merge->archive);
  if (!merge->writer)
    merge_check(merge, OTF2_ERROR_MEM_ALLOC_FAILED);
  return !merge->error;
}

static void count_hosts(struct merging *merge) {
  for (size_t i = 0; i < merge->request->count; i++) {
    const char *host = merge->sources[i].host ? merge->sources[i].host : "";
    bool is_new;
    unified_number(&merge->unified, UNIFIED_HOST, host, strlen(host) + 1, &is_new);
    merge->hosts += is_new;
  }
}

static void copy_all(struct merging *merge, enum copy_part part) {
  for (size_t i = 0; i < merge->request->count && !merge->error; i++) {
    struct merge_copy copying = {.merge = merge, .source = &merge->sources[i], .part = part, .index = i};
    copying.reader = merge_open(merge, copying.source);
    if (!copying.reader)
      return;
    bool is_copied = copy_definitions(&copying) == 0;
    OTF2_Reader_Close(copying.reader);
    if (is_copied && part == COPY_REST)
      local_write(merge, copying.source);
    merge_step(merge);
  }
}

static void write_archive(struct merging *merge) {
  merge_check(merge, OTF2_GlobalDefWriter_WriteClockProperties(merge->writer, merge->frequency, merge->first,
                                                               merge->length, merge->realtime_ns));
  copy_string(merge, ""); /* readers need a first one */
  copy_all(merge, COPY_PLACES);
  copy_base_groups(merge);
  copy_all(merge, COPY_REST);
  properties_write(merge);
  *merge->reason = '\0';
}

static void close_archive(struct merging *merge) {
  if (!merge->archive)
    return;
  merge_check(merge, OTF2_Archive_CloseDefFiles(merge->archive));
  if (merge->writer)
    merge_check(merge, OTF2_Archive_CloseGlobalDefWriter(merge->archive, merge->writer));
  merge_check(merge, OTF2_Archive_Close(merge->archive));
}

/* Each archive is looked at three times, and each of its locations has a step of its own. */
static void pass_steps(const struct merging *merge) {
  if (merge->request->steps)
    atomic_store_explicit(merge->request->steps, 3 * merge->request->count + merge->result->locations,
                          memory_order_relaxed);
}

static void run(struct merging *merge) {
  pass_steps(merge);
  if (survey(merge) < 0)
    return;
  survey_number(merge);
  pass_steps(merge);
  survey_missing(merge);
  clocks_compare(merge);
  count_hosts(merge);
  if (open_archive(merge))
    write_archive(merge);
  close_archive(merge);
}

int merge_run(const struct merge_request *request, struct merge_result *ret) {
  struct merging merge = {.request = request, .result = ret};
  *ret = (struct merge_result){0};
  OTF2_Error_RegisterCallback(keep_error, &merge);
  run(&merge);
  OTF2_Error_RegisterCallback(NULL, NULL);
  properties_free(&merge);
  survey_free(&merge);
  unified_free(&merge.unified);
  free(merge.lines);
  return -merge.error;
}
