/* What belongs to one location: its event file, and its own definitions. */
#ifndef STAVE_MERGE_LOCAL_H
#define STAVE_MERGE_LOCAL_H

#include "merge/job.h"

/* Gives the event files of the source's locations their new names, and writes each location's mapping tables
 * (those it has had already, followed by what the source's numbers have become) and ClockOffsets. */
void local_write(struct merging *merge, const struct merge_source *source);

#endif
