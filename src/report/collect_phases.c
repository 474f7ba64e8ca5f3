/* Phases: what a team does from barrier to barrier. Only there can be said what a cause costs: a phase lasts
 * until its last member has come, so that what another one loses costs nothing, and what is evened out before
 * the barrier neither. Sums over a whole team would hide that a different thread is slow each time. */
#include <stdlib.h>

#include "report/collect.h"

/* -- shares -- */

/* The share with this key, on the list if it is new. */
static struct share *share_of(struct collector *collector, struct pair_map *table, uint64_t owner,
                              uint32_t region, struct share **list) {
  struct share *share = pair_map_get(table, owner, region);
  if (share)
    return share;
  uint32_t slot = pool_get(&collector->share_pool);
  if (slot == POOL_NONE) {
    collector->has_failed = true;
    return NULL;
  }
  share = pool_item(&collector->share_pool, slot);
  *share = (struct share){.next = *list, .region = region, .slot = slot};
  collector->has_failed |= !pair_map_put(table, owner, region, share);
  *list = share;
  return share;
}

static void drop_shares(struct collector *collector, struct pair_map *table, uint64_t owner,
                        struct share **list) {
  while (*list) {
    struct share *share = *list;
    *list = share->next; /* nobody may look into what was put back */
    pair_map_remove(table, owner, share->region);
    pool_put(&collector->share_pool, share->slot);
  }
}

/* A member's depth is part of its key: it can be in several teams. */
static uint64_t member_key(const struct collector *collector, size_t location) {
  return (uint64_t)location << 32 | collector->locations[location].member_count;
}

static struct share *member_share(struct collector *collector, size_t location, uint32_t region) {
  struct report_location *here = &collector->locations[location];
  struct live_member *member = &here->members[here->member_count - 1];
  return share_of(collector, &collector->member_shares, member_key(collector, location), region,
                  &member->shares);
}

void phases_add_loop(struct collector *collector, const struct replay_slice *slice) {
  struct share *share = member_share(collector, slice->location, slice->region);
  if (share)
    share->sum += slice->end_ticks - slice->begin_ticks;
}

uint32_t phases_loop_around(const struct collector *collector, const struct replay_task *task,
                            uint32_t count) {
  while (count-- > 0) {
    uint32_t region = task->frames[count].region;
    if (region != REPLAY_NONE && collector->interests[region].is_loop)
      return region;
  }
  return REPLAY_NONE;
}

void phases_add_wait(struct collector *collector, const struct replay_lock_event *event, uint64_t ticks) {
  struct report_location *here = &collector->locations[event->location];
  uint32_t loop = phases_loop_around(collector, event->task, event->task->frame_count);
  struct share *lock = member_share(collector, event->location, event->region);
  struct share *around = loop == REPLAY_NONE ? NULL : member_share(collector, event->location, loop);
  here->members[here->member_count - 1].lock_wait += ticks;
  if (lock)
    lock->waited += ticks;
  if (around)
    around->waited += ticks;
}

/* -- a team's phases -- */

/* A team's tables: of its phases, and of what it met at all. */
static uint64_t phase_key(const struct live_team *live_team, const struct team_phase *phase) {
  return live_team->id << 2 | (phase->number & 1);
}

static uint64_t met_key(const struct live_team *live_team) {
  return live_team->id << 2 | 2;
}

static void fold_share(struct collector *collector, const struct live_team *live_team,
                       struct team_phase *phase, const struct share *share, bool is_leading) {
  struct share *whole = share_of(collector, &collector->team_shares, phase_key(live_team, phase),
                                 share->region, &phase->shares);
  if (!whole)
    return;
  whole->sum += share->sum;
  whole->waited += share->waited;
  whole->max = share->sum > whole->max ? share->sum : whole->max;
  if (!is_leading)
    return;
  whole->leader = phase->leader;
  whole->leading = share->sum > share->waited ? share->sum - share->waited : 0;
}

/* -- its end -- */

/* What the member that came last had more of this than the mean, without waiting for locks. */
static double delay_of(const struct team_phase *phase, const struct share *share) {
  double mean = (double)(share->sum > share->waited ? share->sum - share->waited : 0) / phase->arrivals;
  double leading = share->leader == phase->leader ? (double)share->leading : 0;
  return leading > mean ? leading - mean : 0;
}

static void vary(struct collector *collector, struct variation **variation, double ticks,
                 const struct live_team *live_team, const struct team_phase *phase) {
  if (!*variation)
    *variation = collector_get(collector, sizeof **variation);
  if (*variation)
    variation_add(*variation, ticks, live_team->phase_end_ticks, phase->latest_ticks);
}

/* Counts the teams in which the loop was met. */
static void meet(struct collector *collector, struct live_team *live_team, uint32_t loop_region,
                 uint32_t region, struct report_loop *loop) {
  const struct share *before = live_team->met;
  if (!share_of(collector, &collector->team_shares, met_key(live_team), loop_region, &live_team->met))
    return;
  loop->teams += live_team->met != before;
  if (loop->parallel == REPLAY_NONE)
    loop->parallel = region;
}

static void conclude_loop(struct collector *collector, struct live_team *live_team,
                          const struct team_phase *phase, const struct share *share, uint32_t region,
                          double delay) {
  struct report_loop *loop = collector_loop(collector, share->region);
  if (!loop)
    return;
  uint64_t mean = share->sum / phase->arrivals;
  meet(collector, live_team, share->region, region, loop);
  loop->instances++;
  loop->longest += share->max;
  loop->imbalance += share->max > mean ? share->max - mean : 0;
  loop->delay += delay;
  scatter_add(&loop->delays, delay);
  vary(collector, &loop->variation, delay, live_team, phase);
}

