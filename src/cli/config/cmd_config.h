/* `stave config`: the environment variables that Stave reads, and what they are set to. */
#ifndef STAVE_CLI_CONFIG_CMD_CONFIG_H
#define STAVE_CLI_CONFIG_CMD_CONFIG_H

struct usage;

/* argv[0] is "config". Returns the exit status. */
int cmd_config(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_config_usage(void);

#endif
