/* `stave report` for people: the overview, the findings, threads and devices. */
#include "base/plural.h"
#include "cli/report/report_print.h"

#include "base/shorten.h"
#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "report/text.h"
#include "trace/detail.h"
#include "trace/instances.h"
#include "trace/label.h"
#include "trace/module_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Less is not worth a line. */
#define OWN_COST_MIN 0.005

/* Between two events of a thread: a callback and its record cost a tenth of a microsecond and more. */
#define DENSE_EVENTS_US 3
#define NOTHING_SHARE 0.01
#define EFFICIENCY_MIN 0.0005

enum { NUMBER_BYTES = 32, PROSE_BYTES = 1024, FINDING_INDENT = 16 };

static double ratio(double part, double total) {
  return total > 0 ? part / total : 0;
}

/* -- the overview -- */

/* Constructs of which the source line is not known. */
struct missing_lines {
  size_t placed, lacking, packaged;
  const char *module; /* of one that is packaged */
  bool has_others;    /* other modules than that are packaged, too */
};

static void count_missing_line(struct missing_lines *missing, const struct trace_region *region) {
  missing->placed += strstr(region->name, " @") != NULL;
  if (!label_lacks_line(region))
    return;
  missing->lacking++;
  if (!module_is_packaged(region->module))
    return;
  missing->packaged++;
  missing->has_others |= missing->module && strcmp(missing->module, region->module_name) != 0;
  missing->module = missing->module ? missing->module : region->module_name;
}

/* Who has installed a package cannot compile it. */
static void print_missing_lines(const struct trace *trace) {
  struct missing_lines missing = {0};
  char package[PROSE_BYTES] = "";
  for (size_t i = 0; i < trace->region_count; i++)
    count_missing_line(&missing, &trace->regions[i]);
  if (missing.packaged > 0)
    snprintf(package, sizeof package, "; of %s%s install the package's debug symbols (-dbgsym, -debuginfo)",
             missing.module, missing.has_others ? " and others" : "");
  if (missing.lacking > 0)
    table_fact("source lines", "not known of %zu of %zu constructs: no debug information%s%s",
               missing.lacking, missing.placed, package,
               missing.packaged < missing.lacking ? "; compile with -g" : "");
}

/* Stave's own share of the threads' time. */
static void print_own_cost(const struct report *report) {
  const struct report_caveats *caveats = &report->caveats;
  char stalls[TEXT_TIME_BYTES], calls[TEXT_TIME_BYTES], one[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES];
  double called = (double)caveats->callbacks * (double)caveats->callback_ticks;
  double all = (double)caveats->stall_ticks + called;
  if (report->cpus == 0 || all == 0 || all < OWN_COST_MIN * (double)report->wall * (double)report->cpus)
    return;
  table_fact("tracing", "%s of the threads' time: %s in waits for room, %s in callbacks of at least %s",
             text_percent(share, all / ((double)report->wall * (double)report->cpus)),
             text_time(stalls, report->trace, (double)caveats->stall_ticks),
             text_time(calls, report->trace, called),
             text_time(one, report->trace, (double)caveats->callback_ticks));
}

/* Where events follow one another as closely, each one is on the critical path, and the writer is busy. */
static void print_dense_events(const struct report *report) {
  char every[TEXT_TIME_BYTES];
  double us = (double)report->trace->clock.ticks_per_second / 1e6, ticks = report_event_ticks(report);
  if (ticks <= 0 || ticks >= DENSE_EVENTS_US * us)
    return;
  table_fact("tracing",
             "threads have an event each %s: part of what is measured is the tracing, most of all in short "
             "regions and tasks; compare the wall time with that of an untraced run",
             text_time(every, report->trace, ticks));
}

/* Archives are handed on: what the recorder knew of them is here, too. */
static void print_runtimes(const struct report *report) {
  const struct runtimes *runtimes = &report->caveats.runtimes;
  const char *name = runtimes->traced ? runtimes->traced : "not known";
  if (runtimes->instead_of)
    table_fact("runtime",
               "%s, in place of %s, for which the program was built: its times there can be others", name,
               runtimes->instead_of);
  if (runtimes->untraced_count > 0)
    table_fact("not traced", "what ran on %s, if anything did: it is missing here, and counts as serial",
               runtimes->untraced);
  if (report->caveats.devices.refused)
    table_fact("devices", "%s", report->caveats.devices.refused);
  if (report->caveats.devices.lacks_targets)
    table_fact("devices", "%s", device_facts_no_targets);
}

