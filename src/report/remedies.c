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

void finding_advise_without_source(const struct report *report, struct report_finding *finding) {
  const struct remedy *remedy = remedy_for(finding->cause);
  char before[FINDING_BYTES];
  if (!remedy)
    return;
  memcpy(before, finding->advice, sizeof before);
  finding_printf(finding->advice, "%s%s", finding_is_in_crowd(report) ? "" : remedy->awake, remedy->advice);
  if (*before)
    finding_append(finding->advice, "; in the source: %s", before);
}
