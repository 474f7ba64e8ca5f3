/* `stave export`: an archive as a file that other programs read. */
#ifndef STAVE_CLI_CMD_EXPORT_H
#define STAVE_CLI_CMD_EXPORT_H

struct usage;

/* argv[0] is "export". Returns the exit status. */
int cmd_export(int argc, char **argv);

/* Its argument. Constant memory. */
const struct usage *cmd_export_usage(void);

#endif