char *report_print_threads(char text[COUNT_BYTES], const struct report *report, const char *noun) {
  int used = snprintf(text, COUNT_BYTES, "%zu%s", report->cpus, noun);
  if (report->threads_ever > report->cpus)
    snprintf(text + used, COUNT_BYTES - (size_t)used, " at a time, %zu in all", report->threads_ever);
  return text;
}

static void print_thread_count(const struct report *report) {
  char threads[COUNT_BYTES];
  report_print_threads(threads, report, "");
  if (report->process_count > 1 && report->account.processors)
    table_fact("threads", "%s, on %" PRIu64 " processor%s", threads, report->account.processors,
               plural(report->account.processors));
  else if (report->process_count > 1 && report->processors.count)
    table_fact("threads", "%s, each process on %" PRIu64 " processor%s", threads, report->processors.count,
               plural(report->processors.count));
  else if (report_crowding_threads(report) > 0 && !report_is_evened_out(report))
    table_fact("threads", "%s, on %" PRIu64 " processor%s: with OMP_NUM_THREADS=%" PRIu64 " each had one",
               threads, report->processors.count, plural(report->processors.count), report->processors.count);
  else if (report_has_one_thread(report))
    table_fact("threads",
               "1, on %" PRIu64 " processors: all parallel regions have a team of one (OMP_NUM_THREADS, "
               "num_threads, if, OMP_THREAD_LIMIT)",
               report->processors.count);
  else if (report->processors.count)
    table_fact("threads", "%s, on %" PRIu64 " processor%s", threads, report->processors.count,
               plural(report->processors.count));
  else
    table_fact("threads", "%s", threads);
}

static void print_source(const struct report *report) {
  if (report_lacks_source(report))
    table_fact("source", "no debug information: advice begins with what needs no source");
}

const char *report_print_unknown(const struct report *report) {
  return report->caveats.recording_pauses > 0 ? "recording was paused"
                                              : "no region covers what the threads did";
}

/* Of the threads' time. */
static void print_unknown(const struct report *report) {
  char time[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES];
  double unknown = (double)report->activity[ACTIVITY_UNKNOWN], threads = (double)report->cpus;
  if (unknown > 0)
    table_fact("not known", "%s, %s of the threads' time: %s; all below is of the rest",
               text_time(time, report->trace, unknown),
               text_percent(share, ratio(unknown, threads * (double)report->wall)),
               report_print_unknown(report));
}

/* Of the wall time: less in parallel regions makes no question of how they scale. */
#define PARALLEL_SHARE 0.1

/* In regions in which threads hardly wait, nothing is left to find but what makes their work itself longer.
 */
#define USEFUL_SHARE 0.8
#define MOSTLY_SHARE 0.25

static bool is_mostly_useful(const struct report *report) {
  return report->thread_efficiency >= USEFUL_SHARE &&
         (double)report->parallel >= MOSTLY_SHARE * (double)report->wall;
}

const char *report_print_scaling(const struct report *report) {
  bool has_teams = report->cpus > report->process_count &&
                   (double)report->parallel >= PARALLEL_SHARE * (double)report->wall;
  return has_teams && (report->finding_count == 0 || is_mostly_useful(report))
             ? "useful time is time without waiting in OpenMP: stave scale shows whether threads slow one "
               "another there (memory, caches)"
             : NULL;
}

/* Above: in how much of the serial time initial threads work side by side. */
#define SHARED_MIN 0.03

static void print_serial_time(const struct report *report) {
  char serial[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES], alone[TEXT_TIME_BYTES];
  text_time(serial, report->trace, (double)report->serial);
  text_percent(share, ratio((double)report->serial, (double)report->wall));
  if (report->serial_alone < (1 - SHARED_MIN) * (double)report->serial)
    table_fact("serial",
               "%s, %s of the wall time are outside of parallel regions; one thread alone works there for %s",
               serial, share, text_time(alone, report->trace, report->serial_alone));
  else
    table_fact("serial", "%s, %s of the wall time", serial, share);
}

static void print_parallel_count(const struct report *report) {
  char number[NUMBER_BYTES], more[NUMBER_BYTES];
  table_fact("parallel", "%s region%s%s%s%s", summary_number(number, report->forks), plural(report->forks),
             report->tasks_created ? ", " : "",
             report->tasks_created ? summary_number(more, report->tasks_created) : "",
             report->tasks_created == 1  ? " task created"
             : report->tasks_created > 1 ? " tasks created"
                                         : "");
}

