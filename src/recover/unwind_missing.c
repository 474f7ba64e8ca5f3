#include "recover/unwind_missing.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "recover/unwind_ends.h"

enum { DEPTH_MAX = 64 };

static bool is_over(const struct unwind *unwind, uint32_t index) {
  return index < unwind->source.location_count && unwind->locations[index].is_over;
}

static const uint32_t *members_of(const struct unwind *unwind, uint32_t comm, size_t *ret_count) {
  return definitions_comm_members(unwind->source.definitions, comm, ret_count);
}

static struct trace_event enter(uint32_t region) {
  return (struct trace_event){.kind = TRACE_Enter, .Enter = {region}};
}

static struct trace_event leave(const struct open_location *location) {
  const struct open_task *task = location->levels[location->count - 1].current;
  return (struct trace_event){.kind = TRACE_Leave, .Leave = {task->regions[task->count - 1]}};
}

/* -- teams -- */

static void begin_team(struct unwind *unwind, uint32_t index, uint32_t comm, uint32_t region,
                       uint64_t ticks) {
  unwind_act(unwind, index, ticks,
             (struct trace_event){.kind = TRACE_ThreadTeamBegin, .ThreadTeamBegin = {comm}});
  unwind_act(unwind, index, ticks, enter(region));
}

static void end_above(struct unwind *unwind, uint32_t index, size_t count, uint64_t ticks) {
  struct open_location *location = &unwind->locations[index];
  unwind_flush_pending(unwind, index);
  if (location->count > count)
    unwind_end_through(unwind, index, &location->levels[count], ticks);
}

/* Who works in a team of others is in none besides. */
static void join_team(struct unwind *unwind, uint32_t index, const struct level *team, uint64_t ticks) {
  if (unwind_instances(unwind, team->comm, index) >= team->instance)
    return;
  end_above(unwind, index, 1, ticks);
  begin_team(unwind, index, team->comm, team->region, ticks);
}

static void gather_members(struct unwind *unwind, uint32_t primary, uint64_t ticks) {
  struct level team = *unwind_top(&unwind->locations[primary]);
  size_t count;
  const uint32_t *members = members_of(unwind, team.comm, &count);
  for (size_t i = 0; i < count; i++)
    if (members[i] != primary && is_over(unwind, members[i]))
      join_team(unwind, members[i], &team, ticks);
}

/* How many of the location's levels the team of `comm` leaves open: those up to the one of its parent. */
static size_t levels_around(const struct open_location *location, uint32_t parent) {
  for (size_t i = location->count; i-- > 1;)
    if (location->levels[i].comm == parent)
      return i + 1;
  return 1;
}

static void fork_team(struct unwind *unwind, uint32_t comm, uint32_t region, uint64_t ticks, unsigned depth) {
  size_t count;
  const uint32_t *members = members_of(unwind, comm, &count);
  uint32_t parent = definitions_comm_parent(unwind->source.definitions, comm);
  uint32_t primary = members[0];
  struct open_location *location = &unwind->locations[primary];
  end_above(unwind, primary, levels_around(location, parent), ticks);
  if (parent != COMM_UNKNOWN && unwind_top(location)->comm != parent) {
    size_t outer_count;
    const uint32_t *outer = members_of(unwind, parent, &outer_count);
    if (outer_count > 0 && is_over(unwind, outer[0]) && depth < DEPTH_MAX)
      fork_team(unwind, parent, region, ticks, depth + 1);
  }
  unwind_act(
      unwind, primary, ticks,
      (struct trace_event){.kind = TRACE_ThreadFork, .ThreadFork = {OTF2_PARADIGM_OPENMP, (uint32_t)count}});
  begin_team(unwind, primary, comm, region, ticks);
  gather_members(unwind, primary, ticks);
}

/* The location has entered its team's region. */
static void on_team_entered(struct unwind *unwind, uint32_t index, uint64_t ticks) {
  const struct level *team = unwind_top(&unwind->locations[index]);
  size_t count;
  const uint32_t *members = members_of(unwind, team->comm, &count);
  if (team->is_forked)
    gather_members(unwind, index, ticks);
  else if (count > 0 && members[0] != index && is_over(unwind, members[0]) &&
           unwind_instances(unwind, team->comm, members[0]) < team->instance)
    fork_team(unwind, team->comm, team->region, ticks, 0);
}

/* The team's primary is over: its team ends when all others have left it. */
static void end_if_left(struct unwind *unwind, uint32_t comm, uint64_t instance, uint64_t ticks) {
  size_t count, others = 0;
  const uint32_t *members = members_of(unwind, comm, &count);
  struct level *team = count > 0 && is_over(unwind, members[0])
                           ? unwind_level(&unwind->locations[members[0]], comm, instance)
                           : NULL;
  for (size_t i = 1; i < count && team; i++)
    if (members[i] < unwind->source.location_count && !unwind->locations[members[i]].is_over) {
      others++;
      if (unwind_instances(unwind, comm, members[i]) < instance ||
          unwind_level(&unwind->locations[members[i]], comm, instance))
        return;
    }
  if (!team || others == 0)
    return;
  end_above(unwind, members[0], (size_t)(team - unwind->locations[members[0]].levels), ticks);
}

