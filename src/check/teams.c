/* Worksharing and barrier regions: which must be encountered by all threads of a team, in one order and in
 * the right place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/checker.h"
#include "trace/detail.h"

static bool is_worksharing(enum construct construct) {
  return construct == CONSTRUCT_loop || construct == CONSTRUCT_sections || construct == CONSTRUCT_single ||
         construct == CONSTRUCT_workshare;
}

/* -- nesting -- */

static bool is_masked(enum construct construct) {
  return construct == CONSTRUCT_masked || construct == CONSTRUCT_master;
}

/* LLVM's runtime reports a region's last barrier as implicit, and as the implementation's of those that
 * gcc's code calls, explicit ones too, and of those in reductions and copyprivate. */
static bool is_implementation(const struct checker *checker, uint32_t region) {
  return region != CHECK_NO_REGION && detail_has(&checker->trace->regions[region], "barrier_implementation");
}

static bool is_same_place(const struct checker *checker, uint32_t one, uint32_t other) {
  if (one == CHECK_NO_REGION || other == CHECK_NO_REGION)
    return false;
  const struct trace_region *a = &checker->trace->regions[one], *b = &checker->trace->regions[other];
  return a->begin_line == b->begin_line && strcmp(a->file, b->file) == 0;
}

/* Where the loop of the construct begins: in the line below the directive. */
static bool loop_begins_at(const struct checker *checker, uint32_t region, uint32_t barrier) {
  const struct trace_region *a = &checker->trace->regions[region], *b = &checker->trace->regions[barrier];
  return b->begin_line == a->begin_line + 1 && strcmp(a->file, b->file) == 0;
}

/* A barrier at the place of another construct: no directive is there, so gcc's compiler has made it, such as
 * those between the parts of a loop with an inscan reduction, before one with linear, or at the end of scope.
 */
static bool is_compilers(const struct checker *checker, uint32_t barrier) {
  if (barrier == CHECK_NO_REGION || replay_construct(checker->replay, barrier) != CONSTRUCT_barrier)
    return false;
  for (uint32_t i = 0; i < checker->trace->region_count; i++) {
    enum construct construct = replay_construct(checker->replay, i);
    bool has_loop = is_worksharing(construct) || construct == CONSTRUCT_parallel;
    if ((has_loop && loop_begins_at(checker, i, barrier)) ||
        ((has_loop || construct == CONSTRUCT_implicit_barrier) && is_same_place(checker, i, barrier)))
      return true;
  }
  return false;
}

static bool has_rule_of_nesting(enum construct inner) {
  return is_worksharing(inner) || inner == CONSTRUCT_barrier || inner == CONSTRUCT_ordered ||
         is_masked(inner);
}

static bool forbids_inside(enum construct outer, enum construct inner) {
  if (construct_class(outer) == CONSTRUCT_CLASS_task || outer == CONSTRUCT_taskloop ||
      outer == CONSTRUCT_atomic)
    return true;
  if (is_worksharing(outer))
    return inner != CONSTRUCT_ordered;
  if (outer == CONSTRUCT_critical || outer == CONSTRUCT_ordered)
    return !is_masked(inner);
  return is_masked(outer) && inner != CONSTRUCT_ordered && !is_masked(inner);
}

/* A barrier that may be gcc's own or that of a worksharing region: neither may be where it is looked for. */
static enum construct nested_construct(const struct checker *checker, const struct trace_event *event,
                                       enum construct construct) {
  bool may_be_explicit = construct == CONSTRUCT_implicit_barrier &&
                         is_implementation(checker, checker_region(checker, event->Enter.region));
  return may_be_explicit ? CONSTRUCT_barrier : construct;
}

/* A target region that runs on the host: worksharing and barriers in it are no matter of the team around it.
 */
static bool is_in_target(const struct replay_task *task) {
  for (uint32_t i = task->frame_count; i-- > 0 && task->frames[i].construct != CONSTRUCT_parallel;)
    if (task->frames[i].construct == CONSTRUCT_target)
      return true;
  return false;
}

static void check_nesting(struct checker *checker, const struct trace_event *event,
                          const struct replay_task *task, enum construct entered) {
  enum construct construct = nested_construct(checker, event, entered);
  uint32_t count = has_rule_of_nesting(construct) ? task->frame_count : 0;
  for (uint32_t i = count; i-- > 0 && task->frames[i].construct != CONSTRUCT_parallel &&
                           task->frames[i].construct != CONSTRUCT_target;) {
    if (!forbids_inside((enum construct)task->frames[i].construct, construct))
      continue;
    struct check_finding *found =
        checker_find(checker, CHECK_NESTING, event->location, event->ticks,
                     checker_region(checker, event->Enter.region), task->frames[i].region);
    if (found)
      snprintf(found->detail, sizeof found->detail, "it is nested in %s",
               checker_name(checker, task->frames[i].region));
    return;
  }
}

