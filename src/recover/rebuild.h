/* The way from what a dead writer left to an archive, in one go. */
#ifndef STAVE_RECOVER_REBUILD_H
#define STAVE_RECOVER_REBUILD_H

#include <limits.h>

#include "recover/assemble.h"
#include "recover/journal.h"
#include "recover/remake.h"
#include "recover/rewrite.h"
#include "recover/salvage.h"

struct rebuild {
  const char *out;
  bool goes_on;           /* the run does: what is open has not ended */
  char raw[PATH_MAX];     /* the assembled events */
  char refused[PATH_MAX]; /* what of the directory cannot be read; empty: none */
  struct salvage salvage;
  struct archive *archive; /* NULL once it is closed */
  struct journal journal;
  struct remake remake;
  bool is_remade;          /* the archive was made of the log of records */
  struct assembled *found; /* by location */
  struct rewritten rewritten;
  uint64_t last_ticks, complete_until; /* last_ticks: where what is open ends */
  uint64_t missing;                    /* events that are known to be */
  char failure[2 * PATH_MAX];          /* why there is no archive, one line */
};

/* Who needs to know what it is about. */
struct rebuild_watch {
  /* "reading", when OTF2's reader may get stuck; "naming", when libbfd is slow */
  void (*step)(const char *word);
  void (*progress)(uint64_t events);
};

/* Makes an archive in the existing, empty directory `out` of what is in `directory`; both texts stay the
 * caller's. goes_on: that is a snapshot (snapshot.h) of a run that has not ended. Returns 0; or -EIO with a
 * line in job->failure, and then anything may be in `out`. rebuild_close in every case. */
int rebuild_run(struct rebuild *job, const char *directory, const char *out, bool goes_on,
                const struct rebuild_watch *watch);
void rebuild_close(struct rebuild *job);

#endif
