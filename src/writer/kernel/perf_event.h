/* When a thread of another process gets a processor and loses it, and its page faults, queried of the kernel
 * by perf_event_open(2): a thread of one's own user may be observed under perf_event_paranoid 2. */
#ifndef STAVE_WRITER_KERNEL_PERF_EVENT_H
#define STAVE_WRITER_KERNEL_PERF_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event {
  int fd;
  void *ring; /* a page of the kernel's words, then the records */
  size_t bytes, page_bytes;
  bool counts_lost; /* the kernel does (Linux 6.0) what its records report, which may come too late */
  uint64_t lost, lost_by_records; /* so many were reported; and so many by records alone */
};

enum perf_kind {
  PERF_RUNS,      /* it has got a processor */
  PERF_PREEMPTED, /* it has lost it, and needs to go on */
  PERF_BLOCKED,   /* it waits for something in the kernel */
  PERF_LOST,      /* records had no room, between the one before and this time */
};

struct perf_switch {
  enum perf_kind kind;
  uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
  uint32_t processor;
  uint64_t lost;
};

/* Begins to watch the thread, with room for `pages` pages of records, a power of two, or as many as the
 * system allows. 0, or what refused it: -errno. */
int perf_event_start(struct perf_event *event, pid_t tid, size_t pages);

/* Gives everything back. */
void perf_event_stop(struct perf_event *event);

/* Removes the next record; false: there is none. */
bool perf_event_next(struct perf_event *event, struct perf_switch *ret);

/* How full the ring is, from 0 to 1. */
double perf_event_fullness(const struct perf_event *event);

/* How many records had no room, of which no PERF_LOST has reported so far; of those it will show no more. 0
 * of kernels that do not count them. */
uint64_t perf_event_lost(struct perf_event *event);

/* Page faults of the thread so far, in its own code; false: the system does not have it. */
bool perf_event_faults(const struct perf_event *event, uint64_t *ret);

/* What would allow it, for the user to read: a constant text. */
const char *perf_event_advice(int error);

#endif
