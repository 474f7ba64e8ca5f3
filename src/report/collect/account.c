/* Of the threads' time, while they live: how much they ran, were preempted, and because of
 * what, were stopped, blocked. Between two readings of the kernel's counts all is taken to be spread evenly.
 * What threads were preempted is given to causes one after another: the quota, by how long it kept the group
 * from running; the team itself, by how much its threads wanted more than they may use; the process's other
 * threads, by their processor time; Stave's writer, by its; what is left is other processes'. */
#include "report/collect/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/collect.h"
#include "stave/names.h"

struct account_thread {
  size_t mask;
  const struct account_line *line; /* NULL: it was never read */
  double begin, end;               /* its events, ticks */
  double ran,
      ready; /* in this interval: at the edge of a thread's life its readings end in the middle of one */
  bool has_reading, has_life;
};

struct account_process {
  struct report *report;
  struct account_thread *threads;
  size_t count, lines, present, number; /* lines: threads that were read */
  bool is_whole;                        /* each thread that was there in the interval was read at its end */
  double unread;                        /* how long those lived in it that were not */
  struct account_masks masks;
  const struct account_readings *readings;
  double begin, end, from, to; /* ticks: of the trace, and of the window */
};

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double overlap(double begin, double end, double from, double to) {
  return larger(0, smaller(end, to) - larger(begin, from));
}

/* -- an interval -- */

/* What the kernel knows of a thread goes with it. The first one's ProgramEnd may come long after its end.
 * Returns how long it lived in the interval, if it was not read at its end. */
static double lived_unread(const struct account_process *process, const struct account_thread *thread) {
  if (thread->line && process->number > thread->line->first + thread->line->count)
    return 0;
  const double *times = &process->readings->times[process->number - 1];
  double lived = overlap(thread->begin, thread->end, times[0], times[1]);
  return lived > (times[1] - times[0]) / 100 ? lived : 0;
}

static void read_threads(struct account_process *process) {
  process->present = 0;
  process->unread = 0;
  for (size_t i = 0; i < process->masks.count; i++)
    process->masks.masks[i].wanted = 0;
  for (size_t i = 0; i < process->count; i++) {
    struct account_thread *thread = &process->threads[i];
    const struct account_line *line = thread->line;
    thread->has_reading =
        line && process->number >= line->first && process->number < line->first + line->count;
    if (!thread->has_reading) {
      process->unread += lived_unread(process, thread);
      continue;
    }
    process->present++;
    thread->ran = line->ran[process->number - line->first];
    thread->ready = line->ready[process->number - line->first];
    process->masks.masks[thread->mask].wanted += thread->ran + thread->ready;
  }
  process->is_whole = process->unread == 0;
}

/* Takes of *left what there is of it. */
static double subtract(double *left, double most) {
  double part = larger(0, smaller(*left, most));
  *left -= part;
  return part;
}

struct interval {
  double ticks, share; /* inside of the trace; the part of it that is inside of the window */
  double own, throttled, stopped, writer;
  double ran, ready;
  double most; /* that one of the threads ran and was ready */
};

static struct interval sum_up(const struct account_process *process) {
  const struct account_readings *readings = process->readings;
  size_t number = process->number;
  double begin = readings->times[number - 1], end = readings->times[number];
  double ticks = overlap(begin, end, process->begin, process->end);
  struct interval sum = {.ticks = ticks,
                         .share = ticks > 0
                                      ? overlap(larger(begin, process->begin), smaller(end, process->end),
                                                process->from, process->to) /
                                            ticks
                                      : 0,
                         .own = readings->own[number],
                         .throttled = readings->throttled[number],
                         .stopped = readings->stopped[number],
                         .writer = readings->writer[number]};
  sum.stopped = smaller(sum.stopped, ticks);
  for (size_t i = 0; i < process->count; i++)
    if (process->threads[i].has_reading) {
      /* Of a reading that is longer than what the trace has of it, no more than that. */
      double ran = smaller(process->threads[i].ran, ticks);
      sum.ran += ran;
      double ready = smaller(process->threads[i].ready, ticks - ran);
      sum.ready += ready;
      sum.most = larger(sum.most, ran + ready);
    }
  return sum;
}

/* As many threads lose together as want to run at a time: in the mean so many as in all of the interval, or
 * as while the one does that wants to most. The gain is the middle. */
