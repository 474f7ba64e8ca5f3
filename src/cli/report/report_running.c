/* Whether threads had processors, and how they waited, by region and by thread. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include <stdlib.h>

#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "replay/replay.h"
#include "report/text.h"
#include "trace/label.h"

enum { NUMBER_BYTES = 32 };

/* What a region's threads did there, waiting or not. */
struct running_place {
  uint32_t region;                      /* REPLAY_NONE: threads without a team */
  const uint64_t *times;                /* by enum report_running */
  const struct report_waiting *waiting; /* NULL: they worked */
};

static uint64_t sum_of(const uint64_t times[RUNNING_COUNT]) {
  uint64_t sum = 0;
  for (int i = 0; i < RUNNING_COUNT; i++)
    sum += times[i];
  return sum;
}

/* Work with most preemption, waiting for longest. */
static int worst_first(const void *left, const void *right) {
  const struct running_place *a = left, *b = right;
  if (!a->waiting != !b->waiting)
    return a->waiting ? 1 : -1;
  for (int i = RUNNING_PREEMPTED; !a->waiting && i < RUNNING_COUNT; i++)
    if (a->times[i] != b->times[i])
      return a->times[i] < b->times[i] ? 1 : -1;
  uint64_t sums[] = {sum_of(a->times), sum_of(b->times)};
  if (a->waiting && sums[0] != sums[1])
    return sums[0] < sums[1] ? 1 : -1;
  return a->region < b->region ? -1 : a->region > b->region;
}

/* Work in front. Returns how many, in *ret, which the caller frees. */
static size_t places_of(const struct report_print *print, struct running_place **ret) {
  const struct report *report = print->report;
  size_t count = 0;
  struct running_place *places = *ret = memory_get(2 * report->trace->region_count + 2, sizeof *places);
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_region *region = &report->regions[i];
    if (!report_print_includes(print, i))
      continue;
    if (sum_of(region->running) > 0)
      places[count++] = (struct running_place){i, region->running, NULL};
    if (sum_of(region->waiting.running) > 0)
      places[count++] = (struct running_place){i, region->waiting.running, &region->waiting};
  }
  if (!print->only && sum_of(report->idle.running) > 0)
    places[count++] = (struct running_place){REPLAY_NONE, report->idle.running, &report->idle};
  if (!print->only && sum_of(report->running_outside) > 0)
    places[count++] = (struct running_place){REPLAY_NONE, report->running_outside, NULL};
  if (count > 1)
    qsort(places, count, sizeof *places, worst_first);
  return count;
}

/* -- text -- */

struct running_shares {
  char time[TEXT_TIME_BYTES], share[RUNNING_COUNT][TEXT_TIME_BYTES];
};

static void write_shares(struct running_shares *shares, const struct report *report,
                         const uint64_t times[RUNNING_COUNT]) {
  double sum = (double)sum_of(times);
  text_time(shares->time, report->trace, sum);
  for (int i = 0; i < RUNNING_COUNT; i++)
    text_percent(shares->share[i], sum > 0 ? (double)times[i] / sum : 0);
}

static void begin_table(struct table *table, const char *heading, const char *first,
                        const char *const names[], size_t count) {
  table_heading(heading);
  table_begin(table);
  table_column(table, first, TABLE_TEXT);
  for (size_t i = 0; i < count; i++)
    table_column(table, names[i], TABLE_NUMBER);
}

static const char *place_label(char label[LABEL_BYTES], const struct report *report,
                               const struct running_place *place) {
  if (place->region != REPLAY_NONE)
    return label_region(label, report->trace, place->region);
  return place->waiting ? "(without a team)" : "(outside of regions)";
}

static void print_work(const struct report_print *print, const struct running_place *places, size_t count) {
  static const char *const names[] = {"time", "ran", "preempted", "blocked", "unknown"};
  struct table table;
  begin_table(&table, "Whether threads had processors, by region", "where", names, 5);
  for (size_t i = 0; i < count && i < print->top && !places[i].waiting; i++) {
    char label[LABEL_BYTES];
    struct running_shares shares;
    write_shares(&shares, print->report, places[i].times);
    const char *const cells[] = {place_label(label, print->report, &places[i]),
                                 shares.time,
                                 shares.share[RUNNING_ON],
                                 shares.share[RUNNING_PREEMPTED],
                                 shares.share[RUNNING_BLOCKED],
                                 shares.share[RUNNING_UNKNOWN]};
    table_row(&table, cells);
  }
  table_print(&table);
}

static void add_waiting(struct table *table, const struct report *report, const struct running_place *place) {
  char label[LABEL_BYTES], numbers[2][NUMBER_BYTES];
  struct running_shares shares;
  write_shares(&shares, report, place->times);
  const char *const cells[] = {place_label(label, report, place),
                               shares.time,
                               shares.share[RUNNING_ON],
                               shares.share[RUNNING_YIELDED],
                               shares.share[RUNNING_PREEMPTED],
                               shares.share[RUNNING_BLOCKED],
                               shares.share[RUNNING_UNKNOWN],
                               summary_number(numbers[0], place->waiting->yields),
                               summary_number(numbers[1], place->waiting->sleeps)};
  table_row(table, cells);
}

