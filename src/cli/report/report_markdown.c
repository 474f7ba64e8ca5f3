/* `stave report --markdown`: for a pull request's comment, or the summary of a job (GITHUB_STEP_SUMMARY). */
#include "cli/report/report_print.h"

#include "cli/common/markdown.h"
#include "cli/common/summary.h"
#include "report/text.h"
#include "stave/names.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 32 };

static double ratio(double part, double total) {
  return total > 0 ? part / total : 0;
}

/* -- the overview -- */

static void print_heading(const struct report *report) {
  const char *program = trace_archive_property(report->trace, STAVE_PROPERTY_PROGRAM);
  char wall[TEXT_TIME_BYTES], efficiency[TEXT_TIME_BYTES];
  printf("### ");
  markdown_print_code(program ? program : "stave report");
  printf(": %s, parallel efficiency %s\n\n", text_time(wall, report->trace, (double)report->wall),
         text_percent(efficiency, report->parallel_efficiency));
  if (!report->has_ended_badly)
    return;
  printf("**Ended: ");
  markdown_print(report->ending);
  printf("**\n\n");
}

static void print_overview(const struct report *report) {
  char serial[TEXT_TIME_BYTES], parallel[TEXT_TIME_BYTES], regions[NUMBER_BYTES], tasks[NUMBER_BYTES],
      threads[NUMBER_BYTES], processes[NUMBER_BYTES];
  const char *const cells[] = {summary_number(processes, report->process_count),
                               summary_number(threads, report->cpus),
                               text_time(parallel, report->trace, (double)report->parallel),
                               text_time(serial, report->trace, (double)report->serial),
                               summary_number(regions, report->forks),
                               summary_number(tasks, report->tasks_created)};
  printf("| processes | threads | parallel | serial | parallel regions | tasks |\n"
         "|---:|---:|---:|---:|---:|---:|\n");
  markdown_print_row(cells, sizeof cells / sizeof *cells);
}

static void print_activities(const struct report *report) {
  double all = 0;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    all += (double)report->activity[i];
  printf("\n#### Time of the threads\n\n| activity | time | share |\n|---|---:|---:|\n");
  for (int i = 0; i < ACTIVITY_COUNT; i++) {
    char time[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES];
    const char *const cells[] = {activity_name((enum activity)i),
                                 text_time(time, report->trace, (double)report->activity[i]),
                                 text_percent(share, ratio((double)report->activity[i], all))};
    if (report->activity[i] > 0)
      markdown_print_row(cells, sizeof cells / sizeof *cells);
  }
}

/* -- findings -- */

static bool is_requested(const struct report_print *print, const struct report_finding *finding) {
  return !print->only || (finding->region != REPLAY_NONE && report_print_includes(print, finding->region));
}

static void print_finding(const struct report *report, const struct report_finding *finding, size_t number) {
  char gain[GAIN_BYTES];
  printf("%zu. **up to %s**: ", number, report_print_gain(gain, report, finding));
  markdown_print(finding->what);
  printf("<br>");
  markdown_print(finding->evidence);
  printf("<br>To do: ");
  markdown_print(finding->advice);
  printf("<br>Confidence: %s: ", report_confidence_name(finding->confidence));
  markdown_print(finding->reason);
  putchar('\n');
}

static void print_findings(const struct report_print *print) {
  const struct report *report = print->report;
  size_t printed = 0;
  printf("\n#### Wall time that could be saved\n\n");
  for (size_t i = 0; i < report->finding_count && printed < print->top; i++)
    if (is_requested(print, &report->findings[i]))
      print_finding(report, &report->findings[i], ++printed);
  if (printed == 0) {
    markdown_print(report_print_nothing(report));
    putchar('\n');
  }
  if (report_print_scaling(report)) {
    putchar('\n');
    markdown_print(report_print_scaling(report));
    putchar('\n');
  }
}

/* -- parallel regions -- */

static bool is_parallel(const struct report_region *base) {
  return base->parallel && base->parallel->instances > 0;
}

static double parallel_weight(const struct report_region *base) {
  return (double)base->parallel->wall;
}

static void print_parallel(const struct report *report, uint32_t region) {
  const struct report_parallel *one = report->regions[region].parallel;
  char label[LABEL_BYTES], time[TEXT_TIME_BYTES], useful[TEXT_TIME_BYTES], gain[TEXT_TIME_BYTES],
      imbalance[TEXT_TIME_BYTES];
  double work = (double)one->activity[ACTIVITY_WORK] + (double)one->activity[ACTIVITY_TASK];
  printf("| ");
  markdown_print_code(label_region(label, report->trace, region));
  printf(" | %" PRIu64 " | %" PRIu32 " | %s | %s | %s | %s |\n", one->instances, one->largest,
         text_time(time, report->trace, (double)one->wall),
         text_percent(useful, ratio(work, (double)one->thread_time)),
         text_time(gain, report->trace, one->gain),
         text_time(imbalance, report->trace, (double)one->imbalance));
}

static void print_regions(const struct report_print *print) {
  uint32_t *order;
  size_t count = report_print_order(print, is_parallel, parallel_weight, &order);
  if (count > 0)
    printf("\n#### Parallel regions\n\n| region | times | threads | time | useful | potential gain | "
           "imbalance |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < count && i < print->top; i++)
    print_parallel(print->report, order[i]);
  if (count > print->top)
    printf("\n%zu more.\n", count - print->top);
  free(order);
}

void report_print_markdown(const struct report_print *print) {
  char caveat[CAVEAT_BYTES];
  print_heading(print->report);
  print_overview(print->report);
  print_findings(print);
  print_activities(print->report);
  print_regions(print);
  if (!report_print_caveat(caveat, print->report))
    return;
  printf("\n> ");
  markdown_print(caveat);
  putchar('\n');
}
