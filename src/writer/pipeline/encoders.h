/* Encodes the records of several threads side by side, where these concern nothing but their threads
 * (alone.h), from what waits in the merge. The archive is the same, whatever the number of encoders. */
#ifndef STAVE_WRITER_PIPELINE_ENCODERS_H
#define STAVE_WRITER_PIPELINE_ENCODERS_H

#include <stdbool.h>
#include <stdint.h>

struct correlator;
struct encoders;
struct merge;

/* All pointers stay the caller's. */
struct encoders_caller {
  bool (*may_encode)(
      void *data); /* called before: whether the processors are free; it may end the recording */
  /* NULL, or called around a round of all encoders: these use all processors in it, and none in between */
  void (*on_round)(void *data, bool begins);
  void *data;
};

/* From now on the merge lets them handle what they can. `requested`: so many encoders, whatever there is to
 * do; 0: as many as there are processors, where enough waits that it is worth it. Merge and correlator stay
 * the caller's; before the first record. Free with encoders_destroy, before the merge and the correlator go.
 */
struct encoders *encoders_create(struct merge *merge, struct correlator *correlator, unsigned requested,
                                 struct encoders_caller caller);

/* NULL is fine. */
void encoders_destroy(struct encoders *encoders);

#endif