static void print_wall_time(const struct report *report) {
  char wall[TEXT_TIME_BYTES], work[TEXT_TIME_BYTES];
  const char *part = report->to_ticks < UINT64_MAX || report->from_ticks > 0 ? " (a part of the trace)" : "";
  double ticks;
  text_time(wall, report->trace, (double)report->wall);
  if (report_is_slower_than_work(report, &ticks))
    table_fact("wall time", "%s%s, longer than the work of all threads, %s in all: one thread may be faster",
               wall, part, text_time(work, report->trace, ticks));
  else
    table_fact("wall time", "%s%s", wall, part);
}

/* What threads wait for after that is longer still, and nobody can know by how much: at a barrier all wait
 * for the one whose processor it was. */
static void print_writers_part(const struct report *report) {
  enum { SHARE = 100 };
  char time[TEXT_TIME_BYTES];
  double lost = report->account.lost[HINDRANCE_WRITER];
  if (report->account.is_known && lost * SHARE >= report->account.all)
    table_fact("Stave",
               "threads were preempted by its writer for %s: each figure may be longer for it; "
               "leave it one (OMP_NUM_THREADS)",
               text_time(time, report->trace, lost));
}

char *report_print_crowd(char text[ACCOUNT_BYTES], const struct report *report) {
  uint64_t count = report->processors.count;
  snprintf(text, ACCOUNT_BYTES,
           report_is_evened_out(report)
               ? "%" PRIu64 " threads share %" PRIu64
                 " processor%s, which evens out their unequal work: balance that before you measure with "
                 "OMP_NUM_THREADS=%" PRIu64 ", which would be slower now"
               : "%" PRIu64 " threads share %" PRIu64
                 " processor%s: first measure with OMP_NUM_THREADS=%" PRIu64
                 ", whose time no run with more threads shows",
           report_crowding_threads(report), count, plural(count), count);
  return text;
}

static void print_overview(const struct report_print *print) {
  const struct report *report = print->report;
  char serial[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES], account[ACCOUNT_BYTES];
  table_fact("archive", "%s", print->anchor);
  print_runtimes(report);
  print_wall_time(report);
  print_unknown(report);
  print_thread_count(report);
  print_source(report);
  if (report_crowding_threads(report) > 0)
    table_fact("first", "%s", report_print_crowd(account, report));
  if (report->account.is_known)
    table_fact("account", "%s", report_print_account(account, report));
  if (report->processors.others > 0)
    table_fact("others",
               "other programs used %s of the processors' time meanwhile: times may be longer for it",
               text_percent(share, report->processors.others / report->processors.all));
  if (report->process_count > 1)
    table_fact("processes", "%zu; serial and MPI are the mean of one", report->process_count);
  if (report->has_openmp || report->activity[ACTIVITY_MPI] > 0)
    print_serial_time(report);
  if (report->activity[ACTIVITY_MPI] > 0)
    table_fact("MPI", "%s outside of parallel regions, %s of the wall time",
               text_time(serial, report->trace, (double)report->mpi),
               text_percent(share, ratio((double)report->mpi, (double)report->wall)));
  if (report->has_openmp)
    print_parallel_count(report);
  if (report->finding_count > 0 && report_print_scaling(report)) /* else it is where findings would be */
    table_fact("scaling", "%s", report_print_scaling(report));
  print_writers_part(report);
  print_own_cost(report);
  print_dense_events(report);
  print_missing_lines(report->trace);
}

static void efficiency_row(struct table *table, const char *name, double value, const char *meaning) {
  char percent[TEXT_TIME_BYTES];
  const char *const cells[] = {name, text_percent(percent, value), meaning};
  table_row(table, cells);
}

/* Two factors of the parallel efficiency, after POP's model of hybrid programs, and what MPI's one leaves. */
static void print_mpi_efficiency(struct table *table, const struct report *report) {
  if (report->activity[ACTIVITY_MPI] == 0)
    return;
  efficiency_row(table, "+ lost, MPI", 1 - report->mpi_efficiency,
                 "threads x wall time in calls of MPI, with the threads that have no team meanwhile");
  efficiency_row(table, "MPI efficiency", report->mpi_efficiency, "threads x wall time outside of MPI");
  efficiency_row(table, "  load balance", report->mpi_load_balance,
                 "time outside of MPI: mean of the processes / the longest");
  if (!report_lacks_clock(report)) {
    efficiency_row(table, "  x serialisation", report->mpi_serialisation,
                   "the rest of what processes wait for each other");
    efficiency_row(table, "  x transfer", report->mpi_transfer, "the rest of MPI: the network, copies");
    efficiency_row(table, "  x start and end", report->mpi_start_end,
                   "MPI_Init, and MPI_Finalize from when all processes are there");
  }
  efficiency_row(table, "x OpenMP efficiency", ratio(report->parallel_efficiency, report->mpi_efficiency),
                 "of that, useful work: both multiply to the parallel efficiency");
}

