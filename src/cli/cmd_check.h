/* `stave check`: whether a run kept the rules of OpenMP and of its tool interface. */
#ifndef STAVE_CLI_CMD_CHECK_H
#define STAVE_CLI_CMD_CHECK_H

/* argv[0] is "check". Returns the exit status. */
int cmd_check(int argc, char **argv);

/* Prints how to use it on stdout. */
void cmd_check_help(void);

#endif
