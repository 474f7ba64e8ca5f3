/* What the numbers of a scaling mean, in words. */
#include "cli/report/scaling.h"

#include "base/plural.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* More times as often is more. */
#define MISSES_GROW 1.5
/* Of the processors' time. */
#define DISTURBED_SHARE 0.05

const char *scaling_kind_name(enum scaling_kind kind) {
  static const char *const names[] = {"run", "serial", "parallel", "loop"};
  return names[kind];
}

/* -- laws -- */

const struct fit *scaling_best_fit(const struct scaling_part *part) {
  const struct fit *amdahl = &part->fits[FIT_AMDAHL], *universal = &part->fits[FIT_UNIVERSAL];
  if (universal->state == FIT_DONE &&
      (universal->coherence > 2 * universal->coherence_error || amdahl->state != FIT_DONE))
    return universal;
  return amdahl->state == FIT_DONE ? amdahl : NULL;
}

double scaling_predicted(const struct scaling *scaling, const struct fit *fit, double threads,
                         double *ret_interval) {
  double scale = scaling->is_weak ? threads : 1;
  *ret_interval = scale * fit_interval(fit, threads);
  return scale * fit_seconds(fit, threads);
}

double scaling_useful_threads(const struct fit *fit) {
  double fastest = fit_fastest(fit);
  return isinf(fastest) ? fit_enough(fit) : fastest;
}

/* -- sentences -- */

char *scaling_step_text(char text[SCALING_TEXT_BYTES], const struct scaling_step *step) {
  if (step->processes > 1)
    snprintf(text, SCALING_TEXT_BYTES, "%zu (%zu processes)", step->threads, step->processes);
  else
    snprintf(text, SCALING_TEXT_BYTES, "%zu", step->threads);
  return text;
}

static void add_stop(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                     const struct scaling_part *part) {
  size_t length = strlen(text);
  if (part->stops != SCALING_NO_STEP)
    snprintf(text + length, SCALING_TEXT_BYTES - length,
             " Beyond %zu thread%s more bring less than half of what they could.",
             scaling->steps[part->stops].threads, plural(scaling->steps[part->stops].threads));
}

/* Slower instructions: because of memory's bandwidth, or of cache lines that processors fetch from each
 * other.
 */
static void add_misses(char text[SCALING_TEXT_BYTES], const struct scaling_part *part) {
  double growth = part->points[part->last].miss_growth;
  size_t length = strlen(text);
  if (part->worst != FACTOR_ipc || isnan(growth) || isinf(growth))
    return;
  if (growth > MISSES_GROW)
    snprintf(text + length, SCALING_TEXT_BYTES - length,
             " An instruction misses the last cache %.1f times as often: false sharing is suspected, or a "
             "cache that "
             "more threads share.",
             growth);
  else
    snprintf(text + length, SCALING_TEXT_BYTES - length,
             " An instruction misses the last cache as often as before: the memory's bandwidth is shared.");
}

char *scaling_limit_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                         const struct scaling_part *part) {
  text[0] = '\0';
  if (part->first == part->last)
    return text;
  size_t threads = scaling->steps[part->last].threads;
  double percent = 100 * part->points[part->last].efficiency;
  if (part->worst == FACTOR_none)
    snprintf(text, SCALING_TEXT_BYTES,
             "With %zu threads the efficiency is %.0f %%; no factor falls by a hundredth.", threads, percent);
  else
    snprintf(text, SCALING_TEXT_BYTES,
             "With %zu threads the efficiency is %.0f %%. Most is lost to %s (%.0f %%): %s.", threads,
             percent, factor_name(part->worst), 100 * part->worst_share, factor_meaning(part->worst));
  add_misses(text, part);
  add_stop(text, scaling, part);
  return text;
}

