#include "writer/kernel/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT_LOST = 1 << 4 }; /* PERF_FORMAT_LOST, which is younger than many systems' headers */

/* perf_event_open(2): sample_id_all puts these after each record. */
struct sample_id {
  uint32_t pid, tid;
  uint64_t time;
  uint32_t cpu, reserved;
};

struct switch_record {
  struct perf_event_header header;
  struct sample_id id;
};

struct lost_record {
  struct perf_event_header header;
  uint64_t event, lost;
  struct sample_id id;
};

/* Page faults are counted as the user's alone (exclude_kernel), which needs no rights; nothing is sampled, so
 * the ring has only what context_switch requests. */
static int open_event(pid_t tid, uint64_t read_format) {
  struct perf_event_attr attributes = {.type = PERF_TYPE_SOFTWARE,
                                       .size = sizeof attributes,
                                       .config = PERF_COUNT_SW_PAGE_FAULTS,
                                       .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
                                       .read_format = read_format,
                                       .exclude_kernel = 1,
                                       .exclude_hv = 1,
                                       .context_switch = 1,
                                       .sample_id_all = 1,
                                       .use_clockid = 1,
                                       .clockid = CLOCK_MONOTONIC,
                                       .watermark = 1,
                                       .wakeup_watermark = UINT32_MAX / 2};
  return (int)syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The archive's files need descriptors more. */
static bool is_too_high(int fd) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         (rlim_t)fd >= limit.rlim_cur / 2;
}

int perf_event_start(struct perf_event *event, pid_t tid, size_t pages) {
  *event = (struct perf_event){
      .fd = open_event(tid, FORMAT_LOST), .page_bytes = (size_t)sysconf(_SC_PAGESIZE), .counts_lost = true};
  if (event->fd < 0 && errno == EINVAL) {
    event->fd = open_event(tid, 0);
    event->counts_lost = false;
  }
  if (event->fd < 0)
    return -errno;
  if (is_too_high(event->fd)) {
    close(event->fd);
    return -EMFILE;
  }
  /* all rings of a user together have so much memory (kernel.perf_event_mlock_kb) */
  for (; pages > 0; pages /= 2) {
    event->bytes = (pages + 1) * event->page_bytes;
    event->ring = mmap(NULL, event->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event->fd, 0);
    if (event->ring != MAP_FAILED)
      return 0;
  }
  int error = errno;
  close(event->fd);
  return -error;
}

void perf_event_stop(struct perf_event *event) {
  munmap(event->ring, event->bytes);
  close(event->fd);
}

/* A record may begin at the ring's end and go on at its beginning. */
static void copy_out(const struct perf_event *event, uint64_t position, void *target, size_t bytes) {
  size_t capacity = event->bytes - event->page_bytes, at = position & (capacity - 1);
  size_t first = bytes < capacity - at ? bytes : capacity - at;
  const char *records = (const char *)event->ring + event->page_bytes;
  memcpy(target, records + at, first);
  memcpy((char *)target + first, records, bytes - first);
}

static enum perf_kind kind_of(uint16_t misc) {
  if (!(misc & PERF_RECORD_MISC_SWITCH_OUT))
    return PERF_RUNS;
  return misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? PERF_PREEMPTED : PERF_BLOCKED;
}

static uint64_t count_lost(struct perf_event *event, uint64_t lost) {
  uint64_t before = event->lost;
  event->lost = lost > before ? lost : before;
  return event->lost - before;
}

static bool read_record(struct perf_event *event, uint64_t position, const struct perf_event_header *header,
                        struct perf_switch *ret) {
  struct switch_record record;
  struct lost_record loss;
  if (header->type == PERF_RECORD_SWITCH && header->size >= sizeof record) {
    copy_out(event, position, &record, sizeof record);
    *ret = (struct perf_switch){kind_of(header->misc), record.id.time, record.id.cpu, 0};
    return true;
  }
  if (header->type == PERF_RECORD_LOST && header->size >= sizeof loss) {
    copy_out(event, position, &loss, sizeof loss);
    event->lost_by_records += loss.lost;
    *ret =
        (struct perf_switch){PERF_LOST, loss.id.time, loss.id.cpu, count_lost(event, event->lost_by_records)};
    return ret->lost > 0;
  }
  return false;
}

bool perf_event_next(struct perf_event *event, struct perf_switch *ret) {
  struct perf_event_mmap_page *shared = event->ring;
  uint64_t head = __atomic_load_n(&shared->data_head, __ATOMIC_ACQUIRE), tail = shared->data_tail;
  bool is_found = false;
  while (!is_found && tail + sizeof(struct perf_event_header) <= head) {
    struct perf_event_header header;
    copy_out(event, tail, &header, sizeof header);
    is_found = read_record(event, tail, &header, ret);
    tail = header.size ? tail + header.size : head;
  }
  __atomic_store_n(&shared->data_tail, tail, __ATOMIC_RELEASE);
  return is_found;
}

double perf_event_fullness(const struct perf_event *event) {
  const struct perf_event_mmap_page *shared = event->ring;
  uint64_t filled = __atomic_load_n(&shared->data_head, __ATOMIC_ACQUIRE) - shared->data_tail;
  return (double)filled / (double)(event->bytes - event->page_bytes);
}

/* The event's value, and with FORMAT_LOST what it has lost. */
static bool read_event(const struct perf_event *event, uint64_t words[2]) {
  size_t bytes = (event->counts_lost ? 2 : 1) * sizeof *words;
  return read(event->fd, words, bytes) == (ssize_t)bytes;
}

uint64_t perf_event_lost(struct perf_event *event) {
  uint64_t words[2];
  return event->counts_lost && read_event(event, words) ? count_lost(event, words[1]) : 0;
}

bool perf_event_faults(const struct perf_event *event, uint64_t *ret) {
  uint64_t words[2];
  if (!read_event(event, words))
    return false;
  *ret = words[0];
  return true;
}

const char *perf_event_advice(int error) {
  switch (error) {
  case EACCES:
  case EPERM:
    return "allowed by sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON; in containers also by a seccomp "
           "profile with perf_event_open";
  case EMFILE:
    return "allowed by a higher limit of open files, ulimit -n";
  default:
    return "this kernel does not report it";
  }
}
