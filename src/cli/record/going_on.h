/* Traced processes that go on when the program of a recording has ended: daemons, children in the background.
 * Nobody waits for them, unlike for the archives of those that have ended. */
#ifndef STAVE_CLI_RECORD_GOING_ON_H
#define STAVE_CLI_RECORD_GOING_ON_H

#include "cli/common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct going_on {
  uint64_t begin_ns; /* the program's end; CLOCK_MONOTONIC */
  int grace_ms;      /* for what ends together with it */
  int next_look_ms;
};

/* From the program's end on. `is_launcher`: the others are ranks, which end soon after it. */
struct going_on going_on_begin(bool is_launcher);

/* For how long the program has ended. */
int going_on_ms(const struct going_on *going_on);

/* Looks if it is time. True if there are such processes, and nothing is left to wait for but them: who began
 * later than at the first look is not waited for. */
bool going_on_is_all(struct going_on *going_on, struct status *status, pid_t program);

/* Until the next look. */
int going_on_pause_ms(const struct going_on *going_on);

/* Finds out which go on now (archive_status.goes_on), and their programs' names. Returns how many. */
size_t going_on_mark(struct status *status);

#endif
