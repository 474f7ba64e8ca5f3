/* One finding: what all who make findings share. */
#include "report/finding.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/label.h"
#include "base/array.h"

/* Of the gain: what is more uncertain is not sure. */
#define DOUBT_SHARE 0.5

/* Of the gain: so much processor time that others used may have delayed threads. */
#define OTHERS_SHARE 0.1

/* What a cause is called, and how far the events alone show it. */
static const struct {
  const char *name;
  enum report_confidence confidence;
  const char *reason;
} causes[] = {
    [CAUSE_SERIAL] = {"serial part", CONFIDENCE_MEDIUM,
                      "how long it takes is measured, that all threads could share it is assumed"},
    [CAUSE_TEAM_OF_ONE] = {"team of one", CONFIDENCE_MEDIUM,
                           "how long it takes is measured, that all threads could share it is assumed"},
    [CAUSE_IMBALANCE] = {"imbalance", CONFIDENCE_HIGH,
                         "the events show what each thread did before each barrier"},
    [CAUSE_LOOP_IMBALANCE] = {"loop imbalance", CONFIDENCE_HIGH,
                              "the events show what each thread did before each barrier"},
    [CAUSE_SINGLE] = {"single", CONFIDENCE_HIGH, "the events show who waited, and for whom"},
    [CAUSE_LOCK] = {"lock contention", CONFIDENCE_HIGH, "the events show each wait and who held the lock"},
    [CAUSE_SMALL_TASKS] = {"small tasks", CONFIDENCE_MEDIUM,
                           "what a task costs is taken from the shortest times between tasks"},
    [CAUSE_TASK_STARVATION] = {"too few ready tasks", CONFIDENCE_MEDIUM,
                               "it is what other causes leave of the waiting"},
    [CAUSE_TASKWAIT] = {"taskwait", CONFIDENCE_MEDIUM,
                        "that the tasks behind it need not wait for those before it is assumed"},
    [CAUSE_FORK_JOIN] = {"fork and join", CONFIDENCE_MEDIUM,
                         "what one region instead would cost is not known"},
    [CAUSE_LATE_START] = {"late start", CONFIDENCE_MEDIUM, "no event says why threads begin late"},
    [CAUSE_SLOW_BARRIERS] = {"slow barriers", CONFIDENCE_MEDIUM, "no event says why threads go on late"},
    [CAUSE_REDUCTION] = {"reduction", CONFIDENCE_HIGH, "the events show how long it takes"},
    [CAUSE_CHUNK_SIZE] = {"chunk size", CONFIDENCE_MEDIUM,
                          "what a chunk's work is and what getting it takes no event tells apart"},
    [CAUSE_DOACROSS] = {"doacross", CONFIDENCE_MEDIUM,
                        "no event tells when an iteration begins to wait: what others do before is taken"},
    [CAUSE_LATE_SENDER] = {"late sender", CONFIDENCE_HIGH,
                           "the events show each message, who waited for it, and when it was sent"},
    [CAUSE_LATE_RECEIVER] = {"late receiver", CONFIDENCE_MEDIUM,
                             "that the send went on because somebody received is assumed"},
    [CAUSE_MPI_COLLECTIVE] = {"wait at collective", CONFIDENCE_HIGH,
                              "the events show who waited, and for whom"},
    [CAUSE_MPI_BARRIER] = {"wait at MPI barrier", CONFIDENCE_HIGH,
                           "the events show who waited, and for whom"},
    [CAUSE_RANK_THREADS] = {"threads make ranks late", CONFIDENCE_MEDIUM,
                            "that the late process would come earlier by what its threads lose is assumed"},
    [CAUSE_OVERSUBSCRIPTION] =
        {"oversubscription", CONFIDENCE_LOW,
         "that threads share processors is sure, how long fewer of them would take one run cannot tell"},
    [CAUSE_OTHER_PROGRAMS] = {"other programs", CONFIDENCE_LOW,
                              "what they used is measured; that they delayed these threads, and not the "
                              "program itself, is assumed"},
    [CAUSE_QUOTA] = {"quota", CONFIDENCE_HIGH,
                     "the kernel says how long threads were ready, and how long it throttled the group"},
    [CAUSE_BINDING] = {"binding", CONFIDENCE_HIGH,
                       "the kernel says how long threads were ready, and which processors they may use"},
    [CAUSE_OWN_THREADS] = {"own threads", CONFIDENCE_MEDIUM,
                           "the kernel says how long threads were ready, and how long others of the process "
                           "ran; that the one is because of the other is taken from the numbers"},
    [CAUSE_STOPPED] = {"stopped", CONFIDENCE_HIGH, "the kernel says that the process was stopped"},
    [CAUSE_HYPERVISOR] = {"hypervisor", CONFIDENCE_MEDIUM,
                          "the kernel counts what is stolen by processor, not by thread"},
    [CAUSE_TRANSFERS] = {"device transfers", CONFIDENCE_MEDIUM,
                         "that the data have not changed, or transfers can overlap with kernels, is assumed"},
    [CAUSE_LAUNCHES] = {"kernel launches", CONFIDENCE_MEDIUM,
                        "that one launch could do the work of all is assumed"},
};

const char *report_cause_name(enum report_cause cause) {
  return causes[cause].name;
}

const char *report_confidence_name(enum report_confidence confidence) {
  static const char *const names[] = {"low", "medium", "high"};
  return names[confidence];
}

