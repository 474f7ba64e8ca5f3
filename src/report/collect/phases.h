/* What a team does from barrier to barrier. */
#ifndef STAVE_REPORT_COLLECT_PHASES_H
#define STAVE_REPORT_COLLECT_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/replay.h"

struct collector;
struct live_team;
struct report_parallel;

enum share_kind { SHARE_LOOP, SHARE_MUTEX, SHARE_TEAM };

/* Time in a worksharing region, waited for the locks of a mutex region, or lost by inner teams of a parallel
 * region, in one phase: of one member or of an entire team. */
struct share {
  struct share *next;
  enum share_kind kind;
  uint32_t region, slot;  /* slot: in its pool */
  bool is_first;          /* of a loop: the team encounters it for the first time */
  uint64_t sum, max, min; /* max, min: of the members */
  uint64_t waited;        /* for locks, inside of it, and lost by inner teams */
  /* of a team: the time, without `waited`, of the member that would come last to the barrier without any of
   * that (SHARE_TEAM: without waiting for locks), and which one that was */
  uint64_t leading, leader;
};

/* The part of a worksharing construct's delay that the teams of one parallel region have had. */
struct report_delay {
  uint32_t loop; /* position of its region */
  double ticks;
};

/* What a team does until its next barrier. */
struct team_phase {
  uint64_t number; /* from 1; 0: none */
  uint64_t latest_ticks;
  uint64_t latest_alone;            /* when the last one would have come had nobody waited for locks */
  uint64_t latest_balanced;         /* the same, and had no inner team lost anything */
  uint64_t latest_prompt;           /* the same, and had all started the phase together */
  uint64_t late;                    /* that members began it, of all */
  uint64_t latest_running;          /* when the last one would have come had nobody been preempted */
  uint64_t waited;                  /* for locks, by all members */
  uint64_t stalled, latest_stalled; /* by all members; when the last one came, with it */
  double last_came; /* sum of when the last members came, as many as there are processors; see `crowd` */
  double alone, balanced; /* sums over the members: from the team's begin to when each would have come */
  uint64_t last, leader;  /* count who was that last one so far */
  uint64_t last_inner_lost;
  uint32_t arrivals;
  uint32_t barrier; /* region; REPLAY_NONE: it ends without one */
  bool has_tasks;   /* some were created in it */
  struct share *shares;
};

/* The worksharing region among the innermost `count` ones that the task is in; REPLAY_NONE: none. */
uint32_t phases_loop_around(const struct collector *collector, const struct replay_task *task,
                            uint32_t count);

/* The thread was in a worksharing region, or has waited for a lock; in a team, with its implicit task. */
void phases_add_loop(struct collector *collector, const struct replay_slice *slice);
void phases_add_wait(struct collector *collector, const struct replay_lock_event *event, uint64_t ticks);

/* A team is gone that the member has forked: the wall time that its region has lost by waiting. */
void phases_add_inner(struct collector *collector, size_t location, uint32_t region, uint64_t ticks);

/* The thread, a member of the team in this region, comes to its barrier number `round`, from 0; REPLAY_NONE:
 * to its end without one. */
void phases_arrive(struct collector *collector, struct live_team *live_team, uint32_t region,
                   uint32_t barrier, uint32_t round, size_t location, uint64_t ticks);

/* It is counted, and its first member has started so long after the fork. */
void phases_end_late(struct report_parallel *parallel, const struct live_team *live_team,
                     uint64_t begin_ticks);

/* A team's phase is over: adds to what the region and the worksharing in it cost. */
void phases_add(struct collector *collector, const struct live_team *live_team,
                const struct team_phase *phase, uint32_t region);

/* The team is gone. */
void phases_end(struct collector *collector, struct live_team *live_team, uint32_t region);

#endif
