/* stave: the command. One subcommand, one file. */
#include "base/limits.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/common/ending.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/prose.h"
#include "cli/common/usage.h"
#include "session/near.h"

#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_WIDTH = 14 };

static const char *command_name(size_t number) {
  size_t count;
  const struct command *commands = commands_all(&count);
  return number < count ? commands[number].usage()->command : NULL;
}

static int unknown(const char *name) {
  const char *meant = near_word(name, strlen(name), command_name);
  if (meant)
    message_print("unknown command %s; did you mean %s? (see stave help)", name, meant);
  else if (strchr(name, '/') || access(name, X_OK) == 0)
    message_print("unknown command %s; to trace a program: stave record %s", name, name);
  else
    message_print("unknown %s %s (see stave help)", *name == '-' ? "option" : "command", name);
  return EXIT_USAGE;
}

static void print_help(void) {
  size_t count;
  const struct command *commands = commands_all(&count);
  printf("usage: stave COMMAND [argument ...]\n\n");
  prose_printf(0, "Stave traces OpenMP programs into OTF2 archives.");
  putchar('\n');
  for (size_t i = 0; i < count; i++)
    usage_print_row(commands[i].usage()->command, commands[i].usage()->summary, NAME_WIDTH);
  usage_print_row("help", "explain a command: stave help COMMAND", NAME_WIDTH);
  printf("\n  -h, --help     this text\n  -V, --version  the version\n\nExample: stave record ./program\n");
}

static bool is_either(const char *text, const char *one, const char *other) {
  return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

static bool requests_help(const char *word) {
  return is_either(word, "--help", "-h") || strcmp(word, "help") == 0;
}

static int help(int argc, char **argv) {
  bool has_subject = argc > 1 && !requests_help(argv[1]);
  const struct command *command = has_subject ? commands_find(argv[1]) : NULL;
  if (has_subject && !command)
    return unknown(argv[1]);
  if (command)
    usage_help(command->usage());
  else
    print_help();
  return EXIT_SUCCESS;
}

static int run(int argc, char **argv) {
  if (argc == 0) {
    message_print("no command given (see stave help)");
    return EXIT_USAGE;
  }
  if (is_either(argv[0], "--version", "-V")) {
    printf("stave %s\n", STAVE_VERSION);
    return EXIT_SUCCESS;
  }
  if (requests_help(argv[0]))
    return help(argc, argv);
  const struct command *command = commands_find(argv[0]);
  return command ? command->run(argc, argv) : unknown(argv[0]);
}

/* Without exit's handlers: what stdout still holds is not all of it. */
static void end_without_memory(void *data) {
  (void)data;
  partial_file_remove_growing();
  ending_remove();
  message_print("out of memory");
  _exit(EXIT_FAILED);
}

/* A file that got stderr's number would get its lines, too. Programs that are started have it closed, as it
 * was. (A closed stdout is reported by who writes to it.) */
static void keep_number_of_stderr(void) {
  int other = fcntl(STDERR_FILENO, F_GETFD) < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : STDERR_FILENO;
  if (other < 0 || other == STDERR_FILENO)
    return;
  dup3(other, STDERR_FILENO, O_CLOEXEC);
  close(other);
}

static int start(int argc, char **argv) {
  keep_number_of_stderr();
  setlocale(LC_CTYPE, "C.UTF-8"); /* names are UTF-8, whatever the terminal is */
  memory_at_exhaustion(end_without_memory, NULL);
  json_need_memory();
  int status = run(argc > 0 ? argc - 1 : 0, argv + 1);
  return message_output_is_complete() || status != EXIT_SUCCESS ? status : EXIT_FAILED;
}

int main(int argc, char **argv) {
  return limits_on_large_stack(start, argc, argv);
}