/* The writer ends a worksharing region where its task goes on to another one or a barrier, as some never end;
 * when the end comes after all, the other one was inside. */
static void note_follower(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  uint32_t region = checker_region(checker, event->Enter.region);
  if (here->left_work == CHECK_NO_REGION || here->left_ticks != event->ticks)
    return;
  bool is_sections = replay_construct(checker->replay, here->left_work) == CONSTRUCT_sections;
  here->followed[here->followed_count++ % FOLLOWED_MAX] =
      (struct followed){here->left_work, region, is_sections && !here->has_section};
}

static void note_section(struct checker *checker, const struct trace_event *event, enum construct construct) {
  struct location_state *here = &checker->locations[event->location];
  if (construct == CONSTRUCT_sections)
    here->sections <<= 1;
  else if (construct == CONSTRUCT_section)
    here->sections |= 1;
}

static bool has_sections(const struct checker *checker) {
  for (uint32_t i = 0; i < checker->trace->region_count; i++)
    if (replay_construct(checker->replay, i) == CONSTRUCT_section)
      return true;
  return false;
}

/* A program's barrier is in one of the sections, whose beginnings some runtimes report: what comes before
 * the first one is gcc's, where it has copied objects into firstprivate variables. */
static bool is_before_sections(const struct checker *checker, const struct followed *followed) {
  return followed->is_before_sections && has_sections(checker);
}

void check_teams_on_leave(struct checker *checker, const struct trace_event *event,
                          enum construct construct) {
  struct location_state *here = &checker->locations[event->location];
  here->left_work =
      is_worksharing(construct) ? checker_region(checker, event->Leave.region) : CHECK_NO_REGION;
  here->left_ticks = event->ticks;
  if (construct != CONSTRUCT_sections)
    return;
  here->has_section = here->sections & 1;
  here->sections >>= 1;
}

static void check_late_end(struct checker *checker, const struct trace_event *event) {
  const struct location_state *here = &checker->locations[event->location];
  uint32_t late = checker_region(checker, event->Enter.region);
  struct followed known = {CHECK_NO_REGION, late, false};
  unsigned count = here->followed_count < FOLLOWED_MAX ? here->followed_count : FOLLOWED_MAX;
  for (unsigned i = 1; i <= count && known.work == CHECK_NO_REGION; i++) {
    const struct followed *followed = &here->followed[(here->followed_count - i) % FOLLOWED_MAX];
    if (is_same_place(checker, followed->work, late))
      known = *followed;
  }
  if (is_compilers(checker, known.follower) || is_before_sections(checker, &known))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_NESTING, event->location, event->ticks, known.follower, known.work);
  if (found)
    snprintf(found->detail, sizeof found->detail, "%s ended only after it: it is nested in that",
             checker_name(checker, known.work == CHECK_NO_REGION ? late : known.work));
}

/* -- order -- */

static struct team_state *state_of(struct checker *checker, const struct replay_team *team) {
  array_reserve_zeroed(&checker->teams, &checker->team_count, team->slot + 1, sizeof *checker->teams);
  struct team_state *state = &checker->teams[team->slot];
  if (state->id != team->id)
    *state = (struct team_state){
        .id = team->id, .regions = state->regions, .capacity = state->capacity, .threads = team->size};
  return state;
}

/* Where a region has the place of its team's parallel region, nobody knows which one it is: Stave names an
 * address in the runtime so, and LLVM's runtime gives a dynamic loop the parallel region's address now and
 * then. */
static bool has_place(const struct checker *checker, const struct replay_team *team, uint32_t region) {
  if (team->region == REPLAY_NONE || region == CHECK_NO_REGION)
    return true;
  const struct trace_region *parallel = &checker->trace->regions[team->region],
                            *found = &checker->trace->regions[region];
  return found->begin_line != parallel->begin_line || strcmp(found->file, parallel->file) != 0;
}

/* Where the compiler makes several copies of the code that one of its own barriers is in, their lines
 * differ. */
static bool is_compilers_copy(const struct checker *checker, uint32_t one, uint32_t other) {
  return replay_construct(checker->replay, one) == CONSTRUCT_barrier &&
         replay_construct(checker->replay, other) == CONSTRUCT_barrier &&
         (is_compilers(checker, one) || is_compilers(checker, other));
}

