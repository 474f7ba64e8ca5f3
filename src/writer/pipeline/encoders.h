/* Encodes the records of several threads side by side, where these concern nothing but their threads
 * (alone.h), from what waits in the merge. The archive is the same, whatever the number of encoders. */
#ifndef STAVE_WRITER_PIPELINE_ENCODERS_H
#define STAVE_WRITER_PIPELINE_ENCODERS_H

#include <stdbool.h>
#include <stdint.h>

enum { ENCODERS_ALL = 1 << 16 };

struct correlator;
struct encoders;
struct merge;

/* All pointers stay the caller's. */
struct encoders_caller {
  /* called before: how many may, by the processors that are free; it may end the recording */
  unsigned (*may_encode)(void *data);
  /* NULL, or called as rounds of all encoders begin, which use all processors, and once there are no more */
  void (*on_rounds)(void *data, bool begin);
  /* NULL, or called by encoders that wait for others: does a part of what else there is to be done, by
   * several threads, and returns whether there was some */
  bool (*on_wait)(void *data);
  void *data;
};

/* From now on the merge lets them handle what they can. `requested`: so many encoders, whatever there is to
 * do; 0: as many as there are processors, where enough waits that it is worth it. Merge and correlator stay
 * the caller's; before the first record. Free with encoders_destroy, before the merge and the correlator go.
 */
struct encoders *encoders_create(struct merge *merge, struct correlator *correlator, unsigned requested,
                                 struct encoders_caller caller);

/* How many threads beside the caller's encode, or look for something to encode. NULL has none. */
unsigned encoders_awake(const struct encoders *encoders);

/* Others need the processors: nobody looks for something to encode. NULL is fine. */
void encoders_rest(struct encoders *encoders);

/* NULL is fine. */
void encoders_destroy(struct encoders *encoders);

#endif
