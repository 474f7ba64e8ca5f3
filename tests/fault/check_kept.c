/* check_kept ARCHIVE/traces.otf2 COUNTS EARLIER: whether an archive has all of the last steps of `kept`.
 *
 * On each thread the steps are consecutive, each with all its locks and its task, and the last is the one
 * that was counted, or one more; EARLIER: or earlier, as the program went on. Prints "steps=N first=S,S
 * before_ns=N duration_ns=N". Exit status: 0 all is there, 1 not, 2 unreadable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "kept.h"
#include "stave/names.h"
#include "trace/trace.h"

struct steps {
  uint64_t first, last; /* 0: none */
  unsigned acquires, releases, creates;
};

struct check {
  struct trace *trace;
  struct steps steps[KEPT_THREADS];
  uint64_t found;
  int problems;
};

static void complain(struct check *check, unsigned thread, const char *what, uint64_t found,
                     uint64_t expected) {
  check->problems++;
  fprintf(stderr, "thread %u: %s: %" PRIu64 ", expected %" PRIu64 "\n", thread, what, found, expected);
}

static void expect(struct check *check, unsigned thread, const char *what, uint64_t found,
                   uint64_t expected) {
  if (found != expected)
    complain(check, thread, what, found, expected);
}

/* The first step may have started before. */
static void end_step(struct check *check, unsigned thread, uint64_t number) {
  struct steps *steps = &check->steps[thread];
  check->found++;
  if (steps->last) {
    expect(check, thread, "step", number, steps->last + 1);
    expect(check, thread, "locks acquired in a step", steps->acquires, KEPT_LOCKS);
    expect(check, thread, "locks released in a step", steps->releases, KEPT_LOCKS);
    expect(check, thread, "tasks created in a step", steps->creates, 1);
  } else {
    steps->first = number;
  }
  *steps = (struct steps){.first = steps->first, .last = number};
}

static bool visit_event(void *data, const struct trace_event *event) {
  struct check *check = data;
  if (event->location >= KEPT_THREADS) {
    complain(check, (unsigned)event->location, "events on a location that is none of the threads", 1, 0);
    return false;
  }
  struct steps *steps = &check->steps[event->location];
  steps->acquires += event->kind == TRACE_ThreadAcquireLock;
  steps->releases += event->kind == TRACE_ThreadReleaseLock;
  steps->creates += event->kind == TRACE_ThreadTaskCreate;
  if (event->kind == TRACE_Metric)
    end_step(check, (unsigned)event->location, (uint64_t)trace_metric_value(event, 0).number);
  return true;
}

/* A thread without a step had no processor in the kept part: then nobody is beyond the region in which it is.
 * Where the program was stopped for longer than is kept and was killed then, nobody has one: what there is
 * belongs to one that was not completed. */
static bool was_idle(const struct check *check, uint64_t counted) {
  uint64_t end = (counted / KEPT_STEPS_A_REGION + 1) * KEPT_STEPS_A_REGION;
  for (unsigned i = 0; i < KEPT_THREADS; i++) {
    const struct steps *steps = &check->steps[i];
    if (steps->last > end || (steps->last == 0 && (steps->acquires > KEPT_LOCKS || steps->creates > 1)))
      return false;
  }
  return true;
}

static void check_ends(struct check *check, const struct flight_buffer_count *counts, bool may_lag) {
  for (unsigned i = 0; i < KEPT_THREADS; i++) {
    uint64_t last = check->steps[i].last, counted = counts[i].steps;
    if (last == 0 && was_idle(check, counted))
      continue;
    if (last > counted + 1 || (last < counted && !may_lag))
      complain(check, i, "last step", last, counted);
  }
}

int main(int argc, char **argv) {
  char error[TRACE_ERROR_BYTES];
  if (argc != 4)
    return 2;
  struct check check = {0};
  const struct flight_buffer_count *counts = counts_map(argv[2], KEPT_THREADS * sizeof *counts, 0);
  if (!counts)
    return 2;
  if (trace_open(argv[1], NULL, &check.trace, error) < 0 ||
      trace_read_events(check.trace, visit_event, &check, error) < 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  check_ends(&check, counts, atoi(argv[3]));
  expect(&check, 0, "lost events", trace_lost_events(check.trace), 0);
  printf("steps=%" PRIu64 " first=%" PRIu64 ",%" PRIu64 " before_ns=%" PRIu64 " duration_ns=%" PRIu64 "\n",
         check.found, check.steps[0].first, check.steps[1].first,
         trace_archive_number(check.trace, STAVE_PROPERTY_KEPT_BEFORE_NS),
         trace_span_ns(check.trace, check.trace->clock.length_ticks));
  trace_close(check.trace);
  return check.problems ? 1 : 0;
}
