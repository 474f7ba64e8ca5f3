#include "writer/kernel/pace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "session/clock.h"
#include "writer/kernel/schedstat.h"

enum { SHARE = 32 };

static int open_to_read(const char *path, bool is_requested) {
  return is_requested ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

void pace_open(struct pace *pace, unsigned processors, int pid, enum clock_kind clock,
               const struct clock_point *start) {
  bool has_all = processors == (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  clockid_t program;
  *pace = (struct pace){.processors = processors,
                        .clock = clock,
                        .start = *start,
                        .loads = open_to_read("/proc/loadavg", has_all),
                        .part.waits = -1};
  if (clock_getcpuclockid(pid, &program) == 0) {
    pace->part.program = program;
    pace->part.waits = open_to_read("/proc/thread-self/schedstat", !has_all);
  }
}

static void close_if_open(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

void pace_close(struct pace *pace) {
  close_if_open(&pace->loads);
  close_if_open(&pace->part.waits);
}

bool pace_is_too_fast(struct pace *pace) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (SHARE * (cpu - pace->cpu_begin_ns) > now - pace->begin_ns)
    return true;
  pace->begin_ns = now;
  pace->cpu_begin_ns = cpu;
  return false;
}

/* "1234 567 8": ns that it ran, ns that it waited while others ran, how often. */
static uint64_t read_waited(int fd) {
  uint64_t ran, waited = 0;
  schedstat_read(fd, &ran, &waited);
  return waited;
}

/* 0: it has ended. */
static uint64_t read_ran(clockid_t program) {
  struct timespec ran;
  return clock_gettime(program, &ran) == 0 ? (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec : 0;
}

/* The kernel accounts the time of running threads at ticks of up to 4 ms, so that needs longer parts. */
enum { PART_WAITED_NS = 10000000, PART_RAN_NS = 40000000 };

/* A tenth of the time it waited; or the program ran four fifths of what its processors have. */
static bool part_is_full(const struct pace *pace, const struct pace_part *now) {
  const struct pace_part *last = &pace->part;
  uint64_t ns = now->looked_ns - last->looked_ns;
  return last->is_full ? now->ran_ns >= last->ran_ns + 4 * ns * pace->processors / 5
                       : 10 * (now->waited_ns - last->waited_ns) >= ns;
}

static bool is_part_contended(struct pace *pace) {
  struct pace_part *part = &pace->part;
  uint64_t ns = clock_ns(CLOCK_MONOTONIC);
  if (part->looked_ns && ns - part->looked_ns < (part->is_full ? PART_RAN_NS : PART_WAITED_NS))
    return part->is_full;
  struct pace_part now = *part;
  now.looked_ns = ns;
  now.waited_ns = read_waited(part->waits);
  now.ran_ns = read_ran(part->program);
  now.is_full = part->looked_ns && part_is_full(pace, &now);
  *part = now;
  return part->is_full;
}

/* "0.20 0.18 0.12 2/80 11206": 2 run or wait for a processor, the caller among them. Read so often that
 * sscanf would be a tenth of the cost of a look at the rings. */
static unsigned running_of(const char *text) {
  for (unsigned words = 3; *text && words > 0; text++)
    words -= *text == ' ';
  return (unsigned)strtoul(text, NULL, 10);
}

bool pace_is_contended(struct pace *pace) {
  char text[128];
  if (pace->part.waits >= 0)
    return is_part_contended(pace);
  ssize_t bytes = pace->loads < 0 ? -1 : pread(pace->loads, text, sizeof text - 1, 0);
  pace->running = 0;
  if (bytes <= 0)
    return false;
  text[bytes] = '\0';
  pace->running = running_of(text);
  pace->looked_ns = clock_ns(CLOCK_MONOTONIC);
  return pace->running > pace->processors + pace->helpers;
}

/* Now. */
static unsigned free_now(struct pace *pace, uint64_t now) {
  enum { LOOK_NS = 100000 };
  if (now - pace->looked_ns > LOOK_NS)
    pace_is_contended(pace);
  unsigned own = pace->helpers + 1, others = pace->running > own ? pace->running - own : 0;
  return pace->running && pace->processors > others + 1 ? pace->processors - others - 1 : 0;
}

unsigned pace_free(struct pace *pace) {
  enum { FREE_NS = 3000000 };
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  unsigned found = free_now(pace, now);
  if (now - pace->free_looked_ns > FREE_NS)
    pace->free = 0;
  if (found <= pace->free || now - pace->free_looked_ns > FREE_NS) {
    pace->free = found < pace->free ? found : pace->free;
    pace->least_free = UINT32_MAX;
    pace->free_ns = now;
  }
  pace->free_looked_ns = now;
  pace->was_calm = true;
  pace->least_free = found < pace->least_free ? found : pace->least_free;
  if (now - pace->free_ns >= FREE_NS)
    pace->free = pace->least_free;
  return pace->free;
}

uint64_t pace_waited_ns(const struct pace *pace, uint64_t ticks) {
  uint64_t now = clock_ticks(pace->clock), ns = clock_ns(CLOCK_MONOTONIC);
  if (ticks >= now || now <= pace->start.ticks || ns <= pace->start.monotonic_ns)
    return 0;
  double a_tick = (double)(ns - pace->start.monotonic_ns) / (double)(now - pace->start.ticks);
  return (uint64_t)((double)(now - ticks) * a_tick);
}

bool pace_yields_cpu(struct pace *pace, uint64_t waited_ns) {
  pace->is_late = waited_ns >= (pace->is_late ? PACE_WAITED_MAX_NS / 2 : PACE_WAITED_MAX_NS);
  pace->is_contended = !pace->is_late && pace_is_contended(pace);
  return pace->is_contended;
}

bool pace_yields_until_calm(struct pace *pace) {
  uint64_t now = clock_ns(CLOCK_MONOTONIC);
  bool was_contended = pace->is_contended;
  pace->is_contended = pace_is_contended(pace);
  if (pace->is_contended || was_contended)
    pace->calm_ns = now + PACE_CALM_NS;
  return now < pace->calm_ns;
}

uint64_t pace_nap(struct pace *pace, uint64_t waited_ns) {
  enum { CALM_NAP_NS = 4000000, SHORTEST_NS = 1000000 };
  uint64_t left_ns = waited_ns < PACE_WAITED_MAX_NS ? PACE_WAITED_MAX_NS - waited_ns : 0;
  bool is_short = !pace->is_contended || pace->was_calm;
  uint64_t nap_ns = is_short ? CALM_NAP_NS : PACE_NAP_NS;
  pace->was_calm = false;
  if (left_ns >= nap_ns || !pace->is_contended)
    return nap_ns;
  return left_ns > SHORTEST_NS ? left_ns : SHORTEST_NS;
}
