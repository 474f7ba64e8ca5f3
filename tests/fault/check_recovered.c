/* check_recovered ARCHIVE/traces.otf2 FILE [BACKLOG | closed]: whether a recovered archive holds what is
 * promised of what `witness` has noted.
 *
 * All that a thread had completed before the time STAVE::LOST_AFTER is there, nothing that it never did, and
 * not more is missing than the threads' rings hold, and a backlog of so many records (0); of one that the
 * writer has closed nothing. Prints "missing=N
 * earlier_ms=N": records of counted constructs that are missing, and how long before the program's last note
 * the archive is complete. Exit status: 0, 1 if not so, 2 unreadable.
 * */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stave/names.h"
#include "trace/trace.h"
#include "witness.h"

/* Records of a lock: acquire, acquired, released. Of a task: create, two switches, and the taskwait's four at
 * least. */
enum { LOCK_RECORDS = 3, TASK_RECORDS = 7, RING_RECORDS = (4 << 20) / 32 };

struct check {
  struct trace *trace;
  const struct witness_thread *threads;
  struct witness_counts found[WITNESS_THREADS];
  uint64_t enters, leaves;
  bool is_closed;        /* by the writer: nobody has recovered it */
  uint64_t missing_most; /* records of a thread */
  int problems;
};

static void complain(struct check *check, const char *what, size_t thread, uint64_t found,
                     uint64_t expected) {
  check->problems++;
  fprintf(stderr, "%s of thread %zu: %" PRIu64 ", expected %" PRIu64 "\n", what, thread, found, expected);
}

/* Which of the witness's threads it is; nested teams have others. */
static int thread_of(const struct check *check, size_t location) {
  const char *name = check->trace->locations[location].name;
  return strcmp(name, "Master thread") == 0 ? 0 : strcmp(name, "OMP thread 1") == 0 ? 1 : -1;
}

/* omp_unset_lock's Leave ends a lock, taskwait's a task; what the end of the trace left is there too,
 * once. */
static bool visit_event(void *data, const struct trace_event *event) {
  struct check *check = data;
  check->enters += event->kind == TRACE_Enter;
  check->leaves += event->kind == TRACE_Leave;
  int thread = event->kind == TRACE_Leave ? thread_of(check, event->location) : -1;
  if (thread < 0)
    return true;
  const struct trace_region *region = trace_region(check->trace, event->Leave.region);
  if (!region)
    return true;
  check->found[thread].locks += strncmp(region->name, "omp_unset_lock", 14) == 0;
  check->found[thread].tasks += strncmp(region->name, "!$omp taskwait @", 16) == 0;
  return true;
}

static bool is_before(const struct check *check, const struct witness_moment *moment, uint64_t ticks) {
  bool is_counter = check->trace->clock.ticks_per_second != 1000000000;
  return (is_counter ? moment->counter : moment->monotonic_ns) < ticks;
}

static void check_thread(struct check *check, size_t i, uint64_t lost_after) {
  const struct witness_thread *thread = &check->threads[i];
  const struct witness_counts *found = &check->found[i];
  uint64_t used = atomic_load(&thread->moments_used), noted = 0;
  while (noted < used && is_before(check, &thread->moments[noted], lost_after))
    noted++;
  struct witness_counts expected = noted ? thread->moments[noted - 1].counts : (struct witness_counts){0};
  if (found->locks < expected.locks || found->locks > thread->counts.locks + 1)
    complain(check, "locks", i, found->locks, expected.locks);
  if (found->tasks < expected.tasks || found->tasks > thread->counts.tasks + 1)
    complain(check, "tasks", i, found->tasks, expected.tasks);
}

static uint64_t missing(const struct check *check, size_t i) {
  const struct witness_counts *counts = &check->threads[i].counts, *found = &check->found[i];
  uint64_t locks = counts->locks > found->locks ? counts->locks - found->locks : 0;
  uint64_t tasks = counts->tasks > found->tasks ? counts->tasks - found->tasks : 0;
  return locks * LOCK_RECORDS + tasks * TASK_RECORDS;
}

static double lag_ms(const struct check *check, uint64_t lost_after) {
  const struct witness_thread *thread = &check->threads[0];
  uint64_t used = atomic_load(&thread->moments_used);
  if (used == 0 || is_before(check, &thread->moments[used - 1], lost_after))
    return 0;
  const struct witness_moment *last = &thread->moments[used - 1];
  uint64_t frequency = check->trace->clock.ticks_per_second;
  uint64_t ticks = frequency != 1000000000 ? last->counter : last->monotonic_ns;
  return (double)(ticks - lost_after) * 1e3 / (double)frequency;
}

static int check_all(struct check *check) {
  const char *recovered = trace_archive_property(check->trace, STAVE_PROPERTY_RECOVERED);
  const char *after = trace_archive_property(check->trace, STAVE_PROPERTY_LOST_AFTER);
  const char *complete = trace_archive_property(check->trace, "OTF2::THREAD_LOCK_EVENT_COMPLETE");
  uint64_t lost_after = after ? strtoull(after, NULL, 10) : check->is_closed ? UINT64_MAX : 0, all = 0;
  bool is_recovered = recovered && after && complete && strcmp(complete, "false") == 0;
  if (check->is_closed ? recovered || after : !is_recovered)
    complain(check, "properties of recovery", 0, 0, 1);
  if (trace_archive_property(check->trace, STAVE_PROPERTY_LOST_EVENTS))
    complain(check, "events that the writer wrote and that are missing", 0, 1, 0);
  if (check->enters != check->leaves)
    complain(check, "regions left", 0, check->leaves, check->enters);
  for (size_t i = 0; i < WITNESS_THREADS; i++) {
    check_thread(check, i, lost_after);
    all += missing(check, i);
    if (missing(check, i) > check->missing_most)
      complain(check, "missing records", i, missing(check, i), check->missing_most);
  }
  printf("missing=%" PRIu64 " earlier_ms=%.2f\n", all, lag_ms(check, lost_after));
  return check->problems ? 1 : 0;
}

int main(int argc, char **argv) {
  char error[TRACE_ERROR_BYTES];
  int fd = argc == 3 || argc == 4 ? open(argv[2], O_RDONLY) : -1;
  if (fd < 0)
    return 2;
  bool is_closed = argc == 4 && strcmp(argv[3], "closed") == 0;
  struct check check = {
      .is_closed = is_closed,
      .missing_most = is_closed ? 0 : RING_RECORDS + (argc == 4 ? strtoull(argv[3], NULL, 10) : 0),
      .threads = mmap(NULL, WITNESS_THREADS * sizeof *check.threads, PROT_READ, MAP_SHARED, fd, 0)};
  if (check.threads == MAP_FAILED || trace_open(argv[1], NULL, &check.trace, error) < 0 ||
      trace_read_events(check.trace, visit_event, &check, error) < 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  int result = check_all(&check);
  trace_close(check.trace);
  return result;
}
