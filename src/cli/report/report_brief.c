/* `stave report --brief`: the answer in at most 20 lines, which are never broken: for a mail or a log. */
#include "base/plural.h"
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "report/text.h"
#include "stave/names.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Besides 7 lines: the ending, 4 of overview, activities, what disturbs. A deadlock represents a finding. */
enum {
  LAST_MAX = 4,
  FINDINGS_MAX = 5,
  ACTIVITIES_MAX = 4,
  LINE_BYTES = 2048,
  SAMPLES_BYTES = LABEL_BYTES + 64
};

__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...) {
  char line[LINE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  prose_print_within(SIZE_MAX, 0, 0, line);
}

static const char *share_of(char text[TEXT_TIME_BYTES], double part, double total) {
  return text_percent(text, total > 0 ? part / total : 0);
}

static const char *time_of(char text[TEXT_TIME_BYTES], const struct report *report, double ticks) {
  return text_time(text, report->trace, ticks);
}

/* What it was in, or the lock that it held. ("inside critical @a.c:7" shows that it was in it.) */
static void print_open(const struct report *report, const char *thread, const struct report_open *open) {
  char text[LABEL_BYTES], time[TEXT_TIME_BYTES];
  const char *label = label_region(text, report->trace, open->region), *word = "in ";
  if (open->is_held)
    word = "holds ";
  else if (strncmp(label, "inside ", strlen("inside ")) == 0)
    word = "";
  print_line("  %s: %s%s for %s", thread, word, label,
             time_of(time, report, (double)(report->last_ticks - open->since_ticks)));
}

/* The innermost of what each thread was in. */
static void print_last_places(const struct report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_final_state *state = &report->final_states[i];
    const struct report_open *open = state->open_count ? &state->open[0] : NULL;
    if (!report->threads[i].is_seen || report->threads[i].is_device || count++ >= LAST_MAX)
      continue;
    if (open)
      print_open(report, report->trace->locations[i].name, open);
    else
      print_line("  %s: %s", report->trace->locations[i].name, activity_name(state->activity));
  }
}

static void print_ending(const struct report *report) {
  if (report->has_ended_badly)
    print_line("ended: %s%s", report->ending, report->final_states ? "; state of the threads" : "");
  if (!report->final_states)
    return;
  print_last_places(report);
  char circle[DEADLOCK_BYTES];
  if (report_deadlock_text(circle, sizeof circle, report))
    print_line("deadlock: %s", circle);
}

/* What comes before all findings. */
static void print_first(const struct report *report) {
  char crowd[ACCOUNT_BYTES];
  if (report_crowding_threads(report) > 0)
    print_line("%s", report_print_crowd(crowd, report));
  if (report_has_one_thread(report))
    print_line("all parallel regions have a team of one, on %" PRIu64 " processors",
               report->processors.count);
  if (report_lacks_source(report))
    print_line("no debug information: advice begins with what needs no source");
}

static void print_overview(const struct report_print *print) {
  const struct report *report = print->report;
  const char *program = trace_archive_property(report->trace, STAVE_PROPERTY_PROGRAM);
  char wall[TEXT_TIME_BYTES], serial[TEXT_TIME_BYTES], efficiency[TEXT_TIME_BYTES], account[ACCOUNT_BYTES],
      threads[COUNT_BYTES];
  report_print_threads(threads, report, report->cpus == 1 ? " thread" : " threads");
  print_line("archive: %s%s%s", print->anchor, program ? " of " : "", program ? program : "");
  if (report->has_openmp || report->activity[ACTIVITY_DEVICE] == 0)
    print_line("wall time %s, %s, %" PRIu64 " parallel region%s, %" PRIu64 " task%s, serial for %s",
               time_of(wall, report, (double)report->wall), threads, report->forks, plural(report->forks),
               report->tasks_created, plural(report->tasks_created),
               time_of(serial, report, (double)report->serial));
  else
    print_line("wall time %s, %s, waiting for devices for %s at least",
               time_of(wall, report, (double)report->wall), threads,
               time_of(serial, report, (double)report->device_wait));
  if (report->activity[ACTIVITY_UNKNOWN] > 0)
    print_line("not known %s of the threads' time: %s; what follows is of the rest",
               share_of(serial, (double)report->activity[ACTIVITY_UNKNOWN],
                        (double)report->cpus * (double)report->wall),
               report_print_unknown(report));
  double work;
  if (report_is_slower_than_work(report, &work))
    print_line("that is longer than the work of all threads, %s in all: one thread may be faster",
               time_of(serial, report, work));
  print_first(report);
  if (report->account.is_known)
    print_line("the threads' time: %s", report_print_account(account, report));
  if (report->processors.others > 0)
    print_line("other programs used %s of the processors' time meanwhile: times may be longer for it",
               share_of(serial, report->processors.others, report->processors.all));
  if (report_has_efficiency(report))
    print_line("parallel efficiency %s (threads x wall time that is useful work)",
               text_percent(efficiency, report->parallel_efficiency));
}