static void print_waiting(const struct report_print *print, const struct running_place *places,
                          size_t count) {
  static const char *const names[] = {"time",   "spinning", "yielding",      "preempted",
                                      "asleep", "unknown",  "times yielded", "times asleep"};
  struct table table;
  size_t first = 0;
  begin_table(&table, "How threads wait, by region", "where", names, 8);
  while (first < count && !places[first].waiting)
    first++;
  for (size_t i = first; i < count && i - first < print->top; i++)
    add_waiting(&table, print->report, &places[i]);
  table_print(&table);
}

static void print_places(const struct report_print *print) {
  struct running_place *places;
  size_t count = places_of(print, &places);
  print_work(print, places, count);
  print_waiting(print, places, count);
  free(places);
}

static void add_thread(struct table *table, const struct report *report, size_t location) {
  const struct report_thread *thread = &report->threads[location];
  char numbers[5][NUMBER_BYTES];
  struct running_shares shares;
  write_shares(&shares, report, thread->running);
  const char *const cells[] = {report->trace->locations[location].name,
                               shares.time,
                               shares.share[RUNNING_ON],
                               shares.share[RUNNING_YIELDED],
                               shares.share[RUNNING_PREEMPTED],
                               shares.share[RUNNING_BLOCKED],
                               shares.share[RUNNING_UNKNOWN],
                               summary_number(numbers[0], thread->preemptions),
                               summary_number(numbers[1], thread->yields),
                               summary_number(numbers[2], thread->blocks),
                               summary_number(numbers[3], thread->migrations),
                               summary_number(numbers[4], thread->faults)};
  table_row(table, cells);
}

static void print_threads(const struct report_print *print) {
  static const char *const names[] = {"time",          "ran",        "yielded",         "preempted",
                                      "blocked",       "unknown",    "times preempted", "times yielded",
                                      "times blocked", "migrations", "page faults"};
  struct table table;
  size_t shown = 0;
  begin_table(&table, "Whether threads had processors, by thread", "thread", names, 11);
  for (size_t i = 0; i < print->report->trace->location_count && shown < print->top; i++)
    if (sum_of(print->report->threads[i].running) > 0) {
      add_thread(&table, print->report, i);
      shown++;
    }
  table_print(&table);
}

void report_print_running(const struct report_print *print) {
  if (!print->report->has_running)
    return;
  print_places(print);
  print_threads(print);
}

/* -- JSON -- */

static void put_times(json_t *object, const struct report *report, const uint64_t times[RUNNING_COUNT]) {
  static const char *const names[] = {[RUNNING_UNKNOWN] = "unknown_s",
                                      [RUNNING_ON] = "ran_s",
                                      [RUNNING_PREEMPTED] = "preempted_s",
                                      [RUNNING_BLOCKED] = "blocked_s",
                                      [RUNNING_YIELDED] = "yielded_s"};
  for (int i = 0; i < RUNNING_COUNT; i++)
    json_put(object, names[i], json_real((double)times[i] / (double)report->trace->clock.ticks_per_second));
}

static json_t *places_json(const struct report_print *print) {
  json_t *array = json_array();
  struct running_place *places;
  size_t count = places_of(print, &places);
  for (size_t i = 0; i < count; i++) {
    json_t *object = json_object();
    uint32_t region = places[i].region;
    json_put(object, "region",
             region == REPLAY_NONE ? json_null()
                                   : json_from_text(print->report->trace->regions[region].name));
    json_put(object, "doing", json_from_text(places[i].waiting ? "waiting" : "work"));
    put_times(object, print->report, places[i].times);
    if (places[i].waiting) {
      json_put(object, "yields", json_from_number(places[i].waiting->yields));
      json_put(object, "sleeps", json_from_number(places[i].waiting->sleeps));
    }
    json_array_append_new(array, object);
  }
  free(places);
  return array;
}

static json_t *threads_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *thread = &report->threads[i];
    if (sum_of(thread->running) == 0)
      continue;
    json_t *object = json_object();
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    put_times(object, report, thread->running);
    json_put(object, "preemptions", json_from_number(thread->preemptions));
    json_put(object, "yields", json_from_number(thread->yields));
    json_put(object, "blocks", json_from_number(thread->blocks));
    json_put(object, "migrations", json_from_number(thread->migrations));
    json_put(object, "page_faults", json_from_number(thread->faults));
    json_array_append_new(array, object);
  }
  return array;
}

json_t *report_running_json(const struct report_print *print) {
  if (!print->report->has_running)
    return json_null();
  json_t *object = json_object();
  json_put(object, "regions", places_json(print));
  json_put(object, "threads", threads_json(print->report));
  return object;
}
