/* Of the threads' time, while they live: how much they ran, were preempted, and because of what, were
 * stopped, blocked. Between two readings of the kernel's counts all is taken to be spread evenly. What
 * threads were preempted is given to causes one after another. The quota gets as much as it kept the group
 * from running and the writer did not use of it, the team itself as much as its threads demanded more than
 * they may use. The process's other threads get their processor time, Stave's writer its own. What is left is
 * other processes'. */
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
  double first, last;              /* its events, ticks */
  double begin, end;               /* its life */
  double part,
      in_window; /* of each reading it lived, and of that in the window: where it has another clock */
  bool has_life;
  bool is_counted; /* it is one of the threads whose time this is */
};

struct account_process {
  struct report *report;
  struct account_thread *threads;
  size_t count, lines, number; /* lines: threads that were read */
  struct account_masks masks;
  const struct account_readings *readings;
  double begin, end, from, to; /* ticks: of the trace, and of the window */
  bool has_clocks; /* readings and events do not have the same one: of these four nothing is known */
};

/* More ticks than any clock has. */
#define END_OF_TIME 1e300

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

/* Of the threads in an interval. */
struct account_sums {
  double lived, ran, ready, stopped;
};

struct interval {
  double begin, end;   /* inside of the trace */
  double ticks, share; /* how long that is; the part of it that is inside of the window */
  double own, throttled, stopped, writer;
  double read_ran;                 /* what its threads ran, by their readings, and be it before they began */
  struct account_sums all, window; /* of those that were read at its end */
  double unread, window_unread;    /* how long those lived in it that were not */
  double most;                     /* that one of the threads ran and was ready */
};

static void read_interval(const struct account_process *process, struct interval *interval) {
  const struct account_readings *readings = process->readings;
  size_t number = process->number;
  double begin = larger(readings->times[number - 1], process->begin);
  double end = smaller(readings->times[number], process->end), ticks = larger(0, end - begin);
  double all = readings->times[number] - readings->times[number - 1];
  double in_trace = all > 0 ? ticks / all : 0; /* after that the writer encodes what waits */
  *interval =
      (struct interval){.begin = begin,
                        .end = end,
                        .ticks = ticks,
                        .share = ticks > 0 ? overlap(begin, end, process->from, process->to) / ticks : 0,
                        .own = readings->own[number],
                        .throttled = readings->throttled[number],
                        .stopped = smaller(readings->stopped[number], ticks),
                        .writer = readings->writer[number] * in_trace};
}

/* What the kernel knows of a thread goes with it. The first one's ProgramEnd may come long after its end. */
static void add_unread(const struct account_process *process, const struct account_thread *thread,
                       struct interval *interval) {
  if (thread->line && process->number > thread->line->first + thread->line->count)
    return;
  double begin = larger(interval->begin, thread->first), end = smaller(interval->end, thread->last);
  if (end - begin <= interval->ticks / 100)
    return;
  interval->unread += end - begin;
  begin = larger(begin, thread->begin), end = smaller(end, thread->end); /* events of pauses may be outside */
  interval->window_unread += thread->is_counted ? overlap(begin, end, process->from, process->to) : 0;
}

static void add_sums(struct account_sums *sums, const struct account_sums *thread, double share) {
  sums->lived += share * thread->lived;
  sums->ran += share * thread->ran;
  sums->ready += share * thread->ready;
  sums->stopped += share * thread->stopped;
}

/* What a thread ran and was ready for in a reading was while it lived, and of what the trace has of that. */
static struct account_sums read_sums(const struct account_thread *thread, const struct interval *interval,
                                     size_t reading) {
  double lived = thread->part * overlap(interval->begin, interval->end, thread->begin, thread->end);
  double ran = smaller(thread->line->ran[reading], lived);
  double ready = smaller(thread->line->ready[reading], lived - ran);
  double stopped = smaller(lived * interval->stopped / interval->ticks, lived - ran - ready);
  return (struct account_sums){.lived = lived, .ran = ran, .ready = ready, .stopped = stopped};
}

