/* How long each thread ran and was ready over time, from what the archive has of the kernel's counts. */
#ifndef STAVE_REPORT_ACCOUNT_LINES_H
#define STAVE_REPORT_ACCOUNT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/trace.h"

/* A process's readings. The first one only says when they begin. In ticks. */
struct account_readings {
  size_t count;
  double *times;                     /* of the readings */
  double *own, *throttled, *stopped; /* since the one before: own: all threads ran */
  double *writer;                    /* since then: Stave's ran */
};

/* A thread's: its reading i is at the process's first + i. */
struct account_line {
  const struct account_readings *process; /* NULL: nothing is known of it */
  size_t first, count;
  double *ran, *ready; /* since the reading before; what is longer than that is of earlier ones */
  size_t at;           /* how far account_line_share has come */
};

struct account_lines {
  struct account_readings *processes; /* by position of the location group */
  struct account_line *lines;         /* by location */
  size_t process_count, line_count;
  bool is_any; /* one of the lines has readings */
};

/* Returns false without memory; account_lines_free in every case. */
bool account_lines_read(struct account_lines *ret, const struct trace *trace);
void account_lines_free(struct account_lines *lines);

/* How long the thread ran and was ready in a piece of time, taken to be spread evenly between readings.
 * Pieces of one thread come in the order of time. */
void account_line_share(struct account_line *line, double begin, double end, double *ret_ran,
                        double *ret_ready);

#endif
