/* `stave config`: the environment variables that Stave reads, and what they are set to. */
#ifndef STAVE_CLI_CMD_CONFIG_H
#define STAVE_CLI_CMD_CONFIG_H

/* argv[0] is "config". Returns the exit status. */
int cmd_config(int argc, char **argv);

/* Prints how to use it on stdout. */
void cmd_config_help(void);

#endif