static double share_in_window(const struct account_process *process, const struct account_thread *thread,
                              const struct interval *interval) {
  double begin = larger(interval->begin, thread->begin), end = smaller(interval->end, thread->end);
  return thread->in_window * overlap(begin, end, process->from, process->to) / (end - begin);
}

static void read_thread(struct account_process *process, const struct account_thread *thread,
                        struct interval *interval) {
  size_t reading = process->number - thread->line->first;
  struct account_sums sums = read_sums(thread, interval, reading);
  interval->read_ran += account_line_ran(thread->line, reading);
  process->masks.masks[thread->mask].demand += sums.ran + sums.ready;
  if (!thread->is_counted || sums.lived <= 0)
    return;
  add_sums(&interval->all, &sums, 1);
  add_sums(&interval->window, &sums, share_in_window(process, thread, interval));
  interval->most = larger(interval->most, sums.ran + sums.ready);
}

static void read_threads(struct account_process *process, struct interval *interval) {
  for (size_t i = 0; i < process->masks.count; i++)
    process->masks.masks[i].demand = 0;
  for (size_t i = 0; i < process->count; i++) {
    const struct account_thread *thread = &process->threads[i];
    const struct account_line *line = thread->line;
    if (line && process->number >= line->first && process->number < line->first + line->count)
      read_thread(process, thread, interval);
    else
      add_unread(process, thread, interval);
  }
}

/* Subtracts `most` of *left, or all that is left. Returns that. */
static double subtract(double *left, double most) {
  double part = larger(0, smaller(*left, most));
  *left -= part;
  return part;
}

/* As many threads lose time as are ready to run at the same time: in the mean so many as in all of the
 * interval, or as while the one does that needs to most. The gain is the middle. */
static void add_lost(struct report_account *account, const struct interval *interval,
                     enum hindrance hindrance, double lost) {
  double demand = interval->all.ran + interval->all.ready, fewest = larger(1, demand / interval->ticks);
  double most = interval->most > 0 ? larger(fewest, demand / interval->most) : fewest;
  double share = interval->all.ready > 0 ? interval->window.ready / interval->all.ready : 0;
  account->lost[hindrance] += share * lost;
  account->gain[hindrance] += share * lost * (1 / fewest + 1 / most) / 2;
  account->unsure[hindrance] += share * lost * (1 / fewest - 1 / most) / 2;
}

/* The writer is in the program's group: what it ran of a quota that was used up, threads could have run. */
static void add_preempted(struct account_process *process, const struct interval *interval, double others) {
  struct report_account *account = &process->report->account;
  double left = interval->all.ready, of_quota = smaller(interval->writer, interval->throttled);
  double by_writer = subtract(&left, of_quota);
  add_lost(account, interval, HINDRANCE_QUOTA, subtract(&left, interval->throttled - of_quota));
  add_lost(account, interval, HINDRANCE_TEAM,
           subtract(&left, account_masks_excess(&process->masks, interval->ticks)));
  add_lost(account, interval, HINDRANCE_OWN_THREADS, subtract(&left, others));
  by_writer += subtract(&left, interval->writer - of_quota);
  add_lost(account, interval, HINDRANCE_WRITER, by_writer);
  add_lost(account, interval, HINDRANCE_OTHERS, interval->unread > 0 ? 0 : subtract(&left, left));
  account->ready += interval->window.ready; /* of what is left the cause is not known */
}

static void charge(struct account_process *process, const struct interval *interval) {
  struct report_account *account = &process->report->account;
  const struct account_sums *window = &interval->window;
  double rest = larger(0, interval->own - interval->read_ran), others = interval->unread > 0 ? 0 : rest;
  account->ran += window->ran + smaller(interval->share * rest, interval->window_unread);
  account->slept += window->lived - window->ran - window->ready - window->stopped;
  account->own_threads += interval->share * others;
  add_preempted(process, interval, others);
  account->lost[HINDRANCE_STOPPED] += window->stopped;
  account->gain[HINDRANCE_STOPPED] += interval->share * interval->stopped;
}

