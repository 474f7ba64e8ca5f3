/* How much of a processor the writer takes, and whether others want it. */
#ifndef STAVE_WRITER_PACE_H
#define STAVE_WRITER_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Since when is looked at, on the clock and in processor time of the calling thread. All zero is fine. */
struct pace {
  uint64_t begin_ns, cpu_begin_ns;
};

/* Whether the calling thread has run for more than an eighth of the time. When it has not, the time to look
 * at begins anew: what was not used is not saved up. */
bool pace_is_too_fast(struct pace *pace);

/* Whether more threads than there are processors want to run now, on the whole machine. False where the
 * system does not tell, or this process may use only some of them: `processors`. */
bool pace_is_contended(unsigned processors);

#endif
