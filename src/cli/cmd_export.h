/* `stave export`: an archive as a file that other programs read. */
#ifndef STAVE_CLI_CMD_EXPORT_H
#define STAVE_CLI_CMD_EXPORT_H

/* argv[0] is "export". Returns the exit status. */
int cmd_export(int argc, char **argv);

/* Prints how to use it on stdout. */
void cmd_export_help(void);

#endif
