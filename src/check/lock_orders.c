/* Orders in which locks are acquired: two threads or more that could wait for each other in a circle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/checker.h"

/* Programs with very many pairs of locks are checked up to here. */
enum { EDGES_MAX = 1 << 20, CYCLE_MAX = 16 };

/* -- phases -- */

static bool is_cancel(const struct checker *checker, const struct trace_event *event) {
  return event->kind == TRACE_Enter &&
         replay_construct(checker->replay, checker_region(checker, event->Enter.region)) == CONSTRUCT_cancel;
}

void check_lock_orders_before_event(struct checker *checker, const struct trace_event *event) {
  struct location_state *here = &checker->locations[event->location];
  size_t primary;
  const struct replay_team *team = replay_outermost_team(checker->replay, event->location, &primary);
  checker->has_no_phases |= event->kind == TRACE_MeasurementOnOff || is_cancel(checker, event);
  if (team && here->team != team->id) {
    here->team = team->id;
    here->barriers = 0;
  }
}

/* All members of the outermost team have to come before one goes on: the barriers of teams inside of it do
 * not count. */
void check_lock_orders_on_barrier(struct checker *checker, const struct replay_barrier_event *event) {
  struct location_state *here = &checker->locations[event->location];
  size_t primary;
  const struct replay_team *outermost = replay_outermost_team(checker->replay, event->location, &primary);
  if (event->step == REPLAY_BARRIER_LEFT && outermost == event->team)
    here->barriers++;
}

static struct phase phase_of(const struct checker *checker, size_t location) {
  const struct location_state *here = &checker->locations[location];
  size_t primary;
  const struct replay_team *team = replay_outermost_team(checker->replay, location, &primary);
  bool is_serial = replay_current_team(checker->replay, location) == NULL;
  if (checker->has_no_phases || (!team && !is_serial))
    return (struct phase){.primary = SIZE_MAX};
  if (is_serial)
    return (struct phase){location, here->team, UINT64_MAX};
  return (struct phase){primary, team->id, here->team == team->id ? here->barriers : 0};
}

/* Whether the one ends before the other begins; false: that is not known. */
static bool is_before(const struct phase *one, const struct phase *other) {
  if (one->primary == SIZE_MAX || one->primary != other->primary)
    return false;
  return one->team != other->team ? one->team < other->team : one->barriers < other->barriers;
}

/* An order is contradicted by the opposite one in a phase of both. Phases with one primary thread come one
 * after another, so that the last one of the opposite order decides; where it had several primaries, not. */
static void mark_opposite(struct checker *checker, struct lock_edge *edge) {
  struct lock_edge *opposite = pair_map_get(&checker->edges, edge->second, edge->first);
  if (!opposite || is_before(&opposite->last_phase, &edge->last_phase))
    return;
  edge->is_concurrent = opposite->is_concurrent = true;
}

static void note_phase(struct checker *checker, struct lock_edge *edge, size_t location) {
  struct phase phase = phase_of(checker, location);
  bool is_first = edge->count == 1;
  if (!is_first && phase.primary != edge->last_phase.primary)
    phase.primary = edge->first_phase.primary = SIZE_MAX;
  edge->first_phase = is_first ? phase : edge->first_phase;
  edge->last_phase = phase;
  mark_opposite(checker, edge);
}

/* -- orders -- */

static struct lock_edge *new_edge(struct checker *checker, const struct held_by_task *held, uint64_t second) {
  struct lock_state *lock = check_locks_state(checker, held->lock);
  if (checker->edge_count == EDGES_MAX)
    return NULL;
  struct lock_edge *edge = memory_get(1, sizeof *edge);
  pair_map_put(&checker->edges, held->lock, second, edge);
  checker->edge_count++;
  edge->next_of_first = lock->edges;
  return lock->edges = edge;
}

static void keep_common_gates(struct lock_edge *edge, const struct task_state *task) {
  for (size_t i = 0; i < task->hold_count && edge->gate_count < sizeof edge->gates / sizeof *edge->gates; i++)
    if (task->holds[i].lock != edge->first && task->holds[i].lock != edge->second)
      edge->gates[edge->gate_count++] = task->holds[i].lock;
}

