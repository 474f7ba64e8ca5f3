/* Locks and critical sections: held while other tasks run, acquired in different orders, waited for at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"

/* Programs with very many pairs of locks are checked up to here. */
enum { EDGES_MOST = 1 << 20, CYCLE_MOST = 16 };

/* As the archive numbers it, which is by process. */
static uint32_t number_of(uint64_t lock) {
  return (uint32_t)lock;
}

static struct lock_state *lock_of(struct checker *checker, uint64_t number) {
  struct lock_state *lock = table_get(&checker->locks, number, 0);
  if (lock)
    return lock;
  lock = calloc(1, sizeof *lock);
  if (!lock || !table_put(&checker->locks, number, 0, lock)) {
    free(lock);
    checker->error = -ENOMEM;
    return NULL;
  }
  lock->lock = number;
  lock->next = checker->all_locks;
  return checker->all_locks = lock;
}

/* Ordered and atomic regions are locks for the runtime only: they cannot be nested the wrong way round. */
static bool is_lock(const struct checker *checker, uint32_t region) {
  enum construct construct = replay_construct(checker->replay, region);
  return construct != CONSTRUCT_ORDERED && construct != CONSTRUCT_ATOMIC;
}

/* -- orders -- */

static struct lock_edge *new_edge(struct checker *checker, const struct hold *held, uint64_t second) {
  struct lock_state *lock = lock_of(checker, held->lock);
  if (!lock || checker->edge_count == EDGES_MOST)
    return NULL;
  struct lock_edge *edge = calloc(1, sizeof *edge);
  if (!edge || !table_put(&checker->edges, held->lock, second, edge)) {
    free(edge);
    checker->error = -ENOMEM;
    return NULL;
  }
  checker->edge_count++;
  edge->next_of_first = lock->edges;
  return lock->edges = edge;
}

static void take_gates(struct lock_edge *edge, const struct task_state *task) {
  for (uint32_t i = 0; i < task->hold_count && edge->gate_count < sizeof edge->gates / sizeof *edge->gates; i++)
    if (task->holds[i].lock != edge->first && task->holds[i].lock != edge->second)
      edge->gates[edge->gate_count++] = task->holds[i].lock;
}

