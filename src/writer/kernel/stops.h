/* For how long a process was stopped: by a signal (SIGSTOP, SIGTSTP), or together with this one by whoever
 * suspends a job (a signal to all of its processes, a frozen control group). */
#ifndef STAVE_WRITER_KERNEL_STOPS_H
#define STAVE_WRITER_KERNEL_STOPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stops {
  pid_t pid;
  bool was_stopped; /* when it was looked at last */
  uint64_t late_us; /* since then: by how much naps of this process were too long */
};

/* This process has slept for `late_us` longer than it was to: it had no processor, or was stopped itself. */
void stops_overslept(struct stops *stops, uint64_t late_us);

/* Of the `passed_us` since the last call, in which its busiest thread ran and was ready for `busy_us`: if it
 * is stopped now or was then, all that no thread was ready to run. What all threads slept in a reading with
 * an edge of the stop in it counts as stopped, too: the kernel has no times of stops.
 * Else, if this process itself was stopped, that time, as far as no thread was ready to run: its naps were
 * too long, for more than the `ready_us` that it waited for a processor. */
uint64_t stops_since(struct stops *stops, uint64_t passed_us, uint64_t busy_us, uint64_t ready_us);

#endif
