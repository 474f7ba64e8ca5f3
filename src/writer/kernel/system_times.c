#include "writer/kernel/system_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "session/clock.h"
#include "session/process_stat.h"

/* As proc(5) numbers the fields of /proc/PID/stat. */
enum { FIELD_FAULTS = 10, FIELD_SYSTEM = 15, FIELD_THREADS = 20, FIELD_BEGIN = 22 };

enum { EACH_NS = 1000000000, US_IN_S = 1000000 };

bool system_times_are_due(const struct system_times *times, uint64_t now_ns) {
  uint64_t age_ns = times->looked_ns - times->first_ns;
  return now_ns > times->looked_ns && now_ns - times->looked_ns >= (age_ns < EACH_NS ? age_ns : EACH_NS);
}

unsigned system_times_threads(pid_t pid) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text);
  return fields ? (unsigned)process_stat_number(fields, FIELD_THREADS) : 0;
}

static uint64_t since(uint64_t *last, uint64_t now) {
  uint64_t more = now > *last ? now - *last : 0;
  *last += more;
  return more;
}

static void put_reading(struct system_times *times, const char *fields, uint64_t hz, size_t at) {
  times->looked_ns = clock_ns(CLOCK_MONOTONIC);
  times->first_ns = times->count == 0 ? times->looked_ns : times->first_ns;
  uint64_t system_us = process_stat_number(fields, FIELD_SYSTEM) * (US_IN_S / hz);
  array_reserve_zeroed(&times->readings, &times->capacity, times->count + 1, sizeof *times->readings);
  times->readings[times->count++] =
      (struct system_reading){.at = at,
                              .faults = since(&times->faults, process_stat_number(fields, FIELD_FAULTS)),
                              .system_us = since(&times->system_us, system_us)};
}

/* The kernel counts from the machine's begin in clock ticks: a thread of the same tick may be younger. */
bool system_times_begin(struct system_times *times, pid_t pid, pid_t tid, uint64_t boot_ns, size_t at) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, tid, text);
  long hz = sysconf(_SC_CLK_TCK);
  if (!fields || hz <= 0)
    return false;
  uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)hz;
  bool is_older = (process_stat_number(fields, FIELD_BEGIN) + 1) * tick_ns <= boot_ns;
  put_reading(times, fields, (uint64_t)hz, is_older ? 0 : at);
  return is_older;
}

void system_times_look(struct system_times *times, pid_t pid, pid_t tid, size_t at) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, tid, text);
  long hz = sysconf(_SC_CLK_TCK);
  if (fields && hz > 0)
    put_reading(times, fields, (uint64_t)hz, at);
}

/* The first one stays: it has what was before the run. */
void system_times_halve(struct system_times *times) {
  size_t kept = 0;
  for (size_t i = 0; i < times->count; i++) {
    struct system_reading reading = times->readings[i];
    bool has_pair = i > 0 && i % 2 == 0;
    if (has_pair) {
      reading.faults += times->readings[kept - 1].faults;
      reading.system_us += times->readings[kept - 1].system_us;
    }
    reading.at = (reading.at + 1) / 2;
    kept -= has_pair;
    times->readings[kept++] = reading;
  }
  times->count = kept;
}

char *system_times_text(const struct system_times *times) {
  char *text = NULL;
  size_t size;
  if (times->count == 0)
    return NULL;
  FILE *file = memory_given(open_memstream(&text, &size));
  for (size_t i = 0; i < times->count; i++)
    fprintf(file, "%s%zu,%" PRIu64 ",%" PRIu64, i ? " " : "", times->readings[i].at,
            times->readings[i].faults, times->readings[i].system_us);
  fclose(file);
  return text;
}

void system_times_free(struct system_times *times) {
  free(times->readings);
  *times = (struct system_times){0};
}
