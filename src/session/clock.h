/* The clock of a session: the time stamp counter where it is one clock for the entire machine, else
 * CLOCK_MONOTONIC. */
#ifndef STAVE_SESSION_CLOCK_H
#define STAVE_SESSION_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "session/layout.h"

enum { CLOCK_DOMAIN_BYTES = 128 };

/* CLOCK_MONOTONIC or CLOCK_REALTIME in nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Aarch64 may read the counter before what is before it, a lock's acquisition for one: the barrier (isb)
 * keeps times in the order in which things happened, as the merge needs it. */
static inline uint64_t clock_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
#else
  return clock_ns(CLOCK_MONOTONIC);
#endif
}

/* The way of machines without a counter that can be trusted; out of line to keep callbacks short. */
uint64_t clock_monotonic_ticks(void) __attribute__((cold, noinline));

/* Now, in ticks of the session's clock. */
static inline uint64_t clock_ticks(enum clock_kind kind) {
  return __builtin_expect(kind == CLOCK_KIND_TSC, true) ? clock_counter() : clock_monotonic_ticks();
}

/* Which clock this machine allows: the counter only if it is invariant and the kernel itself trusts it. */
enum clock_kind clock_choose(void);

/* One instant on all clocks: ticks lie between two readings of the others, the closest of a few tries. */
struct clock_point clock_sample(enum clock_kind kind);

/* Which clock of that kind this process reads, as a text that is the same for all processes whose ticks are
 * of one clock: "tsc BOOT" or "monotonic BOOT TIME-NAMESPACE". `ret` has CLOCK_DOMAIN_BYTES; empty where the
 * system does not have it. */
void clock_domain(enum clock_kind kind, char *ret);

/* Ticks a second between two points of a run; for CLOCK_KIND_MONOTONIC exactly 10^9. A run too short to
 * measure (under 1 ms) is measured anew, for 2 ms. Never 0. */
uint64_t clock_frequency(enum clock_kind kind, const struct clock_point *start,
                         const struct clock_point *end);

#endif