static void add_lost(struct report_account *account, const struct interval *interval,
                     enum hindrance hindrance, double lost) {
  double wanted = interval->ran + interval->ready, fewest = larger(1, wanted / interval->ticks);
  double most = interval->most > 0 ? larger(fewest, wanted / interval->most) : fewest;
  account->lost[hindrance] += interval->share * lost;
  account->gain[hindrance] += interval->share * lost * (1 / fewest + 1 / most) / 2;
  account->unsure[hindrance] += interval->share * lost * (1 / fewest - 1 / most) / 2;
}

static void charge(struct account_process *process, const struct interval *interval) {
  struct report_account *account = &process->report->account;
  double left = interval->ready, share = interval->share, n = (double)process->present;
  double rest = larger(0, interval->own - interval->ran), others = process->is_whole ? rest : 0;
  double slept = n * (interval->ticks - interval->stopped) - interval->ran - interval->ready;
  account->ran += share * (interval->ran + smaller(rest, process->unread));
  account->slept += share * slept; /* less than nothing where the clocks were not read at one time */
  account->own_threads += share * others;
  add_lost(account, interval, HINDRANCE_QUOTA, subtract(&left, interval->throttled));
  add_lost(account, interval, HINDRANCE_TEAM,
           subtract(&left, account_masks_excess(&process->masks, interval->ticks)));
  add_lost(account, interval, HINDRANCE_OWN_THREADS, subtract(&left, others));
  add_lost(account, interval, HINDRANCE_WRITER, subtract(&left, interval->writer));
  add_lost(account, interval, HINDRANCE_OTHERS, process->is_whole ? subtract(&left, left) : 0);
  account->ready += share * interval->ready; /* of what is left the cause is not known */
  account->lost[HINDRANCE_STOPPED] += share * n * interval->stopped;
  account->gain[HINDRANCE_STOPPED] += share * interval->stopped;
}

/* Of the window, what is behind the last reading of a thread of which the events do not have its end. */
static void add_gone(struct account_process *process) {
  const struct account_readings *readings = process->readings;
  for (size_t i = 0; i < process->count; i++) {
    const struct account_line *line = process->threads[i].has_life ? NULL : process->threads[i].line;
    size_t end = line ? line->first + line->count : readings->count;
    if (end < readings->count)
      process->report->account.gone += overlap(readings->times[end], process->to, process->from, process->to);
  }
}

static void read_process(struct account_process *process) {
  for (process->number = 1; process->number < process->readings->count; process->number++) {
    read_threads(process);
    struct interval interval = sum_up(process);
    if (interval.ticks > 0)
      charge(process, &interval);
  }
}

/* -- a process -- */

static void add_thread(struct account_process *process, const struct account_lines *lines,
                       uint32_t location) {
  const struct trace *trace = process->report->trace;
  const char *mask = trace_location_property(trace, trace->locations[location].ref, STAVE_PROPERTY_MAY_USE);
  const struct report_thread *seen = &process->report->threads[location];
  struct account_thread *thread = &process->threads[process->count++];
  *thread = (struct account_thread){
      .begin = (double)seen->first_ticks, .end = (double)seen->last_ticks, .has_life = seen->has_life};
  if (!lines->lines[location].process)
    return;
  thread->line = &lines->lines[location];
  process->lines++;
  thread->mask = account_mask_add(&process->masks, mask ? mask : "");
}

/* Where processes run: those of one machine may use the same processors. */
struct account_machines {
  struct account_machine {
    uint64_t node;
    struct account_masks masks;
  } * items;
  size_t count;
};

static void note_machine(struct account_machines *machines, uint64_t node,
                         const struct account_masks *masks) {
  size_t i = 0;
  while (i < machines->count && machines->items[i].node != node)
    i++;
  struct account_machine *machine = i < machines->count
                                        ? &machines->items[i]
                                        : array_add(&machines->items, &machines->count, sizeof *machine);
  machine->node = node;
  for (size_t j = 0; j < masks->count; j++)
    account_mask_add(&machine->masks, masks->masks[j].text);
}

