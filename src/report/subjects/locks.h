/* Who holds locks, for those who look at how the run ended. */
#ifndef STAVE_REPORT_SUBJECTS_LOCKS_H
#define STAVE_REPORT_SUBJECTS_LOCKS_H

#include "report/collect/collect.h"

struct lock_hold {
  uint64_t acquired, released; /* released 0: not yet */
  uint64_t task;               /* its id */
  uint32_t region, location, order, task_slot;
  bool has_waited; /* for the hold before */
};

/* The last time that the lock (the replay's number) was held; NULL: it never was. */
const struct lock_hold *locks_last_hold(const struct collector *collector, uint64_t lock);

/* Whether it is a member of a team that needs or has the lock, and no explicit task. */
bool locks_is_members(const struct collector *collector, const struct replay_lock_event *event);

/* What waiting in this construct costs, in ticks of wall time. */
double locks_gain(const struct report *report, const struct report_mutex *mutex);

/* Calls it for each lock that is held now. */
void locks_each_held(struct collector *collector,
                     void (*on_hold)(struct collector *collector, const struct lock_hold *hold));

#endif
