/* Preloaded: naps of other threads than the first are long, and the process ends later than the tool. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int nanosleep(const struct timespec *requested, struct timespec *rest) {
  const struct timespec nap = {0, 400000000};
  return (int)syscall(SYS_nanosleep, syscall(SYS_gettid) == getpid() ? requested : &nap, NULL);
}
__attribute__((destructor)) static void end(void) {
  const struct timespec second = {1, 0};
  syscall(SYS_nanosleep, &second, NULL);
}
