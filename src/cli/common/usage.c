#include "cli/common/usage.h"

#include "cli/common/message.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG_BYTES = 4096 };

bool usage_wrong(const char *command, const char *format, ...) {
  char what[WRONG_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  message_say("%s: %s; stave help %s says more", command, what, command);
  return false;
}

bool usage_number(const char *command, const char *option, const char *value, uint64_t least, uint64_t most,
                  uint64_t *ret) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(value, &end, 10);
  *ret = number;
  if (isdigit((unsigned char)*value) && !*end && errno == 0 && number >= least && number <= most)
    return true;
  if (most == UINT64_MAX)
    return usage_wrong(command, "%s wants a number, not %s", option, value);
  return usage_wrong(command, "%s wants a number from %" PRIu64 " to %" PRIu64 ", not %s", option, least,
                     most, value);
}

/* What getopt_long has refused. In optopt it leaves an option's letter or number, 0 if it knows no such long
 * option; the word is the one before optind unless more letters follow in it. */
static bool refuse(const struct usage *usage, int refused, const char *word) {
  bool is_long = strncmp(word, "--", 2) == 0;
  bool is_known = optopt > UINT8_MAX || (isalnum(optopt) && strchr(usage->letters, optopt));
  if (refused == ':' && is_long)
    return usage_wrong(usage->command, "%s wants a value", word);
  if (refused == ':')
    return usage_wrong(usage->command, "-%c wants a value", optopt);
  if (optopt == 0)
    return usage_wrong(usage->command, "there is no option %s", word);
  if (is_known)
    return usage_wrong(usage->command, "%.*s takes no value", (int)strcspn(word, "="), word);
  return usage_wrong(usage->command, "there is no option -%c", optopt);
}

static bool check_arguments(const struct usage *usage, int count) {
  if (!usage->argument && count > 0)
    return usage_wrong(usage->command, "no argument is wanted");
  if (usage->argument && count == 0)
    return usage_wrong(usage->command, "no %s given", usage->argument);
  if (usage->argument && count > 1 && !usage->takes_more)
    return usage_wrong(usage->command, "one %s at a time", usage->argument);
  return true;
}

int usage_read(const struct usage *usage, int argc, char **argv, void *request) {
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, usage->letters, usage->options, NULL)) != -1;) {
    if (option == 'h') {
      usage->help();
      return EXIT_SUCCESS;
    }
    if (option == '?' || option == ':') {
      refuse(usage, option, argv[optind - 1]);
      return EXIT_USAGE;
    }
    if (!usage->set(request, option, optarg))
      return EXIT_USAGE;
  }
  return check_arguments(usage, argc - optind) ? -1 : EXIT_USAGE;
}
