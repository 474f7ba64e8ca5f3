/* Processes that wait for each other in MPI. What one of them waits is lost to all, divided by their number,
 * as with threads. Where the late one is late because its own threads wait or have nothing to do, that is a
 * finding of its own: to even out the ranks would not help. */
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "report/collect/analyser.h"
#include "report/finding.h"
#include "stave/names.h"

/* Of the wall time: of a shorter one a longer run has even less. */
#define START_SHARE 0.1

static const char *process_name(const struct report *report, uint32_t process) {
  const struct trace *trace = report->trace;
  return process < trace->location_group_count ? trace->location_groups[process].name : "a process";
}

static const struct report_late *latest(const struct report_mpi_wait *wait) {
  const struct report_late *most = &wait->late[0];
  for (int i = 1; i < REPORT_LATE; i++)
    most = wait->late[i].ticks > most->ticks ? &wait->late[i] : most;
  return most;
}

static const char *what_of(const struct report_mpi_wait *wait) {
  switch ((int)wait->cause) {
  case CAUSE_LATE_SENDER:
    return "late sender at %s";
  case CAUSE_LATE_RECEIVER:
    return "late receiver at %s";
  case CAUSE_MPI_BARRIER:
    return "processes enter %s at different times";
  default:
    return "wait at %s for late processes";
  }
}

static void describe(struct report *report, struct report_finding *finding,
                     const struct report_mpi_wait *wait) {
  struct finding_texts texts = {.report = report};
  const struct report_late *late = latest(wait);
  bool is_most = late->ticks > wait->ticks / 2;
  finding->site = wait->site;
  finding->location = late->location;
  finding_scatter(finding, &wait->scatter);
  finding_printf(finding->what, what_of(wait), finding_call_label(&texts, wait->region, wait->site));
  finding_printf(finding->evidence,
                 "%s of processes' time in %" PRIu64
                 " call%s, %s at most, on %s; %s%s is the last one for %s of it, in %s",
                 finding_time(&texts, wait->ticks), wait->count, plural(wait->count),
                 finding_time(&texts, wait->longest), report->trace->locations[wait->location].name,
                 is_most ? "" : "it is not always the same: ", process_name(report, late->process),
                 finding_share(&texts, late->ticks, wait->ticks),
                 finding_call_label(&texts, late->region, late->site));
  if (wait->by_threads > 0)
    finding_append(finding->evidence, "; %s more are due to threads of late processes",
                   finding_time(&texts, wait->by_threads));
}

static void describe_threads(struct report *report, struct report_finding *finding,
                             const struct report_mpi_wait *wait) {
  struct finding_texts texts = {.report = report};
  finding->site = wait->site;
  finding_printf(finding->what, "wait at %s for processes whose threads wait or idle",
                 finding_call_label(&texts, wait->region, wait->site));
  finding_printf(
      finding->evidence,
      "%s of the %s waited there are not the processes' work, but what threads of those that come late "
      "have lost since their last call of MPI; most by %s",
      finding_time(&texts, wait->by_threads), finding_time(&texts, wait->ticks),
      process_name(report, wait->threads_of));
  if (wait->parallel != REPLAY_NONE)
    finding_append(finding->evidence, ", where %s was the last region before",
                   finding_label(&texts, wait->parallel));
}

static bool is_open_mpi(const struct trace *trace) {
  const char *library = trace_archive_property(trace, STAVE_PROPERTY_MPI_LIBRARY);
  return library && strncmp(library, "Open MPI", strlen("Open MPI")) == 0;
}

/* No event shows what the library does meanwhile. */
static void find_start(struct report *report) {
  const struct report_mpi_start *start = &report->mpi_start;
  struct finding_texts texts = {.report = report};
  double ticks = (double)start->ticks;
  struct report_finding *finding = finding_mean(report, ticks) >= START_SHARE * (double)report->wall
                                       ? finding_add(report, CAUSE_MPI_START, start->region, ticks)
                                       : NULL;
  if (!finding)
    return;
  finding->site = start->site;
  finding->location = start->location;
  finding_unsure(finding, finding->gain_ticks / 2, finding_reason(CAUSE_MPI_START));
  finding_printf(finding->what, "%s in %s, once a run", finding_time(&texts, finding_mean(report, ticks)),
                 finding_call_label(&texts, start->region, start->site));
  finding_printf(finding->evidence, "%s at most, on %s; it is %s of the wall time",
                 finding_time(&texts, (double)start->longest), report->trace->locations[start->location].name,
                 finding_share(&texts, finding_mean(report, ticks), (double)report->wall));
  if (is_open_mpi(report->trace))
    finding_append(finding->advice, "%s",
                   "; on one machine OMPI_MCA_pml=ob1 leaves out the libraries of other networks, and "
                   "without mpirun OMPI_MCA_ess_singleton_isolated=1 its daemon");
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  find_start(report);
  for (size_t i = 0; i < report->mpi_wait_count && !report_lacks_clock(report); i++) {
    const struct report_mpi_wait *wait = &report->mpi_waits[i];
    struct report_finding *finding =
        finding_add(report, wait->cause, wait->region, wait->ticks - wait->by_threads);
    if (finding)
      describe(report, finding, wait);
    finding = finding_add(report, CAUSE_RANK_THREADS, wait->region, wait->by_threads);
    if (finding)
      describe_threads(report, finding, wait);
  }
}

const struct analyser mpi_analyser = {.find = find};
