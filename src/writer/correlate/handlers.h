/* What each record becomes: on_NAME for every row of records.def, in the file of its subject.
 *
 * thread: the thread whose record it is. Its id is record_id of the correlator, what follows it words. */
#ifndef STAVE_WRITER_CORRELATE_HANDLERS_H
#define STAVE_WRITER_CORRELATE_HANDLERS_H

#include "session/records.h"

struct correlator;
struct traced_thread;

#define RECORD(id, ...)                                                                                      \
  void on_##id(struct correlator *c, struct traced_thread *thread, const struct record_##id *record);
#include "session/records.def"
#undef RECORD

#endif
