/* What `stave record` prints at the end. */
#ifndef STAVE_CLI_COMMON_SUMMARY_H
#define STAVE_CLI_COMMON_SUMMARY_H

#include "cli/common/status.h"

#include <stdbool.h>

/* Prints what became of the archives. With `quiet` only what went wrong. */
void summary_print(const struct status *status, bool quiet);

/* Prints which programs of gcc's ran on another runtime, and which could not. With `quiet` only the
 * latter. */
void summary_print_runtimes(const struct status *status, bool quiet);

/* The path relative to the working directory, where it is below that: a part of `path`. */
const char *summary_relative_path(const char *path);

/* Writes 1234567 as "1,234,567" into `buffer` of at least 32 bytes. Returns buffer. */
char *summary_number(char *buffer, uint64_t number);

/* Writes 15234567 as "15.2 MB" into `buffer` of at least 32 bytes. Returns buffer. */
char *summary_size(char *buffer, uint64_t bytes);

/* Writes a duration with three significant digits and its unit into `buffer` of at least 32 bytes. */
char *summary_duration(char *buffer, uint64_t duration_ns);

#endif
