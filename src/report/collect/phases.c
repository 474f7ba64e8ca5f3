/* Phases: what a team does from barrier to barrier. Only there it is known what a cause costs: a phase lasts
 * until its last member has come, so that what another one loses costs nothing, and what is evened out before
 * the barrier neither. Sums over an entire team would hide that a different thread is slow each time. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"

/* What the last phase had room for that a barrier has ended. */
struct imbalance_slack {
  double ticks;
  bool is_known;
};

struct phases {
  struct imbalance_slack *slacks;             /* by region */
  struct pair_map member_shares, team_shares; /* by whose they are and the region */
  struct pool shares;
};

static struct phases *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, phases);
}

static void prepare(struct collector *collector) {
  struct phases *phases = state_of(collector);
  phases->shares.item_bytes = sizeof(struct share);
  phases->slacks = memory_get(collector->trace->region_count, sizeof *phases->slacks);
}

/* -- shares -- */

/* The share with this key, on the list if it is new. */
static struct share *share_of(struct collector *collector, struct pair_map *table, uint64_t owner,
                              enum share_kind kind, uint32_t region, struct share **list) {
  struct share *share = pair_map_get(table, owner, region);
  if (share)
    return share;
  uint32_t slot;
  share = pool_new(&state_of(collector)->shares, &slot);
  *share = (struct share){.next = *list, .kind = kind, .region = region, .slot = slot, .min = UINT64_MAX};
  pair_map_put(table, owner, region, share);
  *list = share;
  return share;
}

static void drop_shares(struct collector *collector, struct pair_map *table, uint64_t owner,
                        struct share **list) {
  while (*list) {
    struct share *share = *list;
    *list = share->next; /* nobody may look into what was put back */
    pair_map_remove(table, owner, share->region);
    pool_put(&state_of(collector)->shares, share->slot);
  }
}

/* A member's depth is part of its key: it can be in several teams. */
static uint64_t member_key(const struct collector *collector, size_t location) {
  return (uint64_t)location << 32 | collector->locations[location].member_count;
}

static struct share *member_share(struct collector *collector, size_t location, enum share_kind kind,
                                  uint32_t region) {
  struct report_location *here = &collector->locations[location];
  struct live_member *member = &here->members[here->member_count - 1];
  return share_of(collector, &state_of(collector)->member_shares, member_key(collector, location), kind,
                  region, &member->shares);
}

void phases_add_loop(struct collector *collector, const struct replay_slice *slice) {
  struct share *share = member_share(collector, slice->location, SHARE_LOOP, slice->region);
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

/* What the running task has lost is none of the work of the loop that it is in. */
static void subtract_from_loop(struct collector *collector, size_t location, const struct replay_task *task,
                               uint64_t ticks) {
  uint32_t loop = phases_loop_around(collector, task, task->frame_count);
  struct share *around = loop == REPLAY_NONE ? NULL : member_share(collector, location, SHARE_LOOP, loop);
  if (around)
    around->waited += ticks;
}

void phases_add_wait(struct collector *collector, const struct replay_lock_event *event, uint64_t ticks) {
  struct report_location *here = &collector->locations[event->location];
  struct share *lock = member_share(collector, event->location, SHARE_MUTEX, event->region);
  here->members[here->member_count - 1].lock_wait += ticks;
  if (lock)
    lock->waited += ticks;
  subtract_from_loop(collector, event->location, event->task, ticks);
}

void phases_add_inner(struct collector *collector, size_t location, uint32_t region, uint64_t ticks) {
  struct report_location *here = &collector->locations[location];
  struct share *team = member_share(collector, location, SHARE_TEAM, region);
  here->members[here->member_count - 1].inner_lost += ticks;
  if (team)
    team->sum += ticks;
  subtract_from_loop(collector, location, replay_current_task(collector->replay, location), ticks);
}

/* -- a team's phases -- */

/* A team's tables: of its phases, and of what it encountered at all. */
static uint64_t phase_key(const struct live_team *live_team, const struct team_phase *phase) {
  return live_team->id << 2 | (phase->number & 1);
}

static uint64_t barrier_key(const struct live_team *live_team) {
  return live_team->id << 2 | 2;
}

static void fold_share(struct collector *collector, const struct live_team *live_team,
                       struct team_phase *phase, const struct share *share, bool is_last, bool is_leading) {
  struct share *teams = share_of(collector, &state_of(collector)->team_shares, phase_key(live_team, phase),
                                 share->kind, share->region, &phase->shares);
  if (!teams)
    return;
  teams->sum += share->sum;
  teams->waited += share->waited;
  teams->max = share->sum > teams->max ? share->sum : teams->max;
  teams->min = share->sum < teams->min ? share->sum : teams->min;
  if (share->kind == SHARE_TEAM ? !is_last : !is_leading)
    return;
  teams->leader = share->kind == SHARE_TEAM ? phase->last : phase->leader;
  teams->leading = share->sum > share->waited ? share->sum - share->waited : 0;
}

/* -- its end -- */

/* What the member that came last had more of this than the mean, without waiting for locks and inner teams.
 */
static double delay_of(const struct team_phase *phase, const struct share *share) {
  double mean = (double)(share->sum > share->waited ? share->sum - share->waited : 0) / phase->arrivals;
  double leading = share->leader == phase->leader ? (double)share->leading : 0;
  return leading > mean ? leading - mean : 0;
}

/* Threads that do the same differ by so much of its time: by the memory, the caches or the core that they
 * share. */
static const double SLIGHT_SHARE = 0.1;

static double slight(double ticks, double of_ticks) {
  return ticks < SLIGHT_SHARE * of_ticks ? ticks : 0;
}

static void vary(struct variation **variation, double ticks, const struct live_team *live_team,
                 const struct team_phase *phase) {
  if (!*variation)
    *variation = memory_get(1, sizeof **variation);
  variation_add(*variation, ticks, live_team->phase_end_ticks, phase->latest_ticks);
}

/* Which loops the team encounters in this phase for the first time. */
static void see_loops(struct collector *collector, struct live_team *live_team, struct team_phase *phase) {
  for (struct share *share = phase->shares; share; share = share->next) {
    const struct share *before = live_team->loops_seen;
    if (share->kind == SHARE_LOOP)
      share_of(collector, &state_of(collector)->team_shares, barrier_key(live_team), SHARE_LOOP,
               share->region, &live_team->loops_seen);
    share->is_first = live_team->loops_seen != before;
  }
}

/* A function's construct may be encountered in several regions, and is to blame for what is waited in each.
 */
static void add_delay(struct collector *collector, uint32_t region, uint32_t loop, double ticks) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  if (!parallel || ticks <= 0)
    return;
  size_t i = 0;
  while (i < parallel->delay_count && parallel->delays[i].loop != loop)
    i++;
  if (i == parallel->delay_count)
    array_add(&parallel->delays, &parallel->delay_count, sizeof *parallel->delays);
  parallel->delays[i].loop = loop;
  parallel->delays[i].ticks += ticks;
}

