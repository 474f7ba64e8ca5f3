/* What disturbs the numbers of a report. */
#include "base/plural.h"
#include "cli/report/report_print.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"

enum { NUMBER_BYTES = 32, UNSEEN_BYTES = 128 };

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
      prose_printf(2, "%s %s", summary_number(number, all[i].count), all[i].what);
}

static bool is_disturbed(const struct report *report) {
  const struct replay_anomalies *anomalies = &report->anomalies;
  const struct report_caveats *caveats = &report->caveats;
  return anomalies->backward + anomalies->unmatched_leave + anomalies->unclosed + anomalies->unknown_region +
                 anomalies->unknown_task + anomalies->unknown_team + anomalies->unmatched_lock >
             0 ||
         caveats->lost_events > 0 || caveats->stalls > 0 || caveats->recording_pauses > 0 ||
         caveats->is_incomplete || report_lacks_clock(report) || report->unseen_count > 0 ||
         caveats->lacks_teams || caveats->switches_missed > 0 || caveats->mutexes_withheld > 0 ||
         caveats->dependences_withheld > 0 || caveats->lacks_dependences || report->tasks_live > 0;
}

/* What the tool did not request, because of faults of the runtime's. */
static void print_withheld(const struct report_caveats *caveats) {
  char number[NUMBER_BYTES];
  if (caveats->mutexes_withheld > 0)
    prose_printf(
        2, "%s acquisitions of locks were not recorded, since the first thread that used OpenMP had ended",
        summary_number(number, caveats->mutexes_withheld));
  if (caveats->dependences_withheld > 0)
    prose_printf(2, "the dependences of %s tasks were not recorded: the critical path may be longer",
                 summary_number(number, caveats->dependences_withheld));
  else if (caveats->lacks_dependences)
    prose_printf(
        2, "the dependences of tasks were not recorded: if there are any, the critical path may be longer");
}

static void write_reason(char text[UNSEEN_BYTES], const struct report_unseen *one) {
  switch (one->why) {
  case UNSEEN_RUNTIME:
    snprintf(text, UNSEEN_BYTES, "the runtime does not report %s", one->event);
    return;
  case UNSEEN_DECLINED:
    snprintf(text, UNSEEN_BYTES, "%s was not requested", one->event);
    return;
  case UNSEEN_KERNEL:
    snprintf(text, UNSEEN_BYTES, "the run was over, or cut off, before the kernel's counts were read twice");
    return;
  case UNSEEN_HOST:
    snprintf(text, UNSEEN_BYTES, "the host reclaims free memory, and large pages have to come from there");
    return;
  }
}

/* "not looked for: A, B (why), C (why)". */
static void print_unseen(const struct report *report) {
  char text[UNSEEN_BYTES * 8] = "not looked for", why[UNSEEN_BYTES], next[UNSEEN_BYTES] = "";
  for (size_t i = 0; i < report->unseen_count; i++) {
    bool is_last = i + 1 == report->unseen_count;
    size_t used = strlen(text);
    write_reason(why, &report->unseen[i]);
    if (!is_last)
      write_reason(next, &report->unseen[i + 1]);
    bool is_reported = is_last || strcmp(why, next) != 0;
    snprintf(text + used, sizeof text - used, "%s %s%s%s%s", i == 0 ? ":" : ",",
             report_cause_name(report->unseen[i].cause), is_reported ? " (" : "", is_reported ? why : "",
             is_reported ? ")" : "");
  }
  if (report->unseen_count > 0)
    prose_printf(2, "%s", text);
}

void report_print_caveats(const struct report *report) {
  const struct report_caveats *caveats = &report->caveats;
  char number[NUMBER_BYTES], time[TEXT_TIME_BYTES];
  if (!is_disturbed(report))
    return;
  table_heading("Limits of these figures");
  if (caveats->lost_events > 0)
    prose_printf(2, "%s events were lost", summary_number(number, caveats->lost_events));
  else if (caveats->is_incomplete)
    prose_printf(2, "the archive is marked as incomplete");
  if (caveats->switches_missed > 0)
    prose_printf(2, "%s switches of threads were missed: when these had no processor is not known",
                 summary_number(number, caveats->switches_missed));
  if (caveats->stalls > 0)
    prose_printf(
        2,
        "threads waited %s time%s for room in their trace buffers, %s in all, which is left out of the other "
        "figures: larger buffers (STAVE_BUFFER_SIZE)",
        summary_number(number, caveats->stalls), plural(caveats->stalls),
        text_time(time, report->trace, (double)caveats->stall_ticks));
  if (caveats->recording_pauses > 0)
    prose_printf(2, "recording was paused %s time%s", summary_number(number, caveats->recording_pauses),
                 plural(caveats->recording_pauses));
  if (report_lacks_clock(report))
    prose_printf(
        2,
        "messages arrive up to %s before they are sent: the clocks of the processes differ, and who waits "
        "for whom in MPI is not known",
        text_time(time, report->trace, (double)caveats->clock_ticks));
  if (caveats->lacks_teams)
    prose_printf(
        2,
        "the archive does not record which threads belong to which team: of parallel regions only what their "
        "primary threads did is known, and nothing of a critical path; a worker may be in a region's barrier "
        "until the next region begins");
  print_unseen(report);
  print_withheld(caveats);
  if (report->tasks_live > 0)
    prose_printf(2, "%s task%s created and not completed (merged, or the trace ends before)",
                 summary_number(number, report->tasks_live), plural(report->tasks_live));
  print_anomalies(&report->anomalies);
}
