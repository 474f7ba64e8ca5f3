/* Threads that give their processors away again and again while they wait, where there are more threads than
 * processors. */
#ifndef STAVE_REPORT_SUBJECTS_YIELDS_H
#define STAVE_REPORT_SUBJECTS_YIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/report.h"

/* Whether phases from barrier to barrier, of `thread_time` and `passages` in all, are long enough that who
 * sleeps in between is woken seldom. */
bool yields_phases_are_long(const struct report *report, uint64_t thread_time, uint64_t passages);

/* Adds the finding. Returns its gain, ticks; 0: there is none, or not known. */
double yields_find(struct report *report);

#endif
