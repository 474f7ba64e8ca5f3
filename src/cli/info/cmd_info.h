/* `stave info`: what an archive holds and how it was recorded. */
#ifndef STAVE_CLI_INFO_CMD_INFO_H
#define STAVE_CLI_INFO_CMD_INFO_H

struct usage;

/* argv[0] is "info". Returns the exit status. */
int cmd_info(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_info_usage(void);

#endif