static void compare_members(struct report_loop *loop, const struct share *share, uint32_t members) {
  uint64_t least = share->min * members;
  loop->shared++;
  loop->even += (double)(share->max - share->min) <= SLIGHT_SHARE * (double)share->max;
  loop->beyond += share->sum > least ? share->sum - least : 0; /* less: some had none of it */
}

static void conclude_loop(struct collector *collector, const struct live_team *live_team,
                          const struct team_phase *phase, const struct share *share, uint32_t region,
                          double delay) {
  struct report_loop *loop = collector_loop(collector, share->region);
  if (!loop)
    return;
  uint64_t mean = share->sum / phase->arrivals;
  loop->teams += share->is_first;
  if (loop->parallel == REPLAY_NONE)
    loop->parallel = region;
  loop->instances++;
  loop->longest += share->max;
  loop->imbalance += share->max > mean ? share->max - mean : 0;
  loop->delay += delay;
  add_delay(collector, region, share->region, delay);
  loop->slight += slight(delay, (double)share->max);
  if (phase->arrivals > 1)
    compare_members(loop, share, phase->arrivals);
  scatter_add(&loop->delays, delay);
  vary(&loop->variation, delay, live_team, phase);
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

/* Of the run's wall time: that of a team which is one of several counts less. */
static double weight_of(const struct live_team *live_team, const struct team_phase *phase) {
  return live_team->is_nested ? (double)phase->arrivals / live_team->at_once : 1;
}

/* Had the inner teams of the region lost nothing, the phase would be over earlier by what they have delayed
 * its last member; what they have cost the others, those would wait for it. Returns what the mean waiting at
 * the barrier has of that. */
static double conclude_inner(struct collector *collector, const struct live_team *live_team,
                             const struct team_phase *phase, const struct share *share) {
  struct report_parallel *inner = collector_parallel(collector, share->region);
  double gain = (double)(phase->latest_alone - phase->latest_balanced);
  double last = share->leader == phase->last ? (double)share->leading : 0;
  double part = phase->last_inner_lost ? last / (double)phase->last_inner_lost : 0;
  double waited = gain * part - (double)share->sum / phase->arrivals;
  if (inner)
    inner->outer_waited += waited * weight_of(live_team, phase);
  return waited;
}

static double delays_of(const struct team_phase *phase) {
  double delays = 0;
  for (const struct share *share = phase->shares; share; share = share->next)
    delays += share->kind == SHARE_LOOP ? delay_of(phase, share) : 0;
  return delays;
}

/* Loops share what there is room for. */
static double scale_of_loops(const struct team_phase *phase, double room) {
  double delays = delays_of(phase);
  return room <= 0 ? 0 : delays > room ? room / delays : 1;
}

static void conclude_shares(struct collector *collector, const struct live_team *live_team,
                            const struct team_phase *phase, uint32_t region, double room) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  double scale = scale_of_loops(phase, room), of_inner = 0;
  for (const struct share *share = phase->shares; share; share = share->next)
    switch (share->kind) {
    case SHARE_LOOP:
      conclude_loop(collector, live_team, phase, share, region, delay_of(phase, share) * scale);
      break;
    case SHARE_MUTEX:
      conclude_mutex(collector, live_team, phase, share, region);
      break;
    case SHARE_TEAM:
      of_inner += conclude_inner(collector, live_team, phase, share);
    }
  if (parallel)
    parallel->moved -= of_inner;
}

