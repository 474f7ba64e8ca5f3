#include "cli/cmd_check.h"

#include "cli/check_print.h"
#include "cli/message.h"
#include "cli/reading.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FOUND = 1, EXIT_UNCHECKED = 2 };

static const uint32_t all_rules = (1u << CHECK_RULE_COUNT) - 1;

struct request {
  const char *path;
  uint32_t rules;
  bool is_json, is_all;
};

/* Long options that have no letter. */
enum { OPTION_JSON = 256 };

static const struct option options[] = {
    {"all", no_argument, NULL, 'a'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"rules", required_argument, NULL, 'r'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void cmd_check_help(void) {
  printf(
      "usage: stave check [options] ARCHIVE\n\n"
      "Says whether the run that an OTF2 archive tells of kept the rules: the program OpenMP's, the runtime OpenMP's\n"
      "and its tool interface's. Each finding has its rule, place in the specification, thread, time and source "
      "line.\n\n"
      "  -a, --all         show every place; otherwise ten of each rule\n"
      "      --json        one JSON object instead of text\n"
      "  -r, --rules LIST  rules or severities to check, separated by commas; -NAME leaves one out\n"
      "  -h, --help        this text\n\nRules:\n");
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    const struct check_rule_text *rule = check_rule_text((enum check_rule)i);
    printf("  %-22s  %-11s  %s\n", rule->name, check_severity_name(rule->severity), rule->summary);
  }
  printf("\nExit status: 0 if the rules were kept; 1 if there are violations or hazards; 2 if it could not be checked, "
         "or\n"
         "not to the end, or an option is wrong.\n");
}

static int print(const struct request *request, const struct trace *trace, const struct check_result *result) {
  if (!request->is_json)
    check_print_text(trace, result, request->is_all);
  else if (check_print_json(trace, result) < 0)
    return EXIT_UNCHECKED;
  if (!message_output_is_whole())
    return EXIT_UNCHECKED;
  if (result->of_severity[CHECK_VIOLATION] + result->of_severity[CHECK_HAZARD] > 0)
    return EXIT_FOUND;
  return result->is_partial ? EXIT_UNCHECKED : EXIT_SUCCESS;
}

static int check(void *data, const struct place *place, struct guard_progress *progress) {
  const struct request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct check_result result = {0};
  struct trace *trace = NULL;
  int status = EXIT_UNCHECKED;
  int code = trace_open(place->anchor, &progress->done, &trace, error);
  if (code == 0) {
    reading_expect(trace, progress, 1);
    code = check_run(trace, request->rules, &result, error);
  }
  if (code < 0)
    message_say("%s: %s", request->path, error);
  else if (!result.has_openmp && !result.is_partial)
    message_say("%s: there are no OpenMP events in it: nothing to check", request->path);
  else
    status = print(request, trace, &result);
  check_free(&result);
  trace_close(trace);
  return status;
}

/* The rules that a word names: one, all of a severity, or all; 0 if there is none of the name. */
static uint32_t rules_of(const char *word, size_t length) {
  uint32_t found = length == 3 && strncmp(word, "all", length) == 0 ? all_rules : 0;
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    const struct check_rule_text *rule = check_rule_text((enum check_rule)i);
    const char *severity = check_severity_name(rule->severity);
    bool is_it = strlen(rule->name) == length && strncmp(rule->name, word, length) == 0;
    bool is_of_it = strlen(severity) == length && strncmp(severity, word, length) == 0;
    found |= is_it || is_of_it ? 1u << i : 0;
  }
  return found;
}

/* A list that begins by leaving something out begins with all. Returns 0 if a word names no rule. */
static uint32_t parse_rules(const char *list) {
  uint32_t rules = *list == '-' ? all_rules : 0;
  for (const char *word = list; *word;) {
    size_t length = strcspn(word, ",");
    bool is_out = *word == '-';
    uint32_t found = rules_of(word + is_out, length - is_out);
    if (found == 0) {
      message_say("check: there is no rule %.*s; stave help check lists them", (int)length, word);
      return 0;
    }
    rules = is_out ? rules & ~found : rules | found;
    word += length + (word[length] == ',');
  }
  if (rules == 0)
    message_say("check: no rule is left to check");
  return rules;
}

static int usage(const char *what, const char *option) {
  message_say("check: %s%s; stave help check says more", what, option);
  return EXIT_UNCHECKED;
}

int cmd_check(int argc, char **argv) {
  struct request request = {.rules = all_rules};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, ":ar:h", options, NULL)) != -1;) {
    if (option == 'h') {
      cmd_check_help();
      return EXIT_SUCCESS;
    }
    request.is_all |= option == 'a';
    request.is_json |= option == OPTION_JSON;
    if (option == 'r' && (request.rules = parse_rules(optarg)) == 0)
      return EXIT_UNCHECKED;
    if (option == '?' || option == ':')
      return usage(option == '?' ? "there is no option " : "a value is missing after ", argv[optind - 1]);
  }
  if (optind + 1 != argc)
    return usage(optind == argc ? "no archive given" : "one archive at a time", "");
  request.path = argv[optind];
  return reading_run(request.path, check, &request, EXIT_UNCHECKED);
}
