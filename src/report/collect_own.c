/* What Stave itself costs: waits for room in its buffers, and its callbacks. */
#include "report/collect.h"

/* Between most callbacks is the program's code, or the runtime's. Where all are far apart, what one takes
 * cannot be seen. */
#define CALLBACK_QUANTILE 0.01
enum { CALLBACK_NS_MAX = 100 };

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

void own_on_stall(struct collector *collector, const struct trace_event *event) {
  struct report_thread *thread = &collector->report->threads[event->location];
  if (!collector_is_inside(collector, event->ticks))
    return;
  thread->stalls++;
  leave_out(collector, event->location, collector_cut(collector, event->BufferFlush.stop));
}

/* What the kernel tells is no callback's. (A counter's metric has an Enter beside it.) */
static bool is_of_callback(const struct collector *collector, const struct trace_event *event,
                           uint32_t region) {
  if (region == REPLAY_NONE)
    return event->kind != TRACE_Metric;
  return collector->interests[region].construct != CONSTRUCT_run_state;
}

/* What one callback records has one time. */
void count_overhead(struct collector *collector, const struct trace_event *event, uint32_t region) {
  struct report_location *here = &collector->locations[event->location];
  if (event->ticks <= here->event_ticks || !is_of_callback(collector, event, region) ||
      !collector_is_inside(collector, event->ticks))
    return;
  if (here->event_ticks)
    histogram_add(collector->callback_histogram, event->ticks - here->event_ticks);
  collector->report->caveats.callbacks += !collector->report->threads[event->location].is_device;
  here->event_ticks = event->kind == TRACE_BufferFlush ? event->BufferFlush.stop : event->ticks;
}

void own_finish(struct collector *collector) {
  struct report *report = collector->report;
  uint64_t ticks = histogram_shortest(collector->callback_histogram, CALLBACK_QUANTILE);
  double most = (double)report->trace->clock.ticks_per_second * CALLBACK_NS_MAX / 1e9;
  report->caveats.callback_ticks = (double)ticks <= most ? ticks : 0;
}
