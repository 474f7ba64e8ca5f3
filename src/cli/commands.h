/* The commands of `stave`. */
#ifndef STAVE_CLI_COMMANDS_H
#define STAVE_CLI_COMMANDS_H

#include <stddef.h>

#include "cli/common/usage.h"

struct command {
  const struct usage *(*usage)(void);
  int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

/* All of them, in the order in which people may need them. Constant memory. */
const struct command *commands_all(size_t *ret_count);

/* The command of this name; NULL: there is none. */
const struct command *commands_find(const char *name);

#endif
