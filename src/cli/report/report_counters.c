/* What processors and the kernel have counted, by region and by thread. */
#include "base/memory.h"
#include "cli/report/report_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"
#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "replay/replay.h"
#include "report/text.h"
#include "trace/label.h"

enum { NUMBER_BYTES = 32, CELLS_MAX = REPORT_COUNTERS_MAX + 4, IMBALANCE_MIN_THREADS = 2 };
enum { NAME_WIDTH = 32, NAME_BYTES = 64 }; /* of the columns' heads */
enum { LINE_BYTES = 64 };                  /* that a miss of the last cache brings: x86-64, most of aarch64 */

struct counted_place {
  uint32_t region; /* REPLAY_NONE: outside of all */
  struct report_counter_sums sums;
};

static int longest_first(const void *left, const void *right) {
  const struct counted_place *a = left, *b = right;
  if (a->sums.ticks != b->sums.ticks)
    return a->sums.ticks < b->sums.ticks ? 1 : -1;
  return a->region < b->region ? -1 : a->region > b->region;
}

static struct report_counter_sums *get_sums(size_t count) {
  return memory_get(count + 1, sizeof(struct report_counter_sums));
}

/* Those in which any time passed. Returns how many, in *ret, which the caller frees. */
static size_t places_of(const struct report_print *print, struct counted_place **ret) {
  const struct report *report = print->report;
  size_t count = 0, regions = report->trace->region_count;
  struct report_counter_sums *sums = get_sums(regions);
  struct counted_place *places = *ret = memory_get(regions + 1, sizeof *places);
  report_counters_by_region(&report->counters, regions, sums);
  for (uint32_t i = 0; i <= regions; i++) {
    bool is_requested = i < regions ? report_print_includes(print, i) : !print->only;
    if (is_requested && sums[i].ticks > 0)
      places[count++] = (struct counted_place){i < regions ? i : REPLAY_NONE, sums[i]};
  }
  free(sums);
  if (count > 1)
    qsort(places, count, sizeof *places, longest_first);
  return count;
}

/* -- what follows from them -- */

/* False: it does not follow from what was counted. */
static bool instructions_a_cycle(const struct report_counters *counters,
                                 const struct report_counter_sums *sums, double *ret) {
  int instructions = report_counter_instructions(counters), cycles = report_counter_cycles(counters);
  if (instructions == COUNTER_NONE || cycles == COUNTER_NONE || sums->sums[cycles] == 0)
    return false;
  *ret = (double)sums->sums[instructions] / (double)sums->sums[cycles];
  return true;
}

static bool a_thousand_instructions(const struct report_counters *counters,
                                    const struct report_counter_sums *sums, size_t counter, double *ret) {
  int instructions = report_counter_instructions(counters);
  bool are_misses = strstr(counters->names[counter], "-misses") || strstr(counters->names[counter], "_TCM") ||
                    strstr(counters->names[counter], "_DCM");
  if (!are_misses || instructions == COUNTER_NONE || sums->sums[instructions] == 0)
    return false;
  *ret = 1000 * (double)sums->sums[counter] / (double)sums->sums[instructions];
  return true;
}

/* From memory, of one thread: bytes a second. */
static bool bandwidth(const struct report *report, const struct report_counter_sums *sums, double *ret) {
  int misses = report_counter_memory(&report->counters);
  if (misses == COUNTER_NONE || sums->ticks == 0)
    return false;
  *ret = (double)sums->sums[misses] * LINE_BYTES * (double)report->trace->clock.ticks_per_second /
         (double)sums->ticks;
  return true;
}

/* How much more than on the average the thread has that has most; 0: all have the same. */
static double imbalance(uint64_t most, uint64_t sum, uint32_t threads) {
  return sum > 0 ? (double)most * threads / (double)sum - 1 : 0;
}

/* -- text -- */

/* Some tools' names are longer than a column may be: these have a number. */
static const char *head_of(char head[NAME_BYTES], const struct report_counters *counters, size_t index) {
  if (shorten_width(counters->names[index], SIZE_MAX) <= NAME_WIDTH)
    snprintf(head, NAME_BYTES, "%s", counters->names[index]);
  else
    snprintf(head, NAME_BYTES, "counter %zu", index + 1);
  return head;
}

