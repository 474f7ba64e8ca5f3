/* What disturbs the numbers of a report. */
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"

enum { NUMBER_BYTES = 32 };

static void print_anomalies(const struct replay_anomalies *anomalies) {
  char number[NUMBER_BYTES];
  const struct {
    uint64_t count;
    const char *what;
  } all[] = {
      {anomalies->backward, "events are earlier than the one before in their location"},
      {anomalies->unmatched_leave, "regions are left that are not open"},
      {anomalies->unclosed, "regions are not left"},
      {anomalies->unknown_region, "events name regions without a definition"},
      {anomalies->unknown_task, "events name tasks that are not known, or run elsewhere"},
      {anomalies->unknown_team, "events name teams that the location is not in"},
      {anomalies->unmatched_lock, "locks are released that were not acquired, or acquired twice"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].count > 0)
      prose_say(2, "%s %s", summary_number(number, all[i].count), all[i].what);
}

static bool is_disturbed(const struct report *report) {
  const struct replay_anomalies *anomalies = &report->anomalies;
  const struct report_caveats *caveats = &report->caveats;
  return anomalies->backward + anomalies->unmatched_leave + anomalies->unclosed + anomalies->unknown_region +
                 anomalies->unknown_task + anomalies->unknown_team + anomalies->unmatched_lock >
             0 ||
         caveats->lost_events > 0 || caveats->stalls > 0 || caveats->recording_pauses > 0 ||
         caveats->is_incomplete || report_lacks_clock(report) || caveats->lacks_chunks ||
         caveats->lacks_teams || caveats->mutexes_withheld > 0 || caveats->dependences_withheld > 0 ||
         caveats->lacks_dependences || report->tasks_live > 0;
}

/* What the tool did not ask for, because of faults of the runtime's. */
static void print_withheld(const struct report_caveats *caveats) {
  char number[NUMBER_BYTES];
  if (caveats->mutexes_withheld > 0)
    prose_say(2,
              "%s acquisitions of locks were not recorded, since the first thread that used OpenMP had ended",
              summary_number(number, caveats->mutexes_withheld));
  if (caveats->dependences_withheld > 0)
    prose_say(2, "the dependences of %s tasks were not recorded: the critical path may be longer",
              summary_number(number, caveats->dependences_withheld));
  else if (caveats->lacks_dependences)
    prose_say(
        2, "the dependences of tasks were not recorded: if there are any, the critical path may be longer");
}

void report_print_caveats(const struct report *report) {
  const struct report_caveats *caveats = &report->caveats;
  char number[NUMBER_BYTES], time[TEXT_TIME_BYTES];
  if (!is_disturbed(report))
    return;
  table_heading("Limits of these figures");
  if (caveats->lost_events > 0)
    prose_say(2, "%s events were lost", summary_number(number, caveats->lost_events));
  else if (caveats->is_incomplete)
    prose_say(2, "the archive is marked as incomplete");
  if (caveats->stalls > 0)
    prose_say(
        2,
        "%s times a thread waited for room in its trace buffer, %s in all, which is left out of all that it "
        "did: larger buffers (STAVE_BUFFER_SIZE)",
        summary_number(number, caveats->stalls),
        text_time(time, report->trace, (double)caveats->stall_ticks));
  if (caveats->recording_pauses > 0)
    prose_say(2, "recording was paused %s times", summary_number(number, caveats->recording_pauses));
  if (report_lacks_clock(report))
    prose_say(
        2,
        "messages arrive up to %s before they are sent: the clocks of the processes differ, and who waits "
        "for whom in MPI is not known",
        text_time(time, report->trace, (double)caveats->clock_ticks));
  if (caveats->lacks_teams)
    prose_say(
        2,
        "the archive does not record which threads belong to which team: of parallel regions only what their "
        "primary threads did is known, and nothing of a critical path; a worker may be in a region's barrier "
        "until the next region begins");
  if (caveats->lacks_chunks)
    prose_say(2, "the runtime does not report chunks of loops (libomp does from 15 on): whether they are too "
                 "small is not known");
  print_withheld(caveats);
  if (report->tasks_live > 0)
    prose_say(2, "%s tasks were created and not completed (merged, or the trace ends before)",
              summary_number(number, report->tasks_live));
  print_anomalies(&report->anomalies);
}
