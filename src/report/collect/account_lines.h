/* How long each thread ran and was ready over time, from what the archive has of the kernel's counts. */
#ifndef STAVE_REPORT_COLLECT_ACCOUNT_LINES_H
#define STAVE_REPORT_COLLECT_ACCOUNT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* A process's readings. The first one only states when they begin. In ticks. */
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
  double *ran, *ready;      /* since the reading before; what is longer than that is of earlier ones */
  double begin;             /* when its first reading begins: with the reading before, or with the thread */
  double first_ran;         /* in that, even before its first event */
  double *serial, *waiting; /* since then, as far as its events show: account_line_share's */
  size_t at;                /* how far that has come */
};

struct account_lines {
  struct account_readings *processes; /* by position of the location group */
  struct account_line *lines;         /* by location */
  size_t process_count, line_count;
  bool is_any; /* one of the lines has readings */
};

void account_lines_read(struct account_lines *ret, const struct trace *trace);
void account_lines_free(struct account_lines *lines);

/* The thread begins: what it ran and was ready for in its first reading is after that. */
void account_line_begin(struct account_line *line, double ticks);

/* Of one of its readings: what the thread ran, be it before its first event, and how long it has lived. */
double account_line_ran(const struct account_line *line, size_t at);
double account_line_lived(const struct account_line *line, size_t at);

/* How long the thread ran and was ready in a piece of time, taken to be spread evenly between readings.
 * Pieces of one thread come in the order of time. by_reading: where the piece itself is added up; NULL: not.
 * Returns how much of the piece lies between readings. */
double account_line_share(struct account_line *line, double begin, double end, double *by_reading,
                          double *ret_ran, double *ret_ready);

#endif
