/* Making one finding, for those who know a cause. */
#ifndef STAVE_REPORT_FINDING_H
#define STAVE_REPORT_FINDING_H

#include "report/report.h"
#include "report/text.h"
#include "trace/label.h"

/* Less than a hundredth of the time is not worth a line. */
#define FINDING_MIN_SHARE 0.01
/* Less than this may be chance, where threads lack processors or it is not sure otherwise. */
#define FINDING_CHANCE_SHARE 0.03

/* What holds for all findings of a cause. */
enum finding_trait {
  TRAIT_RUNTIME = 1,        /* its cost is the runtime's own, or of how that wakes and orders threads */
  TRAIT_PROCESSOR_TIME = 2, /* this costs the processors' time, not that of threads which may have had none */
  TRAIT_NOT_CODE = 8,       /* it is not about the code at its place: samples there do not explain it */
  TRAIT_HINDRANCE = 4,      /* it is what others do with the processors */
  TRAIT_CORRECTED = 32,     /* callbacks are subtracted from its cost, with what is not sure of that */
  TRAIT_ASLEEP = 16,        /* no thread has or requires a processor in it: others do not make it longer */
};

bool finding_has_trait(enum report_cause cause, enum finding_trait trait);

/* Why it is as sure as it is usually. */
const char *finding_reason(enum report_cause cause);

/* A new finding of the report, without words; gain_ticks is the sum of all processes. NULL: it would save too
 * little. */
struct report_finding *finding_add(struct report *report, enum report_cause cause, uint32_t region,
                                   double gain_ticks);

/* Of what is the sum of all processes, the mean of one. */
double finding_mean(const struct report *report, double ticks);

/* Adds to the gain of a finding that there is already, as much of all processes; false: there is none. */
bool finding_enlarge(struct report *report, enum report_cause cause, uint32_t region, double gain_ticks);

/* Its uncertainty in ticks, the sum of all processes as what its gain was made of. Accepts NULL. */
void finding_set_uncertainty(const struct report *report, struct report_finding *finding, double ticks);

/* Its uncertainty, as far as its cost differed from one time to the next. Accepts NULL. */
void finding_scatter(struct report_finding *finding, const struct scatter *scatter);

/* Adds to its uncertainty what is not known, whatever it cost from one time to the next. The greatest part of
 * the uncertainty is its reason: `why` is constant memory. */
void finding_unsure(struct report_finding *finding, double ticks, const char *why);

/* Whether there are more threads than processors; what is not known of findings then, in words. */
bool finding_is_in_crowd(const struct report *report);
const char *finding_crowd(void);

/* How sure it is, and why: when all else of it is known. */
void finding_judge(const struct report *report, struct report_finding *finding);

/* Whether what it would save may be chance: a small share of the time that is of low sureness, or of threads
 * of which not all had a processor. Once it is judged. */
bool finding_may_be_chance(const struct report *report, const struct report_finding *finding);

/* Its advice begins with what needs no source, where there is something. */
void finding_advise_without_source(const struct report *report, struct report_finding *finding);

/* The threads of a process, the mean of all processes; 1 if there are none. */
double finding_team(const struct report *report);

/* Among how many threads the time that the members of a region lose counts: in a nested team it is less of
 * the run's wall time, as others work meanwhile. */
double finding_threads(const struct report *report, uint32_t parallel);

/* Sets, or goes on with, one of its texts; what is too long is cut. */
__attribute__((format(printf, 2, 3))) void finding_printf(char text[FINDING_BYTES], const char *format, ...);
__attribute__((format(printf, 2, 3))) void finding_append(char text[FINDING_BYTES], const char *format, ...);

/* Short-lived texts for one finding: all zero but for the report. */
struct finding_texts {
  const struct report *report;
  char times[8][TEXT_TIME_BYTES], labels[4][LABEL_BYTES];
  int time_count, label_count;
};

/* "12.3 ms", "12.3 %", a region's label, and the time from the trace's beginning to an instant. */
const char *finding_time(struct finding_texts *texts, double ticks);
const char *finding_share(struct finding_texts *texts, double part, double total);
const char *finding_label(struct finding_texts *texts, uint32_t region);
const char *finding_call_label(struct finding_texts *texts, uint32_t region, uint64_t site);

/* If few instances make up most of the cost: which, in its numbers and its evidence. Accepts NULL. */
void finding_add_peak(struct finding_texts *texts, struct report_finding *finding,
                      const struct variation *variation);

/* How threads waited, as far as the kernel reports it: more than half of the time by keeping their
 * processors, or giving them away for moments (awake), or in their sleep. */
enum finding_waiting { FINDING_WAITING_UNKNOWN, FINDING_WAITING_AWAKE, FINDING_WAITING_ASLEEP };
enum finding_waiting finding_waiting(const struct report *report);

/* Goes on with the text by reporting so, where it is known. */
void finding_printf_waiting(struct finding_texts *texts, char text[FINDING_BYTES]);

/* If the region's threads share processors with each other or other programs and suffer from it, subtracts
 * what it could save for the one finding that reports it: the part `shared` of their waiting time. Then no
 * other finding of the region is to be reported. */
bool findings_subtract_shared(struct report *report, uint32_t region, double waited_ticks, double shared);

/* More threads than processors wait for so much wall time beside tasks that are not small: for the finding of
 * these regions. */
void findings_charge_crowd(struct report *report, uint32_t region, double gain_ticks);

/* Where the archive shows when threads had no processor: subtracts the region's cost of that, `gain_ticks` of
 * wall time, from its budget, for the finding that reports it. Returns the rest. */
double findings_subtract_preempted(struct report *report, uint32_t region, double budget, double gain_ticks);

/* The region's part of what kept threads from running, ticks of wall time for its `n` threads, the sum of all
 * processes; 0: not known, or they are more than the processors. */
double findings_disturbed(const struct report *report, const struct report_parallel *parallel, double n);

/* Subtracts the time in which threads were kept from running, as far as the account has it, from the region's
 * budget. Returns the work of one thread beyond the mean, which is none of it and no longer in the budget:
 * its imbalance. */
double findings_leave_own(const struct report *report, uint32_t region, double *budget);

/* Where other programs used much of the processors, and the archive does not have when threads had none: the
 * finding that reports that gets, of `budget` ticks of wall time, what the region's threads wait for one that
 * only computes. Returns what is left. */
double findings_subtract_disturbed(struct report *report, uint32_t region, double budget);

/* Those of the tasks of a parallel region, of what its `members` wait for, `budget` ticks of wall time. */
void findings_of_tasks(struct report *report, uint32_t parallel, double budget, double members);

/* Goes on with its evidence: how many tasks of the region were ready over time, and while threads waited. */
void finding_add_ready(struct finding_texts *texts, struct report_finding *finding,
                       const struct report_parallel *parallel);

/* What is left of the waiting in a region with tasks, ticks of wall time: while none was ready, and beside
 * ready ones. */
void findings_of_ready_tasks(struct report *report, uint32_t parallel, double without, double beside);

/* Those of taskwaits in a parallel region that hold up the creation of more tasks, at most `budget` ticks of
 * wall time for its `members`. Returns what is left. */
double findings_of_taskwaits(struct report *report, uint32_t parallel, double budget, double members);

#endif
