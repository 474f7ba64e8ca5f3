/* The life of locks, which are known by their addresses: initialised once before they are used, released by
 * who holds them, free when they are destroyed and when the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/checker.h"
#include "stave/names.h"

/* -- locks by their address -- */

/* What is known of the lock at the address, which is made if there is nothing. */
static struct lock_memory *check_lock_memory(struct checker *checker, size_t location, uint64_t address) {
  uint64_t process = checker->trace->locations[location].group;
  struct lock_memory *memory = pair_map_get(&checker->lock_memories, process, address);
  if (memory)
    return memory;
  memory = memory_get(1, sizeof *memory);
  pair_map_put(&checker->lock_memories, process, address, memory);
  memory->lock = NO_LOCK;
  return memory;
}

bool check_attribute(const struct checker *checker, const struct trace_event *event, const char *name,
                     uint64_t *ret) {
  uint32_t count = trace_event_attribute_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    const struct trace_attribute *attribute = trace_attribute(checker->trace, value.attribute);
    if (!attribute || strcmp(attribute->name, name) != 0)
      continue;
    *ret = value.number;
    return true;
  }
  return false;
}

struct acquisition *check_lock_held(struct checker *checker, uint64_t number) {
  struct lock_state *lock = number != NO_LOCK ? pair_map_get(&checker->locks, number, 0) : NULL;
  struct acquisition *last = lock ? &lock->recent[lock->order % RECENT_MAX] : NULL;
  return last && last->order == lock->order && !last->is_released ? last : NULL;
}

static struct check_finding *find(struct checker *checker, enum check_rule rule,
                                  const struct trace_event *event, uint32_t region, uint32_t other) {
  return checks(checker, rule) ? checker_find(checker, rule, event->location, event->ticks, region, other)
                               : NULL;
}

static void describe(struct check_finding *found, const char *text) {
  if (found)
    snprintf(found->detail, sizeof found->detail, "%s", text);
}

/* -- initialised and destroyed -- */

/* The same line on the same thread may have encountered another variable, whose memory is used again. */
static void initialise(struct checker *checker, const struct trace_event *event, struct lock_memory *memory,
                       uint32_t region, bool is_nestable) {
  bool is_again = memory->state == LOCK_INITIALISED;
  bool is_likely_other = region == memory->region && event->location == memory->location;
  struct check_finding *found =
      is_again ? find(checker, CHECK_LOCK_INIT, event, region, memory->region) : NULL;
  if (found) {
    found->severity = is_likely_other ? CHECK_INFORMATION : found->severity;
    snprintf(found->detail, sizeof found->detail, "it was initialised in %s, and not destroyed since",
             checker_name(checker, memory->region));
  }
  memory->state = LOCK_INITIALISED;
  memory->is_nestable = is_nestable;
  memory->region = region;
  memory->location = event->location;
}

static void find_unfit(struct checker *checker, const struct trace_event *event,
                       const struct lock_memory *memory, uint32_t region, bool is_nestable) {
  if (memory->state == LOCK_UNKNOWN)
    describe(find(checker, CHECK_LOCK_UNINITIALISED, event, region, CHECK_NO_REGION),
             "it was never initialised");
  else if (memory->state == LOCK_DESTROYED)
    describe(find(checker, CHECK_LOCK_UNINITIALISED, event, region, memory->region),
             "it was destroyed before");
  else if (memory->is_nestable != is_nestable)
    describe(find(checker, CHECK_LOCK_UNINITIALISED, event, region, memory->region),
             is_nestable ? "it was initialised as a simple lock" : "it was initialised as a nestable lock");
}

static void find_destroyed(struct checker *checker, const struct acquisition *acquisition, size_t location,
                           uint64_t ticks, uint32_t region) {
  if (!checks(checker, CHECK_LOCK_DESTROYED))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_DESTROYED, location, ticks, region, acquisition->region);
  if (found)
    snprintf(found->detail, sizeof found->detail, "%s held it since %s",
             checker->trace->locations[acquisition->location].name,
             checker_name(checker, acquisition->region));
}

