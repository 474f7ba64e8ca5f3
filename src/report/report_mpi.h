/* What processes wait for in MPI. A part of struct report. */
#ifndef STAVE_REPORT_REPORT_MPI_H
#define STAVE_REPORT_REPORT_MPI_H

#include <stdint.h>

#include "report/report_cause.h"
#include "report/stats/scatter.h"

/* Calls of MPI_Init and MPI_Init_thread; the longest of them. */
struct report_mpi_start {
  uint64_t ticks, longest;
  uint32_t region, location;
  uint64_t site;
};

/* Who was waited for in MPI, and where that one was when it came. */
struct report_late {
  uint32_t process, location, region; /* region: REPLAY_NONE: none */
  uint64_t site;
  double ticks;
};

enum { REPORT_LATE = 8 };

/* Where processes wait for each other: calls of one function of MPI at one place, for one cause. */
struct report_mpi_wait {
  enum report_cause cause;
  uint32_t region, location; /* location: that has waited longest in one wait */
  uint64_t site, count;
  double ticks, longest; /* of processes' time */
  /* the part of it that there would not be if the late one's threads were never idle; the one that this has
   * cost most, and its last parallel region before (REPLAY_NONE: none) */
  double by_threads, most_by_threads;
  uint32_t parallel, threads_of;
  struct report_late late[REPORT_LATE];
  struct scatter scatter;
};

#endif
