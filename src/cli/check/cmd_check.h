/* `stave check`: whether a run kept the rules of OpenMP and of its tool interface. */
#ifndef STAVE_CLI_CHECK_CMD_CHECK_H
#define STAVE_CLI_CHECK_CMD_CHECK_H

struct usage;

/* argv[0] is "check". Returns the exit status. */
int cmd_check(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_check_usage(void);

#endif
