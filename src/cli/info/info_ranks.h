/* What stave info reports of the directory of a job whose ranks are not merged. */
#ifndef STAVE_CLI_INFO_INFO_RANKS_H
#define STAVE_CLI_INFO_INFO_RANKS_H

/* Prints the archives in PATH/rank, which found_is_job has found: rank, state and size of each, and which
 * numbers are missing between them. */
void info_ranks(const char *path);

#endif