static void destroy(struct checker *checker, const struct trace_event *event, struct lock_memory *memory,
                    uint32_t region, bool is_nestable) {
  struct acquisition *holder = check_lock_held(checker, memory->lock);
  find_unfit(checker, event, memory, region, is_nestable);
  if (holder) {
    holder->is_destroyed = true;
    holder->destroyed_ticks = event->ticks;
    holder->destroyed_in = region;
    holder->destroyed_on = event->location;
  }
  memory->state = LOCK_DESTROYED;
  memory->region = region;
  memory->location = event->location;
  memory->lock = holder ? memory->lock : NO_LOCK;
}

/* -- set and unset -- */

static bool sets_nestable(enum construct construct) {
  return construct == CONSTRUCT_set_nest_lock || construct == CONSTRUCT_test_nest_lock;
}

void check_lock_acquired(struct checker *checker, const struct trace_event *event, uint64_t lock,
                         uint32_t region) {
  enum construct construct = replay_construct(checker->replay, region);
  bool is_nestable = sets_nestable(construct);
  bool is_routine = is_nestable || construct == CONSTRUCT_set_lock || construct == CONSTRUCT_test_lock;
  uint64_t address;
  if (!is_routine || !check_attribute(checker, event, "lock address", &address))
    return;
  struct lock_memory *memory = check_lock_memory(checker, event->location, address);
  find_unfit(checker, event, memory, region, is_nestable);
  memory->lock = lock;
}

/* The Enter of an unset that releases has no address: the lock is known by its acquisition. */
static void find_other_kind(struct checker *checker, const struct acquisition *acquisition,
                            bool is_nestable) {
  const struct trace_event *event = checker->event;
  const struct replay_frame *frame = replay_top_frame(checker->replay, event->location);
  if (sets_nestable(replay_construct(checker->replay, acquisition->region)) != is_nestable)
    describe(find(checker, CHECK_LOCK_UNINITIALISED, event, frame->region, acquisition->region),
             is_nestable ? "it was set as a simple lock" : "it was set as a nestable lock");
}

void check_lock_released(struct checker *checker, const struct replay_lock_event *step) {
  struct lock_state *lock = pair_map_get(&checker->locks, step->lock, 0);
  struct acquisition *acquisition = lock ? &lock->recent[step->order % RECENT_MAX] : NULL;
  const struct replay_frame *frame = replay_top_frame(checker->replay, step->location);
  uint64_t added;
  if (!acquisition || acquisition->order != step->order ||
      check_attribute(checker, checker->event, "added by the writer", &added))
    return;
  acquisition->is_released = true;
  bool is_routine =
      frame && (frame->construct == CONSTRUCT_unset_lock || frame->construct == CONSTRUCT_unset_nest_lock);
  if (is_routine)
    find_other_kind(checker, acquisition, frame->construct == CONSTRUCT_unset_nest_lock);
  if (is_routine && acquisition->task != step->task->id && checks(checker, CHECK_LOCK_OWNER)) {
    struct check_finding *found = checker_find(checker, CHECK_LOCK_OWNER, step->location, step->ticks,
                                               frame->region, acquisition->region);
    if (found)
      snprintf(found->detail, sizeof found->detail, "another task of %s held it since %s",
               checker->trace->locations[acquisition->location].name,
               checker_name(checker, acquisition->region));
  }
  /* the runtime may report a release late; but if its thread has done something else since the lock was
   * destroyed, it held the lock then */
  if (acquisition->is_destroyed &&
      checker->locations[step->location].prior_ticks > acquisition->destroyed_ticks)
    find_destroyed(checker, acquisition, acquisition->destroyed_on, acquisition->destroyed_ticks,
                   acquisition->destroyed_in);
}

/* Not only by the last acquisition: the runtime may report one after the next, which is over already. */
static bool is_held_by(struct checker *checker, const struct lock_memory *memory, uint64_t task) {
  const struct lock_state *lock =
      memory->lock != NO_LOCK ? pair_map_get(&checker->locks, memory->lock, 0) : NULL;
  for (size_t i = 0; lock && i < RECENT_MAX; i++)
    if (lock->recent[i].order && !lock->recent[i].is_released && lock->recent[i].task == task)
      return true;
  return false;
}

/* The region released nothing: the lock is still held, as a nestable one that was set several times, or
 * nobody held it. */
