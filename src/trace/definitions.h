/* Reading the definitions of an archive into the arrays of a trace. */
#ifndef STAVE_TRACE_DEFINITIONS_H
#define STAVE_TRACE_DEFINITIONS_H

#include <otf2/otf2.h>

#include "trace/trace.h"

/* Reads the global definitions. Returns false if OTF2 reported an error. */
bool definitions_read(struct trace *trace, OTF2_Reader *reader);

/* Reads the archive's own properties, creator and description. */
void definitions_read_archive(struct trace *trace, OTF2_Reader *reader);

/* Frees the arrays and what they own. */
void definitions_free(struct trace *trace);

#endif