static bool holds(const struct task_state *task, uint64_t lock) {
  for (uint32_t i = 0; i < task->hold_count; i++)
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

static void note_order(struct checker *checker, const struct task_state *task, const struct hold *held,
                       const struct replay_lock_event *step) {
  struct lock_edge *edge = table_get(&checker->edges, held->lock, step->lock);
  if (edge) {
    edge->count++;
    note_thread(edge, step->location);
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
  take_gates(edge, task);
}

/* -- steps of a lock -- */

static void note_acquirer(struct lock_state *lock, const struct replay_task *task) {
  if (!task || task->is_implicit || lock->acquirer == task->id)
    return;
  lock->is_by_many = lock->acquirer > 0;
  if (lock->acquirer == 0)
    lock->acquirer = task->id;
}

/* Two threads may have acquired it at one time, as far as their clocks tell: then either may come first here. */
static void check_number(struct checker *checker, struct lock_state *lock, const struct replay_lock_event *step) {
  struct check_finding *found = NULL;
  bool goes_back = lock->acquisitions > 0 && step->order <= lock->order && step->ticks > lock->ticks;
  if (checks(checker, CHECK_LOCK_STATE) && goes_back)
    found = checker_find(checker, CHECK_LOCK_STATE, step->location, step->ticks, step->region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "acquisition %u of lock %u comes after number %u", step->order,
             number_of(step->lock), lock->order);
  if (lock->acquisitions++ == 0 || step->order < lock->first_order)
    lock->first_order = step->order;
  lock->order = step->order > lock->order ? step->order : lock->order;
  lock->ticks = step->ticks;
  lock->region = step->region;
  lock->location = step->location;
}

static void acquire(struct checker *checker, const struct replay_lock_event *step) {
  struct task_state *task = checker_task(checker, step->task);
  struct lock_state *lock = lock_of(checker, step->lock);
  if (!task || !lock)
    return;
  check_number(checker, lock, step);
  if (!is_lock(checker, step->region))
    return;
  note_acquirer(lock, step->task);
  for (uint32_t i = 0; checks(checker, CHECK_LOCK_ORDER) && i < task->hold_count; i++)
    if (task->holds[i].lock != step->lock)
      note_order(checker, task, &task->holds[i], step);
  if (checker_grow(checker, &task->holds, &task->hold_capacity, task->hold_count + 1, sizeof *task->holds))
    task->holds[task->hold_count++] = (struct hold){step->lock, step->order, step->region, step->ticks};
}

static bool drop_hold(struct task_state *task, const struct replay_lock_event *step) {
  for (uint32_t i = task ? task->hold_count : 0; i-- > 0;)
    if (task->holds[i].lock == step->lock && task->holds[i].order == step->order) {
      for (; i + 1 < task->hold_count; i++)
        task->holds[i] = task->holds[i + 1];
      task->hold_count--;
      return true;
    }
  return false;
}

/* A lock belongs to a task, but the runtime only tells the thread: what runs there now need not be who acquired it. */
static void release(struct checker *checker, const struct replay_lock_event *step) {
  if (drop_hold(checker_task(checker, step->task), step))
    return;
  for (uint32_t i = 0; i < checker->task_count; i++)
    if (checker->tasks[i].hold_count > 0 && drop_hold(&checker->tasks[i], step))
      return;
  struct lock_state *lock = lock_of(checker, step->lock);
  bool was_acquired = lock && step->order > 0 && step->order <= lock->order;
  if (!checks(checker, CHECK_LOCK_STATE) || (was_acquired && !is_lock(checker, step->region)))
    return;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_STATE, step->location, step->ticks, step->region, CHECK_NO_REGION);
  if (found)
    snprintf(found->detail, sizeof found->detail, "lock %u is released in turn %u, which nobody holds",
             number_of(step->lock), step->order);
}

void check_locks_on_step(struct checker *checker, const struct replay_lock_event *step) {
  if (step->step == REPLAY_LOCK_ACQUIRED)
    acquire(checker, step);
  else
    release(checker, step);
}

/* -- held while another task runs -- */

static void tell_across(struct checker *checker, const struct replay_task_event *step, const struct hold *hold,
                        uint64_t holder) {
  const struct replay_task *prior = step->other;
  uint32_t where = prior->frame_count ? prior->frames[prior->frame_count - 1].region : CHECK_NO_REGION;
  const struct lock_state *lock = lock_of(checker, hold->lock);
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_ACROSS_SCHEDULING, step->location, step->ticks, hold->region, where);
  if (!found || !lock)
    return;
  struct task_state *next = checker_task(checker, step->task);
  found->lock = hold->lock;
  found->holder = holder;
  snprintf(found->detail, sizeof found->detail, "held in %s, where %s ran",
           where == CHECK_NO_REGION ? "its task" : checker_name(checker, where),
           next ? checker_name(checker, checker_place_of(next)) : "another task");
}

void check_locks_on_switch(struct checker *checker, const struct replay_task_event *step) {
  bool is_switch = step->step == REPLAY_TASK_BEGUN || step->step == REPLAY_TASK_RESUMED;
  const struct replay_task *prior = step->other;
  if (!is_switch || !prior || !checks(checker, CHECK_LOCK_ACROSS_SCHEDULING))
    return;
  struct dependences_task name = {prior->id, prior->slot};
  const struct task_state *holder = checker_known_task(checker, name);
  for (uint32_t i = 0; holder && i < holder->hold_count; i++) {
    struct hold hold = holder->holds[i];
    tell_across(checker, step, &hold, holder->id); /* which may move all tasks */
    holder = checker_known_task(checker, name);
  }
}