static void begin_table(struct table *table, const struct report_counters *counters, const char *heading,
                        const char *first) {
  static char names[REPORT_COUNTERS_MAX][2 * NAME_BYTES];
  struct report_counter_sums one = {0};
  double rate;
  for (size_t i = 0; i < REPORT_COUNTERS_MAX; i++)
    one.sums[i] = 1;
  table_heading(heading);
  table_begin(table);
  table_column(table, first, TABLE_TEXT);
  table_column(table, "time", TABLE_NUMBER);
  if (instructions_a_cycle(counters, &one, &rate))
    table_column(table, "IPC", TABLE_NUMBER);
  if (report_counter_memory(counters) != COUNTER_NONE)
    table_column(table, "MB/s per thread", TABLE_NUMBER);
  for (size_t i = 0; i < counters->count; i++) {
    bool is_rate = a_thousand_instructions(counters, &one, i, &rate);
    char head[NAME_BYTES];
    snprintf(names[i], sizeof names[i], "%s%s", head_of(head, counters, i),
             is_rate ? "/1000 instructions" : "");
    table_column(table, names[i], TABLE_NUMBER);
  }
}

/* What the heads of columns have no room for. */
static void print_long_names(const struct report_counters *counters) {
  for (size_t i = 0; i < counters->count; i++) {
    char head[NAME_BYTES];
    if (strcmp(head_of(head, counters, i), counters->names[i]) != 0)
      prose_printf(2, "%s: %s", head, counters->names[i]);
  }
}

static void add_row(struct table *table, const struct report *report, const char *name,
                    const struct report_counter_sums *sums) {
  char texts[CELLS_MAX][TEXT_TIME_BYTES + NUMBER_BYTES];
  const char *cells[CELLS_MAX] = {name};
  const struct report_counters *counters = &report->counters;
  size_t used = 1;
  double rate;
  text_time(texts[used], report->trace, (double)sums->ticks);
  cells[used] = texts[used];
  used++;
  int instructions = report_counter_instructions(counters), cycles = report_counter_cycles(counters);
  if (instructions != COUNTER_NONE && cycles != COUNTER_NONE) {
    bool is_known = instructions_a_cycle(counters, sums, &rate);
    snprintf(texts[used], sizeof texts[used], "%.2f", is_known ? rate : 0);
    cells[used] = is_known ? texts[used] : "";
    used++;
  }
  if (report_counter_memory(counters) != COUNTER_NONE) {
    bool is_known = bandwidth(report, sums, &rate);
    snprintf(texts[used], sizeof texts[used], "%.1f", is_known ? rate / 1e6 : 0);
    cells[used] = is_known ? texts[used] : "";
    used++;
  }
  for (size_t i = 0; i < counters->count; i++, used++) {
    if (a_thousand_instructions(counters, sums, i, &rate))
      snprintf(texts[used], sizeof texts[used], "%.2f", rate);
    else
      summary_number(texts[used], sums->sums[i]);
    cells[used] = texts[used];
  }
  table_row(table, cells);
}

static void print_regions(const struct report_print *print, const struct counted_place *places,
                          size_t count) {
  struct table table;
  begin_table(&table, &print->report->counters, "What was counted, by region itself", "region");
  for (size_t i = 0; i < count && i < print->top; i++) {
    char label[LABEL_BYTES];
    bool is_region = places[i].region != REPLAY_NONE;
    add_row(&table, print->report,
            is_region ? label_region(label, print->report->trace, places[i].region) : "(between regions)",
            &places[i].sums);
  }
  table_print(&table);
  print_long_names(&print->report->counters);
}

static void print_threads(const struct report_print *print) {
  const struct trace *trace = print->report->trace;
  struct report_counter_sums *sums = get_sums(trace->location_count);
  struct table table;
  size_t shown = 0;
  report_counters_by_thread(&print->report->counters, sums);
  begin_table(&table, &print->report->counters, "What was counted, by thread", "thread");
  for (size_t i = 0; i < trace->location_count && shown < print->top; i++)
    if (sums[i].rows > 0) {
      add_row(&table, print->report, trace->locations[i].name, &sums[i]);
      shown++;
    }
  table_print(&table);
  free(sums);
}

/* Threads that need more time for the same work are slowed down; those that need more time for more work have
 * too much of it. */
