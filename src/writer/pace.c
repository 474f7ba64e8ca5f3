#include "writer/pace.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "session/clock.h"

enum { SHARE = 32 };

void pace_open(struct pace *pace, unsigned processors, enum clock_kind clock,
               const struct clock_point *start) {
  bool has_all = processors == (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  *pace = (struct pace){.processors = processors,
                        .clock = clock,
                        .start = *start,
                        .loads = has_all ? open("/proc/loadavg", O_RDONLY | O_CLOEXEC) : -1};
}

void pace_close(struct pace *pace) {
  if (pace->loads >= 0)
    close(pace->loads);
  pace->loads = -1;
}

bool pace_is_too_fast(struct pace *pace) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (SHARE * (cpu - pace->cpu_begin_ns) > now - pace->begin_ns)
    return true;
  pace->begin_ns = now;
  pace->cpu_begin_ns = cpu;
  return false;
}

/* "0.20 0.18 0.12 2/80 11206": 2 run or wait for a processor, the caller among them. */
bool pace_is_contended(const struct pace *pace) {
  char text[128];
  unsigned running = 0;
  ssize_t bytes = pace->loads < 0 ? -1 : pread(pace->loads, text, sizeof text - 1, 0);
  if (bytes <= 0)
    return false;
  text[bytes] = '\0';
  return sscanf(text, "%*f %*f %*f %u/", &running) == 1 && running > pace->processors;
}

uint64_t pace_waited_ns(const struct pace *pace, uint64_t ticks) {
  uint64_t now = clock_ticks(pace->clock), ns = clock_ns(CLOCK_MONOTONIC);
  if (ticks >= now || now <= pace->start.ticks || ns <= pace->start.monotonic_ns)
    return 0;
  double a_tick = (double)(ns - pace->start.monotonic_ns) / (double)(now - pace->start.ticks);
  return (uint64_t)((double)(now - ticks) * a_tick);
}

bool pace_yields_cpu(struct pace *pace, uint64_t waited_ns) {
  pace->is_late = waited_ns >= (pace->is_late ? PACE_WAITED_MAX_NS / 2 : PACE_WAITED_MAX_NS);
  return !pace->is_late && pace_is_contended(pace);
}

bool pace_yields_until_calm(struct pace *pace) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  if (pace_is_contended(pace))
    pace->contended_ns = now;
  return now < pace->contended_ns + PACE_CALM_NS;
}

uint64_t pace_nap(uint64_t nap_ns, double max_fill) {
  enum { SHORTEST_NS = 1000000, LONGEST_NS = 4000000, MORE_NS = 500000 };
  if (max_fill >= 0.5)
    return nap_ns / 2 > SHORTEST_NS ? nap_ns / 2 : SHORTEST_NS;
  if (max_fill >= 0.25 || nap_ns >= LONGEST_NS)
    return nap_ns;
  return nap_ns + MORE_NS > SHORTEST_NS ? nap_ns + MORE_NS : SHORTEST_NS;
}
