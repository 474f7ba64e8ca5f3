/* How a run scales, from the object of `report --json`. */
#include "base/memory.h"
#include "cli/report/scaling.h"

#include "base/array.h"
#include "cli/report/scaling_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAN: null, or not there. */
static double number_of(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static double number_or_0(const json_t *object, const char *name) {
  double value = number_of(object, name);
  return isnan(value) ? 0 : value;
}

static size_t count_of(const json_t *object, const char *name) {
  json_int_t value = json_integer_value(json_object_get(object, name));
  return value > 0 ? (size_t)value : 0;
}

static struct computation nothing_counted(double useful) {
  return (struct computation){useful, NAN, NAN, NAN};
}

/* -- the run -- */

/* What the first thread ran before the first event of OpenMP. */
static double ran_before(const json_t *report) {
  return number_or_0(json_object_get(report, "account"), "ran_before_s");
}

/* A share of all threads' time that is lost, `kept` of it being not, where there is more time. */
static double with_more(double kept, double all, double more, double more_lost) {
  return isnan(kept) ? kept : 1 - ((1 - kept) * all + more_lost) / (all + more);
}

/* Before the first event one thread works, and others could. */
static void add_before(struct run_efficiency *efficiency, const json_t *report) {
  double threads = number_or_0(report, "threads"), before = ran_before(report);
  double wall = threads * number_or_0(report, "wall_s"), all = efficiency->presence * wall,
         more = threads * before;
  efficiency->parallel = with_more(efficiency->parallel, all, more, more - before);
  efficiency->serial = with_more(efficiency->serial, all, more, more - before);
  efficiency->mpi = with_more(efficiency->mpi, all, more, 0);
  efficiency->device = with_more(efficiency->device, all, more, 0);
  efficiency->presence = (all + more) / (wall + more);
}

static struct run_efficiency efficiency_of(const json_t *report) {
  const json_t *from = json_object_get(report, "efficiency");
  double known_s = number_of(report, "useful_s") / number_of(from, "parallel");
  struct run_efficiency efficiency = {
      .presence = known_s / (number_of(report, "threads") * number_of(report, "wall_s")),
      .parallel = number_of(from, "parallel"),
      .mpi = number_of(from, "mpi"),
      .serial = number_of(from, "serial"),
      .device = number_of(from, "device"),
      .mpi_load_balance = number_of(from, "mpi_load_balance"),
      .mpi_serialisation = number_of(from, "mpi_serialisation"),
      .mpi_transfer = number_of(from, "mpi_transfer"),
      .mpi_start_end = number_of(from, "mpi_start_end"),
  };
  if (ran_before(report) > 0)
    add_before(&efficiency, report);
  return efficiency;
}

void scaling_read_run(struct scaling *scaling, size_t run) {
  struct scaling_run *one = &scaling->runs[run];
  one->threads = count_of(one->report, "threads");
  one->processes = count_of(one->report, "processes");
  one->processors = count_of(one->report, "processors");
  one->lost_events = count_of(json_object_get(one->report, "disturbances"), "lost_events");
  const json_t *time = json_object_get(one->report, "processor_time");
  double all = number_or_0(time, "all_s");
  one->others = all > 0 ? number_or_0(time, "others_s") / all : 0;
  one->is_crowded = json_is_true(json_object_get(one->report, "has_too_many_threads")) ||
                    (one->processors && one->processes <= 1 && one->threads > one->processors);
}

/* -- its parts -- */

/* The row of this name; a new one if there is none. */
static struct scaling_part *scaling_part(struct scaling *scaling, enum scaling_kind kind, const char *name) {
  for (size_t i = 0; i < scaling->part_count; i++)
    if (scaling->parts[i].kind == kind && strcmp(scaling->parts[i].name, name) == 0)
      return &scaling->parts[i];
  struct scaling_part *part = array_add(&scaling->parts, &scaling->part_count, sizeof *part);
  part->kind = kind;
  part->name = memory_text(name);
  return part;
}

static double processes_of(const struct scaling *scaling, size_t run) {
  size_t processes = scaling->runs[run].processes;
  return processes ? (double)processes : 1;
}

static void no_factors(double ret[FACTOR_COUNT]) {
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    ret[i] = NAN;
}

/* One thread of each process works. */
static void add_serial(struct scaling *scaling, size_t run) {
  const json_t *report = scaling->runs[run].report;
  double seconds = number_or_0(report, "serial_s") + ran_before(report),
         processes = processes_of(scaling, run);
  if (!(seconds > 0))
    return;
  struct scaling_measure *measure = &scaling_part(scaling, SCALING_SERIAL, "")->measures[run];
  measure->is_there = true;
  measure->wall_s = seconds;
  measure->computation = nothing_counted(seconds * processes);
  no_factors(measure->factors);
  measure->factors[FACTOR_serial] = processes / (double)scaling->runs[run].threads;
}

/* Of all threads. */
static double useful_of(const json_t *activities) {
  return number_or_0(activities, "work") + number_or_0(activities, "serial") +
         number_or_0(activities, "task");
}

static double wall_of(const json_t *parallel) {
  return number_or_0(json_object_get(parallel, "duration"), "sum_s");
}

static struct region_times times_of(const json_t *parallel) {
  const json_t *activities = json_object_get(parallel, "activities");
  double all = number_or_0(parallel, "thread_time_s"), wall = wall_of(parallel);
  return (struct region_times){
      .all = all,
      .useful = useful_of(activities),
      .imbalance = wall > 0 ? all / wall * number_or_0(parallel, "imbalance_s") : 0,
      .overhead = number_or_0(activities, "overhead") + number_or_0(activities, "task management") +
                  number_or_0(activities, "reduction") + number_or_0(parallel, "barrier_release_s") +
                  number_or_0(parallel, "late_start_s"),
  };
}

/* Of those in no other. */
static struct region_times times_of_all(const json_t *report) {
  const json_t *regions = json_object_get(report, "regions");
  struct region_times sum = {0};
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *parallel = json_object_get(json_array_get(regions, i), "parallel");
    if (!parallel || json_is_true(json_object_get(parallel, "is_nested")))
      continue;
    struct region_times one = times_of(parallel);
    sum.all += one.all;
    sum.useful += one.useful;
    sum.imbalance += one.imbalance;
    sum.overhead += one.overhead;
  }
  return sum;
}