static void print_imbalance(const struct report_print *print, const struct counted_place *places,
                            size_t count) {
  const struct report *report = print->report;
  int instructions = report_counter_instructions(&report->counters);
  struct table table;
  if (instructions == COUNTER_NONE)
    return;
  table_heading("Imbalance of time and of instructions, by region itself");
  table_begin(&table);
  table_column(&table, "region", TABLE_TEXT);
  table_column(&table, "threads", TABLE_NUMBER);
  table_column(&table, "of time", TABLE_NUMBER);
  table_column(&table, "of instructions", TABLE_NUMBER);
  for (size_t i = 0; i < count && i < print->top; i++) {
    const struct report_counter_sums *sums = &places[i].sums;
    char label[LABEL_BYTES], threads[NUMBER_BYTES], time[TEXT_TIME_BYTES], work[TEXT_TIME_BYTES];
    if (places[i].region == REPLAY_NONE || sums->rows < IMBALANCE_MIN_THREADS)
      continue;
    text_percent(time, imbalance(sums->ticks_most, sums->ticks, sums->rows));
    text_percent(work, imbalance(sums->most[instructions], sums->sums[instructions], sums->rows));
    const char *const cells[] = {label_region(label, report->trace, places[i].region),
                                 summary_number(threads, sums->rows), time, work};
    table_row(&table, cells);
  }
  table_print(&table);
}

void report_print_counters(const struct report_print *print) {
  struct counted_place *places;
  if (print->report->counters.count == 0)
    return;
  size_t count = places_of(print, &places);
  print_regions(print, places, count);
  print_imbalance(print, places, count);
  print_threads(print);
  free(places);
}

/* -- JSON -- */

static json_t *numbers_json(const struct report_counters *counters,
                            const uint64_t numbers[REPORT_COUNTERS_MAX]) {
  json_t *object = json_object();
  for (size_t i = 0; i < counters->count; i++)
    json_put(object, counters->names[i], json_from_number(numbers[i]));
  return object;
}

static void put_rates(json_t *object, const struct report *report, const struct report_counter_sums *sums) {
  const struct report_counters *counters = &report->counters;
  json_t *misses = json_object();
  double rate;
  json_put(object, "instructions_per_cycle",
           instructions_a_cycle(counters, sums, &rate) ? json_real(rate) : json_null());
  for (size_t i = 0; i < counters->count; i++)
    if (a_thousand_instructions(counters, sums, i, &rate))
      json_put(misses, counters->names[i], json_real(rate));
  json_put(object, "per_1000_instructions", misses);
  json_put(object, "bytes_per_second", bandwidth(report, sums, &rate) ? json_real(rate) : json_null());
}

static void put_sums(json_t *object, const struct report *report, const struct report_counter_sums *sums) {
  json_put(object, "time_s", json_real((double)sums->ticks / (double)report->trace->clock.ticks_per_second));
  json_put(object, "sums", numbers_json(&report->counters, sums->sums));
  put_rates(object, report, sums);
}

static json_t *imbalance_json(const struct report_counters *counters,
                              const struct report_counter_sums *sums) {
  json_t *object = json_object();
  json_put(object, "time", json_real(imbalance(sums->ticks_most, sums->ticks, sums->rows)));
  for (size_t i = 0; i < counters->count; i++)
    json_put(object, counters->names[i], json_real(imbalance(sums->most[i], sums->sums[i], sums->rows)));
  return object;
}

static json_t *regions_json(const struct report_print *print) {
  json_t *array = json_array();
  struct counted_place *places;
  const struct report *report = print->report;
  size_t count = places_of(print, &places);
  for (size_t i = 0; i < count; i++) {
    json_t *object = json_object();
    uint32_t region = places[i].region;
    json_put(object, "region",
             region == REPLAY_NONE ? json_null() : json_from_text(report->trace->regions[region].name));
    json_put(object, "threads", json_from_number(places[i].sums.rows));
    put_sums(object, report, &places[i].sums);
    json_put(object, "imbalance", imbalance_json(&report->counters, &places[i].sums));
    json_array_append_new(array, object);
  }
  free(places);
  return array;
}

static json_t *threads_json(const struct report *report) {
  struct report_counter_sums *sums = get_sums(report->trace->location_count);
  json_t *array = json_array();
  report_counters_by_thread(&report->counters, sums);
  for (size_t i = 0; i < report->trace->location_count; i++) {
    if (sums[i].rows == 0)
      continue;
    json_t *object = json_object();
    json_put(object, "name", json_from_text(report->trace->locations[i].name));
    put_sums(object, report, &sums[i]);
    json_array_append_new(array, object);
  }
  free(sums);
  return array;
}

json_t *report_counters_json(const struct report_print *print) {
  if (print->report->counters.count == 0)
    return json_null();
  json_t *object = json_object();
  json_put(object, "regions", regions_json(print));
  json_put(object, "threads", threads_json(print->report));
  return object;
}
