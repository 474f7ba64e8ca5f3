/* stave recover: an archive from what a stave-writer that died has left. */
#ifndef STAVE_CLI_RECOVER_CMD_RECOVER_H
#define STAVE_CLI_RECOVER_CMD_RECOVER_H

int cmd_recover(int argc, char **argv);
void cmd_recover_help(void);

#endif
