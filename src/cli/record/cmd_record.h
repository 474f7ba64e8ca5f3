/* `stave record`: runs a program and traces it. */
#ifndef STAVE_CLI_RECORD_CMD_RECORD_H
#define STAVE_CLI_RECORD_CMD_RECORD_H

struct usage;

/* argv[0] is "record". Returns stave's exit status, or does not return: dies as the program died, or becomes
 * the program if it cannot be traced. */
int cmd_record(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_record_usage(void);

#endif
