/* Names of locations: each process of an archive names its threads alike. */
#ifndef STAVE_TRACE_LOCATION_NAMES_H
#define STAVE_TRACE_LOCATION_NAMES_H

#include "trace/trace.h"

/* Names locations that have no name (Score-P's of metrics) after what they record. Where several processes
 * have locations of one name, puts the process in front of all locations' names, "MPI Rank 1: Master thread";
 * bare_name keeps the archive's. */
void location_names_distinguish(struct trace *trace);
void location_names_free(struct trace *trace);

#endif
