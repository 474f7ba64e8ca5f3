/* From the reports of single runs to steps, factors and laws. */
#include "cli/report/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the threads that a step adds. */
#define USEFUL_SHARE 0.5

void scaling_add(struct scaling *scaling, const char *path, json_t *report) {
  size_t run = scaling->run_count++;
  scaling->runs[run] = (struct scaling_run){.path = path, .report = report};
  scaling_read_run(scaling, run);
}

/* -- steps -- */

static int fewest_first(const void *left, const void *right) {
  const struct scaling_step *a = left, *b = right;
  if (a->threads != b->threads)
    return a->threads < b->threads ? -1 : 1;
  return (a->processes > b->processes) - (a->processes < b->processes);
}

static struct scaling_step *step_of(struct scaling *scaling, const struct scaling_run *run) {
  for (size_t i = 0; i < scaling->step_count; i++)
    if (scaling->steps[i].threads == run->threads && scaling->steps[i].processes == run->processes)
      return &scaling->steps[i];
  struct scaling_step *step = &scaling->steps[scaling->step_count++];
  *step = (struct scaling_step){.threads = run->threads, .processes = run->processes};
  return step;
}

static void make_steps(struct scaling *scaling) {
  for (size_t i = 0; i < scaling->run_count; i++) {
    struct scaling_step *step = step_of(scaling, &scaling->runs[i]);
    step->runs[step->run_count++] = i;
    step->is_crowded |= scaling->runs[i].is_crowded;
  }
  qsort(scaling->steps, scaling->step_count, sizeof *scaling->steps, fewest_first);
}

/* -- points -- */

