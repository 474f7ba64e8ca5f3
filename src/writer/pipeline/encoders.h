/* Encodes the records of several threads side by side, where these concern nothing but their threads
 * (alone.h), from what waits in the merge. The archive is the same, whatever the number of encoders. */
#ifndef STAVE_WRITER_PIPELINE_ENCODERS_H
#define STAVE_WRITER_PIPELINE_ENCODERS_H

#include <stdbool.h>
#include <stdint.h>

struct correlator;
struct encoders;
struct merge;

/* From now on the merge lets them handle what they can. `wanted`: so many encoders, whatever there is to do;
 * 0: as many as there are processors, where enough waits that it is worth it. may_encode: asked before,
 * whether the processors are free; it may end the recording. All pointers stay the caller's; before the first
 * record. Free with encoders_destroy, before the merge and the correlator go. */
struct encoders *encoders_create(struct merge *merge, struct correlator *correlator, unsigned wanted,
                                 bool (*may_encode)(void *data), void *data);

/* NULL is fine. */
void encoders_destroy(struct encoders *encoders);

#endif