static const char *process_name(const struct report *report) {
  bool is_named = report->busiest_process < report->trace->location_group_count;
  return is_named ? report->trace->location_groups[report->busiest_process].name : "one process";
}

/* What the other rows leave: with them it is the total. */
static void print_rest(struct table *table, const struct report *report) {
  double serial = report->has_openmp ? 1 - report->serial_efficiency : 0;
  double others = 1 - report->mpi_efficiency + 1 - report->device_efficiency;
  double rest = 1 - report->parallel_efficiency - serial - others;
  rest = rest < 0 ? 0 : rest;
  if (report->has_openmp)
    efficiency_row(table, "+ lost, in regions", rest,
                   "threads x wall time in parallel regions that is no useful work");
  else if (rest >= EFFICIENCY_MIN)
    efficiency_row(table, "+ the rest", rest, "threads x wall time in no region");
}

static void print_efficiency(const struct report *report) {
  struct table table;
  table_heading("Efficiency");
  table_begin(&table);
  table_column(&table, "factor", TABLE_NAME);
  table_column(&table, "value", TABLE_NUMBER);
  table_column(&table, "share of", TABLE_PROSE);
  char teams[LABEL_BYTES];
  snprintf(teams, sizeof teams, "threads x time in parallel regions that is useful work%s%s: the product of",
           report->process_count > 1 ? ", " : "", report->process_count > 1 ? process_name(report) : "");
  /* The first three, with MPI's, add up to the total; the last three multiply to the one above them. */
  efficiency_row(&table, "parallel efficiency", report->parallel_efficiency,
                 report->activity[ACTIVITY_UNKNOWN]
                     ? "threads x time that is known in which they did useful work"
                     : "threads x wall time that is useful work");
  if (report->has_openmp)
    efficiency_row(&table, "+ lost, serial", 1 - report->serial_efficiency,
                   "threads x wall time outside of parallel regions, where one thread works");
  print_rest(&table, report);
  if (report->activity[ACTIVITY_DEVICE] > 0)
    efficiency_row(&table, "+ lost, devices", 1 - report->device_efficiency,
                   report->has_openmp ? "threads x wall time in target constructs and calls for devices"
                                      : "threads x wall time in calls for devices, with waiting for them");
  print_mpi_efficiency(&table, report);
  if (report->parallel > 0) {
    efficiency_row(&table, "thread efficiency", report->thread_efficiency, teams);
    efficiency_row(&table, "x load balance", report->load_balance, "mean useful time / maximum useful time");
    efficiency_row(&table, "x serialisation", report->serialisation,
                   "time without waiting / time without overhead, of the busiest thread");
    efficiency_row(&table, "x runtime", report->runtime_efficiency,
                   "time without forks, task management and reductions / time, of the busiest thread");
  }
  table_print(&table);
}

static void print_activities(const struct report *report) {
  struct table table;
  uint64_t sum = 0;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    sum += report->activity[i];
  if (sum == 0)
    return;
  table_heading("Time by activity");
  table_begin(&table);
  table_column(&table, "activity", TABLE_NAME);
  table_column(&table, "time", TABLE_NUMBER);
  table_column(&table, "share", TABLE_NUMBER);
  for (int i = 0; i < ACTIVITY_COUNT; i++) {
    char time[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES];
    const char *const cells[] = {activity_name((enum activity)i),
                                 text_time(time, report->trace, (double)report->activity[i]),
                                 text_percent(share, ratio((double)report->activity[i], (double)sum))};
    if (report->activity[i] > 0)
      table_row(&table, cells);
  }
  table_print(&table);
}

/* -- findings -- */

static void print_prose(const char *label, const char *text) {
  printf("     %-11s", label);
  prose_print(FINDING_INDENT, FINDING_INDENT, text);
}

