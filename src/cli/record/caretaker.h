/* The private directory of a recording that has ended, while processes of it go on: what they start later
 * finds libraries there that LD_PRELOAD and LD_LIBRARY_PATH name. */
#ifndef STAVE_CLI_RECORD_CARETAKER_H
#define STAVE_CLI_RECORD_CARETAKER_H

#include "cli/common/status.h"
#include "cli/record/child.h"
#include "cli/record/workdir.h"

/* Leaves the directory to a process in a session of its own, which removes it when the last writer has ended,
 * and holds nothing else open when this returns. Where there is no library in it, or no such process can be
 * made, it stays the caller's to remove. */
void caretaker_start(struct workdir *workdir, struct status *status, const struct child *child);

#endif
