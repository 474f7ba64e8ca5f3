/* What the control groups of a process let it use of processors (cgroups(7), versions 1 and 2). */
#ifndef STAVE_BASE_QUOTA_H
#define STAVE_BASE_QUOTA_H

#include <stdint.h>
#include <sys/types.h>

struct quota {
  double processors; /* at most, of all control groups above; 0: there is no limit */
  int fd;            /* cpu.stat of that group; -1: none */
};

void quota_open(struct quota *quota, pid_t pid);

/* The same by what /proc/PID/cgroup and /proc/PID/mountinfo state, or files like these. */
void quota_find(struct quota *quota, const char *cgroup, const char *mountinfo);
void quota_close(struct quota *quota);

/* For how long the group was kept from running, summed over its processors, since it was made. */
uint64_t quota_throttled_ns(const struct quota *quota);

#endif
