/* An archive that a test writes by OTF2 into a folder of its own, and reads as a trace. */
#ifndef STAVE_TESTS_UNIT_OWN_ARCHIVE_H
#define STAVE_TESTS_UNIT_OWN_ARCHIVE_H

#include <otf2/otf2.h>

#include "own_folder.h"

#include "trace/trace_reader.h"

static struct trace *trace;

static inline OTF2_FlushType own_archive_before_flush(void *data, OTF2_FileType type,
                                                      OTF2_LocationRef location, void *caller,
                                                      bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* Its event files are open. */
static inline OTF2_Archive *own_archive_open(const char *folder) {
  static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = own_archive_before_flush};
  OTF2_Archive *archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  assert_non_null(archive);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  return archive;
}

/* Has `write` write it, and opens it as `trace`. */
static inline int own_archive_make(void **state, void (*write)(const char *folder)) {
  char *folder = own_folder_make(state), anchor[64], error[TRACE_ERROR_BYTES];
  if (!folder)
    return -1;
  write(folder);
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
  return trace_open(anchor, NULL, &trace, error);
}

static inline int own_archive_remove(void **state) {
  trace_close(trace);
  return own_folder_remove(state);
}

#endif
