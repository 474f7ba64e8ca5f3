/* Whether several workers are faster than one. They wait for each other at the end of each round: where other
 * programs have processors, too, for one that has none just then. */
#ifndef STAVE_WRITER_PIPELINE_ROUND_GAIN_H
#define STAVE_WRITER_PIPELINE_ROUND_GAIN_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. */
struct round_gain {
  uint64_t elapsed_ns; /* rounds of several, since that was last judged */
  uint64_t ran_ns;     /* all workers together, for what they did in these */
  uint64_t pause_ns, pause_until_ns;
};

/* Whether the next round is one of several. Times are CLOCK_MONOTONIC's. */
bool round_gain_is_for_several(const struct round_gain *gain, uint64_t now_ns);

/* A round of several has ended. `ran_ns` is what one worker would need for it that has a processor. Returns
 * whether one goes on alone. */
bool round_gain_note(struct round_gain *gain, uint64_t now_ns, uint64_t elapsed_ns, uint64_t ran_ns);

#endif
