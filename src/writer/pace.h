/* How much of a processor the writer takes, and whether others want it. */
#ifndef STAVE_WRITER_PACE_H
#define STAVE_WRITER_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
  unsigned processors;
  int loads;                       /* /proc/loadavg; -1: not to be asked */
  uint64_t begin_ns, cpu_begin_ns; /* since when is looked at, on the clock and in processor time */
};

/* `processors`: so many this process may use. */
void pace_open(struct pace *pace, unsigned processors);
void pace_close(struct pace *pace);

/* Whether the calling thread has run for more than a 32nd of the time. When it has not, the time to look at
 * begins anew: what was not used is not saved up. */
bool pace_is_too_fast(struct pace *pace);

/* Whether more threads than there are processors want to run now, on the whole machine. False where the
 * system does not tell, or this process may use only some of them. Asked each millisecond: 2 us. */
bool pace_is_contended(const struct pace *pace);

/* How long the next nap is, after one of `nap_ns` (0: the first), behind which so much of the fullest ring
 * was in use (0 to 1): each takes a processor from a thread of the program. */
uint64_t pace_nap(uint64_t nap_ns, double fullest);

#endif
