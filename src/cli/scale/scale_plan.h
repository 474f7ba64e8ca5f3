/* Which runs `stave scale` makes. */
#ifndef STAVE_CLI_SCALE_SCALE_PLAN_H
#define STAVE_CLI_SCALE_SCALE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

enum { SCALE_NUMBERS_MAX = 20, SCALE_REPEAT_MAX = 20, SCALE_RUNS_MAX = 40 };

struct scale_numbers {
  size_t values[SCALE_NUMBERS_MAX], count;
};

struct scale_run {
  size_t threads, ranks; /* ranks: 0: no launcher */
  size_t turn;           /* from 1 on */
  char *archive;
};

struct scale_plan {
  struct scale_run runs[SCALE_RUNS_MAX];
  size_t count;
};

/* "1,2,4": numbers from 1 on, none twice. False if it is none such, or has too many. */
bool scale_numbers_read(struct scale_numbers *ret, const char *text);

/* 1, 2, 4 ... and the processors that this process may use. */
void scale_numbers_default(struct scale_numbers *ret);

/* All of `threads` with all of `ranks` (none: no launcher), `repeat` times: by turns, so that a machine that
 * gets slower meanwhile does not look like a program that does. False if these are too many. */
bool scale_plan_make(struct scale_plan *ret, const struct scale_numbers *threads,
                     const struct scale_numbers *ranks, size_t repeat, const char *folder);
void scale_plan_free(struct scale_plan *plan);

#endif
