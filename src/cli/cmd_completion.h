/* `stave completion`: what shells need to complete Stave's commands, options and their values. */
#ifndef STAVE_CLI_CMD_COMPLETION_H
#define STAVE_CLI_CMD_COMPLETION_H

struct usage;

/* argv[0] is "completion". Returns the exit status. */
int cmd_completion(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_completion_usage(void);

#endif
