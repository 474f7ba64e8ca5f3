#include "report/collect/account_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report_account.h"
#include "stave/names.h"

enum { READINGS_MAX = 1 << 20, NUMBERS = 5 };

/* Of a process's reading. */
enum { TICKS, OWN, THROTTLED, STOPPED, WRITER };

/* Numbers with commas up to a blank; those that lack are 0. NULL: there is no more. */
static const char *read_numbers(const char *text, double numbers[NUMBERS]) {
  char *end;
  memset(numbers, 0, NUMBERS * sizeof *numbers);
  for (int i = 0; i < NUMBERS; i++) {
    numbers[i] = (double)strtoull(text, &end, 10);
    if (end == text)
      return NULL;
    text = end;
    if (*text != ',')
      break;
    text++;
  }
  while (*text && *text != ' ')
    text++;
  return *text ? text + 1 : text;
}

/* At most as many as there are readings. */
static size_t count_words(const char *text) {
  size_t count = 1;
  for (; *text; text++)
    count += *text == ' ';
  return count < READINGS_MAX ? count : READINGS_MAX;
}

static double us_of(const struct trace *trace) {
  return (double)trace->clock.ticks_per_second / 1e6;
}

static void read_process(struct account_readings *process, const struct trace *trace, const char *text) {
  size_t most = count_words(text);
  double numbers[NUMBERS], now = 0, us = us_of(trace);
  process->times = memory_get(NUMBERS * most, sizeof *process->times);
  process->own = process->times + most;
  process->throttled = process->own + most;
  process->stopped = process->throttled + most;
  process->writer = process->stopped + most;
  for (size_t i = 0; i < most && (text = read_numbers(text, numbers)); i++) {
    process->times[i] = now += numbers[TICKS];
    process->own[i] = numbers[OWN] * us;
    process->throttled[i] = numbers[THROTTLED] * us;
    process->stopped[i] = numbers[STOPPED] * us;
    process->writer[i] = numbers[WRITER] * us;
    process->count++;
  }
}

static double length_of(const struct account_readings *process, size_t reading) {
  return reading > 0 ? process->times[reading] - process->times[reading - 1] : 0;
}

/* The kernel counts waiting when it ends: what is longer than the time between two readings was before. */
static void spread_back(struct account_line *line) {
  double carried = 0;
  for (size_t i = line->count; i-- > 0;) {
    double length = length_of(line->process, line->first + i);
    line->ran[i] = line->ran[i] < length ? line->ran[i] : length;
    double demand = line->ready[i] + carried, room = length - line->ran[i];
    line->ready[i] = demand < room ? demand : room;
    carried = demand - line->ready[i];
  }
}

static void read_line(struct account_line *line, const struct account_readings *process,
                      const struct trace *trace, const char *text) {
  char *end;
  double numbers[NUMBERS], us = us_of(trace);
  size_t first = strtoull(text, &end, 10), most;
  if (first >= process->count)
    return;
  text = *end == ' ' ? end + 1 : end;
  most = count_words(text);
  most = most < process->count - first ? most : process->count - first;
  *line = (struct account_line){
      .process = process, .first = first, .ran = memory_get(4 * most, sizeof *line->ran)};
  line->ready = line->ran + most;
  line->serial = line->ready + most;
  line->waiting = line->serial + most;
  for (; line->count < most && (text = read_numbers(text, numbers)); line->count++) {
    line->ran[line->count] = numbers[0] * us;
    line->ready[line->count] = numbers[1] * us;
  }
  spread_back(line);
  line->begin = first > 0 ? process->times[first - 1] : process->times[first];
  line->first_ran = line->count > 0 ? line->ran[0] : 0;
}

static void read_processes(struct account_lines *lines, const struct trace *trace) {
  for (size_t i = 0; i < trace->location_group_count; i++) {
    const char *text = trace_process_property(trace, trace->location_groups[i].ref, STAVE_PROPERTY_RUN_TIMES);
    if (text)
      read_process(&lines->processes[i], trace, text);
  }
}

