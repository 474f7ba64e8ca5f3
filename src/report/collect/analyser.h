/* One subject of the report: doacross loops, locks, messages. Its file has all about it: what it keeps while
 * the events go by, which nobody else sees, what it makes of them, and its findings. */
#ifndef STAVE_REPORT_COLLECT_ANALYSER_H
#define STAVE_REPORT_COLLECT_ANALYSER_H

#include "report/collect/collect.h"

/* What is NULL is not needed. */
struct analyser {
  size_t state_bytes; /* of what it keeps: all zero at first */

  /* Whether it is called for Enter and Leave of such constructs, and for other events of this kind. */
  bool (*observes_construct)(enum construct construct);
  bool (*observes_kind)(enum trace_kind kind);

  void (*prepare)(struct collector *collector); /* the definitions are known */

  /* Before the replay has seen the event: `now` is what its thread did until then. */
  void (*before_enter)(struct collector *collector, const struct trace_event *event, uint32_t region,
                       const struct replay_now *now);
  void (*before_leave)(struct collector *collector, const struct trace_event *event, uint32_t region,
                       const struct replay_now *now);
  void (*before_other)(struct collector *collector, const struct trace_event *event);
  /* This one may know better what its thread did (now->activity). */
  void (*before_every)(struct collector *collector, const struct trace_event *event, uint32_t region,
                       struct replay_now *now);

  void (*on_lock)(struct collector *collector, const struct replay_lock_event *event);

  void (*finish)(struct collector *collector);   /* all events have gone by */
  void (*find)(struct collector *collector);     /* all have finished: adds its findings */
  void (*annotate)(struct collector *collector); /* all findings are there: adds to them */
  void (*release)(struct collector *collector);
};

#define ANALYSER(name) extern const struct analyser name##_analyser;
#include "report/collect/analysers.def"
#undef ANALYSER

/* Calls all of them, or those that need the event. */
void analysers_prepare(struct collector *collector);
void analysers_choose_watchers(struct collector *collector); /* those of `every` */
static inline void analysers_before_every(struct collector *collector, const struct trace_event *event,
                                          uint32_t region, struct replay_now *now) {
  if (collector->watched != collector->every)
    analysers_choose_watchers(collector);
  for (size_t i = 0; i < collector->watcher_count; i++)
    collector->watchers[i](collector, event, region, now);
}
void analysers_before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                            const struct replay_now *now);
void analysers_before_leave(struct collector *collector, const struct trace_event *event, uint32_t region,
                            const struct replay_now *now);
void analysers_before_other(struct collector *collector, const struct trace_event *event);
void analysers_on_lock(void *collector, const struct replay_lock_event *event); /* of the replay */
void analysers_finish(struct collector *collector);
void analysers_find(struct collector *collector);
void analysers_annotate(struct collector *collector);
void analysers_release(struct collector *collector);

/* Whether the analyser of this number is called for every event from now on. */
static inline void analyser_watch(struct collector *collector, enum analyser_number number,
                                  bool is_watching) {
  uint32_t bit = (uint32_t)1 << number;
  collector->every = is_watching ? collector->every | bit : collector->every & ~bit;
}

/* What the analyser of this name keeps. */
#define ANALYSER_STATE(collector, name) ((collector)->states[ANALYSER_##name])

/* What these analysers have put into the report. */
void report_ending_free(struct report *report);
void device_use_free(struct report *report);

#endif
