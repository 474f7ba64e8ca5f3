/* What Stave itself costs: waits for room in its buffers, and its callbacks. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/collect/analyser.h"

/* Between most callbacks is the program's code, or the runtime's. Where all are far apart, the cost of one
 * cannot be seen. */
#define CALLBACK_QUANTILE 0.01
enum { CALLBACK_NS_MAX = 100 };

struct own {
  uint32_t *callbacks;   /* a histogram of times from one event to the next */
  uint64_t *event_ticks; /* by location: of its last event */
};

static struct own *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, own);
}

uint32_t *own_between_callbacks(const struct collector *collector) {
  return state_of(collector)->callbacks;
}

static void prepare(struct collector *collector) {
  struct own *own = state_of(collector);
  own->callbacks = histogram_new();
  own->event_ticks = memory_get(collector->trace->location_count, sizeof *own->event_ticks);
}

/* Until then the thread has done nothing but wait for Stave: this is no time of the program's. */
static void leave_out(struct collector *collector, size_t location, uint64_t until_ticks) {
  struct report_location *here = &collector->locations[location];
  struct live_member *member = here->member_count ? &here->members[here->member_count - 1] : NULL;
  struct live_task *live_task = live_task_of(collector, replay_current_task(collector->replay, location));
  uint64_t ticks = until_ticks > here->charged_ticks ? until_ticks - here->charged_ticks : 0;
  here->charged_ticks += ticks;
  collector->report->threads[location].stall_ticks += ticks;
  if (member) {
    member->stalled += ticks;
    member->stalled_in_phase += ticks;
  }
  if (live_task)
    live_task->stalled += ticks;
}

static void before_other(struct collector *collector, const struct trace_event *event) {
  struct report_thread *thread = &collector->report->threads[event->location];
  if (!collector_is_inside(collector, event->ticks))
    return;
  thread->stalls++;
  leave_out(collector, event->location, collector_cut(collector, event->BufferFlush.stop));
}

/* What the kernel reports is no callback's. (A counter's metric has an Enter beside it.) */
static bool is_of_callback(const struct collector *collector, const struct trace_event *event,
                           uint32_t region) {
  if (region == REPLAY_NONE)
    return event->kind != TRACE_Metric;
  return collector->interests[region].construct != CONSTRUCT_run_state;
}

/* What one callback records has one time. */
static void before_every(struct collector *collector, const struct trace_event *event, uint32_t region,
                         struct replay_now *now) {
  struct own *own = state_of(collector);
  struct report *report = collector->report;
  uint64_t *last = &own->event_ticks[event->location];
  (void)now;
  if (event->ticks <= *last || !is_of_callback(collector, event, region) ||
      !collector_is_inside(collector, event->ticks))
    return;
  if (*last)
    histogram_add(own->callbacks, event->ticks - *last);
  report->caveats.callbacks += !report->threads[event->location].is_device;
  *last = event->kind == TRACE_BufferFlush ? event->BufferFlush.stop : event->ticks;
}

static void finish(struct collector *collector) {
  struct report *report = collector->report;
  uint64_t ticks = histogram_shortest(state_of(collector)->callbacks, CALLBACK_QUANTILE);
  double most = (double)report->trace->clock.ticks_per_second * CALLBACK_NS_MAX / 1e9;
  report->caveats.callback_ticks = (double)ticks <= most ? ticks : 0;
}

static void release(struct collector *collector) {
  free(state_of(collector)->callbacks);
  free(state_of(collector)->event_ticks);
}

static bool observes_kind(enum trace_kind kind) {
  return kind == TRACE_BufferFlush;
}

const struct analyser own_analyser = {.state_bytes = sizeof(struct own),
                                      .observes_kind = observes_kind,
                                      .prepare = prepare,
                                      .before_other = before_other,
                                      .before_every = before_every,
                                      .finish = finish,
                                      .release = release};