/* -- members that begin late -- */

/* What it costs that members begin a phase late: who comes last would come earlier. It is what they lose in
 * the mean at least, since others may have done their work. */
static double cost_of_late(const struct team_phase *phase) {
  double mean = (double)phase->late / phase->arrivals;
  double cost = (double)(phase->latest_balanced - phase->latest_prompt);
  return cost > mean ? cost : mean;
}

static void add_late_release(struct report_parallel *parallel, double cost) {
  parallel->late_releases += cost;
  scatter_add(&parallel->releases, cost);
}

static void add_late(struct report_parallel *parallel, const struct team_phase *phase) {
  if (phase->number == 1)
    parallel->late_begins += cost_of_late(phase);
  else
    add_late_release(parallel, cost_of_late(phase));
}

void phases_end_late(struct report_parallel *parallel, const struct live_team *live_team,
                     uint64_t begin_ticks) {
  double mean = (double)live_team->last_late / (double)live_team->members;
  double primary = (double)live_team->late_at_end;
  parallel->late_begins += (double)begin_ticks;
  if (!live_team->is_serialised)
    add_late_release(parallel, primary > mean ? primary : mean);
}

/* Between when the last member came and the mean of them, without what is known to delay them: what balance
 * could save. */
static double room_of(const struct live_team *live_team, const struct team_phase *phase) {
  double mean = (double)live_team->begin_ticks + phase->balanced / phase->arrivals;
  double by_late = cost_of_late(phase) - (double)phase->late / phase->arrivals;
  return (double)phase->latest_balanced - mean - by_late;
}

/* Until fewer members work than there are processors these have all to do, whoever waits. What balance could
 * save is what they had not: of each how long before the end a member came after which it had nothing to
 * do. */
static double idle_room_of(const struct live_team *live_team, const struct team_phase *phase, double room) {
  double length = (double)(phase->latest_ticks - live_team->begin_ticks);
  if (live_team->crowd == 0 || phase->has_tasks || phase->arrivals <= live_team->crowd)
    return room;
  double idle = length - phase->last_came / (phase->arrivals - live_team->crowd);
  return idle < room ? idle : room;
}

/* Steps have several barriers: the neighbour of a phase is the last one that the same barrier has ended. */
static void add_room(struct collector *collector, struct report_parallel *parallel,
                     const struct team_phase *phase, double room) {
  struct imbalance_slack none = {0};
  struct imbalance_slack *before =
      phase->barrier == REPLAY_NONE ? &none : &state_of(collector)->slacks[phase->barrier];
  scatter_add_beside(&parallel->room, room, before->is_known ? &before->ticks : NULL);
  *before = (struct imbalance_slack){.ticks = room, .is_known = true};
}

void phases_add(struct collector *collector, const struct live_team *live_team,
                const struct team_phase *phase, uint32_t region) {
  struct report_parallel *parallel = collector_parallel(collector, region);
  double room = room_of(live_team, phase), outside = room - delays_of(phase);
  conclude_shares(collector, live_team, phase, region, room);
  if (parallel) { /* who waited at the barrier for a thread that waited for Stave has lost nothing by the
                     program */
    parallel->moved -=
        (double)(phase->latest_stalled - phase->latest_ticks) - (double)phase->stalled / phase->arrivals;
    room = room > 0 ? room : 0;
    parallel->idle_room += idle_room_of(live_team, phase, room);
    vary(&parallel->variation, room, live_team, phase);
    if (phase->arrivals > 1) /* one thread has none, which is no variation */
      add_room(collector, parallel, phase, room);
    if (!phase->has_tasks)
      scatter_add(&parallel->taskless, outside < 0 ? 0 : outside);
    parallel->slight_room += slight(room, (double)phase->latest_ticks - (double)live_team->phase_end_ticks);
  }
  if (parallel) {
    add_late(parallel, phase);
    parallel->preempted += (double)(phase->latest_ticks - phase->latest_running);
  }
}

