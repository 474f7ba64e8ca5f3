/* For how long the writer, or another thread, is waited for: STAVE_TIMEOUT without progress.
 *
 * A job may be suspended meanwhile (SIGSTOP, a frozen control group), and its threads go on before its writer
 * does. So what lies between two looks counts as an eighth of that time at most. */
#ifndef STAVE_TOOL_WAIT_LIMIT_H
#define STAVE_TOOL_WAIT_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct wait_limit {
  uint64_t looked_ns, waited_ns, most_ns;
};

static inline struct wait_limit wait_limit_begin(uint64_t now_ns, unsigned seconds) {
  return (struct wait_limit){.looked_ns = now_ns, .most_ns = seconds * UINT64_C(1000000000)};
}

/* What is waited for has made progress. */
static inline void wait_limit_renew(struct wait_limit *limit, uint64_t now_ns) {
  limit->looked_ns = now_ns;
  limit->waited_ns = 0;
}

/* To be called often while nothing changes. */
static inline bool wait_limit_is_over(struct wait_limit *limit, uint64_t now_ns) {
  uint64_t since_ns = now_ns - limit->looked_ns, counts_ns = limit->most_ns / 8;
  limit->waited_ns += since_ns < counts_ns ? since_ns : counts_ns;
  limit->looked_ns = now_ns;
  return limit->waited_ns > limit->most_ns;
}

#endif
