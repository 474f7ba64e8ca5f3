#include "cli/check/cmd_check.h"

#include "cli/check/check_files.h"
#include "cli/check/check_print.h"
#include "cli/common/archive_job.h"
#include "cli/common/count_condition.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_request {
  const char *path;
  uint64_t rules;
  bool is_json, is_all, is_by_ranks;
  const char *mpi;           /* its library; NULL: to be found */
  const char *sarif, *junit; /* files; NULL: not requested */
  struct count_condition conditions[COUNT_CONDITIONS_MAX];
  size_t condition_count;
};

enum { RULE_WIDTH = 26 };

/* Long options that have no letter. */
enum { OPTION_JSON = 256, OPTION_SARIF, OPTION_JUNIT, OPTION_FAIL_IF, OPTION_MPI };

static const char *rule_word(size_t number);

static const struct usage_option options[] = {
    {'a', "all", NULL, "show every place; otherwise ten of each rule", USAGE_NOTHING, NULL},
    {OPTION_FAIL_IF, "fail-if", "CONDITION",
     "exit status 3 if it holds, and otherwise not: 'violations > 0', 'hazards > 5', 'nesting > 0'",
     USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "one JSON object instead of text", USAGE_NOTHING, NULL},
    {OPTION_JUNIT, "junit", "FILE", "write a test case for each rule as JUnit's XML, too", USAGE_FILE, NULL},
    {OPTION_MPI, "mpi", "LIBRARY",
     "below mpirun or srun: the ranks read the archive together, rank 0 prints; the MPI's library, if it is "
     "not found",
     USAGE_OPTIONAL, NULL},
    {OPTION_SARIF, "sarif", "FILE", "write the findings as SARIF 2.1.0, too", USAGE_FILE, NULL},
    {'r', "rules", "LIST", "rules or severities to check, separated by commas; -NAME leaves one out",
     USAGE_LIST, rule_word},
    {0},
};

/* What --rules knows: rules, severities, all. */
static const char *rule_word(size_t number) {
  if (number < CHECK_RULE_COUNT)
    return check_rule_text((enum check_rule)number)->name;
  number -= CHECK_RULE_COUNT;
  if (number < CHECK_SEVERITY_COUNT)
    return check_severity_name((enum check_severity)number);
  return number == CHECK_SEVERITY_COUNT ? "all" : NULL;
}

static void print_rules(enum check_severity severity) {
  printf("\nRules, %s:\n", check_severity_name(severity));
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    const struct check_rule_text *rule = check_rule_text((enum check_rule)i);
    if (rule->severity == severity)
      usage_print_row(rule->name, rule->summary, RULE_WIDTH);
  }
}

static bool write_files(const struct check_request *request, const struct trace *trace,
                        const struct check_result *result) {
  if (request->sarif && !check_write_sarif(request->sarif, trace, result))
    return false;
  return !request->junit || check_write_junit(request->junit, trace, result, request->rules);
}

/* -- conditions -- */

/* Severities as the JSON calls their numbers, then rules. */
static const char *condition_word(size_t number) {
  static const char *const severities[] = {
      [CHECK_VIOLATION] = "violations", [CHECK_HAZARD] = "hazards", [CHECK_INFORMATION] = "information"};
  if (number < CHECK_SEVERITY_COUNT)
    return severities[number];
  number -= CHECK_SEVERITY_COUNT;
  return number < CHECK_RULE_COUNT ? check_rule_text((enum check_rule)number)->name : NULL;
}

static uint64_t value_of(const struct check_result *result, size_t what) {
  uint64_t count = 0;
  if (what < CHECK_SEVERITY_COUNT)
    return result->of_severity[what];
  for (size_t i = 0; i < result->count; i++)
    if (result->findings[i].rule == (enum check_rule)(what - CHECK_SEVERITY_COUNT))
      count += result->findings[i].count;
  return count;
}

/* Of a rule that was looked at. */
static bool is_known(const struct check_request *request, const struct check_result *result, size_t what) {
  size_t rule = what - CHECK_SEVERITY_COUNT;
  return what < CHECK_SEVERITY_COUNT || (request->rules >> rule & 1 && !*result->not_checked[rule]);
}

/* What is more than allowed is so whatever comes after; that it is less only the entire run shows. */
static int judge_one(const struct check_request *request, const struct count_condition *condition,
                     const struct check_result *result) {
  uint64_t value = value_of(result, condition->what);
  bool holds = count_condition_holds(condition, value);
  if (!is_known(request, result, condition->what) || (result->is_partial && holds == condition->is_less)) {
    message_print("%s: %s: not known: it could not be checked, or not to the end", request->path,
                  condition->text);
    return EXIT_FAILED;
  }
  if (holds)
    message_print("%s: condition met: %s (%" PRIu64 ")", request->path, condition->text, value);
  return holds ? EXIT_FOUND : EXIT_SUCCESS;
}

static int judge(const struct check_request *request, const struct check_result *result) {
  int status = EXIT_SUCCESS;
  for (size_t i = 0; i < request->condition_count; i++) {
    int one = judge_one(request, &request->conditions[i], result);
    status = one == EXIT_FAILED || status == EXIT_SUCCESS ? one : status;
  }
  return status;
}

