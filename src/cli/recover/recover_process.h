/* Running stave-recover, which rebuilds an archive in a directory that is there, and reading its output. */
#ifndef STAVE_CLI_RECOVER_RECOVER_PROCESS_H
#define STAVE_CLI_RECOVER_RECOVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/string_list.h"

struct recover_location {
  char *name;
  uint64_t events, missing;
  uint64_t last_ns; /* after the trace's first event */
};

struct recover_process {
  int signal;    /* that has ended it; 0: none */
  bool is_done;  /* it reported it; what follows is its result */
  char *failure; /* the fault that it reports; NULL: none */
  char *rings;   /* the file of the session's memory, which is in the archive now; NULL: there is none */
  struct string_list notes; /* lines: why there is less than there could be */
  struct recover_location *locations;
  size_t location_count, location_capacity;
  uint64_t events, added, missing, refused, unknown, lost;
  uint64_t whole_ns, last_ns; /* after the trace's first event */
  uint64_t shortfall;         /* errno for which the writer could keep less than it requested; 0: it could */
  uint64_t has_all;           /* nothing is missing */
  bool is_journal_cut;
};

/* From here on SIGHUP, SIGINT, SIGQUIT and SIGTERM, where they would end the process, end stave-recover
 * only. */
void recover_process_catch_signals(void);

/* No longer. If one was caught, it ends the process now, where `ends` is set. */
void recover_process_release_signals(bool ends);

/* Runs it and shows its progress on a terminal. goes_on: the directory's writer lives, and a snapshot of what
 * it has written so far is requested. Returns 0 if it came to its end (is_done or failure show which); -ETIME
 * if it was killed because OTF2's reader was stuck; -EINTR if a signal was caught; -EIO if it died; or a
 * negative errno. recover_process_clear in every case. */
int recover_process_run(struct recover_process *process, const char *directory, const char *out,
                        bool goes_on);
void recover_process_clear(struct recover_process *process);

#endif
