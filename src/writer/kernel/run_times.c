#include "writer/kernel/run_times.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/quota.h"
#include "session/session.h"
#include "stave/names.h"
#include "writer/kernel/life.h"
#include "writer/kernel/schedstat.h"
#include "writer/kernel/stops.h"
#include "writer/kernel/system_times.h"

/* A reading costs at most a 2000th of a processor (read_system is besides): of many threads there are fewer.
 * Of a long run each second one goes, so that an archive has no more than that many. */
enum { EACH_NS = 90000000, COST_SHARE = 2000, READINGS_MAX = 1024, FILES_MAX = 512, MASK_BYTES = 8192 };
enum { NS_IN_US = 1000 };

/* Since the reading before, in us. */
struct thread_reading {
  uint32_t ran_us, ready_us;
};

struct timed_thread {
  struct location *location;
  uint64_t tid;
  int fd; /* of its schedstat; -1: it is opened each time, or the thread is gone */
  bool is_over;
  uint64_t ran_ns, ready_ns; /* as they were read last */
  size_t first;              /* of the process's readings */
  struct thread_reading *readings;
  size_t count, capacity;
  char *mask; /* "0-3": processors that it may use */
  struct system_times system;
};

struct process_reading {
  uint64_t ticks;
  uint64_t own_us, throttled_us, stopped_us; /* own: all its threads, which is more than 32 bits have */
  uint64_t writer_us;                        /* this process */
};

struct run_times {
  pid_t pid;
  enum clock_kind clock_kind;
  struct definitions *definitions;
  struct timed_thread *threads;
  size_t thread_count, thread_capacity, files, files_most; /* files: that are kept open */
  size_t locations_seen;
  struct process_reading readings[READINGS_MAX + 1];
  size_t count;
  uint64_t own_ns, throttled_ns, writer_ns, looked_ns;
  uint64_t begin_boot_ns; /* of the session, as the kernel has the begin of threads */
  struct stops stops;
  int own_schedstat;                   /* of the thread that reads; -1: it is opened each time */
  uint64_t own_ready_ns;               /* of it, as it was read last */
  uint64_t main_ran_ns, main_ready_ns; /* when this began */
  struct life life;
  struct page_cost *page_cost;             /* it is being measured; NULL: no need */
  struct system_times system, main_system; /* of the process; of its main thread until that is found */
  size_t system_next;                      /* whose turn it is */
  uint64_t due_ns, each_ns;
  struct quota quota;
};

/* -- what the kernel knows -- */

/* The clock of another process's processor time (clock_getcpuclockid), in ns. False: it is gone. */
static bool read_own(pid_t pid, uint64_t *ret_ns) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
    return false;
  *ret_ns = (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
  return true;
}

/* The file stays open where there are descriptors for that. */
static bool read_file(struct run_times *times, int *kept, pid_t pid, pid_t tid, uint64_t *ret_ran,
                      uint64_t *ret_ready) {
  int fd = *kept >= 0 ? *kept : schedstat_open(pid, tid);
  bool is_read = fd >= 0 && schedstat_read(fd, ret_ran, ret_ready);
  if (fd < 0 || fd == *kept)
    return is_read;
  if (is_read && times->files < times->files_most)
    times->files++, *kept = fd;
  else
    close(fd);
  return is_read;
}

static bool read_schedstat(struct run_times *times, struct timed_thread *thread, uint64_t *ret_ran,
                           uint64_t *ret_ready) {
  return read_file(times, &thread->fd, times->pid, (pid_t)thread->tid, ret_ran, ret_ready);
}

/* -- which processors a thread may use -- */

static size_t put_range(char *text, size_t used, unsigned first, unsigned last) {
  int n = last > first ? snprintf(text + used, MASK_BYTES - used, "%s%u-%u", used ? "," : "", first, last)
                       : snprintf(text + used, MASK_BYTES - used, "%s%u", used ? "," : "", first);
  return n > 0 && used + (size_t)n < MASK_BYTES ? used + (size_t)n : used;
}

