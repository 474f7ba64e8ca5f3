/* One line on standard error's terminal that is overwritten: the name of a long step, and its progress.
 * Nothing where there is no terminal, or one that cannot erase. */
#ifndef STAVE_CLI_COMMON_PROGRESS_H
#define STAVE_CLI_COMMON_PROGRESS_H

/* What is over sooner shows none. */
enum { PROGRESS_QUIET_MS = 1000 };

/* Shows "stave: TEXT" in place of what was shown before. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Leaves the line empty. */
void progress_clear(void);

#endif
