/* `stave dump`: an archive of what a running program's writer has kept. */
#ifndef STAVE_CLI_CMD_DUMP_H
#define STAVE_CLI_CMD_DUMP_H

struct usage;

const struct usage *cmd_dump_usage(void);
int cmd_dump(int argc, char **argv);

#endif