static bool add_condition(struct check_request *request, const char *text) {
  if (request->condition_count == COUNT_CONDITIONS_MAX)
    return usage_error("check", "--fail-if is given more than %d times", COUNT_CONDITIONS_MAX);
  if (count_condition_read(&request->conditions[request->condition_count], text, condition_word))
    return ++request->condition_count;
  return usage_error("check",
                     "--fail-if %s: unknown condition; allowed: violations, hazards, information or a rule "
                     "(stave check --help has them), then < or >, then a number",
                     text);
}

static int print(const struct check_request *request, const struct trace *trace,
                 const struct check_result *result) {
  if (!request->is_json)
    check_print_text(trace, result, request->is_all);
  else
    check_print_json(trace, result);
  if (!message_output_is_complete() || !write_files(request, trace, result))
    return EXIT_FAILED;
  if (request->condition_count)
    return judge(request, result);
  if (result->of_severity[CHECK_VIOLATION] + result->of_severity[CHECK_HAZARD] > 0)
    return EXIT_FOUND;
  return result->is_partial ? EXIT_FAILED : EXIT_SUCCESS;
}

/* Who reads the JSON finds that in it. */
static int report_nothing(const struct check_request *request, const struct archive_job *job,
                          const struct check_result *result) {
  if (request->is_json)
    check_print_json(job->trace, result);
  if (!message_output_is_complete())
    return EXIT_FAILED;
  return archive_job_failed(job, "there are no OpenMP events in it: nothing to check");
}

static int check(void *data, const struct archive_job *job) {
  const struct check_request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct check_result result = {0};
  int status, failure = check_run(job->trace, request->rules, &result, error);
  archive_job_has_read(job);
  if (failure < 0)
    status = archive_job_failed(job, error);
  else if (!result.has_openmp && !result.is_partial)
    status = report_nothing(request, job, &result);
  else
    status = print(request, job->trace, &result);
  check_free(&result);
  return status;
}

/* The rules that a word names: one, all of a severity, or all; 0 if there is none of the name. */
static uint64_t rules_of(const char *word, size_t length) {
  uint64_t found = length == 3 && strncmp(word, "all", length) == 0 ? CHECK_ALL_RULES : 0;
  for (int i = 0; i < CHECK_RULE_COUNT; i++) {
    const struct check_rule_text *rule = check_rule_text((enum check_rule)i);
    const char *severity = check_severity_name(rule->severity);
    bool is_it = strlen(rule->name) == length && strncmp(rule->name, word, length) == 0;
    bool is_of_it = strlen(severity) == length && strncmp(severity, word, length) == 0;
    found |= is_it || is_of_it ? CHECK_BIT(i) : 0;
  }
  return found;
}

/* A list that begins by leaving something out begins with all. */
static bool read_rules(const char *list, uint64_t *ret_rules) {
  uint64_t rules = *list == '-' ? CHECK_ALL_RULES : 0;
  for (const char *word = list; *word;) {
    size_t length = strcspn(word, ",");
    bool is_out = *word == '-';
    uint64_t found = rules_of(word + is_out, length - is_out);
    if (found == 0)
      return usage_unknown("check", "rule", word + is_out, length - is_out, rule_word);
    rules = is_out ? rules & ~found : rules | found;
    word += length + (word[length] == ',');
  }
  *ret_rules = rules;
  return rules != 0 || usage_error("check", "no rule is left to check");
}

static bool set_option(void *data, int option, const char *value) {
  struct check_request *request = data;
  request->is_all |= option == 'a';
  request->is_json |= option == OPTION_JSON;
  if (option == OPTION_MPI) {
    request->is_by_ranks = true;
    request->mpi = value;
  }
  if (option == OPTION_SARIF)
    request->sarif = value;
  if (option == OPTION_JUNIT)
    request->junit = value;
  if (option == OPTION_FAIL_IF)
    return add_condition(request, value);
  return option != 'r' || read_rules(value, &request->rules);
}

static void print_all_rules(void) {
  for (int severity = 0; severity < CHECK_SEVERITY_COUNT; severity++)
    print_rules((enum check_severity)severity);
}

const struct usage *cmd_check_usage(void) {
  static const struct usage usage = {
      .command = "check",
      .summary = "find violations of the rules of OpenMP and MPI",
      .synopsis = "[options] ARCHIVE",
      .about =
          "Checks the run in an OTF2 archive for violations: of OpenMP's and MPI's rules by the program, of "
          "OpenMP's and its tool interface's by the runtime. Each finding has its rule, place in the "
          "specification, thread, time and "
          "source line. ARCHIVE is a directory or its file traces.otf2; archives of other tools can be "
          "checked "
          "too.",
      .status = "Exit status: 0 if nothing was violated; 1 if it could not be checked, or not to the end; 2 "
                "if an option is wrong; 3 if there are violations or hazards, with --fail-if if a condition "
                "holds.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .more_help = print_all_rules,
      .set = set_option,
  };
  return &usage;
}

int cmd_check(int argc, char **argv) {
  struct check_request request = {.rules = CHECK_ALL_RULES};
  int status = usage_read(cmd_check_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  request.path = argv[optind];
  return request.is_by_ranks ? archive_job_run_by_ranks(request.path, request.mpi, NULL, check, &request)
                             : archive_job_run(request.path, check, &request);
}
