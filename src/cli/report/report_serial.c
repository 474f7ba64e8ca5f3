/* Serial parts between parallel regions: their durations, and the functions that run there. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 32, FUNCTIONS_MAX = 3, FUNCTIONS_BYTES = FUNCTIONS_MAX * (LABEL_BYTES + 32) + 64 };

static int longest_first(const void *left, const void *right) {
  const struct report_gap *const *a = left, *const *b = right;
  if ((*a)->time.sum != (*b)->time.sum)
    return (*a)->time.sum < (*b)->time.sum ? 1 : -1;
  return (*a > *b) - (*a < *b);
}

static bool is_requested(const struct report_print *print, const struct report_gap *gap) {
  bool has_before = gap->before != REPLAY_NONE, has_after = gap->after != REPLAY_NONE;
  return !print->only ||
         ((has_before || has_after) && (!has_before || report_print_includes(print, gap->before)) &&
          (!has_after || report_print_includes(print, gap->after)));
}

/* Returns how many, in *ret, which the caller frees. */
static size_t sort_gaps(const struct report_print *print, const struct report_gap ***ret) {
  const struct report *report = print->report;
  const struct report_gap **gaps = memory_get(report->gap_count + 1, sizeof(*gaps));
  size_t count = 0;
  for (size_t i = 0; i < report->gap_count; i++)
    if (is_requested(print, &report->gaps[i]))
      gaps[count++] = &report->gaps[i];
  if (count > 1)
    qsort(gaps, count, sizeof(*gaps), longest_first);
  *ret = gaps;
  return count;
}

/* "parse 50, vfprintf 10 of 62": the ones with most samples. */
static const char *write_functions(char text[FUNCTIONS_BYTES], const struct report *report,
                                   const struct report_sampled *sampled) {
  size_t used = 0;
  *text = '\0';
  for (size_t i = 0; i < sampled->hot_count && i < FUNCTIONS_MAX; i++) {
    const struct report_hot *hot = &sampled->hot[i];
    char label[LABEL_BYTES];
    used += (size_t)snprintf(
        text + used, FUNCTIONS_BYTES - used, "%s%s %" PRIu64, i ? ", " : "",
        hot->function == REPLAY_NONE ? "(unknown)" : label_function(label, report->trace, hot->function),
        hot->samples);
  }
  if (sampled->samples > 0)
    snprintf(text + used, FUNCTIONS_BYTES - used, " of %" PRIu64, sampled->samples);
  return text;
}

static void add_row(struct table *table, const struct report *report, const struct report_gap *gap) {
  char before[LABEL_BYTES], after[LABEL_BYTES], times[NUMBER_BYTES], time[TEXT_TIME_BYTES],
      share[TEXT_TIME_BYTES], functions[FUNCTIONS_BYTES];
  double wall = (double)report->wall * (double)(report->process_count ? report->process_count : 1);
  const char *const cells[] = {
      gap->before == REPLAY_NONE ? "the beginning" : label_region(before, report->trace, gap->before),
      gap->after == REPLAY_NONE ? "the end" : label_region(after, report->trace, gap->after),
      summary_number(times, gap->time.count),
      text_time(time, report->trace, (double)gap->time.sum),
      text_percent(share, wall > 0 ? (double)gap->time.sum / wall : 0),
      write_functions(functions, report, &gap->sampled)};
  table_row(table, cells);
}

static void begin_table(struct table *table, const struct report *report) {
  table_begin(table);
  table_column(table, "from", TABLE_PLACE);
  table_column(table, "to", TABLE_PLACE);
  table_column(table, "times", TABLE_NUMBER);
  table_column(table, "time", TABLE_NUMBER);
  table_column(table, "share", TABLE_NUMBER);
  table_column(table, report->samples ? "samples in" : "", TABLE_TEXT);
}

void report_print_serial(const struct report_print *print) {
  const struct report_gap **gaps;
  struct table table;
  size_t count = sort_gaps(print, &gaps);
  if (count > 0) {
    table_heading("Serial parts");
    begin_table(&table, print->report);
    for (size_t i = 0; i < count && i < print->top; i++)
      add_row(&table, print->report, gaps[i]);
    table_print_first(&table, count, print->top);
    if (print->report->samples == 0)
      prose_printf(2, "in which functions: stave record --sample, or STAVE_SAMPLE_HZ");
  }
  free(gaps);
}
