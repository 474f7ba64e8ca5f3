/* Whether threads had processors, by region and by thread. */
#include "cli/report/report_print.h"

#include <stdlib.h>

#include "analysis/label.h"
#include "cli/common/memory.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"

enum { NUMBER_BYTES = 32 };

/* What a region's threads did there, waiting or not. */
struct running_place {
  uint32_t region;
  bool is_wait;
  const uint64_t *times; /* by enum report_running */
};

static uint64_t sum_of(const uint64_t times[RUNNING_COUNT]) {
  uint64_t sum = 0;
  for (int i = 0; i < RUNNING_COUNT; i++)
    sum += times[i];
  return sum;
}

static int most_preempted(const void *left, const void *right) {
  const struct running_place *a = left, *b = right;
  for (int i = RUNNING_PREEMPTED; i < RUNNING_COUNT; i++)
    if (a->times[i] != b->times[i])
      return a->times[i] < b->times[i] ? 1 : -1;
  if (a->region != b->region)
    return a->region < b->region ? -1 : 1;
  return a->is_wait - b->is_wait;
}

/* Returns how many, in *ret, which the caller frees. */
static size_t places_of(const struct report_print *print, struct running_place **ret) {
  const struct report *report = print->report;
  size_t count = 0;
  struct running_place *places = *ret =
      memory_needed(malloc((2 * report->trace->region_count + 1) * sizeof *places));
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_region *region = &report->regions[i];
    if (!report_print_wants(print, i))
      continue;
    if (sum_of(region->running) > 0)
      places[count++] = (struct running_place){i, false, region->running};
    if (sum_of(region->running_in_wait) > 0)
      places[count++] = (struct running_place){i, true, region->running_in_wait};
  }
  if (count > 1)
    qsort(places, count, sizeof *places, most_preempted);
  return count;
}

/* -- text -- */

static void begin_table(struct table *table, const char *heading, const char *first, bool has_doing) {
  table_heading(heading);
  table_begin(table);
  table_column(table, first, TABLE_TEXT);
  if (has_doing)
    table_column(table, "doing", TABLE_TEXT);
  table_column(table, "time", TABLE_NUMBER);
  table_column(table, "ran", TABLE_NUMBER);
  table_column(table, "preempted", TABLE_NUMBER);
  table_column(table, "blocked", TABLE_NUMBER);
}

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

static void print_places(const struct report_print *print) {
  struct running_place *places;
  struct table table;
  size_t count = places_of(print, &places);
  begin_table(&table, "Whether threads had processors, by region", "where", true);
  for (size_t i = 0; i < count && i < print->top; i++) {
    char label[LABEL_BYTES];
    struct running_shares shares;
    write_shares(&shares, print->report, places[i].times);
    const char *const cells[] = {label_region(label, print->report->trace, places[i].region),
                                 places[i].is_wait ? "waiting" : "work",
                                 shares.time,
                                 shares.share[RUNNING_ON],
                                 shares.share[RUNNING_PREEMPTED],
                                 shares.share[RUNNING_BLOCKED]};
    table_row(&table, cells);
  }
  table_print(&table);
  free(places);
}

static void add_thread(struct table *table, const struct report *report, size_t location) {
  const struct report_thread *thread = &report->threads[location];
  char numbers[4][NUMBER_BYTES];
  struct running_shares shares;
  write_shares(&shares, report, thread->running);
  const char *const cells[] = {report->trace->locations[location].name,
                               shares.time,
                               shares.share[RUNNING_ON],
                               shares.share[RUNNING_PREEMPTED],
                               shares.share[RUNNING_BLOCKED],
                               summary_number(numbers[0], thread->preemptions),
                               summary_number(numbers[1], thread->blocks),
                               summary_number(numbers[2], thread->migrations),
                               summary_number(numbers[3], thread->faults)};
  table_row(table, cells);
}

static void print_threads(const struct report_print *print) {
  struct table table;
  size_t shown = 0;
  begin_table(&table, "Whether threads had processors, by thread", "thread", false);
  table_column(&table, "times preempted", TABLE_NUMBER);
  table_column(&table, "times blocked", TABLE_NUMBER);
  table_column(&table, "migrations", TABLE_NUMBER);
  table_column(&table, "page faults", TABLE_NUMBER);
  for (size_t i = 0; i < print->report->trace->location_count && shown < print->top; i++)
    if (print->report->threads[i].has_running) {
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
                                      [RUNNING_BLOCKED] = "blocked_s"};
  for (int i = 0; i < RUNNING_COUNT; i++)
    json_put(object, names[i], json_real((double)times[i] / (double)report->trace->clock.ticks_per_second));
}

static json_t *places_json(const struct report_print *print) {
  json_t *array = json_array();
  struct running_place *places;
  size_t count = places_of(print, &places);
  for (size_t i = 0; i < count; i++) {
    json_t *object = json_object();
    json_put(object, "region", json_from_text(print->report->trace->regions[places[i].region].name));
    json_put(object, "doing", json_from_text(places[i].is_wait ? "waiting" : "work"));
    put_times(object, print->report, places[i].times);
    json_array_append_new(array, object);
  }
  free(places);
  return array;
}

static json_t *threads_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->trace->location_count; i++) {
    const struct report_thread *thread = &report->threads[i];
    if (!thread->has_running)
      continue;
    json_t *object = json_object();
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    put_times(object, report, thread->running);
    json_put(object, "preemptions", json_from_number(thread->preemptions));
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