static void measure_parallel(struct scaling_measure *ret, const json_t *parallel, double processes) {
  struct region_times times = times_of(parallel);
  ret->wall_s = wall_of(parallel) / processes;
  ret->computation = nothing_counted(times.useful);
  factors_of_region(ret->factors, &times);
}

static void add_run_of_one(struct scaling *scaling, size_t run) {
  const json_t *report = scaling->runs[run].report;
  struct scaling_measure *measure = &scaling_part(scaling, SCALING_RUN, "")->measures[run];
  struct run_efficiency efficiency = efficiency_of(report);
  struct region_times regions = times_of_all(report);
  measure->is_there = true;
  measure->wall_s = number_of(report, "wall_s") + ran_before(report);
  measure->computation = nothing_counted(number_of(report, "useful_s") + ran_before(report));
  scaling_count_run(&measure->computation, report);
  factors_of_run(measure->factors, &efficiency, &regions);
}

static const json_t *region_named(const json_t *report, const char *name) {
  const json_t *regions = json_object_get(report, "regions");
  for (size_t i = 0; name && i < json_array_size(regions); i++) {
    const char *other = json_string_value(json_object_get(json_array_get(regions, i), "name"));
    if (other && strcmp(other, name) == 0)
      return json_array_get(regions, i);
  }
  return NULL;
}

