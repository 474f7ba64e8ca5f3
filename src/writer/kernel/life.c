#include "writer/kernel/life.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session/clock.h"
#include "session/process_stat.h"
#include "stave/names.h"

/* As proc(5) numbers the fields of /proc/PID/stat. */
enum { FIELD_FAULTS = 10, FIELD_FAULTS_OF_OTHERS = 11, FIELD_BEGIN = 22 };

/* Where there were fewer, it does not matter what they cost: two large pages of x86-64. */
enum { MANY_FAULTS = 1024 };

static uint64_t stat_of(pid_t pid, unsigned field) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text);
  return fields ? process_stat_number(fields, field) : 0;
}

/* The kernel counts from the machine's begin, in clock ticks: the middle of one is the most likely time. */
static uint64_t age_of(pid_t pid) {
  char text[PROCESS_STAT_BYTES];
  const char *fields = process_stat(pid, 0, text);
  long hz = sysconf(_SC_CLK_TCK);
  if (!fields || hz <= 0)
    return 0;
  uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)hz;
  uint64_t begin_ns = process_stat_number(fields, FIELD_BEGIN) * tick_ns + tick_ns / 2,
           now_ns = clock_ns(CLOCK_BOOTTIME);
  return now_ns > begin_ns ? now_ns - begin_ns : 0;
}

/* The pages of the program's own variables, which come from no malloc; 0: not known. */
static uint64_t static_pages(pid_t pid) {
  char path[64];
  Elf64_Ehdr header;
  Elf64_Phdr part;
  uint64_t bytes = 0;
  snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  if (pread(fd, &header, sizeof header, 0) == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
    for (unsigned i = 0; i < header.e_phnum; i++)
      if (pread(fd, &part, sizeof part, (off_t)(header.e_phoff + i * sizeof part)) == sizeof part &&
          part.p_type == PT_LOAD)
        bytes += part.p_memsz - part.p_filesz;
  close(fd);
  return bytes / (uint64_t)sysconf(_SC_PAGESIZE);
}

void life_begin(struct life *life, pid_t pid, uint64_t ticks, uint64_t ran_ns, uint64_t ready_ns) {
  *life = (struct life){.pid = pid,
                        .read_ticks = ticks,
                        .age_ns = age_of(pid),
                        .ran_ns = ran_ns,
                        .ready_ns = ready_ns,
                        .faults_before = stat_of(pid, FIELD_FAULTS),
                        .faults_of_others = stat_of(pid, FIELD_FAULTS_OF_OTHERS),
                        .static_pages = static_pages(pid)};
  if (life->age_ns < ran_ns + ready_ns)
    life->age_ns = ran_ns + ready_ns;
}

/* "VmHWM:  1234 kB", in pages: what is more than before. */
static void look_at(const char *line, const char *format, uint64_t *most_pages) {
  uint64_t kib, page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
  if (sscanf(line, format, &kib) == 1 && kib / page_kib > *most_pages)
    *most_pages = kib / page_kib;
}

/* False: it has none any more. */
static bool look_at_memory(struct life *life) {
  char path[64], line[256];
  bool has_memory = false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)life->pid);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    has_memory |= strncmp(line, "VmHWM:", strlen("VmHWM:")) == 0;
    look_at(line, "VmHWM: %" SCNu64, &life->peak_pages);
    look_at(line, "VmStk: %" SCNu64, &life->stack_pages);
    look_at(line, "RssShmem: %" SCNu64, &life->shared_pages);
  }
  if (file)
    fclose(file);
  return has_memory;
}

/* Who has ended has its faults, but no memory: they would be compared with what it had earlier. */
void life_look(struct life *life) {
  uint64_t faults = stat_of(life->pid, FIELD_FAULTS);
  if (look_at_memory(life) && faults > life->faults)
    life->faults = faults;
}

bool life_has_many_faults(const struct life *life) {
  return life->faults >= MANY_FAULTS && life->peak_pages > 0;
}

void life_write(const struct life *life, const struct page_costs *costs, struct definitions *definitions) {
  char text[192];
  snprintf(text, sizeof text, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, life->read_ticks,
           life->age_ns, life->ran_ns, life->ready_ns, life->faults_of_others);
  if (life->age_ns > 0)
    definitions_write_process_property(definitions, STAVE_PROPERTY_BEFORE, text);
  if (!costs)
    return;
  snprintf(text, sizeof text,
           "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64,
           life->faults_before, life->faults, life->peak_pages, costs->small_ns, costs->large_ns,
           life->static_pages, costs->is_reclaimed, life->stack_pages, life->shared_pages);
  definitions_write_process_property(definitions, STAVE_PROPERTY_FAULTS, text);
}
