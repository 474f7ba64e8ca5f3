/* Descriptors are the program's: it may close all that it does not know, and then have something else under
 * the same numbers. So they lie high, where nothing else comes soon, and are distinguished from others by the
 * number that the kernel gave to the event. */
#include "tool/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"
#include "tool/thread.h"

/* In memory that a forked child has, too, as it has the descriptors. */
struct counter_group {
  uint32_t count;
  int fds[COUNTERS_MAX];
  uint64_t ids[COUNTERS_MAX];
};

/* -- descriptors -- */

/* close(2) and read(2) by their C functions are points where a thread may be cancelled. */
static void close_now(int fd) {
  syscall(SYS_close, fd);
}

static bool is_ours(int fd, uint64_t id) {
  uint64_t found;
  return ioctl(fd, PERF_EVENT_IOC_ID, &found) == 0 && found == id;
}

/* The lower half of the numbers that there are is the program's. */
static int lowest_fd(void) {
  enum { HIGH = 4096 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > HIGH)
    return HIGH;
  return (int)(limit.rlim_cur / 2);
}

static int move_up(int fd, int lowest) {
  if (fd < 0)
    return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
  int error = errno;
  close_now(fd);
  return moved < 0 ? (error == EINVAL ? -EMFILE : -error) : moved;
}

/* -- a thread's group -- */

static void close_group(struct counter_group *group) {
  for (uint32_t i = 0; i < group->count; i++)
    if (is_ours(group->fds[i], group->ids[i]))
      close_now(group->fds[i]);
  group->count = 0;
}

/* One more in the group. 0, or -errno. */
static int add(struct counter_group *group, struct kernel_counter *counter) {
  int fd = move_up(counter_open(counter, group->count ? group->fds[0] : -1), lowest_fd());
  if (fd < 0)
    return fd;
  if (ioctl(fd, PERF_EVENT_IOC_ID, &group->ids[group->count]) < 0) {
    int error = errno;
    close_now(fd);
    return -error;
  }
  group->fds[group->count++] = fd;
  return 0;
}

/* It counts once it is complete: what joins a group that counts already, does not before the thread has lost
 * its processor once (Linux 6.18), and no reading shows it. */
static bool open_group(struct counter_group *group) {
  const struct session_constants *constants = &tool.constants;
  bool is_complete = true;
  group->count = 0;
  for (uint32_t i = 0; is_complete && i < constants->counter_count; i++) {
    struct kernel_counter counter = constants->counters[i];
    is_complete = add(group, &counter) == 0;
  }
  is_complete = is_complete && ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, 0) == 0;
  if (!is_complete)
    close_group(group);
  return is_complete;
}

static struct counter_group *group_of(const struct thread *thread) {
  return &tool.counters.groups[thread - tool.threads];
}

/* A slot whose last thread never reported that it ended still has that thread's. */
void counters_attach(struct thread *thread) {
  if (!tool.counters.groups)
    return;
  int error = errno;
  struct counter_group *group = group_of(thread);
  close_group(group);
  uint32_t slots = (uint32_t)(thread - tool.threads) + 1, known = atomic_load(&tool.counters.slots);
  while (known < slots && !atomic_compare_exchange_weak(&tool.counters.slots, &known, slots))
    ;
  if (open_group(group)) {
    thread->counters_id = group->ids[0];
    thread->counters_fd = group->fds[0];
  } else {
    local_add((uint64_t *)&thread->ring.slot->figures.threads_uncounted, 1);
  }
  errno = error;
}

void counters_detach(struct thread *thread) {
  if (!tool.counters.groups || !thread->counters_fd)
    return;
  int error = errno;
  thread->counters_fd = 0;
  close_group(group_of(thread));
  errno = error;
}

void counters_close_all(void) {
  int error = errno;
  for (uint32_t i = atomic_exchange(&tool.counters.slots, 0); i-- > 0;)
    close_group(&tool.counters.groups[i]);
  errno = error;
}

/* The program has closed the descriptor. */
static __attribute__((cold, noinline)) void lose(struct thread *self) {
  self->counters_fd = 0;
  local_add((uint64_t *)&self->ring.slot->figures.threads_uncounted, 1);
}

void counters_note_callback(bool is_in) {
  struct thread *self = thread_self;
  if (is_in ? self->counters_fd != 0 : atomic_load_explicit(&self->is_counting, memory_order_relaxed))
    atomic_store_explicit(&self->is_counting, is_in, memory_order_relaxed);
  atomic_signal_fence(memory_order_seq_cst);
}

void counters_read(struct counter_words *reading) {
  struct thread *self = thread_self;
  struct counter_reading now;
  uint32_t count = tool.constants.counter_count;
  reading->slots = 0;
  if (!self->counters_fd)
    return;
  int error = errno;
  size_t bytes = offsetof(struct counter_reading, counters) + count * sizeof *now.counters;
  bool is_read = syscall(SYS_read, self->counters_fd, &now, sizeof now) == (long)bytes;
  errno = error;
  if (!is_read || now.count != count || now.counters[0].id != self->counters_id) {
    lose(self);
    return;
  }
  reading->slots = record_counter_slots(count);
  reading->words[0] = now.enabled_ns;
  reading->words[1] = now.running_ns;
  for (uint32_t i = 0; i < count; i++)
    reading->words[COUNTER_TIMES + i] = now.counters[i].value;
  for (uint32_t i = COUNTER_TIMES + count; i < 4 * reading->slots; i++)
    reading->words[i] = 0;
}

/* -- which of them can be had -- */

static void note_refused(char *text, size_t size, const char *name, int error) {
  size_t used = strlen(text);
  char number[TOOL_ERROR_BYTES];
  snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "", name, tool_error_text(error, number));
}

/* All of one kind have one reason mostly: what is reported is the first one's. */
static void try_all(const struct kernel_counter *requested, uint32_t count) {
  struct session_constants *constants = &tool.constants;
  struct counter_group group = {0};
  int first_error = 0;
  for (uint32_t i = 0; i < count; i++) {
    struct kernel_counter counter = requested[i];
    int error = -add(&group, &counter);
    if (!error) {
      constants->counters[constants->counter_count++] = counter;
      continue;
    }
    note_refused(constants->counters_refused, sizeof constants->counters_refused, counter.name, error);
    first_error = first_error ? first_error : error;
  }
  close_group(&group);
  if (first_error)
    tool_log("STAVE_COUNTERS: not to be had here: %s: %s; the rest goes on", constants->counters_refused,
             counter_advice(first_error));
}

bool counters_prepare(void) {
  struct session_constants *constants = &tool.constants;
  struct kernel_counter requested[COUNTERS_MAX];
  char error[CONFIG_ERROR_BYTES];
  constants->counter_count = 0;
  *constants->counters_refused = '\0';
  int count = counters_parse(constants->config.counters, requested, error, sizeof error);
  if (count < 0) {
    tool_log("STAVE_COUNTERS: %s; the program runs untraced", error);
    return false;
  }
  if (count > 0)
    try_all(requested, (uint32_t)count);
  return true;
}

void counters_make_room(uint32_t slots) {
  size_t bytes = sizeof(struct counter_group);
  if (tool.constants.counter_count == 0 || tool.counters.group_count >= slots)
    return;
  if (tool.counters.groups)
    munmap(tool.counters.groups, tool.counters.group_count * bytes);
  void *memory =
      mmap(NULL, slots * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  tool.counters.groups = memory == MAP_FAILED ? NULL : memory;
  tool.counters.group_count = tool.counters.groups ? slots : 0;
  if (!tool.counters.groups)
    tool.constants.counter_count = 0;
}
