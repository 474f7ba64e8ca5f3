/* `stave report` for people: the tables of regions. */
#include "base/memory.h"
#include "base/plural.h"
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/detail.h"
#include "trace/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 32, COLUMNS_MAX = TABLE_COLUMNS_MAX };

/* One row being filled: its cells' texts. */
struct section_row {
  const struct report *report;
  char texts[COLUMNS_MAX][LABEL_BYTES + 64];
  size_t count;
};

static char *next_cell(struct section_row *row) {
  return row->texts[row->count < COLUMNS_MAX ? row->count++ : COLUMNS_MAX - 1];
}

static void add_label(struct section_row *row, uint32_t region) {
  label_region(next_cell(row), row->report->trace, region);
}

static void add_text(struct section_row *row, const char *text) {
  snprintf(next_cell(row), sizeof row->texts[0], "%s", text);
}

static void add_time(struct section_row *row, double ticks) {
  text_time(next_cell(row), row->report->trace, ticks);
}

static void add_number(struct section_row *row, uint64_t number) {
  summary_number(next_cell(row), number);
}

static void add_percent(struct section_row *row, double part, double total) {
  text_percent(next_cell(row), total > 0 ? part / total : 0);
}

static void add_thread(struct section_row *row, uint32_t location) {
  const struct trace *trace = row->report->trace;
  add_text(row, location < trace->location_count ? trace->locations[location].name : "");
}

static void put(struct table *table, const struct section_row *row) {
  const char *cells[COLUMNS_MAX] = {0};
  for (size_t i = 0; i < row->count; i++)
    cells[i] = row->texts[i];
  table_row(table, cells);
}

struct section_column {
  const char *name;
  enum table_column kind;
};

/* A table of regions. */
struct section {
  const char *heading;
  bool (*is_in)(const struct report_region *);
  double (*weight)(const struct report_region *);
  void (*fill)(struct section_row *row, uint32_t region, const struct report_region *base);
  struct section_column columns[COLUMNS_MAX];
};

static void begin_table(struct table *table, const struct section *section) {
  table_begin(table);
  for (size_t i = 0; i < COLUMNS_MAX && section->columns[i].name; i++)
    table_column(table, section->columns[i].name, section->columns[i].kind);
}

/* A row of a part of what is in the row before; false: there are no more. */
typedef bool part_filler(struct section_row *row, const struct report_region *base, size_t part);

static void put_parts(struct table *table, part_filler *fill, const struct report *report, uint32_t region) {
  struct section_row row = {.report = report};
  for (size_t part = 0; fill(&row, &report->regions[region], part); part++) {
    put(table, &row);
    row.count = 0;
  }
}

static void print_section_with(const struct report_print *print, const struct section *section,
                               part_filler *parts) {
  uint32_t *order;
  struct table table;
  char more[NUMBER_BYTES];
  size_t count = report_print_order(print, section->is_in, section->weight, &order);
  if (count > 0) {
    table_heading(section->heading);
    begin_table(&table, section);
    for (size_t i = 0; i < count && i < print->top; i++) {
      struct section_row row = {.report = print->report};
      section->fill(&row, order[i], &print->report->regions[order[i]]);
      put(&table, &row);
      if (parts)
        put_parts(&table, parts, print->report, order[i]);
    }
    table_print(&table);
    if (count > print->top)
      printf("  %s more: --top %zu\n", summary_number(more, count - print->top), count);
  }
  free(order);
}

static void print_section(const struct report_print *print, const struct section *section) {
  print_section_with(print, section, NULL);
}

/* -- parallel regions -- */

static bool is_parallel(const struct report_region *base) {
  return base->parallel && base->parallel->instances > 0;
}

static double parallel_weight(const struct report_region *base) {
  return (double)base->parallel->wall;
}