/* Of the window, what is after the last reading of a thread of which the events do not have its end. Of those
 * that are counted: others have no life in it. */
static void add_gone(struct account_process *process) {
  const struct account_readings *readings = process->readings;
  for (size_t i = 0; i < process->count; i++) {
    const struct account_thread *thread = &process->threads[i];
    const struct account_line *line = thread->is_counted && !thread->has_life ? thread->line : NULL;
    size_t end = line ? line->first + line->count : readings->count;
    if (end < readings->count)
      process->report->account.gone += overlap(readings->times[end], process->to, process->from, process->to);
  }
}

static void read_process(struct account_process *process) {
  for (process->number = 1; process->number < process->readings->count; process->number++) {
    struct interval interval;
    read_interval(process, &interval);
    if (interval.ticks <= 0)
      continue;
    read_threads(process, &interval);
    charge(process, &interval);
  }
}

/* -- a process -- */

/* A thread of which no events have when it begins is there from the first one on, and so is the first one. */
static void find_life(const struct account_process *process, const struct report_thread *seen,
                      struct account_thread *thread) {
  const struct trace *trace = process->report->trace;
  double first = (double)trace->clock.first_ticks;
  thread->begin = seen->has_life ? larger(first, (double)seen->start_ticks) : first;
  thread->end = first + (double)trace->clock.length_ticks;
  if (seen->has_life && seen->ended_ticks > seen->start_ticks)
    thread->end = smaller(thread->end, (double)seen->ended_ticks);
}

/* Where its events have another clock it is only known how long it lived. */
static void forget_when(const struct report *report, const struct report_thread *seen,
                        struct account_thread *thread) {
  const struct account_line *line = thread->line;
  double life = thread->end - thread->begin;
  const double *times = line->process->times + (line->first ? line->first - 1 : 0);
  double read = line->count > 0 ? times[line->first ? line->count : line->count - 1] - times[0] : 0;
  thread->part = read > 0 ? smaller(1, life / read) : 1;
  thread->in_window = life > 0 ? smaller(1, life_of(report, seen) / life) : 1;
  thread->begin = thread->first = thread->last = 0;
  thread->end = END_OF_TIME;
}

static void add_thread(struct account_process *process, const struct account_lines *lines,
                       uint32_t location) {
  const struct trace *trace = process->report->trace;
  const char *mask = trace_location_property(trace, trace->locations[location].ref, STAVE_PROPERTY_MAY_USE);
  const struct report_thread *seen = &process->report->threads[location];
  struct account_thread *thread = &process->threads[process->count++];
  *thread = (struct account_thread){.first = (double)seen->first_ticks,
                                    .last = (double)seen->last_ticks,
                                    .part = 1,
                                    .in_window = 1,
                                    .has_life = seen->has_life,
                                    .is_counted = report_is_cpu(seen)};
  find_life(process, seen, thread);
  if (!lines->lines[location].process)
    return;
  thread->line = &lines->lines[location];
  process->lines++;
  thread->mask = account_mask_add(&process->masks, mask ? mask : "");
  if (process->has_clocks)
    forget_when(process->report, seen, thread);
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
  process->has_clocks = trace_archive_number(report->trace, STAVE_PROPERTY_CLOCKS) > 1;
  process->begin = process->from = process->has_clocks ? 0 : (double)report->trace->clock.first_ticks;
  process->end = process->to =
      process->has_clocks ? END_OF_TIME : process->begin + (double)report->trace->clock.length_ticks;
  if (process->has_clocks)
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
  set_window(&process);
  for (uint32_t i = 0; i < trace->location_count; i++)
    if (report->threads[i].process == number && !report->threads[i].is_device)
      add_thread(&process, lines, i);
  if (process.lines > 0) {
    report->account.is_known = true;
    report->account.online = (uint64_t)number_of(trace, group, STAVE_PROPERTY_ONLINE);
    report->account.quota += number_of(trace, group, STAVE_PROPERTY_QUOTA);
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

/* While a hypervisor has the processor, the thread that is on it seems to sleep. The kernel counts it for the
 * entire run alone. */
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
