/* One finding: what all who make findings share. */
#include "report/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "trace/label.h"

/* Of the gain: what is more uncertain is not sure. */
#define DOUBT_SHARE 0.5

/* Of the gain: so much processor time that others used may have delayed threads. */
#define OTHERS_SHARE 0.1

/* Of a time: so much of it by callbacks makes it less sure. */
#define TRACED_SHARE 0.1

static const char traced_reason[] = "events follow one another so closely that part of it is the tracing";

static const struct {
  const char *name, *reason, *advice;
  enum report_confidence confidence;
  unsigned traits;
} causes[] = {
#define FINDING(cause, name, section, confidence, reason, traits, advice)                                    \
  [CAUSE_##cause] = {name, reason, advice, CONFIDENCE_##confidence, traits},
#include "report/findings.def"
#undef FINDING
};

const char *report_cause_name(enum report_cause cause) {
  return causes[cause].name;
}

const char *report_cause_word(size_t number) {
  return number < sizeof causes / sizeof *causes ? causes[number].name : NULL;
}

const char *finding_reason(enum report_cause cause) {
  return causes[cause].reason;
}

const char *report_confidence_name(enum report_confidence confidence) {
  static const char *const names[] = {"low", "medium", "high"};
  return names[confidence];
}

double finding_mean(const struct report *report, double ticks) {
  return report->process_count ? ticks / (double)report->process_count : ticks;
}

struct report_finding *finding_add(struct report *report, enum report_cause cause, uint32_t region,
                                   double gain_ticks) {
  gain_ticks = finding_mean(report, gain_ticks);
  if (gain_ticks < FINDING_MIN_SHARE * (double)report->wall || report->wall == 0)
    return NULL;
  struct report_finding *finding = array_add(&report->findings, &report->finding_count, sizeof *finding);
  *finding = (struct report_finding){.cause = cause,
                                     .region = region,
                                     .location = REPLAY_NONE,
                                     .site = TRACE_NO_REF,
                                     .gain_ticks = gain_ticks,
                                     .uncertainty_ticks = -1,
                                     .sampled_function = REPLAY_NONE};
  finding_printf(finding->advice, "%s", causes[cause].advice);
  return finding;
}

double finding_team(const struct report *report) {
  return report->cpus ? (double)report->cpus / (double)report->process_count : 1;
}

double finding_threads(const struct report *report, uint32_t region) {
  const struct report_parallel *parallel = region == REPLAY_NONE ? NULL : report->regions[region].parallel;
  if (!parallel || parallel->instances == 0)
    return finding_team(report);
  return parallel->is_nested ? (double)parallel->at_once
                             : (double)parallel->members / (double)parallel->instances;
}

bool finding_enlarge(struct report *report, enum report_cause cause, uint32_t region, double gain_ticks) {
  gain_ticks = finding_mean(report, gain_ticks);
  for (size_t i = 0; i < report->finding_count; i++) {
    struct report_finding *finding = &report->findings[i];
    if (finding->cause != cause || finding->region != region)
      continue;
    if (finding->uncertainty_ticks > 0)
      finding->uncertainty_ticks *= 1 + gain_ticks / finding->gain_ticks;
    finding->gain_ticks += gain_ticks;
    return true;
  }
  return false;
}

void finding_set_uncertainty(const struct report *report, struct report_finding *finding, double ticks) {
  if (finding)
    finding->uncertainty_ticks = finding_mean(report, ticks);
}

void finding_scatter(struct report_finding *finding, const struct scatter *scatter) {
  double share;
  if (finding)
    finding->is_single = scatter->count <= 1;
  if (finding && scatter_share(scatter, &share))
    finding->uncertainty_ticks = share * finding->gain_ticks;
}

void finding_unsure(struct report_finding *finding, double ticks, const char *why) {
  if (ticks <= 0)
    return; /* what was not compared with another time is not known to be equal */
  double before = finding->uncertainty_ticks > 0 ? finding->uncertainty_ticks : 0;
  double greatest = finding->unsure_ticks > 0 ? finding->unsure_ticks : before;
  if (ticks > greatest)
    finding->unsure = why;
  finding->unsure_ticks = fmax(ticks, greatest);
  finding->uncertainty_ticks = hypot(before, ticks);
}

const char *finding_crowd(void) {
  return "there are more threads than processors: no event shows which of them had one";
}

bool finding_is_in_crowd(const struct report *report) {
  return report->processors.count > 0 && finding_team(report) > (double)report->processors.count;
}

bool finding_has_trait(enum report_cause cause, enum finding_trait trait) {
  return (causes[cause].traits & trait) != 0;
}

/* What lowers it. NULL: nothing. */
static const char *doubt(const struct report *report, const struct report_finding *finding) {
  if (report->caveats.lost_events > 0)
    return "events were lost";
  if (report->caveats.is_incomplete)
    return "the archive is marked as incomplete";
  if ((finding->cause == CAUSE_SERIAL || finding->cause == CAUSE_BLOCKED) &&
      report->caveats.runtimes.untraced_count > 0)
    return "an OpenMP runtime was loaded that cannot be traced: what ran on it counts as serial";
  if (report->caveats.runtimes.instead_of && finding_has_trait(finding->cause, TRAIT_RUNTIME))
    return "the program was built for another OpenMP runtime, which may need less or more time for it";
  if (finding->doubt)
    return finding->doubt;
  if (finding->uncertainty_ticks > DOUBT_SHARE * finding->gain_ticks)
    return finding->unsure ? finding->unsure : "it differs too much from one time to the next";
  if (finding_has_trait(finding->cause, TRAIT_PROCESSOR_TIME) && finding_is_in_crowd(report))
    return finding_crowd();
  if (finding->is_slight)
    return "threads with equal work differ by as little, where they share memory, caches or a core";
  return NULL;
}

/* So much of the gain may be what others have delayed, and not the cause. */
static void widen(struct report_finding *finding, double others) {
  double most = others < finding->gain_ticks ? others : finding->gain_ticks;
  if (most > 0)
    finding->uncertainty_ticks =
        finding->uncertainty_ticks > 0 ? hypot(finding->uncertainty_ticks, most) : most;
}

/* Threads' time of which it is not known who had the processors may have been others', as far as these ran.
 */
static double others_by_account(const struct report *report) {
  const struct report_account *account = &report->account;
  double open = account->ready + account->unknown, n = report->cpus > 0 ? (double)report->cpus : 1;
  for (int i = 0; i <= HINDRANCE_OTHERS; i++)
    open -= account->lost[i];
  double ran = report->processors.others - account->lost[HINDRANCE_OTHERS];
  double most = account->gain[HINDRANCE_OTHERS] + account->unsure[HINDRANCE_OTHERS];
  double preempted = fmax(0, open - account->unknown); /* by whom is not known; for how long is */
  return finding_mean(report, most) + fmax(preempted, fmin(open, ran)) / n;
}

/* Wall time that others may have read from the threads in it. */
static double others_of(const struct report *report, enum report_cause cause) {
  if (finding_has_trait(cause, TRAIT_HINDRANCE) || finding_has_trait(cause, TRAIT_ASLEEP))
    return 0;
  return report->account.is_known ? others_by_account(report) : report->processors.others;
}

/* Where events follow one another as closely, the runtime's costs have the callbacks' in them. Whether it is
 * so. */
static bool doubt_tracing(const struct report *report, struct report_finding *finding) {
  bool has_callbacks =
      finding_has_trait(finding->cause, TRAIT_RUNTIME) && !finding_has_trait(finding->cause, TRAIT_CORRECTED);
  double share = has_callbacks ? report_traced_share(report) : 0;
  if (share < TRACED_SHARE)
    return false;
  finding_unsure(finding, share * finding->gain_ticks, traced_reason);
  return true;
}

/* Who had the processors is known of what others ran, and of what threads were preempted for them. */
static const char *reason_of_others(const struct report *report, bool is_most) {
  bool is_known = report->processors.others > 0 || report->account.lost[HINDRANCE_OTHERS] > 0;
  if (!is_known)
    return is_most
               ? "threads had no processor meanwhile, it is not known why, for more than half of this time"
               : "threads had no processor meanwhile, it is not known why, for more than a tenth of this "
                 "time";
  return is_most ? "other programs used the processors meanwhile, for more than half of this time"
                 : "other programs used the processors meanwhile, for more than a tenth of this time";
}

void finding_judge(const struct report *report, struct report_finding *finding) {
  bool is_traced = doubt_tracing(report, finding);
  const char *why = doubt(report, finding);
  bool is_measured =
      finding->cause == CAUSE_OTHER_PROGRAMS && (report->has_running || report->account.is_known);
  double others = others_of(report, finding->cause);
  finding->confidence = is_measured ? CONFIDENCE_HIGH : causes[finding->cause].confidence;
  finding->reason =
      is_measured ? "the kernel reports when threads had no processor, the events show who waited for them"
                  : causes[finding->cause].reason;
  bool is_shown = finding->confidence == CONFIDENCE_HIGH || finding->cause == CAUSE_IMBALANCE;
  if (others > OTHERS_SHARE * finding->gain_ticks && is_shown) {
    finding->confidence = CONFIDENCE_MEDIUM;
    finding->reason = reason_of_others(report, false);
  } else if (finding->is_single && is_shown) {
    finding->confidence = CONFIDENCE_MEDIUM;
    finding->reason = "the events show it, but it happened once: one run cannot show how much it varies";
  }
  if (is_traced && finding->confidence == CONFIDENCE_HIGH) {
    finding->confidence = CONFIDENCE_MEDIUM;
    finding->reason = traced_reason;
  }
  if (why || others > DOUBT_SHARE * finding->gain_ticks) {
    finding->confidence = CONFIDENCE_LOW;
    finding->reason = why ? why : reason_of_others(report, true);
  }
  if (!report->has_running)
    widen(finding, others);
  finding->uncertainty_ticks = fmin(finding->uncertainty_ticks, (double)report->wall);
}

/* What others make the run longer makes no imbalance smaller, of which what threads ran is known. */
static double chance_of(const struct report *report, enum report_cause cause) {
  bool is_measured = cause == CAUSE_IMBALANCE || cause == CAUSE_LOOP_IMBALANCE;
  double hindered = is_measured && report->account.is_known ? report_hindrance_gain(report) : 0;
  return FINDING_CHANCE_SHARE * fmax(0, (double)report->wall - hindered);
}

bool finding_may_be_chance(const struct report *report, const struct report_finding *finding) {
  return finding->gain_ticks < chance_of(report, finding->cause) &&
         (finding->confidence == CONFIDENCE_LOW || finding_is_in_crowd(report));
}

void finding_printf(char text[FINDING_BYTES], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, FINDING_BYTES, format, arguments);
  va_end(arguments);
}

