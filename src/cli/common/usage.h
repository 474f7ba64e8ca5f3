/* What all commands have in common for who calls them: how options are read, how wrong use is said, and with
 * which status they exit. */
#ifndef STAVE_CLI_COMMON_USAGE_H
#define STAVE_CLI_COMMON_USAGE_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* Besides EXIT_SUCCESS. `stave record` exits as the program does. */
enum {
  EXIT_UNDONE = 1, /* what was asked for could not be done; a line on stderr says why */
  EXIT_USAGE = 2,  /* it was not understood */
  EXIT_FOUND = 3,  /* it was done, and what was looked at is not in order */
};

/* What a command takes. */
struct usage {
  const char *command;
  const char *letters;          /* of options, as getopt has them: ":ab:", "+:ab:" */
  const struct option *options; /* 'h' is help */
  void (*help)(void);
  const char *argument; /* what has to be given, "archive"; NULL: nothing may be given */
  bool takes_more;      /* what comes behind the argument is not the command's */
  /* Takes an option with its value, NULL if it has none. Returns false if the value is wrong, after
   * usage_wrong. */
  bool (*set)(void *request, int option, const char *value);
};

/* Reads the options of argv[1..], argv[0] being the command's name. Returns -1 to go on, with the argument at
 * optind; or the status to exit with, after the help or after one line on stderr. */
int usage_read(const struct usage *usage, int argc, char **argv, void *request);

/* Says what is wrong with how the command was called and where to read more. Returns false. */
bool usage_wrong(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of an option that wants a number of at least `least` and at most `most`; UINT64_MAX is not said.
 * Returns false after usage_wrong. */
bool usage_number(const char *command, const char *option, const char *value, uint64_t least, uint64_t most,
                  uint64_t *ret);

#endif
