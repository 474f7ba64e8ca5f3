/* What other programs read, made of an archive. Each goes through the events once, in the order of time, and
 * keeps what is open or alive at the moment: memory does not grow with the number of events. */
#ifndef STAVE_EXPORT_EXPORT_H
#define STAVE_EXPORT_EXPORT_H

#include "export/sink.h"
#include "trace/trace.h"

/* Writes the trace into the sink, which the caller finishes. Returns 0, also if
 * the sink has failed and the rest was not read; or -EIO with one line in `error`: what came until
 * then has been written. */
typedef int (*export_write)(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]);

/* Every event as a row; the columns are in docs/man/stave-export.1. */
int export_csv(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]);

/* Trace Event Format (JSON), which Perfetto opens. */
int export_chrome(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]);

/* Which tasks create, precede and wait for which, by their lines in the source, in Graphviz's language. */
int export_dot(struct trace *trace, struct sink *sink, char error[TRACE_ERROR_BYTES]);

#endif