static bool holds(const struct task_state *task, uint64_t lock) {
  for (size_t i = 0; i < task->hold_count; i++)
    if (task->holds[i].lock == lock)
      return true;
  return false;
}

static void keep_gates(struct lock_edge *edge, const struct task_state *task) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < edge->gate_count; i++)
    if (holds(task, edge->gates[i]))
      edge->gates[kept++] = edge->gates[i];
  edge->gate_count = kept;
}

static void note_thread(struct lock_edge *edge, size_t location) {
  for (uint32_t i = 0; i < edge->thread_count; i++)
    if (edge->threads[i] == location)
      return;
  if (edge->thread_count == EDGE_THREADS)
    edge->has_more_threads = true;
  else
    edge->threads[edge->thread_count++] = location;
}

/* Who only tests a lock does not wait for it. */
static bool is_test(const struct checker *checker, uint32_t region) {
  enum construct construct = replay_construct(checker->replay, region);
  return construct == CONSTRUCT_test_lock || construct == CONSTRUCT_test_nest_lock ||
         (region < checker->trace->region_count && checker->tests[region]);
}

void check_lock_orders_note(struct checker *checker, const struct task_state *task,
                            const struct held_by_task *held, const struct replay_lock_event *step) {
  struct lock_edge *edge = pair_map_get(&checker->edges, held->lock, step->lock);
  if (is_test(checker, step->region))
    return;
  if (edge) {
    edge->count++;
    if (is_test(checker, edge->second_region)) {
      edge->first_region = held->region;
      edge->second_region = step->region;
    }
    note_thread(edge, step->location);
    note_phase(checker, edge, step->location);
    keep_gates(edge, task);
    return;
  }
  edge = new_edge(checker, held, step->lock);
  if (!edge)
    return;
  struct lock_edge *next = edge->next_of_first;
  *edge = (struct lock_edge){.first = held->lock,
                             .second = step->lock,
                             .first_region = held->region,
                             .second_region = step->region,
                             .count = 1,
                             .ticks = step->ticks,
                             .threads = {step->location},
                             .thread_count = 1,
                             .next_of_first = next};
  note_phase(checker, edge, step->location);
  keep_common_gates(edge, task);
}

/* -- cycles of orders -- */

static bool has_common_gate(const struct lock_edge *one, const struct lock_edge *other) {
  for (uint32_t i = 0; i < one->gate_count; i++)
    for (uint32_t j = 0; j < other->gate_count; j++)
      if (one->gates[i] == other->gates[j])
        return true;
  return false;
}

/* Which of the orders in a circle each thread represents. */
struct assignment {
  const struct lock_edge *const *edges;
  uint32_t length;
  bool is_tried[CYCLE_MAX];    /* by order */
  size_t thread_of[CYCLE_MAX]; /* by order; SIZE_MAX: none yet */
};

/* Gives the order a thread, moving others on to another one of theirs where it has to. */
static bool assign(struct assignment *assignment, uint32_t order) {
  const struct lock_edge *edge = assignment->edges[order];
  assignment->is_tried[order] = true;
  for (uint32_t i = 0; i < edge->thread_count; i++) {
    uint32_t owner = 0;
    while (owner < assignment->length && assignment->thread_of[owner] != edge->threads[i])
      owner++;
    if (owner < assignment->length && (assignment->is_tried[owner] || !assign(assignment, owner)))
      continue;
    assignment->thread_of[order] = edge->threads[i];
    return true;
  }
  return edge->has_more_threads;
}

/* A thread that waits in the circle is stopped, so a deadlock needs a different thread for each order. */
static bool has_a_thread_each(const struct lock_edge *const *edges, uint32_t length) {
  struct assignment assignment = {.edges = edges, .length = length};
  for (uint32_t i = 0; i < length; i++)
    assignment.thread_of[i] = SIZE_MAX;
  for (uint32_t i = 0; i < length; i++) {
    memset(assignment.is_tried, 0, sizeof assignment.is_tried);
    if (!assign(&assignment, i))
      return false;
  }
  return true;
}

