/* The table of rules, and what was found of each: counted by place. */
#include "base/array.h"
#include "check/checker.h"

enum { FINDINGS_MAX = 10000 };

static const struct check_rule_text rules[] = {
#define RULE(id, name, severity, place, summary, explanation)                                                \
  [CHECK_##id] = {name, place, summary, explanation, CHECK_##severity},
#include "check/rules.def"
#undef RULE
};

const struct check_rule_text *check_rule_text(enum check_rule rule) {
  return &rules[rule];
}

const char *check_severity_name(enum check_severity severity) {
  static const char *const names[] = {
      [CHECK_VIOLATION] = "violation", [CHECK_HAZARD] = "hazard", [CHECK_INFORMATION] = "information"};
  return severity < CHECK_SEVERITY_COUNT ? names[severity] : "unknown";
}

static struct check_finding *add_finding(struct checker *checker) {
  struct check_result *result = checker->result;
  if (result->count == FINDINGS_MAX) {
    result->omitted++;
    return NULL;
  }
  return array_add(&result->findings, &result->count, sizeof *result->findings);
}

/* `kind` holds the rule and what distinguishes places besides the regions. */
static struct check_finding *find_of_kind(struct checker *checker, uint64_t kind, enum check_rule rule,
                                          size_t location, uint64_t ticks, uint32_t region, uint32_t other) {
  uint64_t place = (uint64_t)region << 32 | other;
  uintptr_t known = (uintptr_t)pair_map_get(&checker->findings, kind, place);
  if (known > 0) {
    checker->result->findings[known - 1].count++;
    return NULL;
  }
  struct check_finding *finding = add_finding(checker);
  if (!finding)
    return NULL;
  *finding = (struct check_finding){.rule = rule,
                                    .severity = rules[rule].severity,
                                    .region = region,
                                    .other = other,
                                    .count = 1,
                                    .location = location,
                                    .ticks = ticks,
                                    .site = TRACE_NO_REF};
  pair_map_put(&checker->findings, kind, place, (void *)(uintptr_t)checker->result->count);
  return finding;
}

struct check_finding *checker_find_called(struct checker *checker, enum check_rule rule,
                                          const struct mpi_call *call, uint64_t ticks) {
  uint64_t kind = rule | (call->site + 1) << 8;
  struct check_finding *finding =
      find_of_kind(checker, kind, rule, call->location, ticks, call->region, CHECK_NO_REGION);
  if (finding)
    finding->site = call->site;
  return finding;
}

struct check_finding *checker_find(struct checker *checker, enum check_rule rule, size_t location,
                                   uint64_t ticks, uint32_t region, uint32_t other) {
  return find_of_kind(checker, rule, rule, location, ticks, region, other);
}
