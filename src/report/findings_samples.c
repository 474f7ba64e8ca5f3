/* What samples say of the places that findings name: the function in which most of them were taken. */
#include <inttypes.h>

#include "analysis/constructs.h"
#include "analysis/label.h"
#include "report/finding.h"

/* Fewer say too little: of ten, a function with a third of the time has none in one of fifty cases. */
enum { SAMPLES_MIN = 10 };

/* Whether the program's own code at the place is what the finding is about. */
static bool is_about_code(enum report_cause cause) {
  return cause != CAUSE_FORK_JOIN && cause != CAUSE_LATE_START && cause != CAUSE_SLOW_BARRIERS &&
         cause != CAUSE_REDUCTION && cause != CAUSE_TRANSFERS && cause != CAUSE_OVERSUBSCRIPTION;
}

/* Of the part that the finding names, or of all of them if it has too few. */
static const struct report_sampled *serial_samples(const struct report *report) {
  const struct report_gap *gap = report_longest_gap(report);
  return gap && gap->sampled.samples >= SAMPLES_MIN ? &gap->sampled
                                                    : report_sampled_at(report, DOING_SERIAL, REPLAY_NONE);
}

static const struct report_sampled *samples_at(const struct report *report,
                                               const struct report_finding *finding) {
  if (finding->cause == CAUSE_SERIAL)
    return serial_samples(report);
  if (finding->region == REPLAY_NONE || !is_about_code(finding->cause))
    return NULL;
  const struct report_task *task = report->regions[finding->region].task;
  bool is_elsewhere = task && task->task_region != REPLAY_NONE;
  return report_sampled_at(report, DOING_WORK, is_elsewhere ? task->task_region : finding->region);
}

/* Of all who called it. */
static uint64_t samples_in(const struct report_sampled *place, uint32_t function) {
  uint64_t samples = 0;
  for (size_t i = 0; i < place->hot_count; i++)
    if (place->hot[i].function == function)
      samples += place->hot[i].samples;
  return samples;
}

static const struct report_hot *hottest_of(const struct report_sampled *place) {
  const struct report_hot *most = NULL;
  for (size_t i = 0; i < place->hot_count; i++) {
    const struct report_hot *one = &place->hot[i];
    if (one->function != REPLAY_NONE &&
        (!most || samples_in(place, one->function) > samples_in(place, most->function)))
      most = one;
  }
  return most;
}

static void say(const struct report *report, struct report_finding *finding,
                const struct report_sampled *place, const struct report_hot *hot) {
  char function[LABEL_BYTES];
  bool is_all = finding->cause == CAUSE_SERIAL && place != &report_longest_gap(report)->sampled;
  finding_append(finding->evidence, "; %" PRIu64 " of %" PRIu64 " samples %s in %s", finding->samples_in,
                 finding->samples, is_all ? "of all serial parts" : "there",
                 label_function(function, report->trace, hot->function));
  if (hot->caller != REPLAY_NONE)
    finding_append(finding->evidence, ", called by %s", label_function(function, report->trace, hot->caller));
}

void findings_add_samples(struct report *report) {
  for (size_t i = 0; i < report->finding_count; i++) {
    struct report_finding *finding = &report->findings[i];
    const struct report_sampled *place = samples_at(report, finding);
    const struct report_hot *hot = place && place->samples >= SAMPLES_MIN ? hottest_of(place) : NULL;
    if (!hot)
      continue;
    finding->samples = place->samples;
    finding->samples_in = samples_in(place, hot->function);
    finding->sampled_function = hot->function;
    say(report, finding, place, hot);
  }
}