static int describe_edge(const struct checker *checker, const struct lock_edge *edge, char *text,
                         size_t size) {
  return snprintf(text, size, "lock %s (%s) before lock %s (%s): %llu time%s",
                  check_lock_text(checker, edge->first).text, checker_name(checker, edge->first_region),
                  check_lock_text(checker, edge->second).text, checker_name(checker, edge->second_region),
                  (unsigned long long)edge->count, edge->count > 1 ? "s" : "");
}

static void find_pair(struct checker *checker, const struct lock_edge *one, const struct lock_edge *other) {
  if (one->first > one->second || !one->is_concurrent || is_test(checker, one->second_region) ||
      is_test(checker, other->second_region) || has_common_gate(one, other) ||
      !has_a_thread_each((const struct lock_edge *const[]){one, other}, 2))
    return;
  const struct lock_edge *later = one->ticks > other->ticks ? one : other;
  struct check_finding *found = checker_find(checker, CHECK_LOCK_ORDER, later->threads[0], later->ticks,
                                             one->second_region, other->second_region);
  int used = found ? describe_edge(checker, one, found->detail, sizeof found->detail) : 0;
  if (found && (size_t)used + 2 < sizeof found->detail) {
    memcpy(found->detail + used, "; ", 3);
    describe_edge(checker, other, found->detail + used + 2, sizeof found->detail - (size_t)used - 2);
  }
}

/* Three or more locks in a circle: the shortest way from each lock back to itself, by increasing numbers, so
 * that each circle is found once, from its lowest lock. */
struct circle_search {
  struct checker *checker;
  const struct lock_edge *path[CYCLE_MAX];
  uint32_t length, steps;
};

enum { SEARCH_STEPS_MAX = 100000 };

/* One of the orders was over before another one came up. */
static bool is_apart(const struct lock_edge *const *edges, uint32_t length) {
  for (uint32_t i = 0; i < length; i++)
    for (uint32_t j = 0; j < length; j++)
      if (is_before(&edges[i]->last_phase, &edges[j]->first_phase))
        return true;
  return false;
}

static void find_circle(struct circle_search *search) {
  const struct lock_edge *last = search->path[search->length - 1];
  for (uint32_t i = 0; i + 1 < search->length; i++)
    if (has_common_gate(search->path[i], last))
      return;
  if (is_apart(search->path, search->length) || !has_a_thread_each(search->path, search->length))
    return;
  struct check_finding *found = checker_find(search->checker, CHECK_LOCK_ORDER, last->threads[0], last->ticks,
                                             search->path[0]->second_region, last->second_region);
  int used =
      found ? snprintf(found->detail, sizeof found->detail, "a circle of %u locks:", search->length) : 0;
  for (uint32_t i = 0; found && i < search->length && (size_t)used < sizeof found->detail; i++)
    used += snprintf(found->detail + used, sizeof found->detail - (size_t)used, "%s %s, then %s at %s",
                     i ? ";" : "", check_lock_text(search->checker, search->path[i]->first).text,
                     check_lock_text(search->checker, search->path[i]->second).text,
                     checker_name(search->checker, search->path[i]->second_region));
}

static void follow(struct circle_search *search, uint64_t start, const struct lock_state *lock) {
  for (const struct lock_edge *edge = lock ? lock->edges : NULL; edge; edge = edge->next_of_first) {
    if (edge->second < start || is_test(search->checker, edge->second_region) ||
        search->length == CYCLE_MAX || ++search->steps > SEARCH_STEPS_MAX)
      continue;
    bool is_known = false;
    for (uint32_t i = 0; i < search->length; i++)
      is_known |= search->path[i]->first == edge->second && edge->second != start;
    if (is_known)
      continue;
    search->path[search->length++] = edge;
    if (edge->second != start)
      follow(search, start, pair_map_get(&search->checker->locks, edge->second, 0));
    else if (search->length > 2)
      find_circle(search);
    search->length--;
  }
}

void check_lock_orders_finish(struct checker *checker) {
  struct circle_search search = {.checker = checker};
  for (struct lock_state *lock = checker->all_locks; lock; lock = lock->next) {
    for (struct lock_edge *edge = lock->edges; edge; edge = edge->next_of_first) {
      const struct lock_edge *other = pair_map_get(&checker->edges, edge->second, edge->first);
      if (other)
        find_pair(checker, edge, other);
    }
    follow(&search, lock->lock, lock);
  }
}
