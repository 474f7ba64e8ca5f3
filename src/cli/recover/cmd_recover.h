/* stave recover: an archive from what a stave-writer that died has left. */
#ifndef STAVE_CLI_RECOVER_CMD_RECOVER_H
#define STAVE_CLI_RECOVER_CMD_RECOVER_H

struct usage;

int cmd_recover(int argc, char **argv);
/* Its argument. Constant memory. */
const struct usage *cmd_recover_usage(void);

#endif
