#include "writer/correlate/counters.h"

#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/model.h"
#include "writer/definitions/definitions.h"

enum { KEPT_NONE = UINT32_MAX };

/* Of one thread. */
struct thread_counters {
  struct thread_counters *next;       /* of all threads */
  uint64_t times[COUNTER_TIMES];      /* requested and counted so far, ns */
  uint64_t read[COUNTERS_MAX];        /* as they were read last */
  uint64_t values[COUNTERS_MAX];      /* since the thread's first event, scaled */
  uint64_t kept_values[COUNTERS_MAX]; /* of kept */
  uint32_t kept;                      /* the event that waits, or KEPT_NONE */
};

static struct thread_counters *counted_of(struct correlator *c, struct traced_thread *thread) {
  if (!thread->counted) {
    thread->counted = memory_get(1, sizeof *thread->counted);
    *thread->counted = (struct thread_counters){.next = c->counting.threads, .kept = KEPT_NONE};
    c->counting.threads = thread->counted;
  }
  return thread->counted;
}

void counters_begin_anew(struct traced_thread *thread) {
  if (thread->counted)
    *thread->counted = (struct thread_counters){.next = thread->counted->next, .kept = KEPT_NONE};
}

void counters_free(struct correlator *c) {
  while (c->counting.threads) {
    struct thread_counters *next = c->counting.threads->next;
    free(c->counting.threads);
    c->counting.threads = next;
  }
}

/* Rows that handlers read without words of their own, or whose words state how long they are. */
static bool may_have_counters(unsigned type) {
  switch (type) {
  case RECORD_implicit_task_begin:
  case RECORD_implicit_task_end:
  case RECORD_task_schedule:
  case RECORD_work:
  case RECORD_sync_region:
  case RECORD_control_tool_region:
    return true;
  default:
    return false;
  }
}

/* Where more is requested than the processor counts at the same time, the kernel lets them alternate: what
 * passed meanwhile is what passed while they were counted, for as much longer. */
static uint64_t scaled(uint64_t counted, const uint64_t passed[COUNTER_TIMES]) {
  if (passed[0] == passed[1] || passed[1] == 0)
    return counted;
  double value = (double)counted * ((double)passed[0] / (double)passed[1]);
  return value < (double)UINT32_MAX * UINT32_MAX ? (uint64_t)value : counted;
}

void counters_hold(struct correlator *c, struct traced_thread *thread, const struct record *record) {
  unsigned slots = record_counter_slots(c->counter_count);
  if (c->counter_count == 0 || record->more < slots || !may_have_counters(record->type))
    return;
  struct thread_counters *counted = counted_of(c, thread);
  const uint64_t *words = c->words + 4 * (record->more - slots);
  uint64_t passed[COUNTER_TIMES];
  for (int i = 0; i < COUNTER_TIMES; i++) {
    passed[i] = words[i] - counted->times[i];
    counted->times[i] = words[i];
  }
  c->figures.counters_asked_ns += passed[0];
  c->figures.counters_counted_ns += passed[1];
  for (unsigned i = 0; i < c->counter_count; i++) {
    counted->values[i] += scaled(words[COUNTER_TIMES + i] - counted->read[i], passed);
    counted->read[i] = words[COUNTER_TIMES + i];
  }
  c->counting.thread = thread;
  c->counting.ticks = record->ticks > thread->last_ticks ? record->ticks : thread->last_ticks;
}

static uint32_t metric_of(struct correlator *c, unsigned number) {
  const char *name = c->counters[number].name;
  if (!c->counting.metrics[number])
    c->counting.metrics[number] =
        definitions_counter(c->definitions, name, counter_unit(name), OTF2_TYPE_UINT64) + 1;
  return c->counting.metrics[number] - 1;
}

static void put(struct correlator *c, struct traced_thread *thread, const uint64_t *values, uint64_t ticks) {
  for (unsigned i = 0; i < c->counter_count; i++)
    emit_on(c, &thread->location,
            &(struct event){.kind = EVENT_METRIC,
                            .ticks = ticks,
                            .metric = metric_of(c, i),
                            .metric_type = OTF2_TYPE_UINT64,
                            .metric_bits = values[i]});
}

/* What is written for another time is none of theirs: the late end of a region, for example. */
void counters_put(struct correlator *c, struct traced_thread *thread, const struct event *event) {
  if ((event->kind != EVENT_ENTER && event->kind != EVENT_LEAVE) || event->is_late ||
      event->ticks != c->counting.ticks)
    return;
  c->counting.thread = NULL;
  if (!c->is_paused)
    put(c, thread, thread->counted->values, event->ticks);
}

void counters_keep(struct correlator *c, struct traced_thread *thread, unsigned number) {
  struct thread_counters *counted = thread->counted;
  c->counting.thread = NULL;
  counted->kept = number;
  memcpy(counted->kept_values, counted->values, sizeof counted->values);
}

void counters_put_kept(struct correlator *c, struct traced_thread *thread, unsigned number) {
  struct thread_counters *counted = thread->counted;
  if (counted->kept != number)
    return;
  counted->kept = KEPT_NONE;
  if (!c->is_paused)
    put(c, thread, counted->kept_values, thread->undecided[number].ticks);
}

void counters_drop_kept(struct traced_thread *thread) {
  thread->counted->kept = KEPT_NONE;
}