/* If nobody but the holder ever wants the lock in a task, nothing can go wrong with it as the program is. */
static void judge_across(struct checker *checker) {
  for (size_t i = 0; i < checker->result->count; i++) {
    struct check_finding *finding = &checker->result->findings[i];
    const struct lock_state *lock = table_get(&checker->locks, finding->lock, 0);
    if (finding->rule == CHECK_LOCK_ACROSS_SCHEDULING && lock && !lock->is_by_many &&
        (lock->acquirer == 0 || lock->acquirer == finding->holder))
      finding->severity = CHECK_INFORMATION;
  }
}

/* -- cycles of orders -- */

static bool has_common_gate(const struct lock_edge *one, const struct lock_edge *other) {
  for (uint32_t i = 0; i < one->gate_count; i++)
    for (uint32_t j = 0; j < other->gate_count; j++)
      if (one->gates[i] == other->gates[j])
        return true;
  return false;
}

/* Which of the orders in a circle each thread stands for. */
struct assignment {
  const struct lock_edge *const *edges;
  uint32_t length;
  bool is_tried[CYCLE_MOST];         /* by order */
  size_t thread_of[CYCLE_MOST];      /* by order; SIZE_MAX: none yet */
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

/* Who waits in a circle is stopped, so that it takes a thread of its own for each of its orders. */
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

static int describe_edge(const struct checker *checker, const struct lock_edge *edge, char *text, size_t size) {
  return snprintf(text, size, "lock %u (%s) before lock %u (%s): %llu time%s", number_of(edge->first),
                  checker_name(checker, edge->first_region), number_of(edge->second),
                  checker_name(checker, edge->second_region),
                  (unsigned long long)edge->count, edge->count > 1 ? "s" : "");
}

static void tell_pair(struct checker *checker, const struct lock_edge *one, const struct lock_edge *other) {
  if (one->first > one->second || has_common_gate(one, other) ||
      !has_a_thread_each((const struct lock_edge *const[]){one, other}, 2))
    return;
  const struct lock_edge *later = one->ticks > other->ticks ? one : other;
  struct check_finding *found =
      checker_find(checker, CHECK_LOCK_ORDER, later->threads[0], later->ticks, one->second_region,
                   other->second_region);
  int used = found ? describe_edge(checker, one, found->detail, sizeof found->detail) : 0;
  if (found && (size_t)used + 2 < sizeof found->detail) {
    memcpy(found->detail + used, "; ", 3);
    describe_edge(checker, other, found->detail + used + 2, sizeof found->detail - (size_t)used - 2);
  }
}

/* Three or more locks in a circle: the shortest way from each lock back to itself, by increasing numbers, so that each
 * circle is found once, from its lowest lock. */
struct search {
  struct checker *checker;
  const struct lock_edge *path[CYCLE_MOST];
  uint32_t length, steps;
};

enum { SEARCH_STEPS_MOST = 100000 };

static void tell_circle(struct search *search) {
  const struct lock_edge *last = search->path[search->length - 1];
  for (uint32_t i = 0; i + 1 < search->length; i++)
    if (has_common_gate(search->path[i], last))
      return;
  if (!has_a_thread_each(search->path, search->length))
    return;
  struct check_finding *found = checker_find(search->checker, CHECK_LOCK_ORDER, last->threads[0], last->ticks,
                                             search->path[0]->second_region, last->second_region);
  int used = found ? snprintf(found->detail, sizeof found->detail, "a circle of %u locks:", search->length) : 0;
  for (uint32_t i = 0; found && i < search->length && (size_t)used < sizeof found->detail; i++)
    used += snprintf(found->detail + used, sizeof found->detail - (size_t)used, "%s %u, then %u at %s", i ? ";" : "",
                     number_of(search->path[i]->first), number_of(search->path[i]->second),
                     checker_name(search->checker, search->path[i]->second_region));
}

static void follow(struct search *search, uint64_t start, const struct lock_state *lock) {
  for (const struct lock_edge *edge = lock ? lock->edges : NULL; edge; edge = edge->next_of_first) {
    if (edge->second < start || search->length == CYCLE_MOST || ++search->steps > SEARCH_STEPS_MOST)
      continue;
    bool is_known = false;
    for (uint32_t i = 0; i < search->length; i++)
      is_known |= search->path[i]->first == edge->second && edge->second != start;
    if (is_known)
      continue;
    search->path[search->length++] = edge;
    if (edge->second != start)
      follow(search, start, table_get(&search->checker->locks, edge->second, 0));
    else if (search->length > 2)
      tell_circle(search);
    search->length--;
  }
}

static void check_orders(struct checker *checker) {
  struct search search = {.checker = checker};
  for (struct lock_state *lock = checker->all_locks; lock; lock = lock->next) {
    for (struct lock_edge *edge = lock->edges; edge; edge = edge->next_of_first) {
      const struct lock_edge *other = table_get(&checker->edges, edge->second, edge->first);
      if (other)
        tell_pair(checker, edge, other);
    }
    follow(&search, lock->lock, lock);
  }
}

/* -- waiting at the end -- */

static const struct task_state *holder_on(struct checker *checker, size_t location) {
  const struct replay_task *task = replay_current_task(checker->replay, location);
  const struct task_state *state = checker_known_task(checker, (struct dependences_task){task->id, task->slot});
  return state && state->hold_count > 0 ? state : NULL;
}

static void check_stuck(struct checker *checker, size_t location) {
  const struct replay_frame *frame = replay_top_frame(checker->replay, location);
  enum construct construct = frame ? (enum construct)frame->construct : CONSTRUCT_OTHER;
  bool is_waiting =
      construct == CONSTRUCT_CRITICAL || construct == CONSTRUCT_SET_LOCK || construct == CONSTRUCT_SET_NEST_LOCK;
  const struct task_state *holder = is_waiting ? holder_on(checker, location) : NULL;
  uint64_t second = checker->trace->clock.ticks_per_second;
  if (!is_waiting || (!holder && checker->end_ticks - frame->begin_ticks < second))
    return;
  struct check_finding *found = checker_find(checker, CHECK_STUCK, location, frame->begin_ticks, frame->region,
                                             holder ? holder->holds[holder->hold_count - 1].region : CHECK_NO_REGION);
  if (!found)
    return;
  int used = snprintf(found->detail, sizeof found->detail, "nothing more is heard of it");
  if (holder)
    snprintf(found->detail + used, sizeof found->detail - (size_t)used, "; it held lock %u (%s)",
             number_of(holder->holds[holder->hold_count - 1].lock),
             checker_name(checker, holder->holds[holder->hold_count - 1].region));
}

static void check_gaps(struct checker *checker) {
  for (const struct lock_state *lock = checker->all_locks; lock; lock = lock->next) {
    uint64_t numbered = lock->order - lock->first_order + 1;
    struct check_finding *found =
        lock->acquisitions == 0 || lock->acquisitions == numbered
            ? NULL
            : checker_find(checker, CHECK_LOCK_STATE, lock->location, lock->ticks, lock->region, CHECK_NO_REGION);
    if (found)
      snprintf(found->detail, sizeof found->detail, "lock %u has %llu acquisitions with numbers from %u to %u",
               number_of(lock->lock), (unsigned long long)lock->acquisitions, lock->first_order, lock->order);
  }
}

void check_locks_finish(struct checker *checker) {
  bool was_ended = checker->end_ticks != UINT64_MAX;
  for (size_t i = 0; was_ended && checks(checker, CHECK_STUCK) && i < checker->trace->location_count; i++)
    check_stuck(checker, i);
  if (checks(checker, CHECK_LOCK_ORDER))
    check_orders(checker);
  if (checks(checker, CHECK_LOCK_STATE))
    check_gaps(checker);
  judge_across(checker);
}

void check_locks_close(struct checker *checker) {
  while (checker->all_locks) {
    struct lock_state *lock = checker->all_locks;
    checker->all_locks = lock->next;
    while (lock->edges) {
      struct lock_edge *edge = lock->edges;
      lock->edges = edge->next_of_first;
      free(edge);
    }
    free(lock);
  }
  table_free(&checker->locks);
  table_free(&checker->edges);
}
