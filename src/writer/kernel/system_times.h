/* What the kernel did for a process or a thread, over time: page faults without a disk, and processor time in
 * the kernel, which one reading has (/proc/PID/task/TID/stat). It is read once a second, more often while it
 * is young, and at the begin and the end of the run. */
#ifndef STAVE_WRITER_KERNEL_SYSTEM_TIMES_H
#define STAVE_WRITER_KERNEL_SYSTEM_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Since the one before. */
struct system_reading {
  size_t at;                  /* the process's reading of run_times.c at which it was read */
  uint64_t faults, system_us; /* of many processors these are more than 32 bits have */
};

/* All zeros before the first reading. */
struct system_times {
  uint64_t first_ns, looked_ns; /* the first reading, and the last one */
  uint64_t faults, system_us;   /* as they were read last */
  struct system_reading *readings;
  size_t count, capacity;
};

/* How many threads the process has now; 0: it is gone. */
unsigned system_times_threads(pid_t pid);

/* Whether it has not been read for a second, or for as long as it had been there by then. */
bool system_times_are_due(const struct system_times *times, uint64_t now_ns);

/* The first reading of a thread. Whether the thread was there by then, which is ns since the machine's begin
 * (CLOCK_BOOTTIME): what it had done counts as before the run (at 0). */
bool system_times_begin(struct system_times *times, pid_t pid, pid_t tid, uint64_t boot_ns, size_t at);

/* tid: 0 for the entire process. What is gone is not read. */
void system_times_look(struct system_times *times, pid_t pid, pid_t tid, size_t at);

/* Two readings of the process have become one: so do two of these. */
void system_times_halve(struct system_times *times);

/* As the archive has them, for free(). NULL: there are none. */
char *system_times_text(const struct system_times *times);

void system_times_free(struct system_times *times);

#endif