static void write_mask(const cpu_set_t *set, size_t bytes, char text[MASK_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0, last; i < bytes * 8; i = last + 1) {
    last = i;
    if (!CPU_ISSET_S(i, bytes, set))
      continue;
    while (last + 1 < bytes * 8 && CPU_ISSET_S(last + 1, bytes, set))
      last++;
    used = put_range(text, used, i, last);
  }
}

static void read_mask(struct timed_thread *thread) {
  unsigned long words[1024] = {0};
  char text[MASK_BYTES];
  /* the system call itself states how many bytes this machine has */
  long bytes = syscall(SYS_sched_getaffinity, (pid_t)thread->tid, sizeof words, words);
  if (bytes <= 0)
    return;
  write_mask((const cpu_set_t *)words, (size_t)bytes, text);
  if (thread->mask && strcmp(thread->mask, text) == 0)
    return;
  free(thread->mask);
  thread->mask = memory_given(strdup(text));
}

/* -- a thread -- */

static uint64_t us_since(uint64_t *last_ns, uint64_t now_ns) {
  uint64_t us = now_ns > *last_ns ? (now_ns - *last_ns) / NS_IN_US : 0;
  *last_ns += us * NS_IN_US; /* what is less than one counts the next time */
  return us;
}

static uint32_t of_thread(uint64_t us) {
  return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

static void put_reading(struct timed_thread *thread, struct thread_reading reading) {
  array_reserve_zeroed(&thread->readings, &thread->capacity, thread->count + 1, sizeof *thread->readings);
  thread->readings[thread->count++] = reading;
}

static void end_thread(struct run_times *times, struct timed_thread *thread) {
  thread->is_over = true;
  if (thread->fd >= 0)
    times->files--, close(thread->fd);
  thread->fd = -1;
}

/* Of those that the runtime has made since, nothing came before. What threads that are older than the session
 * had done when it began is known of the main thread only: of the others that counts which comes after the
 * first reading. */
static void read_before(struct run_times *times, struct timed_thread *thread) {
  uint64_t ran, ready;
  if (!read_schedstat(times, thread, &ran, &ready)) {
    end_thread(times, thread);
    return;
  }
  bool is_main = (pid_t)thread->tid == times->pid, is_first = times->thread_count == 1;
  if (is_main) {
    thread->system = times->main_system;
    times->main_system = (struct system_times){0};
  }
  bool is_older = !is_main && system_times_begin(&thread->system, times->pid, (pid_t)thread->tid,
                                                 is_first ? UINT64_MAX : times->begin_boot_ns, times->count);
  thread->ran_ns = is_main ? times->main_ran_ns : is_older ? ran : 0;
  thread->ready_ns = is_main ? times->main_ready_ns : is_older ? ready : 0;
}

/* A file of the kernel's for a thread costs more to make than to read, and the thread's end has to remove
 * it. */
static bool is_younger_than_session(const struct location *location) {
  return location->facts.has_started && location->facts.thread_type == OMPT_THREAD_worker;
}

static void find_threads(struct run_times *times) {
  size_t count;
  struct location **locations = definitions_locations(times->definitions, &count);
  for (; times->locations_seen < count; times->locations_seen++) {
    struct location *location = locations[times->locations_seen];
    if (location->facts.device || !location->facts.kernel_tid)
      continue;
    array_reserve_zeroed(&times->threads, &times->thread_capacity, times->thread_count + 1,
                         sizeof *times->threads);
    struct timed_thread *thread = &times->threads[times->thread_count++];
    *thread = (struct timed_thread){
        .location = location, .tid = location->facts.kernel_tid, .fd = -1, .first = times->count};
    if (!is_younger_than_session(location))
      read_before(times, thread);
  }
}

static void read_thread(struct run_times *times, struct timed_thread *thread, bool with_mask) {
  uint64_t ran, ready;
  if (thread->is_over)
    return;
  if (!read_schedstat(times, thread, &ran, &ready)) {
    end_thread(times, thread);
    thread->location->gone_ticks = clock_ticks(times->clock_kind);
    return;
  }
  put_reading(thread, (struct thread_reading){.ran_us = of_thread(us_since(&thread->ran_ns, ran)),
                                              .ready_us = of_thread(us_since(&thread->ready_ns, ready))});
  if (thread->system.count == 0)
    system_times_look(&thread->system, times->pid, (pid_t)thread->tid, times->count);
  if (with_mask || !thread->mask)
    read_mask(thread);
}

/* -- a long run -- */

static void add_us(uint32_t *sum, uint32_t us) {
  *sum = of_thread((uint64_t)*sum + us);
}

/* The readings with an odd number become one with the next. */
static void halve_thread(struct timed_thread *thread) {
  size_t first = (thread->first + 1) / 2, kept = 0;
  for (size_t i = 0; i < thread->count; i++) {
    size_t to = (thread->first + i + 1) / 2 - first;
    if (to >= kept)
      thread->readings[kept++] = thread->readings[i];
    else {
      add_us(&thread->readings[to].ran_us, thread->readings[i].ran_us);
      add_us(&thread->readings[to].ready_us, thread->readings[i].ready_us);
    }
  }
  thread->first = first;
  thread->count = kept;
}

static void halve(struct run_times *times) {
  size_t kept = 1;
  for (size_t i = 2; i < times->count; i += 2) {
    struct process_reading sum = times->readings[i];
    sum.own_us += times->readings[i - 1].own_us;
    sum.throttled_us += times->readings[i - 1].throttled_us;
    sum.stopped_us += times->readings[i - 1].stopped_us;
    sum.writer_us += times->readings[i - 1].writer_us;
    times->readings[kept++] = sum;
  }
  times->count = kept;
  times->each_ns *= 2;
  for (size_t i = 0; i < times->thread_count; i++)
    halve_thread(&times->threads[i]);
  for (size_t i = 0; i < times->thread_count; i++)
    system_times_halve(&times->threads[i].system);
  system_times_halve(&times->system);
  system_times_halve(&times->main_system);
}

/* -- all of them -- */

/* Of the thread that ran and was ready for longest in this reading; those that are none of OpenMP's count as
 * one. */
static uint64_t busiest_us(const struct run_times *times, uint64_t own_us) {
  uint64_t most_us = 0, ran_us = 0;
  for (size_t i = 0; i < times->thread_count; i++) {
    const struct timed_thread *thread = &times->threads[i];
    if (thread->is_over || thread->count == 0)
      continue;
    struct thread_reading last = thread->readings[thread->count - 1];
    uint64_t us = (uint64_t)last.ran_us + last.ready_us;
    most_us = us > most_us ? us : most_us;
    ran_us += last.ran_us;
  }
  uint64_t others_us = own_us > ran_us ? own_us - ran_us : 0;
  return others_us > most_us ? others_us : most_us;
}

/* Belongs to the last reading. Some of many threads at a time, so that none is long: the last one has all.
 */
static void read_system(struct run_times *times, uint64_t now_ns, bool is_last) {
  enum { TOGETHER = 32 };
  size_t left = is_last ? SIZE_MAX : TOGETHER, at = times->count - 1;
  if (is_last || system_times_are_due(&times->system, now_ns))
    system_times_look(&times->system, times->pid, 0, at);
  for (size_t i = 0; i < times->thread_count && left > 0; i++) {
    struct timed_thread *thread = &times->threads[times->system_next++ % times->thread_count];
    if (thread->is_over || (!is_last && !system_times_are_due(&thread->system, now_ns)))
      continue;
    system_times_look(&thread->system, times->pid, (pid_t)thread->tid, at);
    left--;
  }
}

/* For how long the thread that reads has waited for a processor since the reading before. */
static uint64_t own_ready_us(struct run_times *times) {
  uint64_t ran, ready;
  if (!read_file(times, &times->own_schedstat, getpid(), gettid(), &ran, &ready))
    return 0;
  return us_since(&times->own_ready_ns, ready);
}

static bool read_all(struct run_times *times, uint64_t now_ns) {
  enum { MASKS_EACH = 8 };
  uint64_t own_ns;
  struct process_reading reading = {.ticks = clock_ticks(times->clock_kind)};
  if (!read_own(times->pid, &own_ns))
    return false;
  reading.own_us = us_since(&times->own_ns, own_ns);
  reading.throttled_us = us_since(&times->throttled_ns, quota_throttled_ns(&times->quota));
  reading.writer_us = us_since(&times->writer_ns, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
  for (size_t i = 0; i < times->thread_count; i++)
    read_thread(times, &times->threads[i], times->count % MASKS_EACH == 1);
  reading.stopped_us = stops_since(&times->stops, (now_ns - times->looked_ns) / NS_IN_US,
                                   busiest_us(times, reading.own_us), own_ready_us(times));
  life_look(&times->life);
  times->readings[times->count++] = reading;
  times->looked_ns = now_ns;
  return true;
}

static void look(struct run_times *times, uint64_t now_ns, bool is_last) {
  find_threads(times); /* which is once for each of them: it does not put off the next reading */
  uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  if (times->count > READINGS_MAX - 1 && times->count % 2)
    halve(times);
  if (!read_all(times, now_ns))
    times->due_ns = UINT64_MAX;
  uint64_t cost_ns = COST_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
  if (times->due_ns == UINT64_MAX)
    return;
  times->due_ns = now_ns + (cost_ns > times->each_ns ? cost_ns : times->each_ns);
  read_system(times, now_ns, is_last); /* does not make the next reading later, of which the account is */
}

void run_times_look(struct run_times *times) {
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  if (times && now_ns >= times->due_ns)
    look(times, now_ns, false);
}

void run_times_slept(struct run_times *times, uint64_t until_ns) {
  uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  if (times && now_ns > until_ns)
    stops_overslept(&times->stops, (now_ns - until_ns) / NS_IN_US);
}

size_t run_times_threads(struct run_times *times) {
  if (times)
    find_threads(times);
  return times ? times->thread_count : 0;
}

void run_times_end(struct run_times *times) {
  if (!times)
    return;
  if (times->due_ns < UINT64_MAX)
    look(times, clock_ns(CLOCK_MONOTONIC), true);
  times->due_ns = UINT64_MAX;
  if (!times->page_cost && life_has_many_faults(&times->life))
    times->page_cost = page_cost_begin();
}

/* How many may be kept open: the archive's files, one for each thread, come first. */
static size_t files_that_may_stay(void) {
  enum { ENOUGH = 2 * SESSION_SLOTS_MAX };
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= ENOUGH ? FILES_MAX : 0;
}

/* The kernel's clock goes on while the machine is asleep. */
static uint64_t boot_ns_of(const struct clock_point *point) {
  uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME), now_ns = clock_ns(CLOCK_MONOTONIC);
  return boot_ns > now_ns ? point->monotonic_ns + (boot_ns - now_ns) : point->monotonic_ns;
}

/* The kernel brings a running thread's schedstat up to date at ticks, a process's clock whenever it is read:
 * where the main thread is the only one, that is its own. (Threads that were there before have run longer.)
 */
static void read_main(struct run_times *times) {
  enum { TICK_NS = 10000000 }; /* the longest that kernels have */
  struct timed_thread thread = {.tid = (uint64_t)times->pid, .fd = -1};
  uint64_t own_ns;
  read_schedstat(times, &thread, &times->main_ran_ns, &times->main_ready_ns);
  end_thread(times, &thread);
  if (system_times_threads(times->pid) == 1 && read_own(times->pid, &own_ns) && own_ns > times->main_ran_ns &&
      own_ns - times->main_ran_ns < TICK_NS)
    times->main_ran_ns = own_ns;
}

struct run_times *run_times_create(pid_t pid, enum clock_kind clock_kind, const struct clock_point *begin,
                                   struct definitions *definitions) {
  if (pid <= 0)
    return NULL; /* a memory that is played again has no process */
  struct run_times *times = memory_get(1, sizeof *times);
  *times = (struct run_times){.pid = pid,
                              .stops = {.pid = pid},
                              .own_schedstat = -1,
                              .clock_kind = clock_kind,
                              .definitions = definitions,
                              .begin_boot_ns = boot_ns_of(begin),
                              .each_ns = EACH_NS,
                              .files_most = files_that_may_stay()};
  quota_open(&times->quota, pid);
  times->throttled_ns = quota_throttled_ns(&times->quota);
  times->writer_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  times->looked_ns = clock_ns(CLOCK_MONOTONIC);
  own_ready_us(times);
  read_main(times);
  life_begin(&times->life, pid, clock_ticks(clock_kind), times->main_ran_ns, times->main_ready_ns);
  if (!read_own(pid, &times->own_ns))
    times->due_ns = UINT64_MAX;
  look(times, times->looked_ns, false); /* the process's first: it never has less than its threads together */
  system_times_look(&times->main_system, pid, pid, 0);
  return times;
}

void run_times_destroy(struct run_times *times) {
  for (size_t i = 0; times && i < times->thread_count; i++) {
    end_thread(times, &times->threads[i]);
    free(times->threads[i].readings);
    free(times->threads[i].mask);
    system_times_free(&times->threads[i].system);
  }
  if (times) {
    free(times->threads);
    system_times_free(&times->system);
    system_times_free(&times->main_system);
    quota_close(&times->quota);
    if (times->own_schedstat >= 0)
      close(times->own_schedstat);
    if (times->page_cost)
      page_cost_end(times->page_cost);
  }
  free(times);
}

/* -- in the archive -- */

/* Numbers of each reading with commas, zeros at its end left out; readings with blanks. */
static void put_numbers(FILE *text, const uint64_t *numbers, size_t count) {
  while (count > 1 && numbers[count - 1] == 0)
    count--;
  for (size_t i = 0; i < count; i++)
    fprintf(text, "%s%" PRIu64, i ? "," : "", numbers[i]);
  fputc(' ', text);
}

static void write_process(struct run_times *times) {
  char *text = NULL;
  size_t size;
  uint64_t before = 0;
  FILE *file = memory_given(open_memstream(&text, &size));
  for (size_t i = 0; i < times->count; i++) {
    const struct process_reading *reading = &times->readings[i];
    put_numbers(file,
                (uint64_t[]){reading->ticks - before, reading->own_us, reading->throttled_us,
                             reading->stopped_us, reading->writer_us},
                5);
    before = reading->ticks;
  }
  fclose(file);
  definitions_write_process_property(times->definitions, STAVE_PROPERTY_RUN_TIMES, text);
  free(text);
  if ((text = system_times_text(&times->system)))
    definitions_write_process_property(times->definitions, STAVE_PROPERTY_SYSTEM_TIMES, text);
  free(text);
}

static void write_thread(struct run_times *times, const struct timed_thread *thread) {
  char *text = NULL;
  size_t size;
  FILE *file = memory_given(open_memstream(&text, &size));
  fprintf(file, "%zu ", thread->first);
  for (size_t i = 0; i < thread->count; i++)
    put_numbers(file, (uint64_t[]){thread->readings[i].ran_us, thread->readings[i].ready_us}, 2);
  fclose(file);
  definitions_write_thread_property(times->definitions, thread->location, STAVE_PROPERTY_RUN_TIMES, text);
  if (thread->mask)
    definitions_write_thread_property(times->definitions, thread->location, STAVE_PROPERTY_MAY_USE,
                                      thread->mask);
  free(text);
  if ((text = system_times_text(&thread->system)))
    definitions_write_thread_property(times->definitions, thread->location, STAVE_PROPERTY_SYSTEM_TIMES,
                                      text);
  free(text);
}

static void write_number(struct run_times *times, const char *name, double number) {
  char text[32];
  snprintf(text, sizeof text, "%.12g", number);
  definitions_write_process_property(times->definitions, name, text);
}

static void write_life(struct run_times *times) {
  struct page_costs costs = {0};
  bool is_measured = times->page_cost != NULL;
  if (is_measured)
    costs = page_cost_end(times->page_cost);
  times->page_cost = NULL;
  life_write(&times->life, is_measured ? &costs : NULL, times->definitions);
}

void run_times_write(struct run_times *times) {
  if (!times || times->count < 2)
    return;
  write_life(times);
  write_process(times);
  write_number(times, STAVE_PROPERTY_ONLINE, (double)sysconf(_SC_NPROCESSORS_ONLN));
  if (times->quota.processors > 0)
    write_number(times, STAVE_PROPERTY_QUOTA, times->quota.processors);
  for (size_t i = 0; i < times->thread_count; i++)
    write_thread(times, &times->threads[i]);
}
