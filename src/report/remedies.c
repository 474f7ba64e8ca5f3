/* What who has installed a program can do: where no parallel region has a line, there is no debug
 * information, and most likely no source at hand. It comes before what only the source can change. */
#include <stdio.h>
#include <string.h>

#include "report/finding.h"

#define FEWER "stave scale shows how many threads pay: fewer (OMP_NUM_THREADS, the program's own option)"

/* Causes that are not here have advice that needs no source, or nothing else helps. */
static const struct remedy {
  enum report_cause cause;
  const char *awake; /* comes first where each thread has a processor, which it keeps then */
  const char *advice;
} remedies[] = {
    {CAUSE_SERIAL, "",
     "several runs of the program side by side use the processors, with fewer threads each"},
    {CAUSE_TEAM_OF_ONE, "", "the program's own option for threads, if it has one"},
    {CAUSE_SINGLE, "",
     "several runs of the program side by side use the processors, with fewer threads each"},
    {CAUSE_IMBALANCE, "", "OMP_PROC_BIND=true, and OMP_SCHEDULE=dynamic if its loops follow it; " FEWER},
    {CAUSE_LOOP_IMBALANCE, "", "OMP_PROC_BIND=true, and OMP_SCHEDULE=dynamic if its loops follow it; " FEWER},
    {CAUSE_CHUNK_SIZE, "", "OMP_SCHEDULE=static, if the loop follows it; " FEWER},
    {CAUSE_LOCK, "", FEWER},
    {CAUSE_REDUCTION, "", FEWER},
    {CAUSE_DOACROSS, "", FEWER},
    {CAUSE_BUSY_WAITING, "", FEWER},
    {CAUSE_SMALL_TASKS, "OMP_WAIT_POLICY=active; ", FEWER},
    {CAUSE_TASK_STARVATION, "", "a larger input for one run; " FEWER},
    {CAUSE_TASKWAIT, "", "a larger input for one run; " FEWER},
    {CAUSE_FORK_JOIN, "OMP_WAIT_POLICY=active keeps workers awake between regions; ", FEWER},
    {CAUSE_LATE_START, "OMP_WAIT_POLICY=active, and ", "OMP_PROC_BIND=true; " FEWER},
    {CAUSE_SLOW_BARRIERS, "OMP_WAIT_POLICY=active, and ", "OMP_PROC_BIND=true; " FEWER},
};

bool report_lacks_source(const struct report *report) {
  bool is_any = false;
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct report_parallel *parallel = report->regions[i].parallel;
    if (!parallel || parallel->instances == 0)
      continue;
    is_any = true;
    if (report->trace->regions[i].begin_line > 0)
      return false;
  }
  return is_any;
}

static const struct remedy *remedy_for(enum report_cause cause) {
  for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
    if (remedies[i].cause == cause)
      return &remedies[i];
  return NULL;
}

/* Whether there are workers that can keep their processors. */
static bool has_workers(const struct report *report, const struct report_finding *finding) {
  const struct report_parallel *parallel =
      finding->region == REPLAY_NONE ? NULL : report->regions[finding->region].parallel;
  return !finding_is_in_crowd(report) && !(parallel && parallel->largest <= 1);
}

/* What needs no source is all of the advice, or its end: the remedy has it. */
static void keep_source(char advice[FINDING_BYTES]) {
  static const char *const ends[] = {"; OMP_WAIT_POLICY=", "; without a change of the program: "};
  if (strncmp(advice, "OMP_", strlen("OMP_")) == 0)
    *advice = '\0';
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char *end = strstr(advice, ends[i]);
    if (end)
      *end = '\0';
  }
}

void finding_advise_without_source(const struct report *report, struct report_finding *finding) {
  const struct remedy *remedy = remedy_for(finding->cause);
  char before[FINDING_BYTES];
  if (!remedy)
    return;
  memcpy(before, finding->advice, sizeof before);
  keep_source(before);
  finding_printf(finding->advice, "%s%s", has_workers(report, finding) ? remedy->awake : "", remedy->advice);
  if (*before)
    finding_append(finding->advice, "; in the source: %s", before);
}
