/* Did a run keep OpenMP's rules, and its runtime the tool interface's? One pass over the events, in the order
 * of time. */
#ifndef STAVE_CHECK_CHECK_H
#define STAVE_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

enum check_severity {
  CHECK_VIOLATION,
  CHECK_HAZARD,
  CHECK_INFORMATION,
  CHECK_SEVERITY_COUNT,
};

enum check_rule {
#define RULE(id, name, severity, place, summary, explanation) CHECK_##id,
#include "check/rules.def"
#undef RULE
  CHECK_RULE_COUNT
};

/* Sets of rules: a bit of each. */
#define CHECK_BIT(rule) (UINT64_C(1) << (rule))
#define CHECK_ALL_RULES (UINT64_MAX >> (64 - CHECK_RULE_COUNT))
_Static_assert(CHECK_RULE_COUNT <= 64, "a set of rules has 64 bits");

/* What is known of a rule; texts as in rules.def. Constant memory. */
struct check_rule_text {
  const char *name, *place, *summary, *explanation;
  enum check_severity severity;
};

const struct check_rule_text *check_rule_text(enum check_rule rule);

/* "violation", "hazard", "information". */
const char *check_severity_name(enum check_severity severity);

enum { CHECK_DETAIL_BYTES = 320, CHECK_REASON_BYTES = 160 };

#define CHECK_NO_REGION TRACE_NO_POSITION

/* What was found at one place of the source, as often as it was. */
struct check_finding {
  enum check_rule rule;
  enum check_severity severity;
  uint32_t region, other; /* positions in the trace's regions; CHECK_NO_REGION: none */
  uint64_t count;
  size_t location; /* of the first one, as are the time and the detail */
  uint64_t ticks;
  uint64_t site; /* of calls of MPI: ref of the code line where it is called; TRACE_NO_REF: not known */
  uint64_t lock; /* of lock-across-scheduling: which is held (replay_lock_event), and by which task */
  uint64_t holder;
  char detail[CHECK_DETAIL_BYTES];
};

struct check_result {
  struct check_finding *findings; /* the worst first */
  size_t count;
  uint64_t omitted;                           /* findings at more places than are kept */
  uint64_t of_severity[CHECK_SEVERITY_COUNT]; /* occurrences */
  uint64_t events;                            /* that were checked */
  bool has_openmp;                            /* there was something to check */
  /* only events before until_ticks could be checked, for this reason */
  bool is_partial;
  uint64_t until_ticks;
  char partial_reason[CHECK_REASON_BYTES];
  uint64_t dependences_withheld;                          /* tasks whose dependences no rule could look at */
  char not_checked[CHECK_RULE_COUNT][CHECK_REASON_BYTES]; /* why a rule could not be checked; "": it was */
};

/* Checks the rules of a set. Returns 0; or -EIO with one line in `error`. check_free in both cases. */
int check_run(struct trace *trace, uint64_t rules, struct check_result *ret, char error[TRACE_ERROR_BYTES]);

/* Frees what it owns. */
void check_free(struct check_result *result);

#endif
