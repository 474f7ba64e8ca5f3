#include "writer/pipeline/round_gain.h"

/* The kernel lets a program run for some 4 ms before another one's turn. */
enum { JUDGED_NS = 8000000, PAUSE_MIN_NS = 32000000, PAUSE_MAX_NS = 256000000 };

bool round_gain_is_for_several(const struct round_gain *gain, uint64_t now_ns) {
  return now_ns >= gain->pause_until_ns;
}

static uint64_t next_pause(uint64_t pause_ns) {
  if (pause_ns == 0)
    return PAUSE_MIN_NS;
  return pause_ns < PAUSE_MAX_NS / 2 ? 2 * pause_ns : PAUSE_MAX_NS;
}

bool round_gain_note(struct round_gain *gain, uint64_t now_ns, uint64_t elapsed_ns, uint64_t ran_ns) {
  gain->elapsed_ns += elapsed_ns;
  gain->ran_ns += ran_ns;
  if (gain->elapsed_ns < JUDGED_NS)
    return false;
  bool is_slower = gain->elapsed_ns > gain->ran_ns;
  gain->pause_ns = is_slower ? next_pause(gain->pause_ns) : 0;
  gain->pause_until_ns = now_ns + gain->pause_ns;
  gain->elapsed_ns = gain->ran_ns = 0;
  return is_slower;
}