/* The function that a label has not named yet, in one line. */
static void print_function(const struct trace_region *region) {
  char function[PROSE_BYTES], shorter[PROSE_BYTES];
  if (label_lacks_line(region))
    return;
  size_t length = detail_function_length(region);
  snprintf(function, sizeof function, "%.*s", (int)(length ? length : strlen(region->description)),
           region->description);
  size_t width = prose_width() - FINDING_INDENT;
  char bare[INSTANCE_BYTES];
  bool has_arguments = shorten_width(function, SIZE_MAX) > width && strpbrk(function, "(<");
  print_prose("in", shorten_middle(shorter, sizeof shorter,
                                   has_arguments ? instance_function(bare, function) : function, width));
}

char *report_print_gain(char text[GAIN_BYTES], const struct report *report,
                        const struct report_finding *finding) {
  char gain[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES], deviation[TEXT_TIME_BYTES] = "";
  if (finding->uncertainty_ticks >= 0)
    text_time(deviation, report->trace, finding->uncertainty_ticks);
  snprintf(text, GAIN_BYTES, "%s%s%s (%s)", text_time(gain, report->trace, finding->gain_ticks),
           *deviation ? " +- " : "", deviation,
           text_percent(share, ratio(finding->gain_ticks, (double)report->wall)));
  return text;
}

static void print_finding(const struct report *report, size_t number) {
  const struct report_finding *finding = &report->findings[number];
  char gain[GAIN_BYTES], head[PROSE_BYTES], confidence[PROSE_BYTES];
  bool colour = terminal_has_colour(STDOUT_FILENO);
  snprintf(head, sizeof head, "up to %s: %s", report_print_gain(gain, report, finding), finding->what);
  snprintf(confidence, sizeof confidence, "%s: %s", report_confidence_name(finding->confidence),
           finding->reason);
  printf("%s%3zu. ", colour ? "\033[1m" : "", number + 1);
  prose_print_fact(5, 5, head);
  printf("%s", colour ? "\033[0m" : "");
  if (finding->region != REPLAY_NONE && finding->cause != CAUSE_SERIAL &&
      *report->trace->regions[finding->region].description)
    print_function(&report->trace->regions[finding->region]);
  print_prose("evidence", finding->evidence);
  print_prose("advice", finding->advice);
  print_prose("confidence", confidence);
}

static void print_findings(const struct report_print *print) {
  const struct report *report = print->report;
  size_t printed = 0;
  for (size_t i = 0; i < report->finding_count && printed < print->top; i++) {
    uint32_t region = report->findings[i].region;
    if (print->only && (region == REPLAY_NONE || !report_print_includes(print, region)))
      continue;
    if (printed++ == 0)
      table_heading("Findings: wall time that could be saved");
    print_finding(report, i);
  }
  if (printed > 0)
    return;
  table_heading("Findings");
  printf("  %s\n", print->only              ? "none for these regions"
                   : report->deadlock_count ? "the run hung in a deadlock: see who waits for whom, above"
                   : report->final_states   ? "the run was cut off: the state of each thread is above"
                                            : report_print_nothing(report));
  if (!print->only && !report->deadlock_count && !report->final_states && report_print_scaling(report))
    printf("  %s\n", report_print_scaling(report));
}

const char *report_print_nothing(const struct report *report) {
  if (report->caveats.lacks_teams)
    return "no findings of parallel regions: the archive does not record which threads belong to which team";
  if ((double)report->activity[ACTIVITY_UNKNOWN] >=
      NOTHING_SHARE * (double)report->cpus * (double)report->wall)
    return "no finding above 1 % of wall time in the part that is known, see above";
  if ((double)report->activity[ACTIVITY_DEVICE] >=
      NOTHING_SHARE * (double)report->cpus * (double)report->wall)
    return "no finding but waiting for devices and calls for them, see below";
  if (report->shared[SHARED_WITH_THREADS].unattributed > 0)
    return "no certain finding: what more threads than processors wait for is not known";
  if (report->account.is_known &&
      report_lost_by_others(&report->account) - report->account.lost[HINDRANCE_WRITER] >=
          NOTHING_SHARE * report->account.all)
    return "no finding in the program itself: threads were preempted, or stopped, see above";
  if (report->account.is_known && report->account.unknown >= NOTHING_SHARE * report->account.all)
    return "no finding above 1 % in the part of the threads' time that is known, see above";
  if (!report->account.is_known && !report->has_running && !report->chance_findings)
    return "no finding above 1 % of wall time; whether the threads had processors meanwhile is "
           "not "
           "known";
  return report->chance_findings ? "no finding above 3 % of wall time; smaller ones may be chance"
                                 : "no finding above 1 % of wall time";
}

