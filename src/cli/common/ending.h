/* Signals that end a command wait until it has removed what is half made. */
#ifndef STAVE_CLI_COMMON_ENDING_H
#define STAVE_CLI_COMMON_ENDING_H

#include <stdbool.h>

enum { ENDING_SIGNALS = 4 };

/* SIGHUP, SIGINT, SIGQUIT, SIGTERM. */
extern const int ending_signals[ENDING_SIGNALS];

/* From here on they are only remembered, those that would end the process. Calls may be nested: the outermost
 * counts. */
void ending_wait(void);

/* What goes however the process ends from here on: a folder, with all that is in it; NULL: nothing. The name
 * is the caller's, until ending_go_on. */
void ending_removes(const char *folder);

/* Removes it now. */
void ending_remove(void);

/* Whether there was one. */
bool ending_is_requested(void);

/* In a process that was started meanwhile: they end it, and nothing is removed. */
void ending_of_child(void);

/* After the outermost ending_wait: removes what goes, and ends the process if there was a signal. */
void ending_go_on(void);

#endif