/* The time that a parallel region's threads wait for locks is in its loops by the time of each. */
static double lock_share(const json_t *report, const char *name) {
  const json_t *regions = json_object_get(report, "regions");
  const json_t *parallel = json_object_get(region_named(report, name), "parallel");
  double waited = number_or_0(json_object_get(parallel, "activities"), "lock wait"), in_loops = 0;
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *loop = json_object_get(json_array_get(regions, i), "worksharing");
    const char *in = json_string_value(json_object_get(loop, "parallel"));
    if (in && name && strcmp(in, name) == 0)
      in_loops += number_or_0(json_object_get(loop, "time"), "sum_s");
  }
  return in_loops > 0 ? fmin(waited / in_loops, 1) : 0;
}

/* Times without the barrier after it. */
static void measure_loop(struct scaling_measure *ret, const json_t *loop, const json_t *report,
                         double processes) {
  double sum = number_or_0(json_object_get(loop, "time"), "sum_s"), longest = number_or_0(loop, "longest_s");
  double mean = longest - number_or_0(loop, "imbalance_s"), threads = mean > 0 ? sum / mean : 1;
  double waited = sum * lock_share(report, json_string_value(json_object_get(loop, "parallel")));
  struct region_times times = {
      .all = threads * longest, .useful = sum - waited, .imbalance = threads * longest - sum};
  ret->wall_s = longest / processes;
  ret->computation = nothing_counted(sum - waited);
  factors_of_region(ret->factors, &times);
}

/* A parallel region's own counts are without those of its loops. */
static void count_loops(struct scaling_measure *measure, const json_t *report, const char *name) {
  const json_t *regions = json_object_get(report, "regions");
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *region = json_array_get(regions, i);
    const char *in = json_string_value(json_object_get(json_object_get(region, "worksharing"), "parallel"));
    if (in && name && strcmp(in, name) == 0)
      scaling_count_region(&measure->computation, report, json_string_value(json_object_get(region, "name")));
  }
}

static void add_construct(void *data, const char *name, const struct paired *what) {
  struct scaling *scaling = data;
  const json_t *region = what->item, *report = scaling->runs[what->run].report;
  const json_t *parallel = json_object_get(region, "parallel");
  struct scaling_measure *measure =
      &scaling_part(scaling, (enum scaling_kind)what->kind, name)->measures[what->run];
  double processes = processes_of(scaling, what->run);
  if (measure->is_there) /* several of one name: the first */
    return;
  measure->is_there = true;
  no_factors(measure->factors);
  const char *own_name = json_string_value(json_object_get(region, "name"));
  if (what->kind == SCALING_PARALLEL) {
    measure_parallel(measure, parallel, processes);
    count_loops(measure, report, own_name);
  } else
    measure_loop(measure, json_object_get(region, "worksharing"), report, processes);
  scaling_count_region(&measure->computation, report, own_name);
}

static void pair(struct scaling *scaling, size_t run, enum scaling_kind kind, const json_t *region,
                 const json_t *seconds) {
  if (json_number_value(seconds) > 0 && json_object_get(region, "name"))
    pairs_add(&scaling->pairs, region,
              &(struct paired){
                  .run = run, .kind = (int)kind, .seconds = json_number_value(seconds), .item = region});
}

void scaling_read_parts(struct scaling *scaling, size_t run) {
  const json_t *regions = json_object_get(scaling->runs[run].report, "regions");
  add_run_of_one(scaling, run);
  add_serial(scaling, run);
  for (size_t i = 0; i < json_array_size(regions); i++) {
    const json_t *region = json_array_get(regions, i), *parallel = json_object_get(region, "parallel");
    pair(scaling, run, SCALING_PARALLEL, region,
         json_object_get(json_object_get(parallel, "duration"), "sum_s"));
    pair(scaling, run, SCALING_LOOP, region,
         json_object_get(json_object_get(region, "worksharing"), "longest_s"));
  }
  if (run + 1 == scaling->run_count)
    pairs_finish(&scaling->pairs, add_construct, scaling);
}