/* -- threads -- */

#define ACTIVITY_BIT(name) (1u << ACTIVITY_##name)

/* A column of a thread's time; those that are not always there need some of it on any thread. */
static const struct thread_column {
  const char *name;
  uint32_t activities;
  bool is_always;
} thread_columns[] = {
    {"useful", ACTIVITY_BIT(WORK) | ACTIVITY_BIT(SERIAL) | ACTIVITY_BIT(TASK), true},
    {"barrier wait", ACTIVITY_BIT(BARRIER_WAIT), true},
    {"lock wait", ACTIVITY_BIT(LOCK_WAIT), true},
    {"task wait", ACTIVITY_BIT(TASK_WAIT), true},
    {"MPI", ACTIVITY_BIT(MPI), false},
    {"devices", ACTIVITY_BIT(DEVICE), false},
    {"other", ACTIVITY_BIT(TASK_MANAGEMENT) | ACTIVITY_BIT(REDUCTION) | ACTIVITY_BIT(OVERHEAD), true},
    {"idle", ACTIVITY_BIT(IDLE), true},
    {"not known", ACTIVITY_BIT(UNKNOWN), false},
};
enum { THREAD_COLUMNS = sizeof thread_columns / sizeof *thread_columns };

static uint64_t column_ticks(const struct thread_column *column, const uint64_t *activity) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < ACTIVITY_COUNT; i++)
    sum += column->activities >> i & 1 ? activity[i] : 0;
  return sum;
}

static bool has_column(const struct report *report, const struct thread_column *column) {
  return column->is_always || column_ticks(column, report->activity) > 0;
}

static void thread_row(struct table *table, const struct report *report, size_t index) {
  const struct trace *trace = report->trace;
  const char *cells[1 + THREAD_COLUMNS] = {trace->locations[index].name};
  char texts[THREAD_COLUMNS][TEXT_TIME_BYTES];
  size_t count = 1;
  for (size_t i = 0; i < THREAD_COLUMNS; i++)
    if (has_column(report, &thread_columns[i])) {
      uint64_t ticks = column_ticks(&thread_columns[i], report->threads[index].activity);
      cells[count++] = text_time(texts[i], trace, (double)ticks);
    }
  table_row(table, cells);
}

static void print_threads(const struct report_print *print) {
  const struct report *report = print->report;
  struct table table;
  size_t count = 0;
  table_heading("Threads");
  table_begin(&table);
  table_column(&table, "thread", TABLE_TEXT);
  for (size_t i = 0; i < THREAD_COLUMNS; i++)
    if (has_column(report, &thread_columns[i]))
      table_column(&table, thread_columns[i].name, TABLE_NUMBER);
  size_t most = print->top > 32 ? print->top : 32, own = 0;
  for (size_t i = 0; i < report->trace->location_count; i++) {
    own += report->threads[i].is_seen && report->threads[i].is_runtimes;
    if (report->threads[i].is_seen && !report->threads[i].is_device && !report->threads[i].is_runtimes &&
        count++ < most)
      thread_row(&table, report, i);
  }
  table_print_first(&table, count, most);
  if (own > 0)
    prose_printf(
        2, "%zu more are the OpenMP runtime's own, which run target tasks: what they wait is nobody's loss",
        own);
}

/* Devices are what such archives are about. */
static void print_without_openmp(const struct report_print *print) {
  report_print_devices(print);
  report_print_waiting(print);
}

void report_print_text(const struct report_print *print) {
  const struct report *report = print->report;
  report_print_ending(print);
  bool has_findings = report_has_causes(report);
  bool has_efficiency = report_has_efficiency(report) && has_findings;
  print_overview(print);
  if (has_findings)
    print_findings(print);
  if (!report->has_openmp) {
    putchar('\n');
    prose_printf(0, "This archive has no OpenMP events: nothing is known of regions, tasks and locks.");
  }
  if (has_efficiency)
    print_efficiency(report);
  print_activities(report);
  if (report->has_openmp)
    report_print_tables(print);
  else
    print_without_openmp(print);
  report_print_mpi(print);
  if (report->has_openmp)
    report_print_serial(print);
  report_print_samples(print);
  report_print_running(print);
  report_print_counters(print);
  if (report->has_openmp)
    report_print_devices(print);
  print_threads(print);
  report_print_caveats(report);
}
