/* stave report: where the time went, and what to do about it. */
#ifndef STAVE_CLI_REPORT_CMD_REPORT_H
#define STAVE_CLI_REPORT_CMD_REPORT_H

/* Runs `stave report`; argv[0] is "report". Returns the exit status. */
int cmd_report(int argc, char **argv);

/* Prints its help on stdout. */
void cmd_report_help(void);

#endif
