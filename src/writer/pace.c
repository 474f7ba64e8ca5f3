#include "writer/pace.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "session/clock.h"

enum { SHARE = 32 };

void pace_open(struct pace *pace, unsigned processors) {
  bool has_all = processors == (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  *pace = (struct pace){.processors = processors,
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

uint64_t pace_nap(uint64_t nap_ns, double fullest) {
  enum { SHORTEST_NS = 1000000, LONGEST_NS = 4000000, MORE_NS = 500000 };
  if (fullest >= 0.25)
    return nap_ns / 2 > SHORTEST_NS ? nap_ns / 2 : SHORTEST_NS;
  if (fullest >= 0.125 || nap_ns >= LONGEST_NS)
    return nap_ns;
  return nap_ns + MORE_NS > SHORTEST_NS ? nap_ns + MORE_NS : SHORTEST_NS;
}
