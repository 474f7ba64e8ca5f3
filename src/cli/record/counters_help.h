/* `stave record --counters help`. */
#ifndef STAVE_CLI_RECORD_COUNTERS_HELP_H
#define STAVE_CLI_RECORD_COUNTERS_HELP_H

/* Prints the names of counters, and whether each can be had here, on stdout. */
void counters_print_help(void);

#endif