/* -- tasks and locks -- */

static uint32_t region_of_tasks(struct unwind *unwind) {
  struct regions *regions = unwind->source.regions;
  size_t count;
  regions_all(regions, &count);
  for (uint32_t i = 0; i < count && unwind->create_region == REGION_NONE; i++)
    if (regions_is(regions, i, CONSTRUCT_create_task))
      unwind->create_region = i;
  if (unwind->create_region == REGION_NONE)
    unwind->create_region = regions_get(regions, CONSTRUCT_create_task, 0, 0);
  return unwind->create_region;
}

/* Numbers of tasks rise on the location that makes them. */
static void make_task(struct unwind *unwind, uint32_t comm, uint32_t thread, uint32_t generation,
                      uint64_t ticks) {
  size_t count;
  const uint32_t *members = members_of(unwind, comm, &count);
  bool is_made = generation == 0 || thread >= count || !is_over(unwind, members[thread]) ||
                 generation <= unwind->locations[members[thread]].created;
  struct open_task *task = is_made ? NULL : unwind_task(unwind, comm, thread, generation);
  if (!task || task->is_created)
    return;
  task->is_created = true;
  task->location = members[thread];
  unwind_flush_pending(unwind, members[thread]);
  unwind_act(unwind, members[thread], ticks, enter(region_of_tasks(unwind)));
  unwind_act(
      unwind, members[thread], ticks,
      (struct trace_event){.kind = TRACE_ThreadTaskCreate, .ThreadTaskCreate = {comm, thread, generation}});
  unwind_act(unwind, members[thread], ticks, leave(&unwind->locations[members[thread]]));
}

/* An untied task that goes on here has been left where it was. */
static void leave_task_elsewhere(struct unwind *unwind, uint32_t index, const struct open_task *task,
                                 uint64_t ticks) {
  if (!task || !task->running || task->location == index || !is_over(unwind, task->location) ||
      unwind_top(&unwind->locations[task->location])->current != task)
    return;
  unwind_flush_pending(unwind, task->location);
  unwind_switch_to_own(unwind, task->location, ticks);
}

static void on_task(struct unwind *unwind, uint32_t index, uint64_t ticks, uint32_t comm, uint32_t thread,
                    uint32_t generation) {
  make_task(unwind, comm, thread, generation, ticks);
  if (generation > 0)
    leave_task_elsewhere(unwind, index, unwind_known_task(unwind, comm, thread, generation), ticks);
}

struct acquirer {
  struct unwind *unwind;
  uint32_t location;
};

/* The release was at the latest now. It is where the location was seen last: its team may have ended since,
 * and nobody knows yet that it has. */
static void add_release(void *data, const struct trace_event *release) {
  const struct acquirer *acquirer = data;
  uint32_t owner = (uint32_t)release->location;
  if (owner == acquirer->location || !is_over(acquirer->unwind, owner))
    return;
  unwind_flush_pending(acquirer->unwind, owner);
  unwind_add_release(acquirer->unwind, owner, 0, release);
}

static void on_lock(struct unwind *unwind, uint32_t index, uint32_t lock) {
  unwind_held_releases(&unwind->held, lock, add_release, &(struct acquirer){unwind, index});
}

/* -- events -- */

static void end_members(struct unwind *unwind, uint32_t primary, uint64_t ticks) {
  struct level team = *unwind_top(&unwind->locations[primary]);
  size_t count;
  const uint32_t *members = members_of(unwind, team.comm, &count);
  ticks = team.barrier_ticks ? team.barrier_ticks : ticks;
  for (size_t i = 0; i < count && team.is_forked; i++) {
    const struct level *level = members[i] != primary && is_over(unwind, members[i])
                                    ? unwind_level(&unwind->locations[members[i]], team.comm, team.instance)
                                    : NULL;
    if (level)
      end_above(unwind, members[i], (size_t)(level - unwind->locations[members[i]].levels), ticks);
  }
}

void unwind_missing_before(struct unwind *unwind, const struct trace_event *event) {
  uint32_t index = (uint32_t)event->location;
  if (unwind->over_count == 0)
    return;
  switch ((unsigned)event->kind) { /* what others must have had a part in */
  case TRACE_ThreadTeamEnd:
    end_members(unwind, index, event->ticks);
    return;
  case TRACE_ThreadTaskSwitch:
    on_task(unwind, index, event->ticks, event->ThreadTaskSwitch.comm, event->ThreadTaskSwitch.thread,
            event->ThreadTaskSwitch.generation);
    return;
  case TRACE_ThreadTaskComplete:
    on_task(unwind, index, event->ticks, event->ThreadTaskComplete.comm, event->ThreadTaskComplete.thread,
            event->ThreadTaskComplete.generation);
    return;
  case TRACE_ThreadAcquireLock:
    on_lock(unwind, index, event->ThreadAcquireLock.lock);
    return;
  }
}