/* Of the threads that ever had it no more than live at a time. */
static void note_masks(struct report_account *account, const struct account_masks *masks, size_t most) {
  for (size_t i = 0; i < masks->count; i++) {
    const struct account_mask *mask = &masks->masks[i];
    double before = account->shared ? (double)account->threads / (double)account->shared : 0;
    size_t threads = mask->threads < most ? mask->threads : most;
    if (mask->processors > 0 && (double)threads / mask->processors > before) {
      account->threads = threads;
      account->shared = (uint64_t)mask->processors;
    }
  }
}

/* Where processes have different clocks, only what is read at the same time on the same one can be compared.
 */
static void set_window(struct account_process *process) {
  const struct report *report = process->report;
  bool has_clocks = trace_archive_number(report->trace, STAVE_PROPERTY_CLOCKS) > 1;
  process->begin = process->from = has_clocks ? 0 : (double)report->trace->clock.first_ticks;
  process->end = process->to =
      has_clocks ? 1e300 : process->begin + (double)report->trace->clock.length_ticks;
  if (has_clocks)
    return;
  process->from = larger(process->from, (double)report->first_ticks);
  process->to = smaller(process->to, (double)report->last_ticks);
}

static double number_of(const struct trace *trace, uint64_t group, const char *name) {
  const char *text = trace_process_property(trace, group, name);
  return text ? strtod(text, NULL) : 0;
}

static void add_process(struct report *report, const struct account_lines *lines,
                        struct account_machines *machines, size_t number) {
  const struct trace *trace = report->trace;
  uint64_t group = trace->location_groups[number].ref;
  struct account_process process = {.report = report,
                                    .readings = &lines->processes[number],
                                    .threads = memory_get(trace->location_count, sizeof *process.threads)};
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (report->threads[i].process == number && !report->threads[i].is_device)
      add_thread(&process, lines, i);
  if (process.lines > 0) {
    report->account.is_known = true;
    report->account.online = (uint64_t)number_of(trace, group, STAVE_PROPERTY_ONLINE);
    report->account.quota += number_of(trace, group, STAVE_PROPERTY_QUOTA);
    set_window(&process);
    note_masks(&report->account, &process.masks, report->processes[number].cpus);
    note_machine(machines, trace->location_groups[number].node, &process.masks);
    read_process(&process);
    add_gone(&process);
  }
  account_masks_free(&process.masks);
  free(process.threads);
}

static void add_processes(struct report *report, const struct account_lines *lines) {
  struct account_machines machines = {0};
  for (size_t i = 0; i < report->trace->location_group_count; i++)
    add_process(report, lines, &machines, i);
  for (size_t i = 0; i < machines.count; i++) {
    report->account.processors += (uint64_t)machines.items[i].masks.processors;
    account_masks_free(&machines.items[i].masks);
  }
  free(machines.items);
}

/* While a hypervisor has the processor, the thread that is on it seems to sleep. The kernel counts it for
 * the whole run alone. */
static void subtract_stolen(struct report *report) {
  struct report_account *account = &report->account;
  double lost = report->process_count == 1 ? subtract(&account->slept, report->processors.stolen) : 0;
  double at_once = report->wall ? (account->ran + account->ready + lost) / (double)report->wall : 1;
  account->lost[HINDRANCE_HYPERVISOR] = lost;
  account->gain[HINDRANCE_HYPERVISOR] = lost / larger(1, at_once);
}

static double lives_of_all(const struct report *report) {
  double sum = 0;
  for (size_t i = 0; i < report->trace->location_count; i++)
    sum += report_is_cpu(&report->threads[i]) ? life_of(report, &report->threads[i]) : 0;
  return sum;
}

void account_find(struct report *report, const struct account_lines *lines) {
  struct report_account *account = &report->account;
  add_processes(report, lines);
  account->all = larger(lives_of_all(report) - account->gone, 0);
  if (account->is_known && report->life.start_ticks) { /* there was one thread, of which the kernel knows */
    account->ran += report->life.ran;
    account->slept += report->life.before - report->life.ran;
  }
  double found = account->ran + account->ready + account->slept + account->lost[HINDRANCE_STOPPED];
  subtract_stolen(report);
  account->slept = larger(0, account->slept);
  account->unknown = larger(0, account->all - found);
}

double report_hindrance_gain(const struct report *report) {
  double processes = report->process_count ? (double)report->process_count : 1, sum = 0;
  for (int i = 0; i < HINDRANCE_COUNT; i++)
    sum += report->account.gain[i] / processes;
  return sum;
}
