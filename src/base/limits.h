/* Limits that a program may be run under: what Stave uses must not be what the program lacks, and Stave's own
 * programs have to work. */
#ifndef STAVE_BASE_LIMITS_H
#define STAVE_BASE_LIMITS_H

#include <stdbool.h>

/* Whether the limits on processes and threads (RLIMIT_NPROC, pids.max of the cgroup) leave enough for the
 * program after those that Stave starts. Starts a thread to find out. */
bool limits_leave_threads(void);

/* How many processors the process may use at the same time, by its affinity and by its control groups'
 * quotas: at least 1. */
unsigned limits_processors(void);

/* What run returns, which has a stack of 2 MiB at least: `ulimit -s` may leave 16 KiB. */
int limits_on_large_stack(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
