#include "merge/job.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int merge_fail(struct merging *merge, int error, const char *format, ...) {
  va_list arguments;
  if (merge->error)
    return -merge->error;
  merge->error = error ? error : EIO;
  va_start(arguments, format);
  vsnprintf(merge->result->failure, sizeof merge->result->failure, format, arguments);
  va_end(arguments);
  return -merge->error;
}

void merge_check(struct merging *merge, OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS)
    merge_fail(merge, EIO, "%s: it cannot be written: %s", merge->request->out,
               *merge->reason ? merge->reason : OTF2_Error_GetDescription(code));
}

OTF2_Reader *merge_open(struct merging *merge, const struct merge_source *source) {
  *merge->reason = '\0';
  OTF2_Reader *reader = OTF2_Reader_Open(source->anchor);
  if (reader)
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  else
    merge_fail(merge, EIO, "%s: it cannot be opened: %s", source->anchor, merge->reason);
  return reader;
}
