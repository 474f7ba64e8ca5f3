/* Reading the definitions of metrics into the arrays of a trace. */
#ifndef STAVE_TRACE_METRICS_H
#define STAVE_TRACE_METRICS_H

#include <otf2/otf2.h>

#include "trace/trace.h"

/* Sets the callbacks, whose data is the trace. */
void metrics_register(OTF2_GlobalDefReaderCallbacks *callbacks);

/* Frees the arrays and what they own. */
void metrics_free(struct trace *trace);

#endif
