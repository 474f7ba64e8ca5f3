/* stave: the command. One subcommand, one file. */
#include "cli/cmd_check.h"
#include "cli/cmd_config.h"
#include "cli/cmd_export.h"
#include "cli/cmd_timeline.h"
#include "cli/common/memory.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/info/cmd_info.h"
#include "cli/record/cmd_record.h"
#include "cli/recover/cmd_recover.h"
#include "cli/report/cmd_report.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct command {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the command's name */
  void (*help)(void);
};

static const struct command commands[] = {
    {"record", "run a program and trace what its OpenMP threads do", cmd_record, cmd_record_help},
    {"info", "say what an archive holds and how it came about", cmd_info, cmd_info_help},
    {"timeline", "draw what the threads did, for a browser or a paper", cmd_timeline, cmd_timeline_help},
    {"report", "say where the time went and what to do about it", cmd_report, cmd_report_help},
    {"check", "say whether the run kept the rules of OpenMP", cmd_check, cmd_check_help},
    {"export", "write an archive as JSON, CSV or DOT for other programs", cmd_export, cmd_export_help},
    {"recover", "make an archive of what a writer that died has left", cmd_recover, cmd_recover_help},
    {"config", "list the settings and their values", cmd_config, cmd_config_help},
};

static const struct command *find_command(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  return NULL;
}

static int unknown(const char *name) {
  message_say("there is no %s %s; stave help says more", *name == '-' ? "option" : "command", name);
  return EXIT_USAGE;
}

static void print_help(void) {
  printf("usage: stave COMMAND [argument ...]\n\nStave traces OpenMP programs into OTF2 archives.\n\n");
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    printf("  %-10s %s\n", commands[i].name, commands[i].summary);
  printf("  %-10s %s\n", "help", "say more about a command: stave help COMMAND");
  printf("\n  -h, --help     this text\n  -V, --version  the version\n\nExample: stave record ./program\n");
}

static int help(int argc, char **argv) {
  const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
  if (argc > 1 && !command)
    return unknown(argv[1]);
  if (command)
    command->help();
  else
    print_help();
  return EXIT_SUCCESS;
}

static bool is_either(const char *text, const char *one, const char *other) {
  return strcmp(text, one) == 0 || strcmp(text, other) == 0;
}

static int run(int argc, char **argv) {
  if (argc == 0) {
    message_say("no command given; stave help says more");
    return EXIT_USAGE;
  }
  if (is_either(argv[0], "--version", "-V")) {
    printf("stave %s\n", STAVE_VERSION);
    return EXIT_SUCCESS;
  }
  if (is_either(argv[0], "--help", "-h") || strcmp(argv[0], "help") == 0)
    return help(argc, argv);
  const struct command *command = find_command(argv[0]);
  return command ? command->run(argc, argv) : unknown(argv[0]);
}

int main(int argc, char **argv) {
  setlocale(LC_CTYPE, "C.UTF-8"); /* names are UTF-8, whatever the terminal is */
  memory_needed_by_json();
  int status = run(argc > 0 ? argc - 1 : 0, argv + 1);
  return message_output_is_whole() || status != EXIT_SUCCESS ? status : EXIT_UNDONE;
}
