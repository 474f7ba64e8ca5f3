/* Calls the analysers. */
#include "report/collect/analyser.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct analyser *const analysers[] = {
#define ANALYSER(name) &name##_analyser,
#include "report/collect/analysers.def"
#undef ANALYSER
};

_Static_assert(ANALYSER_COUNT <= 32, "sets of analysers are bits of an uint32_t");

static int next_of(uint32_t *set) {
  int first = __builtin_ctz(*set);
  *set &= *set - 1;
  return first;
}

static uint32_t constructs_of(const struct analyser *analyser, enum construct construct, uint32_t bit) {
  return analyser->observes_construct && analyser->observes_construct(construct) ? bit : 0;
}

static void prepare_one(struct collector *collector, int number) {
  const struct analyser *analyser = analysers[number];
  uint32_t bit = (uint32_t)1 << number;
  collector->states[number] = memory_get(1, analyser->state_bytes);
  for (size_t i = 0; i < collector->trace->region_count; i++)
    collector->interests[i].analysers |=
        constructs_of(analyser, (enum construct)collector->interests[i].construct, bit);
  for (int i = 0; analyser->observes_kind && i < TRACE_KIND_COUNT; i++)
    collector->by_kind[i] |= analyser->observes_kind((enum trace_kind)i) ? bit : 0;
  if (analyser->before_every)
    analyser_watch(collector, (enum analyser_number)number, true);
  collector->by_lock |= analyser->on_lock ? bit : 0;
  if (analyser->prepare)
    analyser->prepare(collector);
}

void analysers_prepare(struct collector *collector) {
  for (int i = 0; i < ANALYSER_COUNT; i++)
    prepare_one(collector, i);
}

void analysers_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                            const struct replay_now *now) {
  for (uint32_t set = collector->interests[region].analysers; set;) {
    const struct analyser *analyser = analysers[next_of(&set)];
    if (analyser->before_enter)
      analyser->before_enter(collector, event, region, now);
  }
}

void analysers_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                            const struct replay_now *now) {
  for (uint32_t set = collector->interests[region].analysers; set;) {
    const struct analyser *analyser = analysers[next_of(&set)];
    if (analyser->before_leave)
      analyser->before_leave(collector, event, region, now);
  }
}

void analysers_before_other(struct collector *collector, const struct trace_event *event) {
  for (uint32_t set = collector->by_kind[event->kind]; set;)
    analysers[next_of(&set)]->before_other(collector, event);
}

void analysers_on_lock(void *collector, const struct replay_lock_event *event) {
  for (uint32_t set = ((struct collector *)collector)->by_lock; set;)
    analysers[next_of(&set)]->on_lock(collector, event);
}

void analysers_choose_watchers(struct collector *collector) {
  collector->watched = collector->every;
  collector->watcher_count = 0;
  for (uint32_t set = collector->every; set;)
    collector->watchers[collector->watcher_count++] = analysers[next_of(&set)]->before_every;
}

void analysers_finish(struct collector *collector) {
  for (int i = 0; i < ANALYSER_COUNT; i++)
    if (analysers[i]->finish)
      analysers[i]->finish(collector);
}

void analysers_find(struct collector *collector) {
  for (int i = 0; i < ANALYSER_COUNT; i++)
    if (analysers[i]->find)
      analysers[i]->find(collector);
}

void analysers_annotate(struct collector *collector) {
  for (int i = 0; i < ANALYSER_COUNT; i++)
    if (analysers[i]->annotate)
      analysers[i]->annotate(collector);
}

void analysers_release(struct collector *collector) {
  for (int i = 0; i < ANALYSER_COUNT; i++) {
    if (analysers[i]->release && collector->states[i])
      analysers[i]->release(collector);
    free(collector->states[i]);
  }
}
