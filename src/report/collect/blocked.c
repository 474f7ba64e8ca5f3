/* Serial time in which the thread neither runs nor is ready: it is blocked in the kernel, by input and
 * output, sleeping, a lock, or another process. No events show it; the kernel's counts of the first thread
 * do, between two readings at a time. */
#include "report/collect/blocked.h"

#include <math.h>

#include "report/collect/analyser.h"
#include "report/finding.h"

/* Of a reading: what threads of the program's own that ran for less make somebody wait for is no matter. */
#define OTHERS_MIN 0.01

/* Of the middle of what is possible: where more is uncertain, the least alone is claimed. */
#define UNSURE_SHARE 0.5

static double length_of(const struct account_readings *process, size_t reading) {
  return reading > 0 ? process->times[reading] - process->times[reading - 1] : 0;
}

/* How long a thread lived in a reading at whose end it was not read, as one that has ended: it may have run
 * for all of it. */
static double lived_unread(const struct report *report, const struct account_lines *lines,
                           const struct account_readings *process, size_t location, size_t reading) {
  const struct account_line *line = &lines->lines[location];
  const struct report_thread *thread = &report->threads[location];
  if (line->process != process || reading < line->first + line->count)
    return 0;
  double begin = fmax((double)thread->first_ticks, process->times[reading - 1]);
  return fmax(0, fmin((double)thread->last_ticks, process->times[reading]) - begin);
}

/* What the process's threads ran that are none of OpenMP's: the first thread may wait for them. */
static double ran_by_others(const struct report *report, const struct account_lines *lines,
                            const struct account_readings *process, size_t reading) {
  double others = process->own[reading];
  for (size_t i = 0; i < lines->line_count && reading > 0; i++) {
    const struct account_line *line = &lines->lines[i];
    if (line->process == process && reading >= line->first && reading < line->first + line->count)
      others -= account_line_ran(line, reading - line->first);
    else
      others -= lived_unread(report, lines, process, i, reading);
  }
  return fmax(others, 0);
}

/* What part of the time in regions the process's other threads ran or were ready, in the mean: they are in
 * these alone, while they live. Where none was read it may be nothing. */
static double busy_in_regions(const struct account_lines *lines, const struct account_line *first,
                              size_t reading, double in_regions) {
  double sum = 0, count = 0, length = length_of(first->process, reading);
  for (size_t i = 0; i < lines->line_count; i++) {
    const struct account_line *line = &lines->lines[i];
    size_t at = reading - line->first;
    if (line == first || line->process != first->process || reading < line->first || at >= line->count)
      continue;
    sum += line->ran[at] + line->ready[at];
    count += length > 0 ? account_line_lived(line, at) / length : 0;
  }
  return count > 0 && in_regions > 0 ? fmin(1, sum / count / in_regions) : 0;
}

/* Of one reading: waiting in barriers sleeps first, and so does who waits for other threads. Work in regions,
 * which is as likely to run as that of the other threads, may have slept, too, for as long as it did not run.
 */
static void add_blocked(struct report *report, const struct account_lines *lines,
                        const struct account_line *line, size_t i) {
  size_t reading = line->first + i;
  double length = length_of(line->process, reading) - line->process->stopped[reading];
  double others = ran_by_others(report, lines, line->process, reading);
  double slept = length - line->ran[i] - line->ready[i] - line->waiting[i] - others;
  double in_regions = fmax(0, length - line->serial[i]), work = fmax(0, in_regions - line->waiting[i]);
  work -= fmin(line->ran[i], work * busy_in_regions(lines, line, reading, in_regions));
  double most = fmax(0, fmin(slept, line->serial[i])), least = fmax(0, fmin(slept - work, most));
  if (others >
      OTHERS_MIN * length) /* they may have been preempted, and the thread have waited for that, too */
    least = 0;
  report->blocked += (most + least) / 2;
  report->blocked_unsure += (most - least) / 2;
}

/* Of one reading: as if they ran evenly in it. */
static double beside_in(const struct report *report, const struct account_lines *lines,
                        const struct account_line *line, size_t i) {
  double length = length_of(line->process, line->first + i);
  double others = ran_by_others(report, lines, line->process, line->first + i);
  return length > 0 ? line->serial[i] * fmin(1, others / length) : 0;
}

