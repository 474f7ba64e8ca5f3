/* Loops with ordered(n) whose iterations wait for each other. Runtimes tell of no such waiting, but when an
 * iteration's sinks were met and when it posted its source. What lies before a sink is work or waiting:
 * waiting can only be where the source that it names was posted meanwhile. */
#include "report/collect.h"

/* Sources, by their vectors: the newer of two in one entry stays, which makes the older one unknown. */
enum { SOURCES = 4096 };

struct doacross_source {
  uint64_t key, ticks;
};

static uint64_t mix(uint64_t hash, uint64_t element) {
  hash = (hash ^ element) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static struct doacross_source *entry_of(struct collector *collector, uint64_t key) {
  if (!collector->sources)
    collector->sources = collector_get(collector, SOURCES * sizeof *collector->sources);
  return collector->sources ? &collector->sources[key % SOURCES] : NULL;
}

static struct report_doacross *detail_of(struct collector *collector, uint32_t region) {
  struct report_loop *loop = collector_loop(collector, region);
  if (loop && !loop->doacross)
    loop->doacross = collector_get(collector, sizeof *loop->doacross);
  return loop ? loop->doacross : NULL;
}

/* -- one iteration -- */

/* Between here->last_ticks and the sink: work, as far as the source was posted before, or is not older than
 * what was there first. */
static void conclude_sink(struct collector *collector, struct doacross_location *here) {
  struct report_doacross *detail = detail_of(collector, here->region);
  struct doacross_source *source = entry_of(collector, here->sink_key);
  uint64_t before = here->sink_ticks - here->last_ticks;
  if (!detail || !source)
    return;
  bool is_known = source->key == here->sink_key && source->ticks <= here->sink_ticks;
  here->has_sink = true;
  here->last_ticks = here->sink_ticks;
  here->sink_ticks = 0;
  detail->sinks++;
  if (is_known && source->ticks <= here->last_ticks - before) {
    spread_add(&detail->free, before);
    return;
  }
  detail->waited++;
  detail->before_waited += before;
  detail->after_source += is_known ? here->last_ticks - source->ticks : 0;
}

static void post(struct collector *collector, struct doacross_location *here, uint64_t ticks) {
  struct report_doacross *detail = detail_of(collector, here->region);
  if (detail)
    spread_add(here->has_sink ? &detail->chain : &detail->alone, ticks - here->last_ticks);
  here->last_ticks = ticks;
  here->has_sink = false;
}

/* -- events -- */

static const struct replay_frame *loop_frame(const struct collector *collector,
                                             const struct replay_task *task) {
  for (uint32_t i = task->frame_count; i-- > 0;) {
    uint32_t region = task->frames[i].region;
    if (region != REPLAY_NONE && collector->interests[region].is_loop)
      return &task->frames[i];
  }
  return NULL;
}

void doacross_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                           const struct replay_now *now) {
  struct doacross_location *here = &collector->locations[event->location].doacross;
  const struct replay_frame *loop = loop_frame(collector, now->task);
  bool is_sink = collector->interests[region].construct == CONSTRUCT_depend_sink;
  uint64_t element;
  if (!loop || !collector_is_inside(collector, event->ticks) ||
      !collector_attribute(event, collector->address_attribute, &element))
    return;
  if (here->region != loop->region || here->begin_ticks != loop->begin_ticks)
    *here = (struct doacross_location){
        .region = loop->region, .begin_ticks = loop->begin_ticks, .last_ticks = loop->begin_ticks};
  if (here->sink_ticks && !(is_sink && here->sink_ticks == event->ticks))
    conclude_sink(collector, here);
  if (is_sink) {
    here->sink_key = mix(here->sink_ticks ? here->sink_key : here->region, element);
    here->sink_ticks = event->ticks;
    return;
  }
  bool is_next = here->source_ticks == event->ticks;
  here->source_key = mix(is_next ? here->source_key : here->region, element);
  here->source_ticks = event->ticks;
  struct doacross_source *source = entry_of(collector, here->source_key);
  if (source)
    *source = (struct doacross_source){here->source_key, event->ticks};
  if (!is_next)
    post(collector, here, event->ticks);
}
