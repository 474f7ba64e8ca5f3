/* A recorded job of several ranks: their archives, which lie in one directory, become one. */
#ifndef STAVE_CLI_RECORD_RANK_ARCHIVES_H
#define STAVE_CLI_RECORD_RANK_ARCHIVES_H

#include <stdbool.h>

#include "cli/common/status.h"

/* Whether this process is a rank itself (mpirun ... stave record ...), and not the one that speaks for all.
 */
bool job_leaves_it_to_rank_0(void);

/* Merges the archives of ranks among those of `status`, and reports it in one line for each job; marks them
 * as reported. As a rank itself it waits for the other ranks' archives to be closed as long as one after the
 * other is; `is_stopped` ends that. What cannot be merged stays for the summary. */
void job_merge(struct status *status, bool is_quiet, bool (*is_stopped)(void *data), void *data);

#endif
