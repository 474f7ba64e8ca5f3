/* The archives that are to be merged: what the arguments of `stave merge` represent. */
#ifndef STAVE_CLI_MERGE_MEMBERS_H
#define STAVE_CLI_MERGE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/string_list.h"

/* All zero is none. */
struct members {
  struct string_list anchors; /* of closed archives */
  size_t recovered;           /* that were unfinished, and were recovered for this */
  size_t skipped;             /* that cannot be used; each was printed on stderr */
  uint64_t wait_ms;           /* given by the caller: how long is waited, in all, for archives to be closed */
};

/* Adds what lies at `path`: an archive, or a job's directory with archives in rank/0, rank/1, ... One whose
 * stave-writer died is recovered first, into rank/N-recovered beside it; one that can neither be read nor
 * recovered is skipped after a message. Returns false, after a message, if there is nothing, or an archive is
 * still being written, or is damaged. */
bool members_add(struct members *members, const char *path);

void members_clear(struct members *members);

#endif