/* Regions of one place in the source may have several definitions. */
static bool is_same(const struct checker *checker, const struct replay_team *team, uint32_t one,
                    uint32_t other) {
  if (one == other)
    return true;
  if (one == CHECK_NO_REGION || other == CHECK_NO_REGION)
    return false;
  bool is_implicit = replay_construct(checker->replay, one) == CONSTRUCT_implicit_barrier;
  if (is_implicit && replay_construct(checker->replay, other) == CONSTRUCT_implicit_barrier)
    return is_implementation(checker, one) == is_implementation(checker, other);
  if (!is_implicit && has_place(checker, team, one) && has_place(checker, team, other))
    return strcmp(checker->trace->regions[one].name, checker->trace->regions[other].name) == 0 ||
           is_compilers_copy(checker, one, other);
  return replay_construct(checker->replay, one) == replay_construct(checker->replay, other);
}

static void drop_first(struct team_state *team) {
  while (team->count > 0 && team->regions[0].threads == team->threads) {
    memmove(team->regions, team->regions + 1, --team->count * sizeof *team->regions);
    team->base++;
  }
}

static void add_region(struct checker *checker, const struct trace_event *event,
                       const struct replay_team *replayed, struct team_state *team, struct task_state *task) {
  uint32_t region = checker_region(checker, event->Enter.region);
  uint64_t place = task->encountered++ - team->base;
  if (place == team->count) {
    array_reserve(&team->regions, &team->capacity, team->count + 1, sizeof *team->regions);
    team->regions[team->count++] = (struct region_round){region, 1};
    drop_first(team);
    return;
  }
  if (place > team->count)
    return;
  struct region_round *regions = &team->regions[place];
  if (is_same(checker, replayed, regions->region, region)) {
    regions->threads++;
    regions->region = has_place(checker, replayed, region) ? region : regions->region;
    drop_first(team);
    return;
  }
  team->is_given_up = true;
  struct check_finding *found =
      checker_find(checker, CHECK_TEAM_ORDER, event->location, event->ticks, region, regions->region);
  if (found)
    snprintf(found->detail, sizeof found->detail,
             "this thread encountered %s where another one of its team encountered %s",
             checker_name(checker, region), checker_name(checker, regions->region));
}

void check_teams_on_enter(struct checker *checker, const struct trace_event *event,
                          enum construct construct) {
  const struct replay_task *task = replay_current_task(checker->replay, event->location);
  const struct replay_team *team = replay_current_team(checker->replay, event->location);
  bool is_in_source = is_worksharing(construct) || construct == CONSTRUCT_barrier;
  if (construct == CONSTRUCT_cancel && team && checks(checker, CHECK_TEAM_ORDER))
    state_of(checker, team)->is_given_up =
        true; /* a cancelled thread goes past what the others still encounter */
  if (construct == CONSTRUCT_late_end && checks(checker, CHECK_NESTING))
    check_late_end(checker, event);
  note_section(checker, event, construct);
  if (checks(checker, CHECK_NESTING))
    check_nesting(checker, event, task, construct);
  if (!is_in_source && construct != CONSTRUCT_implicit_barrier)
    return;
  note_follower(checker, event);
  if (!checks(checker, CHECK_TEAM_ORDER) || !team || team->size < 2 || !task->is_implicit ||
      is_in_target(task))
    return;
  struct task_state *state = checker_task(checker, task);
  struct team_state *known = state_of(checker, team);
  if (!known->is_given_up)
    add_region(checker, event, team, known, state);
}

static void joined(struct checker *checker, const struct replay_team_event *step) {
  struct team_state *team = state_of(checker, step->team);
  if (team->count == 0 || team->is_given_up || step->team->started < team->threads)
    return;
  struct check_finding *found = checker_find(checker, CHECK_TEAM_ORDER, step->location, step->ticks,
                                             team->regions[0].region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "only %u of %u threads of the team encountered it",
             team->regions[0].threads, team->threads);
}

void check_teams_on_step(struct checker *checker, const struct replay_team_event *step) {
  if (step->step == REPLAY_TEAM_END && step->task)
    check_tasks_end_implicit(checker, step->task);
  else if (step->step == REPLAY_TEAM_JOINED && checks(checker, CHECK_TEAM_ORDER))
    joined(checker, step);
}

void check_teams_close(struct checker *checker) {
  for (size_t i = 0; i < checker->team_count; i++)
    free(checker->teams[i].regions);
  free(checker->teams);
}