void unwind_missing_after(struct unwind *unwind, const struct trace_event *event, const struct level *ended) {
  uint32_t index = (uint32_t)event->location;
  const struct level *level = unwind_top(&unwind->locations[index]);
  if (unwind->over_count == 0)
    return;
  if (event->kind == TRACE_Enter && level->comm != OTF2_UNDEFINED_COMM && level->current == level->own &&
      level->own->count == 1)
    on_team_entered(unwind, index, event->ticks);
  if (event->kind == TRACE_ThreadTeamEnd && !ended->is_forked)
    end_if_left(unwind, ended->comm, ended->instance, event->ticks);
}

/* -- locations of which nothing more comes -- */

/* Its team has ended on the primary, which has come first. */
static void end_with_primary(struct unwind *unwind, uint32_t index) {
  struct open_location *location = &unwind->locations[index];
  for (size_t i = 1; i < location->count; i++) {
    const struct level *level = &location->levels[i];
    const struct team_end *end = level->is_forked ? NULL : unwind_end_of(unwind, level->comm);
    if (end && end->count >= level->instance) {
      end_above(unwind, index, i, end->ticks);
      return;
    }
  }
}

/* Now: its own last event may have been before they were forked. */
static void join_open_teams(struct unwind *unwind, uint32_t index) {
  for (uint32_t i = 0; i < unwind->source.location_count; i++)
    for (size_t k = 1; i != index && k < unwind->locations[i].count; k++) {
      struct level team = unwind->locations[i].levels[k];
      size_t count, rank = 0;
      const uint32_t *members = members_of(unwind, team.comm, &count);
      while (rank < count && members[rank] != index)
        rank++;
      if (team.is_forked && team.region != OTF2_UNDEFINED_REGION && rank < count)
        join_team(unwind, index, &team, unwind->ticks);
    }
}

void unwind_missing_over(struct unwind *unwind, uint32_t index) {
  struct open_location *location = &unwind->locations[index];
  location->is_over = true;
  unwind->over_count++;
  end_with_primary(unwind, index);
  for (size_t i = location->count; i-- > 1;) {
    struct level team = i < location->count ? location->levels[i] : (struct level){0};
    if (team.is_forked)
      end_if_left(unwind, team.comm, team.instance, location->ticks);
  }
  join_open_teams(unwind, index);
}

/* -- the program -- */

/* A text as application_quote makes it: one word after another, without its quotes, in its place. */
static char *next_word(char **rest) {
  char *word = *rest, *to = word, *from = word;
  for (bool is_quoted = false; *from && (is_quoted || *from != ' '); from++)
    if (*from == '\'')
      is_quoted = !is_quoted;
    else if (*from == '\\' && !is_quoted && from[1])
      *to++ = *++from;
    else
      *to++ = *from;
  *rest = *from ? from + 1 : from;
  *to = '\0';
  return word;
}

/* The first word is the program's own name. Returns the others' numbers, which the caller frees. */
static uint32_t *find_arguments(struct unwind *unwind, uint32_t *ret_count) {
  char *text = strdup(unwind->source.arguments), *rest = text;
  uint32_t *numbers = NULL;
  size_t capacity = 0;
  *ret_count = 0;
  if (!text)
    return NULL;
  next_word(&rest);
  while (*rest) {
    array_reserve_zeroed(&numbers, &capacity, *ret_count + 1, sizeof *numbers);
    numbers[(*ret_count)++] = definitions_string(unwind->source.definitions, next_word(&rest));
  }
  free(text);
  return numbers;
}

static void begin_program(struct unwind *unwind, uint64_t ticks) {
  uint32_t count;
  uint32_t *arguments = find_arguments(unwind, &count);
  uint32_t name = definitions_string(unwind->source.definitions, regions_program(unwind->source.regions));
  unwind_act(unwind, 0, ticks,
             (struct trace_event){.kind = TRACE_ProgramBegin, .ProgramBegin = {name, count, arguments}});
  unwind_flush_pending(unwind, 0);
  free(arguments);
}

void unwind_missing_begin(struct unwind *unwind, uint64_t ticks) {
  for (size_t i = 0; i < unwind->source.location_count; i++)
    if (unwind->locations[i].events_left == 0) {
      unwind->locations[i].is_over = true;
      unwind->over_count++;
    }
  if (is_over(unwind, 0))
    begin_program(unwind, ticks);
}

void unwind_missing_end(struct unwind *unwind) {
  for (uint32_t i = 0; i < unwind->source.location_count; i++)
    if (unwind->locations[i].last != TRACE_Enter)
      unwind_flush_pending(unwind, i);
}