static void read_lines(struct account_lines *lines, const struct trace *trace) {
  for (size_t i = 0; i < trace->location_count; i++) {
    const struct trace_location *location = &trace->locations[i];
    const struct trace_location_group *group = trace_location_group(trace, location->group);
    const char *text = trace_location_property(trace, location->ref, STAVE_PROPERTY_RUN_TIMES);
    const struct account_readings *process = group ? &lines->processes[group - trace->location_groups] : NULL;
    if (text && process && process->count > 0)
      read_line(&lines->lines[i], process, trace, text);
    lines->is_any |= lines->lines[i].process != NULL;
  }
}

static double ready_at(const struct account_lines *lines, const struct account_readings *process,
                       size_t reading) {
  double sum = 0;
  for (size_t i = 0; i < lines->line_count; i++) {
    const struct account_line *line = &lines->lines[i];
    if (line->process == process && reading >= line->first && reading < line->first + line->count)
      sum += line->ready[reading - line->first];
  }
  return sum;
}

/* That, too, the kernel counts when it ends: what threads were not ready for in this time was in that before.
 */
static void spread_throttled(const struct account_lines *lines, struct account_readings *process) {
  double carried = 0;
  for (size_t i = process->count; i-- > 0;) {
    double own = process->throttled[i], ready = own + carried > 0 ? ready_at(lines, process, i) : 0;
    double demand = own + carried;
    process->throttled[i] = demand < ready ? demand : ready;
    carried = own > process->throttled[i] ? own - process->throttled[i] : 0;
  }
}

void account_lines_read(struct account_lines *ret, const struct trace *trace) {
  *ret = (struct account_lines){
      .processes = memory_get(trace->location_group_count + 1, sizeof *ret->processes),
      .lines = memory_get(trace->location_count + 1, sizeof *ret->lines),
      .process_count = trace->location_group_count,
      .line_count = trace->location_count,
  };
  read_processes(ret, trace);
  read_lines(ret, trace);
  for (size_t i = 0; i < ret->process_count; i++)
    spread_throttled(ret, &ret->processes[i]);
}

void account_lines_free(struct account_lines *lines) {
  for (size_t i = 0; i < lines->process_count; i++)
    free(lines->processes[i].times);
  for (size_t i = 0; i < lines->line_count; i++)
    free(lines->lines[i].ran);
  free(lines->processes);
  free(lines->lines);
  *lines = (struct account_lines){0};
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

void account_line_begin(struct account_line *line, double ticks) {
  double end = line->count > 0 ? line->process->times[line->first] : 0;
  if (ticks <= line->begin || ticks >= end)
    return;
  line->begin = ticks;
  line->ran[0] = smaller(line->ran[0], end - ticks);
  line->ready[0] = smaller(line->ready[0], end - ticks - line->ran[0]);
}

double account_line_ran(const struct account_line *line, size_t at) {
  return at > 0 ? line->ran[at] : line->first_ran;
}

double account_line_lived(const struct account_line *line, size_t at) {
  const double *times = &line->process->times[line->first + at];
  return at > 0 ? times[0] - times[-1] : times[0] - line->begin;
}

double account_line_share(struct account_line *line, double begin, double end, double *by_reading,
                          double *ret_ran, double *ret_ready) {
  const struct account_readings *process = line->process;
  double known = 0;
  *ret_ran = *ret_ready = 0;
  while (line->at < line->count && process->times[line->first + line->at] <= begin)
    line->at++;
  for (size_t i = line->at; i < line->count; i++) {
    double to = process->times[line->first + i],
           since = i > 0 ? process->times[line->first + i - 1] : line->begin;
    double length = to - since, from = since > begin ? since : begin, until = to < end ? to : end;
    if (from >= until)
      break;
    known += until - from;
    *ret_ran += line->ran[i] * (until - from) / length;
    *ret_ready += line->ready[i] * (until - from) / length;
    if (by_reading)
      by_reading[i] += until - from;
  }
  return known;
}

double report_preempted(const struct trace *trace) {
  struct account_lines lines;
  double ran = 0, ready = 0;
  account_lines_read(&lines, trace);
  for (size_t i = 0; i < lines.line_count; i++)
    for (size_t j = 0; j < lines.lines[i].count; j++) {
      ran += lines.lines[i].ran[j];
      ready += lines.lines[i].ready[j];
    }
  account_lines_free(&lines);
  return ran + ready > 0 ? ready / (ran + ready) : -1;
}
