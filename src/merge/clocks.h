/* One time for all processes. Processes whose clock is the same one (the property STAVE::CLOCK::DOMAIN: the
 * counter of one boot of one machine, or its CLOCK_MONOTONIC in one time namespace) need no correction. They
 * differ only in how well each has measured the clock's frequency, so one frequency holds for all. Other
 * clocks are lines over the first one's: through the points that MPI ranks have measured, else by the time of
 * day. */
#ifndef STAVE_MERGE_CLOCKS_H
#define STAVE_MERGE_CLOCKS_H

#include "merge/job.h"

/* How a clock goes: what it shows at `from` is `to` on the common one, and `slope` ticks of that pass for
 * each of its own. */
struct clock_line {
  const char *domain;
  const struct merge_source *longest; /* of its processes: that one has measured the frequency best */
  uint64_t frequency, from, to;
  double slope, deviation; /* deviation: ticks of the common clock */
  uint64_t first, last;    /* of all its processes */
  bool is_common;          /* no correction */
};

/* Fills in merge->lines, its ClockProperties and each source's clock. */
void clocks_compare(struct merging *merge);

/* How a location's clock was corrected already: `offset` at `time`. */
struct clock_offset {
  uint64_t time;
  int64_t offset;
  double deviation;
};

/* Writes the ClockOffsets of a location of this source. With less than two of its own: none, or two. Else its
 * own, corrected again. */
void clocks_write(struct merging *merge, OTF2_DefWriter *writer, const struct merge_source *source,
                  const struct clock_offset *own, size_t own_count);

/* The source's tick on the merged archive's clock. */
uint64_t clocks_correct(const struct merging *merge, const struct merge_source *source, uint64_t ticks);

#endif
