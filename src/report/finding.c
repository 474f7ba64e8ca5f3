/* One finding: what all who make findings share. */
#include "report/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/label.h"
#include "base/array.h"

const char *report_cause_name(enum report_cause cause) {
  static const char *const names[] = {
      [CAUSE_SERIAL] = "serial part",
      [CAUSE_IMBALANCE] = "imbalance",
      [CAUSE_LOOP_IMBALANCE] = "loop imbalance",
      [CAUSE_SINGLE] = "single",
      [CAUSE_LOCK] = "lock contention",
      [CAUSE_SMALL_TASKS] = "small tasks",
      [CAUSE_TASK_STARVATION] = "too few ready tasks",
      [CAUSE_FORK_JOIN] = "fork and join",
      [CAUSE_LATE_START] = "late start",
      [CAUSE_SLOW_BARRIERS] = "slow barriers",
      [CAUSE_REDUCTION] = "reduction",
      [CAUSE_CHUNK_SIZE] = "chunk size",
      [CAUSE_OVERSUBSCRIPTION] = "oversubscription",
      [CAUSE_TRANSFERS] = "device transfers",
  };
  return names[cause];
}

struct report_finding *finding_add(struct report *report, enum report_cause cause, uint32_t region,
                                   double gain_ticks) {
  if (gain_ticks < FINDING_LEAST_SHARE * (double)report->wall || report->wall == 0)
    return NULL;
  struct report_finding *finding = array_add(&report->findings, &report->finding_count, sizeof *finding);
  report->has_lost_findings |= !finding;
  if (!finding)
    return NULL;
  *finding = (struct report_finding){.cause = cause,
                                     .region = region,
                                     .location = REPLAY_NONE,
                                     .gain_ticks = gain_ticks,
                                     .sampled_function = REPLAY_NONE};
  return finding;
}

void finding_say(char text[FINDING_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, FINDING_BYTES, format, arguments);
  va_end(arguments);
}

void finding_say_more(char text[FINDING_BYTES], const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, FINDING_BYTES - used, format, arguments);
  va_end(arguments);
}

const char *finding_time(struct finding_texts *texts, double ticks) {
  return text_time(texts->times[texts->time_count++ % 8], texts->report->trace, ticks);
}

const char *finding_share(struct finding_texts *texts, double part, double whole) {
  return text_percent(texts->times[texts->time_count++ % 8], whole > 0 ? part / whole : 0);
}

const char *finding_label(struct finding_texts *texts, uint32_t region) {
  return label_region(texts->labels[texts->label_count++ % 4], texts->report->trace, region);
}

const char *finding_instant(struct finding_texts *texts, uint64_t ticks) {
  return finding_time(texts, (double)ticks - (double)texts->report->trace->clock.first_ticks);
}

void finding_add_peak(struct finding_texts *texts, struct report_finding *finding,
                      const struct variation *variation) {
  const struct variation_peak *peak = &finding->peak;
  finding->has_peak = variation_peak(variation, &finding->peak);
  if (finding->has_peak)
    finding_say_more(finding->evidence,
                     "; %s of it is in %" PRIu64 " of %" PRIu64 " instances, number %" PRIu64 " to %" PRIu64
                     ", from %s to %s after the beginning",
                     finding_share(texts, peak->share, 1), peak->last - peak->first + 1, peak->count,
                     peak->first, peak->last, finding_instant(texts, peak->begin_ticks),
                     finding_instant(texts, peak->end_ticks));
}