static void add_spread(struct section_row *row, const uint64_t *by_location) {
  uint64_t min = UINT64_MAX, max = 0;
  char low[TEXT_TIME_BYTES], high[TEXT_TIME_BYTES], text[2 * TEXT_TIME_BYTES + 4];
  for (size_t i = 0; by_location && i < row->report->trace->location_count; i++) {
    if (by_location[i] == 0)
      continue;
    min = by_location[i] < min ? by_location[i] : min;
    max = by_location[i] > max ? by_location[i] : max;
  }
  snprintf(text, sizeof text, "%s..%s", text_time(low, row->report->trace, min > max ? 0 : (double)min),
           text_time(high, row->report->trace, (double)max));
  add_text(row, text);
}

static void fill_parallel(struct section_row *row, uint32_t region, const struct report_region *base) {
  const struct report_parallel *one = base->parallel;
  const uint64_t *a = one->activity;
  char threads[2 * NUMBER_BYTES];
  if (one->smallest == one->largest)
    snprintf(threads, sizeof threads, "%" PRIu32, one->largest);
  else
    snprintf(threads, sizeof threads, "%" PRIu32 "..%" PRIu32, one->smallest, one->largest);
  add_label(row, region);
  if (row->report->has_callers)
    report_caller_text(next_cell(row), sizeof row->texts[0], row->report, one);
  add_number(row, one->instances);
  add_text(row, threads);
  add_time(row, (double)one->wall);
  add_percent(row, (double)(a[ACTIVITY_WORK] + a[ACTIVITY_TASK]), (double)one->thread_time);
  add_time(row, one->gain);
  add_percent(row, (double)one->implicit_wait, (double)one->thread_time);
  add_percent(row, (double)one->explicit_wait, (double)one->thread_time);
  add_percent(row, (double)(a[ACTIVITY_LOCK_WAIT] + a[ACTIVITY_TASK_WAIT]), (double)one->thread_time);
  add_percent(row, (double)one->late, (double)one->thread_time);
  add_time(row, (double)one->imbalance);
  add_spread(row, one->useful);
}

#define PARALLEL_COLUMNS                                                                                     \
  {"times", TABLE_NUMBER}, {"threads", TABLE_NUMBER}, {"time", TABLE_NUMBER}, {"useful", TABLE_NUMBER},      \
      {"potential gain", TABLE_NUMBER}, {"region end", TABLE_NUMBER}, {"barriers", TABLE_NUMBER},            \
      {"locks, tasks", TABLE_NUMBER}, {"late start", TABLE_NUMBER}, {"imbalance", TABLE_NUMBER}, {           \
    "useful by thread", TABLE_NUMBER                                                                         \
  }

static const struct section parallel_section = {"Parallel regions",
                                                is_parallel,
                                                parallel_weight,
                                                fill_parallel,
                                                {{"region", TABLE_TEXT}, PARALLEL_COLUMNS}};

static const struct section called_section = {
    "Parallel regions",
    is_parallel,
    parallel_weight,
    fill_parallel,
    {{"region", TABLE_TEXT}, {"called by", TABLE_TEXT}, PARALLEL_COLUMNS}};

/* -- worksharing -- */

static bool is_loop(const struct report_region *base) {
  return base->loop && base->loop->encounters > 0;
}

static double loop_weight(const struct report_region *base) {
  return (double)base->loop->time.sum;
}

