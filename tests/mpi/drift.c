/* A clock that goes wrong, to be preloaded: CLOCK_MONOTONIC is fast by DRIFT_PPM millionths. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  const char *ppm = getenv("DRIFT_PPM");
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_MONOTONIC && ppm) {
    long long ns = now->tv_sec * 1000000000LL + now->tv_nsec;
    ns += ns / 1000000 * atoi(ppm);
    now->tv_sec = ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
  }
  return result;
}