/* Without the lock the phase would be over earlier by `gain`. Those who waited would come earlier, and wait
 * at the barrier for who comes last; those who came before the others would wait for less time. */
static void conclude_mutex(struct collector *collector, const struct live_team *live_team,
                           const struct team_phase *phase, const struct share *share, uint32_t region) {
  struct report_mutex *mutex = collector_mutex(collector, share->region);
  if (!mutex || phase->waited == 0)
    return;
  double part = (double)share->waited / (double)phase->waited, waited = (double)phase->waited;
  double gain = (double)(phase->latest_ticks - phase->latest_alone);
  double barrier = (double)phase->latest_ticks - (double)live_team->begin_ticks -
                   (phase->alone + waited) / phase->arrivals;
  double of_barrier = barrier < 0 ? 0 : barrier < gain ? barrier : gain;
  mutex->gain += part * gain;
  scatter_add(&mutex->gains, part * gain);
  mutex->of_barrier += part * of_barrier;
  mutex->moved += part * (waited / phase->arrivals - gain + of_barrier);
  if (mutex->parallel == REPLAY_NONE)
    mutex->parallel = region;
}

static void conclude(struct collector *collector, struct live_team *live_team, struct team_phase *phase,
                     uint32_t region) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  double room = (double)phase->latest_alone - (double)live_team->begin_ticks - phase->alone / phase->arrivals;
  double delays = 0;
  for (const struct share *share = phase->shares; share; share = share->next)
    delays += collector->interests[share->region].is_loop ? delay_of(phase, share) : 0;
  double scale = room <= 0 ? 0 : delays > room ? room / delays : 1;
  for (const struct share *share = phase->shares; share; share = share->next)
    if (collector->interests[share->region].is_loop)
      conclude_loop(collector, live_team, phase, share, region, delay_of(phase, share) * scale);
    else
      conclude_mutex(collector, live_team, phase, share, region);
  if (parallel) { /* who waited at the barrier for a thread that waited for Stave has lost nothing by the
                     program */
    parallel->moved -=
        (double)(phase->latest_stalled - phase->latest_ticks) - (double)phase->stalled / phase->arrivals;
    vary(collector, &parallel->variation, room > 0 ? room : 0, live_team, phase);
    scatter_add(&parallel->room, room > 0 ? room : 0);
  }
  if (parallel)
    parallel->preempted += (double)(phase->latest_ticks - phase->latest_running);
  live_team->phase_end_ticks = phase->latest_ticks;
  drop_shares(collector, &collector->team_shares, phase_key(live_team, phase), &phase->shares);
  *phase = (struct team_phase){0};
}

void phases_end(struct collector *collector, struct live_team *live_team, uint32_t region) {
  int older = live_team->phases[0].number > live_team->phases[1].number;
  for (int i = 0; i < 2; i++)
    if (live_team->phases[older ^ i].number)
      conclude(collector, live_team, &live_team->phases[older ^ i], region);
  drop_shares(collector, &collector->team_shares, met_key(live_team), &live_team->met);
}

/* -- a member comes to a barrier -- */

/* Which the phase is, begun if it is new: the one before the last is over then. */
static struct team_phase *phase_at(struct collector *collector, struct live_team *live_team, uint32_t region,
                                   uint32_t round) {
  uint64_t number = (uint64_t)round + 1;
  struct team_phase *phase = &live_team->phases[number % 2];
  if (phase->number && phase->number < number)
    conclude(collector, live_team, phase, region);
  if (!phase->number)
    phase->number = number;
  return phase;
}

void phases_arrive(struct collector *collector, struct live_team *live_team, uint32_t region, uint32_t round,
                   size_t location, uint64_t ticks) {
  struct report_location *here = &collector->locations[location];
  struct live_member *member = &here->members[here->member_count - 1];
  struct team_phase *phase = phase_at(collector, live_team, region, round);
  uint64_t came = collector_cut(collector, ticks), begin = live_team->begin_ticks;
  uint64_t now = came > member->stalled_in_phase ? came - member->stalled_in_phase : 0;
  uint64_t spent = now > begin ? now - begin : 0;
  uint64_t waited = member->lock_wait < spent ? member->lock_wait : spent;
  uint64_t preempted = member->preempted_in_phase < spent ? member->preempted_in_phase : spent;
  phase->latest_running = now - preempted > phase->latest_running ? now - preempted : phase->latest_running;
  bool is_leading = phase->arrivals++ == 0 || now - waited >= phase->latest_alone;
  phase->leader += is_leading;
  phase->latest_alone = is_leading ? now - waited : phase->latest_alone;
  phase->latest_ticks = now > phase->latest_ticks ? now : phase->latest_ticks;
  phase->latest_stalled = came > phase->latest_stalled ? came : phase->latest_stalled;
  phase->stalled += member->stalled_in_phase;
  phase->waited += waited;
  phase->alone += (double)(spent - waited);
  for (const struct share *share = member->shares; share; share = share->next)
    fold_share(collector, live_team, phase, share, is_leading);
  drop_shares(collector, &collector->member_shares, member_key(collector, location), &member->shares);
  member->lock_wait = member->stalled_in_phase = member->preempted_in_phase = 0;
}
