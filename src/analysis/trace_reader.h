/* What the files that read events share. */
#ifndef STAVE_ANALYSIS_TRACE_READER_H
#define STAVE_ANALYSIS_TRACE_READER_H

#include <limits.h>

#include <otf2/otf2.h>

#include "analysis/trace.h"

enum { TRACE_BATCH_EVENTS = 1 << 14 };

struct trace_reader {
  OTF2_Reader *otf2;
  OTF2_EvtReaderCallbacks *callbacks;
  char anchor[PATH_MAX];
  char message[TRACE_ERROR_BYTES]; /* the first thing that OTF2 had to say since it was emptied */
  bool files_are_open;
};

/* The reason, unless there is one already, why what is done with the archive now will fail. */
void trace_lacks_memory(struct trace *trace);

/* What a callback of a definition returns that has kept it in `item`; NULL: there was no memory. */
OTF2_CallbackCode trace_defined(struct trace *trace, const void *item);

/* Writes `what` and what OTF2 had to say into `error`. Returns -EIO. */
int trace_fail(const struct trace *trace, char error[TRACE_ERROR_BYTES], const char *what);

#endif
