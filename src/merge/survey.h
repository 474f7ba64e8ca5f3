/* The first look at each archive: what has to be known of all of them before anything is written. */
#ifndef STAVE_MERGE_SURVEY_H
#define STAVE_MERGE_SURVEY_H

#include "merge/job.h"

/* Fills in all of merge->sources but their new numbers and clocks, and puts them in order: ranks by number,
 * other processes by when they began. Returns 0, or a negative errno after merge_fail. */
int survey(struct merging *merge);

/* Gives the source's locations numbers after those of the sources before, and its base groups their bases. */
void survey_number(struct merging *merge);

/* Which ranks of the jobs have no archive, into the result. */
void survey_missing(struct merging *merge);

void survey_free(struct merging *merge);

#endif
