/* For how long a process was stopped because a signal had stopped it (SIGSTOP, SIGTSTP). */
#ifndef STAVE_WRITER_KERNEL_STOPS_H
#define STAVE_WRITER_KERNEL_STOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stops {
  pid_t pid;
  bool was_stopped; /* when it was looked at last */
};

/* Of the `passed_us` since the last call, in which its busiest thread ran and was ready for `busy_us`: if it
 * is stopped now or was then, all that no thread was ready to run. What all threads slept in a reading with
 * an edge of the stop in it counts as stopped, too: the kernel has no times of stops. */
uint64_t stops_since(struct stops *stops, uint64_t passed_us, uint64_t busy_us);

#endif