char *scaling_threads_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                           const struct scaling_part *part) {
  const struct fit *fit = scaling_best_fit(part);
  const char *because = part->worst == FACTOR_none ? "of what they share" : factor_meaning(part->worst);
  text[0] = '\0';
  if (!fit || scaling->is_weak)
    return text;
  double useful = scaling_useful_threads(fit);
  double most = fit_seconds(fit, 1) / fit_seconds(fit, isinf(useful) ? fit->most_threads : useful);
  if (isinf(useful))
    snprintf(text, SCALING_TEXT_BYTES, "By the %s law more threads are always of use.",
             fit_law_name(fit->law));
  else if (isinf(fit_fastest(fit)))
    snprintf(text, SCALING_TEXT_BYTES,
             "By Amdahl's law more than %.0f threads are of little use: twice as many would make the run "
             "less than "
             "10 %% shorter (it is %.1f times as fast as with one): %s.",
             useful, most, because);
  else
    snprintf(text, SCALING_TEXT_BYTES,
             "By the universal law more than %.0f threads are of no use: it is fastest with these (%.1f "
             "times as fast "
             "as with one): %s.",
             useful, most, because);
  return text;
}

char *scaling_predicted_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                             const struct scaling_part *part) {
  const struct fit *fit = scaling_best_fit(part);
  double interval, seconds = fit ? scaling_predicted(scaling, fit, (double)scaling->predict, &interval) : 0;
  text[0] = '\0';
  if (scaling->predict && fit)
    snprintf(text, SCALING_TEXT_BYTES, "With %" PRIu64 " threads it lasts %.6f s +- %.6f by %s law.",
             scaling->predict, seconds, interval, fit->law == FIT_AMDAHL ? "Amdahl's" : "the universal");
  else if (scaling->predict)
    snprintf(text, SCALING_TEXT_BYTES, "With %" PRIu64 " threads: not known, as no law is determined.",
             scaling->predict);
  return text;
}

/* -- notes -- */

static size_t crowded_steps(const struct scaling *scaling) {
  size_t count = 0;
  for (size_t i = 0; i < scaling->step_count; i++)
    count += scaling->steps[i].is_crowded;
  return count;
}

static size_t least_runs(const struct scaling *scaling) {
  size_t least = SCALING_RUNS_MAX;
  for (size_t i = 0; i < scaling->step_count; i++)
    least = scaling->steps[i].run_count < least ? scaling->steps[i].run_count : least;
  return least;
}

static size_t lossy_runs(const struct scaling *scaling) {
  size_t count = 0;
  for (size_t i = 0; i < scaling->run_count; i++)
    count += scaling->runs[i].lost_events > 0;
  return count;
}

static size_t disturbed_runs(const struct scaling *scaling, double *ret_most) {
  size_t count = 0;
  *ret_most = 0;
  for (size_t i = 0; i < scaling->run_count; i++) {
    double others = scaling->runs[i].others;
    count += others > DISTURBED_SHARE;
    *ret_most = others > *ret_most ? others : *ret_most;
  }
  return count;
}

bool scaling_note(char text[SCALING_TEXT_BYTES], const struct scaling *scaling, size_t number) {
  size_t crowded = crowded_steps(scaling), lossy = lossy_runs(scaling), at = 0;
  double most;
  size_t disturbed = disturbed_runs(scaling, &most);
  if (scaling->step_count == 1 && at++ == number)
    snprintf(text, SCALING_TEXT_BYTES, "all runs have as many threads: nothing scales");
  else if (disturbed && at++ == number)
    snprintf(text, SCALING_TEXT_BYTES,
             "the machine was busy: other programs used up to %.0f %% of the processors, in %zu run%s more "
             "than 5 %%: "
             "what is lost may be lost to them; measure where nothing else runs",
             100 * most, disturbed, plural(disturbed));
  else if (crowded && at++ == number)
    snprintf(text, SCALING_TEXT_BYTES,
             "%zu number%s of threads with more threads than processors (marked *): in no law; fewer threads "
             "may be "
             "as fast",
             crowded, plural(crowded));
  else if (least_runs(scaling) < 3 && at++ == number)
    snprintf(text, SCALING_TEXT_BYTES,
             "fewer than three runs of a number of threads: the spread shows little of chance");
  else if (lossy && at++ == number)
    snprintf(text, SCALING_TEXT_BYTES, "%zu run%s lost events: stave report has the number", lossy,
             plural(lossy));
  else
    return false;
  return true;
}