/* Of what the process was blocked before its first event so much may be the recording's begin. */
#define BEGIN_S 0.1

/* What it lived before its first event and did not run; +- *unsure. */
static double blocked_before(const struct report *report, double *unsure) {
  double begin = BEGIN_S * (double)report->trace->clock.ticks_per_second;
  double slept = report->life.before - report->life.ran;
  *unsure = slept > begin ? begin / 2 : 0;
  return slept > begin ? slept - begin / 2 : 0;
}

static void finish(struct collector *collector) {
  double unsure;
  const struct account_lines *lines = &collector->account;
  for (size_t i = 0; i < lines->line_count; i++)
    for (size_t j = 0; lines->lines[i].process && j < lines->lines[i].count; j++) {
      if (lines->lines[i].serial[j] <= 0)
        continue;
      add_blocked(collector->report, lines, &lines->lines[i], j);
      collector->report->beside += beside_in(collector->report, lines, &lines->lines[i], j);
    }
  collector->report->blocked += blocked_before(collector->report, &unsure);
  collector->report->blocked_unsure += unsure;
}

static double at_most_serial(const struct report *report, double ticks) {
  return fmin(ticks, report->serial_alone - (double)report->offload);
}

/* Whether regions share so many readings with the serial part that as likely as not these slept. */
static bool is_least_claimed(const struct report *report) {
  return report->blocked_unsure > UNSURE_SHARE * report->blocked;
}

double blocked_in_serial(const struct report *report) {
  double least = is_least_claimed(report) ? report->blocked_unsure : 0;
  return at_most_serial(report, finding_mean(report, report->blocked - least));
}

double blocked_besides(const struct report *report) {
  double most = at_most_serial(report, finding_mean(report, report->blocked + report->blocked_unsure));
  return is_least_claimed(report) ? most - blocked_in_serial(report) : 0;
}

double beside_in_serial(const struct report *report) {
  double serial = report->serial_alone - (double)report->offload - blocked_in_serial(report);
  return fmin(finding_mean(report, report->beside), serial);
}

static void describe_before(const struct report *report, struct report_finding *finding, double blocked) {
  double unsure, before = blocked_before(report, &unsure);
  struct finding_texts texts = {.report = report};
  if (before <= 0)
    return;
  finding_append(finding->evidence,
                 "; %s of it before the first use of OpenMP, when threads of the program's own may have run",
                 finding_time(&texts, before));
  if (report->life.has_started_others && before > blocked / 2)
    finding->doubt = "it had waited for other processes before its first use of OpenMP, as a shell does that "
                     "then executes the program";
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  double blocked = blocked_in_serial(report);
  struct finding_texts texts = {.report = report};
  if (report->parallel == 0 || blocked <= 0)
    return;
  struct report_finding *finding =
      finding_add(report, CAUSE_BLOCKED, REPLAY_NONE, blocked * (double)report->process_count);
  if (!finding)
    return;
  finding_unsure(
      finding,
      is_least_claimed(report) ? blocked_besides(report) : finding_mean(report, report->blocked_unsure),
      "how much of what the thread slept was here, and not in regions or for threads of the program's own, "
      "is not known");
  if (report->caveats.runtimes.untraced_count > 0)
    finding_printf(finding->advice, "first find out what ran on %s, which cannot be traced",
                   report->caveats.runtimes.untraced);
  double lost = finding->gain_ticks / (double)report->cpus; /* it counts as the thread's work */
  report->lost_in_work += lost;
  report->lost_anyway += lost;
  finding_printf(finding->what, "the thread outside of parallel regions is blocked for %s%s",
                 finding_time(&texts, blocked),
                 report->process_count > 1 ? ", in the mean of the processes" : "");
  if (report->caveats.runtimes.untraced_count > 0)
    finding_append(finding->what, ", unless it waits for what ran on %s", report->caveats.runtimes.untraced);
  finding_printf(
      finding->evidence,
      "of %s in which one thread works it neither ran nor waited for a processor for so long, and no "
      "other thread of the process ran for it",
      finding_time(&texts, report->serial_alone));
  describe_before(report, finding, blocked);
}

const struct analyser blocked_analyser = {.finish = finish, .find = find};
