#include "writer/kernel/processors.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "session/process_stat.h"

/* A tick of /proc's times in ns. */
static uint64_t tick_ns(void) {
  long hz = sysconf(_SC_CLK_TCK);
  return 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
}

static bool read_own(pid_t pid, uint64_t *ret_ns) {
  enum { USER_TIME = 14 };
  char text[PROCESS_STAT_BYTES];
  uint64_t user, system;
  const char *times = process_stat_field(process_stat(pid, 0, text), USER_TIME);
  if (!times || sscanf(times, "%" SCNu64 " %" SCNu64, &user, &system) != 2)
    return false;
  *ret_ns = (user + system) * tick_ns();
  return true;
}

static bool may_use(const struct processors *processors, unsigned number) {
  return number < PROCESSORS_MAX &&
         processors->words[number / PROCESSOR_WORD_BITS] >> number % PROCESSOR_WORD_BITS & 1;
}

/* "cpu3 user nice system idle iowait irq softirq steal ...". Guests' time is in user's. */
static void add_processor(const struct processors *processors, struct processor_time *sum, const char *line) {
  unsigned number;
  uint64_t user, nice, system, idle, io = 0, irq = 0, softirq = 0, stolen = 0;
  int fields = sscanf(line,
                      "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                      " %" SCNu64,
                      &number, &user, &nice, &system, &idle, &io, &irq, &softirq, &stolen);
  if (fields < 5 || !may_use(processors, number))
    return;
  sum->busy_ns += (user + nice + system + irq + softirq + stolen) * tick_ns();
  sum->stolen_ns += stolen * tick_ns();
  sum->idle_ns += (idle + io) * tick_ns();
  sum->is_known = true;
}

static uint64_t ns_of(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static struct processor_time used_so_far(const struct processors *processors) {
  struct processor_time sum = {0};
  struct rusage own;
  char *line = NULL;
  size_t size = 0;
  if (!read_own(processors->pid, &sum.own_ns))
    return sum;
  getrusage(RUSAGE_SELF, &own);
  sum.writer_ns = ns_of(own.ru_utime) + ns_of(own.ru_stime);
  FILE *file = fopen("/proc/stat", "re");
  while (file && getline(&line, &size, file) > 0 && strncmp(line, "cpu", 3) == 0)
    add_processor(processors, &sum, line);
  free(line);
  if (file)
    fclose(file);
  return sum;
}

void processors_open(struct processors *processors, pid_t pid) {
  processors->pid = pid;
  if (sched_getaffinity(0, sizeof processors->words, (cpu_set_t *)processors->words) < 0)
    return;
  for (size_t i = 0; i < sizeof processors->words / sizeof *processors->words; i++)
    processors->count += (unsigned)__builtin_popcountl(processors->words[i]);
  processors->begin = used_so_far(processors);
}

static uint64_t since(uint64_t begin, uint64_t end) {
  return end > begin ? end - begin : 0;
}

struct processor_time processors_used(const struct processors *processors) {
  const struct processor_time *begin = &processors->begin;
  if (!begin->is_known)
    return *begin;
  struct processor_time end = used_so_far(processors);
  return (struct processor_time){.is_known = end.is_known,
                                 .own_ns = since(begin->own_ns, end.own_ns),
                                 .writer_ns = since(begin->writer_ns, end.writer_ns),
                                 .busy_ns = since(begin->busy_ns, end.busy_ns),
                                 .stolen_ns = since(begin->stolen_ns, end.stolen_ns),
                                 .idle_ns = since(begin->idle_ns, end.idle_ns)};
}