static void add_range(struct section_row *row, const struct spread *spread) {
  char text[3 * NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
  summary_number(low, spread->min);
  summary_number(high, spread->max);
  if (spread->count == 0)
    *text = '\0';
  else if (spread->min == spread->max)
    snprintf(text, sizeof text, "%s", low);
  else
    snprintf(text, sizeof text, "%s..%s", low, high);
  add_text(row, text);
}

static void fill_loop(struct section_row *row, uint32_t region, const struct report_region *base) {
  const struct report_loop *one = base->loop;
  add_label(row, region);
  add_number(row, one->encounters);
  add_time(row, (double)one->time.sum);
  add_time(row, (double)one->imbalance);
  add_percent(row, (double)one->imbalance, (double)one->longest);
  add_text(row, detail_schedule(&row->report->trace->regions[region]));
  add_range(row, &one->trips);
  add_number(row, one->chunk_time.count);
  add_range(row, &one->chunks);
  add_time(row, spread_mean(&one->time));
  add_time(row, (double)one->time.max);
}

static const struct section loop_section = {"Loops and other worksharing",
                                            is_loop,
                                            loop_weight,
                                            fill_loop,
                                            {{"construct", TABLE_TEXT},
                                             {"entered", TABLE_NUMBER},
                                             {"time", TABLE_NUMBER},
                                             {"imbalance", TABLE_NUMBER},
                                             {"of longest", TABLE_NUMBER},
                                             {"schedule", TABLE_NAME},
                                             {"iterations", TABLE_NUMBER},
                                             {"chunks", TABLE_NUMBER},
                                             {"of size", TABLE_NUMBER},
                                             {"mean", TABLE_NUMBER},
                                             {"max", TABLE_NUMBER}}};

/* -- locks -- */

static bool is_mutex(const struct report_region *base) {
  return base->mutex && base->mutex->acquisitions > 0;
}

static double mutex_weight(const struct report_region *base) {
  return (double)base->mutex->wait.sum;
}

static void add_blame(struct section_row *row, const struct report_blame *one, uint64_t blamed_ticks) {
  const struct trace *trace = row->report->trace;
  char label[LABEL_BYTES], text[LABEL_BYTES + 64] = "";
  if (blamed_ticks > 0 && one->location < trace->location_count)
    snprintf(text, sizeof text, "%.0f %% %s in %s", 100 * (double)one->ticks / (double)blamed_ticks,
             trace->locations[one->location].name, label_region(label, trace, one->region));
  add_text(row, text);
}

/* With the variable if the lock has a name. */
static void add_lock(struct section_row *row, uint32_t region, const struct report_mutex *mutex) {
  const char *name = report_lock_name(row->report, mutex);
  char label[LABEL_BYTES], text[LABEL_BYTES + 64];
  label_region(label, row->report->trace, region);
  snprintf(text, sizeof text, name ? "%s %.60s" : "%s", label, name);
  add_text(row, text);
}

static void fill_mutex(struct section_row *row, uint32_t region, const struct report_region *base) {
  const struct report_mutex *one = base->mutex;
  add_lock(row, region, one);
  add_number(row, one->acquisitions);
  add_percent(row, (double)one->contended, (double)one->acquisitions);
  add_time(row, (double)one->wait.sum);
  add_time(row, (double)one->hold.sum);
  add_blame(row, &one->blamed[0], one->blamed_ticks);
  add_time(row, (double)one->wait.max);
  add_thread(row, one->longest_location);
  add_time(row, (double)one->hold.max);
}

/* The locks of a construct that acquires several, those that are waited for longest. */
static bool fill_lock_object(struct section_row *row, const struct report_region *base, size_t part) {
  const struct report_mutex *mutex = base->mutex;
  const struct report_lock_object *one = &mutex->objects[part];
  char name[REPORT_OBJECT_BYTES], text[REPORT_OBJECT_BYTES + 4];
  if (mutex->locks < 2 || part == REPORT_LOCK_OBJECTS || one->acquisitions == 0 || (part && !one->wait.sum))
    return false;
  snprintf(text, sizeof text, "  %s", report_object_text(name, row->report, one));
  add_text(row, text);
  add_number(row, one->acquisitions);
  add_percent(row, (double)one->contended, (double)one->acquisitions);
  add_time(row, (double)one->wait.sum);
  add_time(row, (double)one->hold.sum);
  add_blame(row, &one->holder, one->holder.ticks ? one->wait.sum : 0);
  add_time(row, (double)one->wait.max);
  add_text(row, "");
  add_time(row, (double)one->hold.max);
  return true;
}

static const struct section mutex_section = {"Locks: critical, ordered, atomic, omp_set_lock",
                                             is_mutex,
                                             mutex_weight,
                                             fill_mutex,
                                             {{"construct", TABLE_TEXT},
                                              {"acquired", TABLE_NUMBER},
                                              {"contended", TABLE_NUMBER},
                                              {"waiting", TABLE_NUMBER},
                                              {"held", TABLE_NUMBER},
                                              {"waited for", TABLE_TEXT},
                                              {"longest wait", TABLE_NUMBER},
                                              {"by", TABLE_TEXT},
                                              {"longest held", TABLE_NUMBER}}};

/* -- waiting -- */

static bool is_waited_in(const struct report_region *base) {
  return base->wait > 0;
}

static double wait_weight(const struct report_region *base) {
  return (double)base->wait;
}

static void fill_wait(struct section_row *row, uint32_t region, const struct report_region *base) {
  add_label(row, region);
  add_number(row, base->visits);
  add_time(row, (double)base->wait);
  add_time(row, base->visits ? (double)base->wait / (double)base->visits : 0);
  add_time(row, (double)base->longest_wait);
  add_thread(row, base->longest_location);
}

static const struct section wait_section = {"Waiting: barriers, tasks, devices",
                                            is_waited_in,
                                            wait_weight,
                                            fill_wait,
                                            {{"construct", TABLE_TEXT},
                                             {"entered", TABLE_NUMBER},
                                             {"waiting", TABLE_NUMBER},
                                             {"each", TABLE_NUMBER},
                                             {"longest", TABLE_NUMBER},
                                             {"by", TABLE_TEXT}}};

/* -- tasks -- */

static bool is_task(const struct report_region *base) {
  return base->task && base->task->created + base->task->executed > 0;
}

static double task_weight(const struct report_region *base) {
  return (double)base->task->run.sum + (double)base->task->created / 1e6;
}

static void fill_task(struct section_row *row, uint32_t region, const struct report_region *base) {
  const struct report_task *one = base->task;
  double each = spread_mean(&one->run), cost = (double)(one->creation_cost + row->report->dispatch_cost);
  add_label(row, one->task_region != REPLAY_NONE ? one->task_region : region);
  add_number(row, one->created);
  add_number(row, one->executed);
  add_time(row, each);
  add_text(row, one->executed > 0 && cost > 0 && each < 2 * cost ? "too small" : "");
  add_time(row, (double)one->run.min);
  add_time(row, (double)one->run.max);
  if (one->creation_cost > 0)
    add_time(row, (double)one->creation_cost);
  else
    add_text(row, "");
  add_time(row, spread_mean(&one->delay));
  add_number(row, one->stolen);
}

static const struct section task_section = {"Tasks",
                                            is_task,
                                            task_weight,
                                            fill_task,
                                            {{"construct", TABLE_TEXT},
                                             {"created", TABLE_NUMBER},
                                             {"run", TABLE_NUMBER},
                                             {"mean", TABLE_NUMBER},
                                             {"", TABLE_NAME},
                                             {"min", TABLE_NUMBER},
                                             {"max", TABLE_NUMBER},
                                             {"creation", TABLE_NUMBER},
                                             {"until begin", TABLE_NUMBER},
                                             {"elsewhere", TABLE_NUMBER}}};

static bool is_odd_task(const struct report_region *base) {
  const struct report_task *one = base->task;
  uint64_t odd = one ? one->included + one->cancelled + one->untied + one->migrations : 0;
  return one &&
         (odd + one->dependences + one->taskwaits > 0 || one->created > one->executed + one->cancelled);
}

static void fill_odd_task(struct section_row *row, uint32_t region, const struct report_region *base) {
  const struct report_task *one = base->task;
  uint64_t ended = one->executed + one->cancelled + one->taskwaits;
  add_label(row, one->task_region != REPLAY_NONE ? one->task_region : region);
  add_number(row, one->included);
  add_number(row, one->created > ended ? one->created - ended : 0);
  add_number(row, one->untied);
  add_number(row, one->migrations);
  add_number(row, one->cancelled);
  add_number(row, one->taskwaits);
  add_number(row, one->dependences);
}

static const struct section odd_task_section = {"Tasks that are not deferred, move, depend or never run",
                                                is_odd_task,
                                                task_weight,
                                                fill_odd_task,
                                                {{"construct", TABLE_TEXT},
                                                 {"included", TABLE_NUMBER},
                                                 {"merged", TABLE_NUMBER},
                                                 {"untied", TABLE_NUMBER},
                                                 {"migrations", TABLE_NUMBER},
                                                 {"cancelled", TABLE_NUMBER},
                                                 {"taskwaits", TABLE_NUMBER},
                                                 {"dependences", TABLE_NUMBER}}};

/* -- the critical path -- */

static bool is_on_path(const struct report_region *base) {
  return base->path > 0;
}

static double path_weight(const struct report_region *base) {
  return (double)base->path;
}

static void fill_path(struct section_row *row, uint32_t region, const struct report_region *base) {
  add_label(row, region);
  add_time(row, (double)base->path);
  add_percent(row, (double)base->path, (double)row->report->span);
  add_time(row, (double)base->useful);
}

static const struct section path_section = {"Where the critical path leads",
                                            is_on_path,
                                            path_weight,
                                            fill_path,
                                            {{"region", TABLE_TEXT},
                                             {"on the path", TABLE_NUMBER},
                                             {"of the span", TABLE_NUMBER},
                                             {"useful work in all", TABLE_NUMBER}}};

static void print_span(const struct report *report) {
  char work[TEXT_TIME_BYTES], span[TEXT_TIME_BYTES];
  if (report->span == 0)
    return;
  size_t cpus = report->processes[report->longest_process].cpus;
  bool is_one_of_many =
      report->process_count > 1 && report->longest_process < report->trace->location_group_count;
  table_heading("Work and span");
  prose_printf(2, "work %s, span %s: available parallelism %.2f for %zu thread%s%s%s",
               text_time(work, report->trace, (double)report->work),
               text_time(span, report->trace, (double)report->span),
               (double)report->work / (double)report->span, cpus, plural(cpus),
               is_one_of_many ? ", in the process with the longest span: " : "",
               is_one_of_many ? report->trace->location_groups[report->longest_process].name : "");
}

/* -- the rest -- */

static bool is_other(const struct report_region *base) {
  return base->visits > 0 || base->inclusive > 0;
}

static double other_weight(const struct report_region *base) {
  return (double)base->inclusive + (double)base->visits / 1e6;
}

static void fill_other(struct section_row *row, uint32_t region, const struct report_region *base) {
  add_label(row, region);
  add_number(row, base->visits);
  add_time(row, (double)base->inclusive);
  add_time(row, base->visits ? (double)base->inclusive / (double)base->visits : 0);
}

static const struct section other_section = {
    "Reductions, flushes and other constructs",
    is_other,
    other_weight,
    fill_other,
    {{"construct", TABLE_TEXT}, {"entered", TABLE_NUMBER}, {"time", TABLE_NUMBER}, {"each", TABLE_NUMBER}}};

/* Those constructs that no other table has. */
static bool is_of_the_rest(enum construct construct) {
  bool is_target =
      construct_class(construct) == CONSTRUCT_CLASS_target && construct != CONSTRUCT_device_operation;
  return is_target || construct == CONSTRUCT_target_kernel || construct == CONSTRUCT_reduction ||
         construct == CONSTRUCT_flush || construct == CONSTRUCT_masked || construct == CONSTRUCT_master ||
         construct == CONSTRUCT_cancel || construct == CONSTRUCT_error || construct == CONSTRUCT_test_lock ||
         construct == CONSTRUCT_test_nest_lock;
}

static void print_rest(const struct report_print *print) {
  struct report_print rest = *print;
  struct report kept = *print->report;
  struct report_region *regions = memory_get(kept.trace->region_count + 1, sizeof *regions);
  for (size_t i = 0; i < kept.trace->region_count; i++)
    if (is_of_the_rest(construct_of_region(&kept.trace->regions[i])))
      regions[i] = kept.regions[i];
  kept.regions = regions;
  rest.report = &kept;
  print_section(&rest, &other_section);
  free(regions);
}

void report_print_waiting(const struct report_print *print) {
  print_section(print, &wait_section);
}

void report_print_tables(const struct report_print *print) {
  print_section(print, print->report->has_callers ? &called_section : &parallel_section);
  report_print_callers(print);
  report_print_processors(print);
  print_section(print, &loop_section);
  print_section_with(print, &mutex_section, fill_lock_object);
  print_section(print, &wait_section);
  print_section(print, &task_section);
  print_section(print, &odd_task_section);
  print_span(print->report);
  print_section(print, &path_section);
  print_rest(print);
}
