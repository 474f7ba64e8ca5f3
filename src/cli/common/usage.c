#include "cli/common/usage.h"

#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "session/near.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRONG_BYTES = 4096, HELP_WIDTH = 96, MIN_TEXT = 30, NARROW_INDENT = 6, ALLOWED_BYTES = 200 };

bool usage_error(const char *command, const char *format, ...) {
  char what[WRONG_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  message_print("%s: %s (see stave help %s)", command, what, command);
  return false;
}

/* ": a, b, c", or nothing where that is long. */
static void list_words(char text[WRONG_BYTES], const char *(*known)(size_t number)) {
  size_t used = 0;
  const char *word;
  for (size_t i = 0; (word = known(i)) != NULL && used < ALLOWED_BYTES; i++)
    used += (size_t)snprintf(text + used, WRONG_BYTES - used, "%s%s", i == 0 ? "; allowed: " : ", ", word);
  if (used >= ALLOWED_BYTES)
    *text = '\0';
}

bool usage_unknown(const char *command, const char *kind, const char *word, size_t length,
                   const char *(*known)(size_t number)) {
  char allowed[WRONG_BYTES] = "";
  const char *meant = near_word(word, length, known);
  if (meant)
    return usage_error(command, "unknown %s %.*s; did you mean %s?", kind, (int)length, word, meant);
  list_words(allowed, known);
  return usage_error(command, "unknown %s %.*s%s", kind, (int)length, word, allowed);
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
    return usage_error(command, "%s requires a number, not %s", option, value);
  return usage_error(command, "%s requires a number from %" PRIu64 " to %" PRIu64 ", not %s", option, least,
                     most, value);
}

static bool is_option(const struct usage *usage, int code) {
  for (const struct usage_option *option = usage->options; option && option->name; option++)
    if (option->code == code)
      return true;
  return code == 'h';
}

static const char *long_name(const void *usage, size_t number) {
  return ((const struct usage *)usage)->options[number].name;
}

static bool refuse_unknown(const struct usage *usage, const char *word) {
  const char *name = word + 2;
  const char *meant = usage->options ? near_word_of(name, strcspn(name, "="), long_name, usage) : NULL;
  if (meant)
    return usage_error(usage->command, "unknown option %s; did you mean --%s?", word, meant);
  return usage_error(usage->command, "unknown option %s", word);
}

/* What getopt_long has refused. In optopt it leaves an option's letter or number, 0 if it knows no such long
 * option; the word is the one before optind unless more letters follow in it. */
static bool refuse(const struct usage *usage, int refused, const char *word) {
  bool is_long = strncmp(word, "--", 2) == 0;
  bool is_known = is_option(usage, optopt);
  if (refused == ':' && is_long)
    return usage_error(usage->command, "%s requires a value", word);
  if (refused == ':')
    return usage_error(usage->command, "-%c requires a value", optopt);
  if (optopt == 0)
    return refuse_unknown(usage, word);
  if (is_known)
    return usage_error(usage->command, "%.*s does not accept a value", (int)strcspn(word, "="), word);
  return usage_error(usage->command, "unknown option -%c", optopt);
}

static bool check_arguments(const struct usage *usage, int count) {
  if (!usage->argument && count > 0)
    return usage_error(usage->command, "unexpected argument");
  if (usage->argument && count == 0 && !usage->is_optional)
    return usage_error(usage->command, "no %s given", usage->argument);
  if (usage->argument && count > 1 && !usage->accepts_more && !usage->accepts_several)
    return usage_error(usage->command, "one %s at a time", usage->argument);
  return true;
}

/* What getopt_long needs. */
struct getopt_tables {
  char letters[2 * USAGE_OPTIONS_MAX + 8];
  struct option options[USAGE_OPTIONS_MAX + 2];
};

static int value_of(const struct usage_option *option) {
  if (!option->value)
    return no_argument;
  return option->kind == USAGE_OPTIONAL ? optional_argument : required_argument;
}

static void make_tables(const struct usage *usage, struct getopt_tables *ret) {
  const struct usage_option *options = usage->options;
  size_t used = (size_t)sprintf(ret->letters, "%s:h", usage->accepts_more ? "+" : ""), i = 0;
  for (; options && options[i].name && i < USAGE_OPTIONS_MAX; i++) {
    ret->options[i] = (struct option){options[i].name, value_of(&options[i]), NULL, options[i].code};
    if (options[i].code <= UINT8_MAX)
      used += (size_t)sprintf(ret->letters + used, "%c%s", options[i].code, options[i].value ? ":" : "");
  }
  ret->options[i] = (struct option){"help", no_argument, NULL, 'h'};
  ret->options[i + 1] = (struct option){0};
}

int usage_read(const struct usage *usage, int argc, char **argv, void *request) {
  struct getopt_tables tables;
  make_tables(usage, &tables);
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, tables.letters, tables.options, NULL)) != -1;) {
    if (option == 'h') {
      usage_help(usage);
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

/* -- the help -- */

static size_t help_width(void) {
  size_t width = prose_width();
  return width < HELP_WIDTH ? width : HELP_WIDTH;
}

static size_t spelling(char *buffer, size_t size, int letter, const char *name, const char *value,
                       bool is_optional) {
  char short_form[8] = "    ";
  if (letter > 0 && letter <= UINT8_MAX)
    snprintf(short_form, sizeof short_form, "-%c, ", letter);
  return (size_t)snprintf(buffer, size, "  %s--%s%s%s%s", short_form, name,
                          is_optional ? "[="
                          : value     ? " "
                                      : "",
                          value ? value : "", is_optional ? "]" : "");
}

static size_t spell(char *buffer, size_t size, const struct usage_option *option) {
  return spelling(buffer, size, option->code, option->name, option->value, option->kind == USAGE_OPTIONAL);
}

static void print_row(const char *text, const char *meaning, size_t width) {
  size_t used = strlen(text), indent = width, columns = help_width();
  if (columns < width + MIN_TEXT) { /* below */
    indent = NARROW_INDENT;
    printf("%s\n%*s", text, (int)indent, "");
  } else {
    printf("%s%*s", text, (int)(used < width ? width - used : 1), "");
  }
  prose_print_within(columns, used < width ? indent : used + 1, indent, meaning);
}

void usage_print_row(const char *name, const char *meaning, size_t width) {
  char text[128];
  snprintf(text, sizeof text, "  %s", name);
  print_row(text, meaning, width);
}

static void print_options(const struct usage *usage) {
  char text[128];
  size_t width = strlen("  -h, --help") + 2;
  for (const struct usage_option *option = usage->options; option && option->name; option++) {
    size_t used = spell(text, sizeof text, option) + 2;
    width = used > width ? used : width;
  }
  for (const struct usage_option *option = usage->options; option && option->name; option++)
    if (spell(text, sizeof text, option) > 0)
      print_row(text, option->help, width);
  spelling(text, sizeof text, 'h', "help", NULL, false);
  print_row(text, "this text", width);
}

void usage_help(const struct usage *usage) {
  char line[128];
  snprintf(line, sizeof line, "usage: stave %s %s", usage->command, usage->synopsis);
  prose_print_within(help_width(), 0, strlen("usage: "), line);
  putchar('\n');
  prose_print_within(help_width(), 0, 0, usage->about);
  putchar('\n');
  print_options(usage);
  if (usage->more_help)
    usage->more_help();
  putchar('\n');
  prose_print_within(help_width(), 0, 0, usage->status);
}
