/* What a report of a fault has to report of the machine and its settings. */
#ifndef STAVE_CLI_INFO_SUPPORT_H
#define STAVE_CLI_INFO_SUPPORT_H

/* Prints versions, system, limits, runtimes and the variables that matter, on standard output. */
void info_print_support(void);

/* From here on what this process and its children print on standard output is kept. Returns what
 * info_end_anonymous needs; negative, after a message, where nothing can be kept. */
int info_begin_anonymous(void);

/* Prints what was kept since info_begin_anonymous with the names of user, host and folders replaced. */
void info_end_anonymous(int kept);

#endif
