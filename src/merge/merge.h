/* Archives of single processes become one archive of all: a job's ranks, a family of forked processes, a
 * pipeline. No event is read or written: each event file gets a second name (a hard link) under its new
 * location's number, and that location's own definitions state what the numbers in its events represent
 * (OTF2's mapping tables) and how its clock goes (ClockOffsets). Global definitions are written once for all
 * processes where their content is equal.
 *
 * Runs can be put beside each other, too, to be compared: each has a clock and communicators of its own, and
 * regions are the same where name, line and the last part of the file's name are. Other versions of a program
 * lie in other folders.
 *
 * OTF2's readers may crash or read without end when a file is damaged: merge inside guard_run. */
#ifndef STAVE_MERGE_MERGE_H
#define STAVE_MERGE_MERGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MERGE_TEXT_BYTES = 512 };

/* How the new archive gets the event files of the old ones. */
enum merge_files {
  MERGE_LINKS,    /* hard links; copies where there can be none */
  MERGE_COPIES,   /* the new archive shares no file with the old ones */
  MERGE_SYMBOLIC, /* symbolic links, for as long as the old ones stay where they are (absolute names) */
};

/* One of several runs that are to be compared: its clock is shifted so that an instant of its own is at the
 * same time as that of the first side. */
struct merge_side {
  const char *name;    /* what its processes are called by */
  size_t count;        /* how many of the anchors are its, after those of the side before */
  uint64_t instant_ns; /* since its first process began */
};

struct merge_request {
  const char *const *anchors;     /* of closed archives (.../traces.otf2), each of one process */
  size_t count;                   /* of anchors, at least 1 */
  const struct merge_side *sides; /* NULL: all anchors are of one run, with one time */
  size_t side_count;
  const char *out; /* an empty directory */
  enum merge_files files;
  /* how many steps are done, and how many there will be, as far as that is known; or NULL */
  _Atomic uint64_t *progress, *steps;
};

/* What was made of it. */
struct merge_result {
  size_t processes, locations;
  uint64_t events;
  size_t copied;       /* event files that could not be linked; reflinks among them */
  size_t clocks;       /* different ones */
  double deviation_s;  /* the most that times of different clocks may be wrong against each other */
  bool is_by_calendar; /* some clocks could only be compared by the time of day: the deviation is a guess */
  size_t missing;      /* ranks that the job had and of which there is no archive */
  char missing_ranks[MERGE_TEXT_BYTES]; /* as ranges, "3,5-7" */
  char failure[MERGE_TEXT_BYTES];       /* why there is no archive */
};

/* Merges. Returns 0, or a negative errno: then failure has one line that gives the reason, and `out` is to be
 * removed. When memory runs out the process ends (memory.h). */
int merge_run(const struct merge_request *request, struct merge_result *ret);

#endif
