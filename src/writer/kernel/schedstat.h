/* /proc/PID/task/TID/schedstat: what the kernel counts of a thread. */
#ifndef STAVE_WRITER_KERNEL_SCHEDSTAT_H
#define STAVE_WRITER_KERNEL_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The file's descriptor, to be closed by the caller; -1: the thread is gone, or the kernel has no such file.
 */
int schedstat_open(pid_t pid, pid_t tid);

/* For how many ns the thread has run, up to the last tick of the kernel, and for how many it has been ready
 * without a processor, but for a wait that lasts. False: it is gone. */
bool schedstat_read(int fd, uint64_t *ret_ran, uint64_t *ret_ready);

#endif
