#include "writer/pace.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "session/clock.h"

enum { SHARE = 8 };

bool pace_is_too_fast(struct pace *pace) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (SHARE * (cpu - pace->cpu_begin_ns) > now - pace->begin_ns)
    return true;
  *pace = (struct pace){now, cpu};
  return false;
}

/* "0.20 0.18 0.12 2/80 11206": 2 run or wait for a processor, the caller among them. */
static unsigned running_threads(void) {
  char text[128];
  unsigned running = 0;
  int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  if (bytes <= 0)
    return 0;
  text[bytes] = '\0';
  return sscanf(text, "%*f %*f %*f %u/", &running) == 1 ? running : 0;
}

bool pace_is_contended(unsigned processors) {
  return processors == (unsigned)sysconf(_SC_NPROCESSORS_ONLN) && running_threads() > processors;
}
