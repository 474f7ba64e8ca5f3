#include "base/elsewhere.h"

void elsewhere_usable(cpu_set_t *ret) {
  if (sched_getaffinity(0, sizeof *ret, ret) < 0)
    CPU_ZERO(ret);
}

bool elsewhere_of(const cpu_set_t *usable, unsigned number, cpu_set_t *ret) {
  int own = sched_getcpu(), count = CPU_COUNT(usable);
  CPU_ZERO(ret);
  for (int i = 1; own >= 0 && count > 1 && i < CPU_SETSIZE; i++) {
    int processor = (own + i) % CPU_SETSIZE;
    if (CPU_ISSET(processor, usable) && --number == 0) {
      CPU_SET(processor, ret);
      return true;
    }
  }
  return false;
}

void elsewhere_leave(pthread_t thread, const cpu_set_t *usable) {
  if (CPU_COUNT(usable) > 0)
    pthread_setaffinity_np(thread, sizeof *usable, usable);
}
