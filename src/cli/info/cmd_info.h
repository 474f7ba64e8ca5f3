/* `stave info`: what an archive holds and how it came about. */
#ifndef STAVE_CLI_INFO_CMD_INFO_H
#define STAVE_CLI_INFO_CMD_INFO_H

/* argv[0] is "info". Returns the exit status. */
int cmd_info(int argc, char **argv);

/* Prints how to use it on stdout. */
void cmd_info_help(void);

#endif