struct report_finding *finding_add(struct report *report, enum report_cause cause, uint32_t region,
                                   double gain_ticks) {
  gain_ticks /= report->process_count ? (double)report->process_count : 1;
  if (gain_ticks < FINDING_MIN_SHARE * (double)report->wall || report->wall == 0)
    return NULL;
  struct report_finding *finding = array_add(&report->findings, &report->finding_count, sizeof *finding);
  report->has_lost_findings |= !finding;
  if (!finding)
    return NULL;
  *finding = (struct report_finding){.cause = cause,
                                     .region = region,
                                     .location = REPLAY_NONE,
                                     .site = TRACE_NO_REF,
                                     .gain_ticks = gain_ticks,
                                     .uncertainty_ticks = -1,
                                     .sampled_function = REPLAY_NONE};
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

void finding_scatter(struct report_finding *finding, const struct scatter *scatter) {
  double share;
  if (finding && scatter_share(scatter, &share))
    finding->uncertainty_ticks = share * finding->gain_ticks;
}

static bool are_processors_too_few(const struct report *report) {
  return report->processors.count > 0 && finding_team(report) > (double)report->processors.count;
}

/* What this costs is the processors' time, and not that of threads which may have had none. */
static bool costs_processors(enum report_cause cause) {
  return cause == CAUSE_FORK_JOIN || cause == CAUSE_SMALL_TASKS;
}

/* Whether its cost is what the runtime takes, or how that wakes and orders threads. */
static bool depends_on_runtime(enum report_cause cause) {
  return cause == CAUSE_SMALL_TASKS || cause == CAUSE_TASK_STARVATION || cause == CAUSE_FORK_JOIN ||
         cause == CAUSE_LATE_START || cause == CAUSE_SLOW_BARRIERS || cause == CAUSE_REDUCTION ||
         cause == CAUSE_CHUNK_SIZE || cause == CAUSE_DOACROSS || cause == CAUSE_LOCK ||
         cause == CAUSE_OVERSUBSCRIPTION;
}

/* What lowers it. NULL: nothing. */
static const char *doubt(const struct report *report, const struct report_finding *finding) {
  if (report->caveats.lost_events > 0)
    return "events were lost";
  if (report->caveats.is_incomplete)
    return "the archive says that it is not complete";
  if (finding->cause == CAUSE_SERIAL && report->caveats.runtimes.untraced_count > 0)
    return "an OpenMP runtime was loaded that cannot be traced: what ran on it counts as serial";
  if (report->caveats.runtimes.instead_of && depends_on_runtime(finding->cause))
    return "the program was built for another OpenMP runtime, which may take less or more for it";
  if (finding->uncertainty_ticks > DOUBT_SHARE * finding->gain_ticks)
    return "it differs too much from one time to the next";
  if (costs_processors(finding->cause) && are_processors_too_few(report))
    return "there are more threads than processors: which of them had one no event tells";
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

static bool is_of_processors(enum report_cause cause) {
  return cause == CAUSE_OTHER_PROGRAMS || cause == CAUSE_QUOTA || cause == CAUSE_BINDING ||
         cause == CAUSE_OWN_THREADS || cause == CAUSE_STOPPED;
}

/* Wall time that others may have taken from the threads. */
static double others_of(const struct report *report) {
  return report->account.is_known ? report->account.gain[HINDRANCE_OTHERS] : report->processors.others;
}

void finding_judge(const struct report *report, struct report_finding *finding) {
  const char *why = doubt(report, finding);
  bool is_measured =
      finding->cause == CAUSE_OTHER_PROGRAMS && (report->has_running || report->account.is_known);
  double others = is_of_processors(finding->cause) ? 0 : others_of(report);
  finding->confidence = is_measured ? CONFIDENCE_HIGH : causes[finding->cause].confidence;
  finding->reason = is_measured
                        ? "the kernel tells when threads had no processor, the events who waited for them"
                        : causes[finding->cause].reason;
  if (others > OTHERS_SHARE * finding->gain_ticks && finding->confidence == CONFIDENCE_HIGH) {
    finding->confidence = CONFIDENCE_MEDIUM;
    finding->reason = "other programs used the processors meanwhile, for more than a tenth of this time";
  }
  if (why || others > DOUBT_SHARE * finding->gain_ticks) {
    finding->confidence = CONFIDENCE_LOW;
    finding->reason =
        why ? why : "other programs used the processors meanwhile, for more than half of this time";
  }
  if (!report->has_running)
    widen(finding, others);
}

bool finding_may_be_chance(const struct report *report, const struct report_finding *finding) {
  return finding->gain_ticks < FINDING_CHANCE_SHARE * (double)report->wall &&
         (finding->confidence == CONFIDENCE_LOW || are_processors_too_few(report));
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

const char *finding_share(struct finding_texts *texts, double part, double whole) {
  return text_percent(texts->times[texts->time_count++ % 8], whole > 0 ? part / whole : 0);
}

const char *finding_label(struct finding_texts *texts, uint32_t region) {
  return label_region(texts->labels[texts->label_count++ % 4], texts->report->trace, region);
}

const char *finding_call_label(struct finding_texts *texts, uint32_t region, uint64_t site) {
  return label_call(texts->labels[texts->label_count++ % 4], texts->report->trace, region, site);
}

const char *finding_instant(struct finding_texts *texts, uint64_t ticks) {
  return finding_time(texts, (double)ticks - (double)texts->report->trace->clock.first_ticks);
}

void finding_add_peak(struct finding_texts *texts, struct report_finding *finding,
                      const struct variation *variation) {
  const struct variation_peak *peak = &finding->peak;
  finding->has_peak = variation_peak(variation, &finding->peak);
  if (finding->has_peak)
    finding_append(finding->evidence,
                   "; %s of it is in %" PRIu64 " of %" PRIu64 " instances, number %" PRIu64 " to %" PRIu64
                   ", from %s to %s after the beginning",
                   finding_share(texts, peak->share, 1), peak->last - peak->first + 1, peak->count,
                   peak->first, peak->last, finding_instant(texts, peak->begin_ticks),
                   finding_instant(texts, peak->end_ticks));
}
