/* check_busy ARCHIVE/traces.otf2 COUNTS THREADS [ENDING]: whether an archive holds all that `busy` has
 * counted.
 *
 * Prints "expected=N found=N lost=N": records of counted constructs, and what is missing of them by the
 * archive's own account or by this one. Exit status: 0 all is there, 1 not, 2 unreadable. What the program
 * was about when it ended may be there once a thread without having been counted, never more. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "counts.h"
#include "stave/names.h"
#include "trace/trace.h"

struct tally {
  uint64_t events, acquires, releases, creates, completes, enters, leaves, last_ticks;
};

struct check {
  struct trace *trace;
  struct busy_counts counts, *threads; /* of all threads together, and each one's */
  unsigned thread_count;
  struct tally *locations, total;
  uint64_t expected, found;
  int problems;
};

static void complain(struct check *check, const char *what, uint64_t found, uint64_t expected) {
  check->problems++;
  fprintf(stderr, "%s: %" PRIu64 ", expected %" PRIu64 "\n", what, found, expected);
}

static bool visit_event(void *data, const struct trace_event *event) {
  struct check *check = data;
  struct tally *tally = &check->locations[event->location];
  if (event->ticks < tally->last_ticks)
    complain(check, "time goes back", event->ticks, tally->last_ticks);
  tally->last_ticks = event->ticks;
  tally->events++;
  tally->enters += event->kind == TRACE_Enter;
  tally->leaves += event->kind == TRACE_Leave;
  tally->acquires += event->kind == TRACE_ThreadAcquireLock;
  tally->releases += event->kind == TRACE_ThreadReleaseLock;
  tally->creates += event->kind == TRACE_ThreadTaskCreate;
  tally->completes += event->kind == TRACE_ThreadTaskComplete;
  if (tally->leaves > tally->enters)
    complain(check, "regions left before they are entered", tally->leaves, tally->enters);
  return true;
}

static uint64_t property(const struct check *check, const char *name) {
  const char *value = trace_archive_property(check->trace, name);
  return value ? strtoull(value, NULL, 10) : 0;
}

/* What was counted must be there, and at most one more a thread. */
static void expect_all(struct check *check, const char *what, uint64_t found, uint64_t counted,
                       unsigned threads) {
  if (found < counted || found > counted + threads)
    complain(check, what, found, counted);
}

static void expect_records(struct check *check, const char *kind, uint64_t counted) {
  char name[64];
  snprintf(name, sizeof name, STAVE_PROPERTY_RECORDS "%s", kind);
  uint64_t found = property(check, name);
  check->expected += counted;
  check->found += found < counted ? found : counted;
  expect_all(check, kind, found, counted, check->thread_count);
}

static void expect_same(struct check *check, const char *what, uint64_t found, uint64_t expected) {
  if (found != expected)
    complain(check, what, found, expected);
}

static void check_location(struct check *check, size_t i) {
  const struct tally *tally = &check->locations[i];
  const struct trace_location *location = &check->trace->locations[i];
  expect_same(check, "events in the file and in the definition", tally->events, location->event_count);
  expect_same(check, "regions left", tally->leaves, tally->enters);
  expect_same(check, "locks released", tally->releases, tally->acquires);
  if (check->thread_count > 2 || i >= check->thread_count)
    return;
  expect_all(check, "locks acquired by a thread", tally->acquires, check->threads[i].sets, 1);
  expect_all(check, "tasks created by a thread", tally->creates, check->threads[i].tasks, 1);
}

static void check_totals(struct check *check) {
  struct tally *total = &check->total;
  for (size_t i = 0; i < check->trace->location_count; i++) {
    check_location(check, i);
    total->acquires += check->locations[i].acquires;
    total->creates += check->locations[i].creates;
    total->completes += check->locations[i].completes;
  }
  expect_records(check, "MUTEX_ACQUIRE", check->counts.sets);
  expect_records(check, "MUTEX_ACQUIRED", check->counts.sets);
  expect_records(check, "MUTEX_RELEASED", check->counts.unsets);
  expect_records(check, "TASK_CREATE", check->counts.tasks);
  expect_same(check, "locks acquired", total->acquires,
              property(check, STAVE_PROPERTY_RECORDS "MUTEX_ACQUIRED"));
  expect_same(check, "tasks created", total->creates, property(check, STAVE_PROPERTY_RECORDS "TASK_CREATE"));
  expect_all(check, "tasks completed", total->completes, check->counts.tasks, check->thread_count);
}

/* An archive that owns up to a loss, or that ended in another way, is not what was promised. */
static void check_properties(struct check *check, const char *ending) {
  static const char *const losses[] = {STAVE_PROPERTY_LOST_EVENTS, STAVE_PROPERTY_LOST_DAMAGED_RECORDS,
                                       STAVE_PROPERTY_LOST_REFUSED_EVENTS};
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
    expect_same(check, losses[i], property(check, losses[i]), 0);
  const char *complete = trace_archive_property(check->trace, "OTF2::THREAD_LOCK_EVENT_COMPLETE");
  expect_same(check, "OTF2::THREAD_LOCK_EVENT_COMPLETE", complete && strcmp(complete, "true") == 0, 1);
  const char *found = trace_archive_property(check->trace, STAVE_PROPERTY_ENDING);
  if (ending && (!found || strncmp(found, ending, strlen(ending)) != 0)) {
    check->problems++;
    fprintf(stderr, "the ending is '%s', expected '%s'\n", found ? found : "", ending);
  }
}

static bool read_counts(struct check *check, const char *path) {
  size_t size = BUSY_THREADS_MAX * sizeof(struct busy_counts);
  check->threads = counts_map(path, size, 0);
  if (!check->threads)
    return false;
  for (unsigned i = 0; i < check->thread_count; i++) {
    check->counts.sets += check->threads[i].sets;
    check->counts.unsets += check->threads[i].unsets;
    check->counts.tasks += check->threads[i].tasks;
  }
  return true;
}

int main(int argc, char **argv) {
  char error[TRACE_ERROR_BYTES];
  if (argc < 4)
    return 2;
  struct check check = {.thread_count = (unsigned)atoi(argv[3])};
  if (!read_counts(&check, argv[2]))
    return 2;
  if (trace_open(argv[1], NULL, &check.trace, error) < 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  check.locations = calloc(check.trace->location_count + 1, sizeof *check.locations);
  if (trace_read_events(check.trace, visit_event, &check, error) < 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  check_totals(&check);
  check_properties(&check, argc > 4 ? argv[4] : NULL);
  printf("expected=%" PRIu64 " found=%" PRIu64 " lost=%" PRIu64 "\n", check.expected, check.found,
         check.expected - check.found);
  free(check.locations);
  trace_close(check.trace);
  return check.problems ? 1 : 0;
}
