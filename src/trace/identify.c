#include "trace/identify.h"

#include <stdio.h>
#include <string.h>

#include "ompt/values.h"
#include "trace/device_facts.h"

/* What is known of a trace's runtime; -1: not recorded. */
struct signs {
  int delivers_dispatch, delivers_target;
  bool has_targets; /* events of target regions came */
  bool lacks_emi, has_states, has_barrier_states, has_work_states;
};

static int delivers(const struct trace *trace, int callback) {
  char name[64];
  snprintf(name, sizeof name, "STAVE::SET_CALLBACK::%d", callback);
  const char *value = trace_archive_property(trace, name);
  if (!value)
    return -1;
  return strcmp(value, "never") != 0 && strcmp(value, "error") != 0 && strcmp(value, "impossible") != 0;
}

/* Callbacks of OpenMP 5.1 are errors to a runtime of 5.0. */
static bool is_unknown(const struct trace *trace, int callback) {
  char name[64];
  snprintf(name, sizeof name, "STAVE::SET_CALLBACK::%d", callback);
  const char *value = trace_archive_property(trace, name);
  return value && strcmp(value, "error") == 0;
}

static bool has_state(const struct trace *trace, unsigned state) {
  char name[64];
  snprintf(name, sizeof name, "STAVE::STATE::%u", state);
  return trace_archive_property(trace, name) != NULL;
}

static struct signs read_signs(const struct trace *trace) {
  int target = delivers(trace, OMPT_CALLBACK_target);
  struct device_facts facts;
  device_facts_read(&facts, trace);
  return (struct signs){.has_targets = facts.targets + facts.data_operations + facts.submissions > 0,
                        .delivers_dispatch = delivers(trace, OMPT_CALLBACK_dispatch),
                        .delivers_target = target >= 0 ? target : delivers(trace, OMPT_CALLBACK_target_emi),
                        .lacks_emi = is_unknown(trace, OMPT_CALLBACK_target_emi),
                        .has_states = has_state(trace, OMPT_STATE_work_serial),
                        .has_barrier_states = has_state(trace, OMPT_STATE_wait_barrier_implementation) &&
                                              has_state(trace, OMPT_STATE_wait_barrier_teams),
                        .has_work_states = has_state(trace, OMPT_STATE_work_free_agent) &&
                                           has_state(trace, OMPT_STATE_work_induction)};
}

/* The releases that were looked at: 11, 13 to 19, 21 to 23. Between them, what changes first is not known. */
static const char *release(const struct signs *signs) {
  if (signs->has_work_states)
    return "23 or later";
  if (signs->has_barrier_states)
    return "19 to 22";
  if (!signs->has_states)
    return NULL;
  if (signs->lacks_emi)
    return "11 or 12";
  if (signs->delivers_dispatch == 0)
    return "13 or 14";
  if (signs->delivers_dispatch > 0 && signs->delivers_target >= 0)
    return signs->delivers_target > 0 ? "17 or 18" : "15 or 16";
  return signs->delivers_dispatch > 0 ? "15 to 18" : "13 to 18";
}

static void describe(char evidence[IDENTIFY_EVIDENCE_BYTES], const struct signs *signs) {
  static const char *const words[] = {"not known to deliver", "does not deliver", "delivers"};
  const char *target = signs->delivers_target > 0 && !signs->has_targets ? "accepts, without any event of,"
                                                                         : words[signs->delivers_target + 1];
  snprintf(evidence, IDENTIFY_EVIDENCE_BYTES,
           "states barrier_implementation and barrier_teams: %s, work_free_agent: %s; %s dispatch; %s target",
           signs->has_barrier_states ? "yes" : "no", signs->has_work_states ? "yes" : "no",
           words[signs->delivers_dispatch + 1], target);
}

void identify_runtime(struct identified *ret, const struct trace *trace) {
  *ret = (struct identified){0};
  const char *version = trace_archive_property(trace, "STAVE::RUNTIME");
  struct signs signs = read_signs(trace);
  const char *number = release(&signs);
  if (version && strncmp(version, "GNU libgomp", strlen("GNU libgomp")) == 0)
    return; /* its own words are true */
  bool is_llvm = version && strncmp(version, "LLVM", 4) == 0;
  if (!version || !number)
    return;
  if (is_llvm)
    snprintf(ret->name, sizeof ret->name, "LLVM libomp %s, or like it", number);
  else
    snprintf(ret->name, sizeof ret->name, "like LLVM libomp %s", number);
  describe(ret->evidence, &signs);
}
