/* stave report: where the time went, and what to do about it. */
#ifndef STAVE_CLI_REPORT_CMD_REPORT_H
#define STAVE_CLI_REPORT_CMD_REPORT_H

struct usage;

/* Runs `stave report`; argv[0] is "report". Returns the exit status. */
int cmd_report(int argc, char **argv);

/* Prints its help on stdout. */
/* Its argument. Constant memory. */
const struct usage *cmd_report_usage(void);

#endif