/* The run whose time is the median, of an even number the shorter of the two; SIZE_MAX: none has the part. */
static size_t middle_run(const struct scaling_part *part, const struct scaling_step *step) {
  size_t sorted[SCALING_RUNS_MAX], count = 0;
  for (size_t i = 0; i < step->run_count; i++) {
    if (!part->measures[step->runs[i]].is_there)
      continue;
    size_t at = count++;
    for (; at > 0 && part->measures[sorted[at - 1]].wall_s > part->measures[step->runs[i]].wall_s; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = step->runs[i];
  }
  return count ? sorted[(count - 1) / 2] : SIZE_MAX;
}

static void find_walls(const struct scaling *scaling, struct scaling_part *part, size_t number) {
  const struct scaling_step *step = &scaling->steps[number];
  struct scaling_point *point = &part->points[number];
  size_t middle = middle_run(part, step);
  *point = (struct scaling_point){.is_there = middle != SIZE_MAX, .least_s = INFINITY};
  if (!point->is_there)
    return;
  point->wall_s = part->measures[middle].wall_s;
  for (size_t i = 0; i < step->run_count; i++) {
    const struct scaling_measure *measure = &part->measures[step->runs[i]];
    if (!measure->is_there)
      continue;
    point->least_s = fmin(point->least_s, measure->wall_s);
    point->most_s = fmax(point->most_s, measure->wall_s);
  }
}

static double growth_of(const struct scaling *scaling, int from, int to) {
  return (double)scaling->steps[to].threads / (double)scaling->steps[from].threads;
}

static double misses_of(const struct computation *computation) {
  return computation->misses / computation->instructions;
}

static void find_point(const struct scaling *scaling, struct scaling_part *part, int number) {
  struct scaling_point *point = &part->points[number];
  const struct scaling_point *first = &part->points[part->first];
  double growth = growth_of(scaling, part->first, number), ratio = first->wall_s / point->wall_s;
  size_t run = middle_run(part, &scaling->steps[number]);
  size_t reference = middle_run(part, &scaling->steps[part->first]);
  point->speedup = scaling->is_weak ? ratio * growth : ratio;
  point->efficiency = point->speedup / growth;
  memcpy(point->factors, part->measures[run].factors, sizeof point->factors);
  factors_of_computation(point->factors, &part->measures[reference].computation,
                         &part->measures[run].computation, scaling->is_weak ? growth : 1);
  point->miss_growth =
      misses_of(&part->measures[run].computation) / misses_of(&part->measures[reference].computation);
}

/* The least step such that each of those after it brings less than half of what its threads could. */
static int find_stop(const struct scaling *scaling, const struct scaling_part *part) {
  int stop = SCALING_NO_STEP, next = part->last;
  for (int i = part->last - 1; i >= part->first; i--) {
    if (!part->points[i].is_there)
      continue;
    double gained = part->points[next].speedup / part->points[i].speedup - 1;
    double possible = growth_of(scaling, i, next) - 1;
    if (gained >= USEFUL_SHARE * possible)
      break;
    stop = i;
    next = i;
  }
  return stop;
}

static void find_fits(const struct scaling *scaling, struct scaling_part *part) {
  struct fit_point points[SCALING_RUNS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < scaling->run_count; i++) {
    double threads = (double)scaling->runs[i].threads, seconds = part->measures[i].wall_s;
    if (part->measures[i].is_there && !scaling->runs[i].is_crowded && seconds > 0)
      points[count++] = (struct fit_point){threads, scaling->is_weak ? seconds / threads : seconds};
  }
  for (enum fit_law law = 0; law < FIT_LAWS; law++)
    fit_law(&part->fits[law], law, points, count);
}

static void finish_part(const struct scaling *scaling, struct scaling_part *part) {
  part->first = part->last = SCALING_NO_STEP;
  for (size_t i = 0; i < scaling->step_count; i++) {
    find_walls(scaling, part, i);
    if (!part->points[i].is_there)
      continue;
    part->first = part->first == SCALING_NO_STEP ? (int)i : part->first;
    part->last = (int)i;
  }
  part->stops = SCALING_NO_STEP;
  part->worst = FACTOR_none;
  if (part->first == SCALING_NO_STEP)
    return;
  for (int i = part->first; i <= part->last; i++)
    if (part->points[i].is_there)
      find_point(scaling, part, i);
  const struct scaling_point *first = &part->points[part->first], *last = &part->points[part->last];
  double ideal =
      scaling->is_weak ? first->wall_s : first->wall_s / growth_of(scaling, part->first, part->last);
  part->lost_s =
      part->last + 1 == (int)scaling->step_count && last->wall_s > ideal ? last->wall_s - ideal : 0;
  part->stops = find_stop(scaling, part);
  part->worst = factors_worst(first->factors, last->factors, &part->worst_share);
  find_fits(scaling, part);
}

static int most_lost_first(const void *left, const void *right) {
  const struct scaling_part *a = left, *b = right;
  bool a_is_run = a->kind == SCALING_RUN, b_is_run = b->kind == SCALING_RUN;
  if (a_is_run != b_is_run)
    return a_is_run ? -1 : 1;
  if (a->lost_s < b->lost_s || a->lost_s > b->lost_s)
    return a->lost_s < b->lost_s ? 1 : -1;
  return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : strcmp(a->name, b->name);
}

void scaling_finish(struct scaling *scaling) {
  make_steps(scaling);
  for (size_t i = 0; i < scaling->run_count; i++)
    scaling_read_parts(scaling, i);
  for (size_t i = 0; i < scaling->part_count; i++)
    finish_part(scaling, &scaling->parts[i]);
  qsort(scaling->parts, scaling->part_count, sizeof *scaling->parts, most_lost_first);
  for (size_t i = 0; i < scaling->run_count; i++) {
    json_decref(scaling->runs[i].report);
    scaling->runs[i].report = NULL;
  }
}

void scaling_free(struct scaling *scaling) {
  for (size_t i = 0; i < scaling->run_count; i++)
    json_decref(scaling->runs[i].report);
  for (size_t i = 0; i < scaling->part_count; i++)
    free(scaling->parts[i].name);
  free(scaling->parts);
}