static void conclude(struct collector *collector, struct live_team *live_team, struct team_phase *phase,
                     uint32_t region) {
  see_loops(collector, live_team, phase);
  if (collector->posting)
    collector->posting->phase(collector, live_team, phase, region);
  else
    phases_add(collector, live_team, phase, region);
  drop_shares(collector, &state_of(collector)->team_shares, phase_key(live_team, phase), &phase->shares);
  live_team->phase_end_ticks = phase->latest_ticks;
  *phase = (struct team_phase){0};
}

void phases_end(struct collector *collector, struct live_team *live_team, uint32_t region) {
  int older = live_team->phases[0].number > live_team->phases[1].number;
  for (int i = 0; i < 2; i++)
    if (live_team->phases[older ^ i].number)
      conclude(collector, live_team, &live_team->phases[older ^ i], region);
  drop_shares(collector, &state_of(collector)->team_shares, barrier_key(live_team), &live_team->loops_seen);
}

/* -- a member comes to a barrier -- */

/* Which the phase is, started if it is new: the one before the last is over then. */
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

/* When a member that came at `ticks` would have come. */
static uint64_t began_at_once(const struct live_member *member, uint64_t ticks, uint64_t begin) {
  uint64_t spent = ticks > begin ? ticks - begin : 0;
  return ticks - (member->late_in_phase < spent ? member->late_in_phase : spent);
}

/* Whether some were created since the barrier before this one. */
static bool has_tasks_since(const struct live_team *live_team, uint32_t round) {
  uint64_t before = round ? live_team->tasks_before[(round - 1) % BARRIER_ROUNDS] : 0;
  return live_team->tasks > before;
}

void phases_arrive(struct collector *collector, struct live_team *live_team, uint32_t region,
                   uint32_t barrier, uint32_t round, size_t location, uint64_t ticks) {
  struct report_location *here = &collector->locations[location];
  struct live_member *member = &here->members[here->member_count - 1];
  struct team_phase *phase = phase_at(collector, live_team, region, round);
  uint64_t came = collector_cut(collector, ticks), begin = live_team->begin_ticks;
  uint64_t now = came > member->stalled_in_phase ? came - member->stalled_in_phase : 0;
  uint64_t spent = now > begin ? now - begin : 0;
  uint64_t waited = member->lock_wait < spent ? member->lock_wait : spent;
  uint64_t preempted = member->preempted_in_phase < spent ? member->preempted_in_phase : spent;
  phase->latest_running = now - preempted > phase->latest_running ? now - preempted : phase->latest_running;
  uint64_t alone = now - waited,
           inner = member->inner_lost < spent - waited ? member->inner_lost : spent - waited;
  uint64_t prompt = began_at_once(member, alone - inner, begin);
  bool is_first = phase->arrivals++ == 0, is_last = is_first || alone >= phase->latest_alone;
  bool is_leading = is_first || alone - inner >= phase->latest_balanced;
  phase->barrier = barrier;
  phase->has_tasks |= has_tasks_since(live_team, round);
  phase->last += is_last;
  phase->last_inner_lost = is_last ? inner : phase->last_inner_lost;
  phase->leader += is_leading;
  phase->latest_alone = is_last ? alone : phase->latest_alone;
  phase->latest_balanced = is_leading ? alone - inner : phase->latest_balanced;
  phase->latest_prompt = prompt > phase->latest_prompt ? prompt : phase->latest_prompt;
  phase->late += alone - inner - prompt;
  phase->latest_ticks = now > phase->latest_ticks ? now : phase->latest_ticks;
  phase->latest_stalled = came > phase->latest_stalled ? came : phase->latest_stalled;
  phase->stalled += member->stalled_in_phase;
  phase->last_came += live_team->crowd && phase->arrivals > live_team->crowd ? (double)spent : 0;
  phase->waited += waited;
  phase->alone += (double)(spent - waited);
  phase->balanced += (double)(spent - waited - inner);
  for (const struct share *share = member->shares; share; share = share->next)
    fold_share(collector, live_team, phase, share, is_last, is_leading);
  drop_shares(collector, &state_of(collector)->member_shares, member_key(collector, location),
              &member->shares);
  member->lock_wait = member->inner_lost = member->stalled_in_phase = member->preempted_in_phase = 0;
  member->late_in_phase = 0;
}

static void release(struct collector *collector) {
  struct phases *phases = state_of(collector);
  pool_free(&phases->shares, NULL);
  pair_map_free(&phases->member_shares);
  pair_map_free(&phases->team_shares);
  free(phases->slacks);
}

const struct analyser phases_analyser = {
    .state_bytes = sizeof(struct phases), .prepare = prepare, .release = release};
