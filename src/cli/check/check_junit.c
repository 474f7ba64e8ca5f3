#include "cli/check/check_files.h"

#include "base/utf8.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "trace/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Characters that XML 1.0 does not have are U+FFFD. */
static void put(FILE *file, const char *text) {
  char *clean = utf8_clean(text);
  for (const char *c = clean; *c; c++) {
    if (*c == '<')
      fputs("&lt;", file);
    else if (*c == '>')
      fputs("&gt;", file);
    else if (*c == '&')
      fputs("&amp;", file);
    else if (*c == '"')
      fputs("&quot;", file);
    else if (*c == '\n' || *c == '\t')
      fprintf(file, "&#%d;", *c);
    else if ((unsigned char)*c < 0x20)
      fputs(UTF8_REPLACEMENT, file);
    else
      fputc(*c, file);
  }
  free(clean);
}

static bool is_failure(const struct check_finding *finding) {
  return finding->severity != CHECK_INFORMATION;
}

static void put_finding(FILE *file, const struct trace *trace, const struct check_finding *finding) {
  char name[LABEL_BYTES] = "";
  if (finding->region < trace->region_count)
    label_call(name, trace, finding->region, finding->site);
  put(file, name);
  fputs(*name ? ": " : "", file);
  put(file, finding->detail);
  fprintf(file, " (%llu)\n", (unsigned long long)finding->count);
}

/* One failure a test case has, with all places of the rule. */
static void put_findings(FILE *file, const struct trace *trace, const struct check_result *result, int rule,
                         bool is_failed) {
  const struct check_rule_text *text = check_rule_text((enum check_rule)rule);
  bool has_started = false;
  for (size_t i = 0; i < result->count; i++) {
    const struct check_finding *finding = &result->findings[i];
    if ((int)finding->rule != rule || is_failure(finding) != is_failed)
      continue;
    if (!has_started && is_failed) {
      fprintf(file, "<failure type=\"%s\" message=\"", check_severity_name(finding->severity));
      put(file, text->summary);
      fputs("\">", file);
    } else if (!has_started) {
      fputs("<system-out>", file);
    }
    has_started = true;
    put_finding(file, trace, finding);
  }
  if (has_started)
    fputs(is_failed ? "</failure>" : "</system-out>", file);
}

static void put_case(FILE *file, const struct trace *trace, const struct check_result *result, int rule) {
  fprintf(file, "  <testcase classname=\"stave.check\" name=\"%s\">",
          check_rule_text((enum check_rule)rule)->name);
  if (*result->not_checked[rule]) {
    fputs("<skipped message=\"", file);
    put(file, result->not_checked[rule]);
    fputs("\"/>", file);
  }
  put_findings(file, trace, result, rule, true);
  put_findings(file, trace, result, rule, false);
  fputs("</testcase>\n", file);
}

/* What comes after could not be checked: no rule is known to be kept. */
static void put_partial(FILE *file, const struct check_result *result) {
  fputs("  <testcase classname=\"stave.check\" name=\"read to the end\"><error message=\"", file);
  put(file, result->partial_reason);
  fputs("\"/></testcase>\n", file);
}

struct totals {
  int tests, failures, skipped;
};

static struct totals count(const struct check_result *result, uint64_t rules) {
  struct totals totals = {.tests = result->is_partial};
  uint64_t failed = 0;
  for (size_t i = 0; i < result->count; i++)
    failed |= is_failure(&result->findings[i]) ? CHECK_BIT((int)result->findings[i].rule) : 0;
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
    bool is_selected = rules & CHECK_BIT(rule), has_failed = is_selected && (failed & CHECK_BIT(rule));
    totals.tests += is_selected;
    totals.failures += has_failed;
    totals.skipped += is_selected && *result->not_checked[rule] != '\0';
  }
  return totals;
}

static void put_suite(FILE *file, const struct trace *trace, const struct check_result *result,
                      uint64_t rules) {
  struct totals totals = count(result, rules);
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
  fprintf(file,
          " <testsuite name=\"stave check\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
          totals.tests, totals.failures, result->is_partial, totals.skipped);
  for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
    if (rules & CHECK_BIT(rule))
      put_case(file, trace, result, rule);
  if (result->is_partial)
    put_partial(file, result);
  fputs(" </testsuite>\n</testsuites>\n", file);
}

bool check_write_junit(const char *name, const struct trace *trace, const struct check_result *result,
                       uint64_t rules) {
  struct partial_file file;
  if (!partial_file_open(&file, name))
    return false;
  int copy = dup(file.fd);
  FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
  if (stream)
    put_suite(stream, trace, result, rules);
  bool is_written = stream && fflush(stream) == 0 && !ferror(stream);
  if (!is_written)
    message_print("cannot write %s: %m", name);
  if (stream)
    fclose(stream);
  return partial_file_close(&file, is_written);
}