static void print_mpi(const struct report *report) {
  char all[TEXT_TIME_BYTES], balance[TEXT_TIME_BYTES], serial[TEXT_TIME_BYTES], transfer[TEXT_TIME_BYTES],
      ends[TEXT_TIME_BYTES];
  text_percent(all, report->mpi_efficiency);
  text_percent(balance, report->mpi_load_balance);
  if (report_lacks_clock(report))
    print_line("MPI efficiency %s, load balance %s; the processes' clocks differ: who waits is not known",
               all, balance);
  else
    print_line("MPI efficiency %s = load balance %s x serialisation %s x transfer %s x start and end %s", all,
               balance, text_percent(serial, report->mpi_serialisation),
               text_percent(transfer, report->mpi_transfer), text_percent(ends, report->mpi_start_end));
}

static int longest_below(const struct report *report, int above) {
  int longest = -1;
  for (int i = 0; i < ACTIVITY_COUNT; i++) {
    bool is_below = above < 0 || report->activity[i] < report->activity[above] ||
                    (report->activity[i] == report->activity[above] && i > above);
    if (is_below && report->activity[i] > 0 &&
        (longest < 0 || report->activity[i] > report->activity[longest]))
      longest = i;
  }
  return longest;
}

static void print_activities(const struct report *report) {
  char line[LINE_BYTES] = "", share[TEXT_TIME_BYTES];
  size_t used = 0;
  double sum = 0;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    sum += (double)report->activity[i];
  int activity = longest_below(report, -1);
  for (int i = 0; i < ACTIVITIES_MAX && activity >= 0; i++) {
    used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", i ? ", " : "",
                             activity_name((enum activity)activity),
                             share_of(share, (double)report->activity[activity], sum));
    activity = longest_below(report, activity);
  }
  if (used > 0)
    print_line("time of the threads: %s", line);
}

static bool is_requested(const struct report_print *print, const struct report_finding *finding) {
  return !print->only || (finding->region != REPLAY_NONE && report_print_includes(print, finding->region));
}

/* A run is not worth changing for so little, whatever share of it that is. */
static bool is_too_small(const struct report *report, const struct report_finding *finding) {
  return finding->gain_ticks * 1e3 < (double)report->trace->clock.ticks_per_second;
}

/* " (549 of 850 samples in vfprintf)", or "". */
static const char *sampled(char text[SAMPLES_BYTES], const struct report *report,
                           const struct report_finding *finding) {
  char label[LABEL_BYTES];
  *text = '\0';
  if (finding->sampled_function != REPLAY_NONE)
    snprintf(text, SAMPLES_BYTES, " (%" PRIu64 " of %" PRIu64 " samples in %s)", finding->samples_in,
             finding->samples, label_function(label, report->trace, finding->sampled_function));
  return text;
}

static void print_findings(const struct report_print *print) {
  const struct report *report = print->report;
  size_t printed = 0, small = 0,
         most = FINDINGS_MAX - (size_t)(report->deadlock_count > 0) -
                (size_t)(report->processors.others > 0) - (size_t)(report->activity[ACTIVITY_UNKNOWN] > 0);
  for (size_t i = 0; i < report->finding_count && printed < most; i++) {
    const struct report_finding *finding = &report->findings[i];
    char gain[GAIN_BYTES], samples[SAMPLES_BYTES];
    if (!is_requested(print, finding))
      continue;
    if (is_too_small(report, finding)) {
      small++;
      continue;
    }
    print_line("%zu. up to %s, confidence %s: %s%s", ++printed, report_print_gain(gain, report, finding),
               report_confidence_name(finding->confidence), finding->what, sampled(samples, report, finding));
    print_line("   %s", finding->advice);
  }
  if (small > 0)
    print_line("%s%zu finding%s of less than 1 ms left out", printed ? "" : "no findings: ", small,
               plural(small));
  else if (printed == 0 && !report->final_states)
    print_line("%s", report_print_nothing(report));
  if (!report->final_states && report_print_scaling(report))
    print_line("%s", report_print_scaling(report));
}

const char *report_print_caveat(char text[CAVEAT_BYTES], const struct report *report) {
  const struct report_caveats *caveats = &report->caveats;
  char time[TEXT_TIME_BYTES];
  if (caveats->lost_events > 0)
    snprintf(text, CAVEAT_BYTES, "%" PRIu64 " events were lost: these numbers are not reliable",
             caveats->lost_events);
  else if (caveats->is_incomplete)
    snprintf(text, CAVEAT_BYTES, "the archive is marked as incomplete");
  else if (caveats->stalls > 0)
    snprintf(text, CAVEAT_BYTES, "threads waited %" PRIu64 " time%s for room in trace buffers, %s in all",
             caveats->stalls, plural(caveats->stalls), time_of(time, report, (double)caveats->stall_ticks));
  else if (caveats->lacks_chunks)
    snprintf(text, CAVEAT_BYTES,
             "the runtime does not report chunks of loops: whether they are too small is not known");
  else
    return NULL;
  return text;
}

static void print_caveats(const struct report *report) {
  char text[CAVEAT_BYTES];
  if (report_print_caveat(text, report))
    print_line("%s", text);
}

void report_print_brief(const struct report_print *print) {
  const struct report *report = print->report;
  print_ending(report);
  print_overview(print);
  print_activities(report);
  if (report->activity[ACTIVITY_MPI] > 0)
    print_mpi(report);
  if (report_has_causes(report))
    print_findings(print);
  if (!report->has_openmp)
    print_line("no OpenMP events");
  print_caveats(report);
}
