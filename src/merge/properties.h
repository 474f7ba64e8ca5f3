/* Properties of the archives. What all sources report alike the merged archive reports of itself; what they
 * count it has the sum of; the rest are properties of the process, its location group. */
#ifndef STAVE_MERGE_PROPERTIES_H
#define STAVE_MERGE_PROPERTIES_H

#include "merge/job.h"

/* Notes what this source reports. */
void properties_survey(struct merging *merge, OTF2_Reader *reader);

/* Writes what the source reports and not all do alike, as properties of its process. */
void properties_write_process(struct merging *merge, const struct merge_source *source, OTF2_Reader *reader,
                              uint32_t location_group);

/* Writes those of the merged archive. */
void properties_write(struct merging *merge);

void properties_free(struct merging *merge);

#endif