static void unset(struct checker *checker, const struct trace_event *event, const struct lock_memory *memory,
                  uint32_t region, bool is_nestable) {
  const struct acquisition *holder = check_lock_held(checker, memory->lock);
  const struct replay_task *task = replay_current_task(checker->replay, event->location);
  if (memory->state == LOCK_INITIALISED && memory->is_nestable != is_nestable)
    find_unfit(checker, event, memory, region, is_nestable);
  if (is_held_by(checker, memory, task->id))
    return;
  struct check_finding *found =
      find(checker, CHECK_LOCK_OWNER, event, region, holder ? holder->region : CHECK_NO_REGION);
  if (found && holder)
    snprintf(found->detail, sizeof found->detail, "another task of %s held it since %s",
             checker->trace->locations[holder->location].name, checker_name(checker, holder->region));
  else
    describe(found, "nobody held it");
}

void check_lock_routine(struct checker *checker, const struct trace_event *event, enum construct construct) {
  bool is_nestable = construct == CONSTRUCT_init_nest_lock || construct == CONSTRUCT_destroy_nest_lock ||
                     construct == CONSTRUCT_unset_nest_lock;
  uint32_t region = checker_region(checker, event->Enter.region);
  uint64_t address;
  bool is_init = construct == CONSTRUCT_init_lock || construct == CONSTRUCT_init_nest_lock;
  bool is_destroy = construct == CONSTRUCT_destroy_lock || construct == CONSTRUCT_destroy_nest_lock;
  bool is_unset = construct == CONSTRUCT_unset_lock || construct == CONSTRUCT_unset_nest_lock;
  bool is_known = is_init || is_destroy || is_unset || construct == CONSTRUCT_set_nest_lock;
  if (!is_known || !check_attribute(checker, event, "lock address", &address))
    return;
  struct lock_memory *memory = check_lock_memory(checker, event->location, address);
  if (is_init)
    initialise(checker, event, memory, region, is_nestable);
  else if (is_destroy)
    destroy(checker, event, memory, region, is_nestable);
  else if (is_unset)
    unset(checker, event, memory, region, is_nestable);
  else
    checker->locations[event->location].holds_requested =
        is_held_by(checker, memory, replay_current_task(checker->replay, event->location)->id);
}

/* Before libomp 19 a test of a lock is reported as a set: one that leaves without the lock. Who sets a
 * nestable one again acquires nothing either. */
void check_lock_routine_left(struct checker *checker, const struct trace_event *event) {
  const struct replay_frame *frame = replay_top_frame(checker->replay, event->location);
  bool is_simple = frame && frame->construct == CONSTRUCT_set_lock;
  bool is_nestable = frame && frame->construct == CONSTRUCT_set_nest_lock &&
                     !checker->locations[event->location].holds_requested;
  if ((is_simple || is_nestable) && frame->activity == ACTIVITY_LOCK_WAIT &&
      frame->region < checker->trace->region_count)
    checker->tests[frame->region] = true;
}

/* -- at the end -- */

static void finish_held(struct checker *checker, const struct lock_state *lock, bool has_finished) {
  const struct acquisition *last = &lock->recent[lock->order % RECENT_MAX];
  enum construct construct = replay_construct(checker->replay, last->region);
  bool is_routine = construct == CONSTRUCT_set_lock || construct == CONSTRUCT_test_lock ||
                    construct == CONSTRUCT_set_nest_lock || construct == CONSTRUCT_test_nest_lock;
  if (last->order != lock->order || last->is_released || !is_routine)
    return;
  if (last->is_destroyed) {
    find_destroyed(checker, last, last->destroyed_on, last->destroyed_ticks, last->destroyed_in);
    return;
  }
  if (!has_finished || !checks(checker, CHECK_LOCK_KEPT))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_KEPT, last->location, last->ticks, last->region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "lock %s was still held when the program had finished",
             check_lock_text(checker, lock->lock).text);
}

void check_lock_states_finish(struct checker *checker) {
  const char *ending = trace_archive_property(checker->trace, STAVE_PROPERTY_ENDING);
  bool has_finished = ending && strcmp(ending, "finalized") == 0 && !checker->result->is_partial;
  for (const struct lock_state *lock = checker->all_locks; lock; lock = lock->next)
    if (lock->acquisitions > 0)
      finish_held(checker, lock, has_finished);
}

void check_lock_states_close(struct checker *checker) {
  for (size_t i = 0; i < checker->lock_memories.capacity; i++)
    free(checker->lock_memories.entries[i].value);
  pair_map_free(&checker->lock_memories);
}
