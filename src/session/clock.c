#include "session/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>

static bool counter_is_invariant(void) {
  unsigned a, b, c, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* The kernel measures the counter against other clocks and drops it when it drifts. */
static bool kernel_trusts_counter(void) {
  char name[16] = "";
  int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n >= 3 && strncmp(name, "tsc", 3) == 0;
}

enum clock_kind clock_choose(void) {
  return counter_is_invariant() && kernel_trusts_counter() ? CLOCK_KIND_TSC : CLOCK_KIND_MONOTONIC;
}

#elif defined(__aarch64__)
enum clock_kind clock_choose(void) {
  return CLOCK_KIND_TSC; /* the architecture promises one counter for the whole system */
}
#else
enum clock_kind clock_choose(void) {
  return CLOCK_KIND_MONOTONIC;
}
#endif

uint64_t clock_monotonic_ticks(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

struct clock_point clock_sample(enum clock_kind kind) {
  struct clock_point best = {0};
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 5; i++) {
    uint64_t before = clock_ns(CLOCK_MONOTONIC);
    uint64_t ticks = clock_ticks(kind);
    uint64_t after = clock_ns(CLOCK_MONOTONIC);
    if (after - before < best_width) {
      best_width = after - before;
      best = (struct clock_point){ticks, before + (after - before) / 2, clock_ns(CLOCK_REALTIME)};
    }
  }
  return best;
}

/* Measures for a moment when the run itself gave too little to measure. */
static uint64_t frequency_now(enum clock_kind kind) {
  struct clock_point start = clock_sample(kind);
  usleep(2000);
  struct clock_point end = clock_sample(kind);
  return (uint64_t)((double)(end.ticks - start.ticks) * 1e9 / (double)(end.monotonic_ns - start.monotonic_ns));
}

uint64_t clock_frequency(enum clock_kind kind, const struct clock_point *start, const struct clock_point *end) {
  enum { SHORTEST_NS = 1000000 };
  if (kind == CLOCK_KIND_MONOTONIC)
    return UINT64_C(1000000000);
  uint64_t frequency;
  if (end->monotonic_ns < start->monotonic_ns + SHORTEST_NS || end->ticks <= start->ticks)
    frequency = frequency_now(kind);
  else
    frequency =
        (uint64_t)((double)(end->ticks - start->ticks) * 1e9 / (double)(end->monotonic_ns - start->monotonic_ns));
  return frequency ? frequency : 1;
}
