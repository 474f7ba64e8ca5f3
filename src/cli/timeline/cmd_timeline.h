/* `stave timeline`: a picture of what the threads did. */
#ifndef STAVE_CLI_TIMELINE_CMD_TIMELINE_H
#define STAVE_CLI_TIMELINE_CMD_TIMELINE_H

struct usage;

/* Runs the command; argv[0] is its name. Returns the exit status. */
int cmd_timeline(int argc, char **argv);

/* Prints what the command does and its options on stdout. */
/* Its argument. Constant memory. */
const struct usage *cmd_timeline_usage(void);

#endif
