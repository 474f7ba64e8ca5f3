/* An archive of what a program and its stave-writer have left: made beside, and named once it is complete. */
#ifndef STAVE_CLI_RECOVER_RECOVER_ARCHIVE_H
#define STAVE_CLI_RECOVER_RECOVER_ARCHIVE_H

#include <stdbool.h>

#include "cli/recover/recover_process.h"

/* Of what is in `directory`, at `out`, where nothing is yet. What the processes have left of their memory
 * goes once the archive has its name. False: it has printed why not, and both are as they were; or a signal
 * has ended the process. Else recover_process_clear. */
bool recover_archive(const char *directory, const char *out, struct recover_process *ret);

#endif
