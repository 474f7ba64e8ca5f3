/* What all commands have in common for who calls them: how options are read, how wrong use is reported, and
 * with which status they exit. */
#ifndef STAVE_CLI_COMMON_USAGE_H
#define STAVE_CLI_COMMON_USAGE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Besides EXIT_SUCCESS. `stave record` exits as the program does. */
enum {
  EXIT_FAILED = 1, /* what was requested could not be done; a line on stderr gives the reason */
  EXIT_USAGE = 2,  /* it was not understood */
  EXIT_FOUND = 3,  /* it was done, and what was looked at is not in order */
};

/* What shells propose for a value. */
enum usage_value {
  USAGE_NOTHING,
  USAGE_OPTIONAL, /* nothing, and the value may be left out: it follows "=" */
  USAGE_FILE,
  USAGE_DIRECTORY,
  USAGE_PROGRAM,
  USAGE_WORD, /* one of the option's words */
  USAGE_LIST, /* some of them, with commas in between; "-" in front leaves one out */
};

/* An option: getopt's tables, the help and the shells' completion are made of it. */
struct usage_option {
  int code;          /* its letter; from 256 on: it has none */
  const char *name;  /* after "--"; NULL: after the last option */
  const char *value; /* the name of its value in the help; NULL: it has none */
  const char *help;
  enum usage_value kind;
  const char *(*word)(size_t number); /* of USAGE_WORD and USAGE_LIST, from 0 on; NULL after the last */
};

enum { USAGE_OPTIONS_MAX = 16 };

/* A command, as who calls it sees it. "-h, --help" is among its options without being listed. */
struct usage {
  const char *command;
  const char *summary;  /* half a line */
  const char *synopsis; /* what comes after the command's name */
  const char *about;    /* what it does */
  const char *status;   /* its exit status */
  const struct usage_option *options;
  const char *argument; /* what has to be given, "archive"; NULL: nothing may be given */
  enum usage_value argument_kind;
  const char *(*argument_word)(size_t number);
  bool is_optional;        /* the argument */
  bool accepts_several;    /* arguments */
  bool accepts_more;       /* what comes after the argument is not the command's */
  void (*more_help)(void); /* between the options and the exit status; NULL: nothing */
  /* Handles an option with its value, NULL if it has none. Returns false if the value is wrong, after
   * usage_error. */
  bool (*set)(void *request, int option, const char *value);
};

/* Reads the options of argv[1..], argv[0] being the command's name. Returns -1 to go on, with the argument at
 * optind; or the status to exit with, after the help or after one line on stderr. */
int usage_read(const struct usage *usage, int argc, char **argv, void *request);

/* Prints the help on stdout. */
void usage_help(const struct usage *usage);

/* Prints a row of a help: "  NAME", and what it means from column `width` on; below it on a narrow terminal.
 */
void usage_print_row(const char *name, const char *meaning, size_t width);

/* Reports what is wrong with how the command was called and where to read more. Returns false. */
bool usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A word of the command line that is not known, `length` bytes of it, of this kind ("option"): `known` gives
 * the known ones from 0 on, NULL after the last. Prints the one that may have been meant, else all if they
 * are few. Returns false. */
bool usage_unknown(const char *command, const char *kind, const char *word, size_t length,
                   const char *(*known)(size_t number));

/* The value of an option that needs a number of at least `least` and at most `most`; UINT64_MAX is not
 * reported. Returns false after usage_error. */
bool usage_number(const char *command, const char *option, const char *value, uint64_t least, uint64_t most,
                  uint64_t *ret);

#endif