void finding_append(char text[FINDING_BYTES], const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, FINDING_BYTES - used, format, arguments);
  va_end(arguments);
}

const char *finding_time(struct finding_texts *texts, double ticks) {
  return text_time(texts->times[texts->time_count++ % 8], texts->report->trace, ticks);
}

const char *finding_share(struct finding_texts *texts, double part, double total) {
  return text_percent(texts->times[texts->time_count++ % 8], total > 0 ? part / total : 0);
}

const char *finding_label(struct finding_texts *texts, uint32_t region) {
  return label_region(texts->labels[texts->label_count++ % 4], texts->report->trace, region);
}

const char *finding_call_label(struct finding_texts *texts, uint32_t region, uint64_t site) {
  return label_call(texts->labels[texts->label_count++ % 4], texts->report->trace, region, site);
}

static const char *finding_instant(struct finding_texts *texts, uint64_t ticks) {
  return finding_time(texts, (double)ticks - (double)texts->report->trace->clock.first_ticks);
}

/* Of a region with barriers inside there are more phases than instances. */
static const char *noun_of(const struct report *report, const struct report_finding *finding,
                           uint64_t count) {
  const struct report_parallel *parallel =
      finding->region == REPLAY_NONE ? NULL : report->regions[finding->region].parallel;
  return parallel && count > parallel->instances ? "phases from barrier to barrier" : "instances";
}

void finding_add_peak(struct finding_texts *texts, struct report_finding *finding,
                      const struct variation *variation) {
  const struct variation_peak *peak = &finding->peak;
  finding->has_peak = variation_peak(variation, &finding->peak);
  if (finding->has_peak)
    finding_append(finding->evidence,
                   "; %s of it is in %s%" PRIu64 " of %" PRIu64 " %s, number %" PRIu64 " to %" PRIu64
                   ", from %s to %s after the beginning",
                   finding_share(texts, peak->share, 1), variation->width > 1 ? "about " : "",
                   peak->last - peak->first + 1, peak->count, noun_of(texts->report, finding, peak->count),
                   peak->first, peak->last, finding_instant(texts, peak->begin_ticks),
                   finding_instant(texts, peak->end_ticks));
}
