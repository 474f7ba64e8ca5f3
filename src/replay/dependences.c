/* For each address that children of a task depend on: the last set of tasks that may run in any order among
 * themselves (all `in`, all `inoutset`, all `mutexinoutset`, or one `out`), and the set before it. A task
 * either joins the last set, and follows the one before, or follows the last set and becomes a new one. What
 * lies further back is complete before those that are kept may start. */
#include "replay/dependences.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/pair_map.h"

enum { SWEPT_FROM = 1024 };

struct set {
  struct dependences_task *tasks;
  size_t count, capacity;
};

struct variable {
  uint64_t address;
  enum construct kind; /* of the last set */
  uint64_t set_number; /* the same */
  struct set last, before;
  struct variable *next; /* of the same parent */
};

struct parent {
  uint64_t id;
  struct variable *variables;
  size_t count, swept_count;          /* of variables; after those that nobody follows were last removed */
  struct dependences_task all_memory; /* the last that depends on all memory; id 0: none */
  struct parent *next, *previous;
};

struct dependences {
  struct dependences_observer observer;
  void *data;
  struct pair_map parents_by_id, variables_by_address; /* the latter by parent and address */
  struct parent *parents, *latest;
  uint64_t set_count;
};

/* -- finding -- */

static struct parent *find_parent(const struct dependences *dependences, uint64_t id) {
  if (dependences->latest && dependences->latest->id == id)
    return dependences->latest;
  return pair_map_get(&dependences->parents_by_id, id, 0);
}

static struct parent *get_parent(struct dependences *dependences, uint64_t id) {
  struct parent *parent = find_parent(dependences, id);
  if (parent)
    return dependences->latest = parent;
  parent = memory_get(1, sizeof *parent);
  pair_map_put(&dependences->parents_by_id, id, 0, parent);
  parent->id = id;
  parent->next = dependences->parents;
  if (parent->next)
    parent->next->previous = parent;
  return dependences->latest = dependences->parents = parent;
}

static void put(struct set *set, struct dependences_task task) {
  array_reserve(&set->tasks, &set->capacity, set->count + 1, sizeof *set->tasks);
  set->tasks[set->count++] = task;
}

static void free_variable(struct variable *variable) {
  free(variable->last.tasks);
  free(variable->before.tasks);
  free(variable);
}

static struct variable *get_variable(struct dependences *dependences, struct parent *parent,
                                     uint64_t address) {
  struct variable *variable = pair_map_get(&dependences->variables_by_address, parent->id, address);
  if (variable)
    return variable;
  variable = memory_get(1, sizeof *variable);
  variable->address = address;
  variable->kind = CONSTRUCT_depend_out;
  if (parent->all_memory.id > 0)
    put(&variable->last, parent->all_memory);
  pair_map_put(&dependences->variables_by_address, parent->id, address, variable);
  variable->next = parent->variables;
  parent->variables = variable;
  parent->count++;
  return variable;
}

/* -- what follows what -- */

/* The first kind of those that act alike; OTHER if it orders no tasks. */
static enum construct kind_of(enum construct kind) {
  if (kind == CONSTRUCT_depend_in || kind == CONSTRUCT_depend_mutexinoutset ||
      kind == CONSTRUCT_depend_inoutset)
    return kind;
  if (kind == CONSTRUCT_depend_out || kind == CONSTRUCT_depend_inout ||
      kind == CONSTRUCT_depend_out_all_memory || kind == CONSTRUCT_depend_inout_all_memory)
    return CONSTRUCT_depend_out;
  return CONSTRUCT_other;
}

static void drop_unwanted(const struct dependences *dependences, struct set *set) {
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++)
    if (!dependences->observer.is_requested ||
        dependences->observer.is_requested(dependences->data, set->tasks[i]))
      set->tasks[kept++] = set->tasks[i];
  set->count = kept;
}

/* A parent that lives long may come to use ever new addresses: those whose tasks are all complete are
 * forgotten, each time there are twice as many as after the last time. */
static void sweep(struct dependences *dependences, struct parent *parent) {
  if (!dependences->observer.is_requested || parent->count < SWEPT_FROM ||
      parent->count < 2 * parent->swept_count)
    return;
  for (struct variable **place = &parent->variables, *variable; (variable = *place);) {
    drop_unwanted(dependences, &variable->last);
    drop_unwanted(dependences, &variable->before);
    if (variable->last.count + variable->before.count > 0) {
      place = &variable->next;
      continue;
    }
    *place = variable->next;
    pair_map_remove(&dependences->variables_by_address, parent->id, variable->address);
    free_variable(variable);
    parent->count--;
  }
  parent->swept_count = parent->count;
}

static void notify_of_all(const struct dependences *dependences, const struct set *set,
                          struct dependences_task task, uint64_t address) {
  for (size_t i = 0; i < set->count; i++)
    if (set->tasks[i].id != task.id)
      dependences->observer.before(dependences->data, set->tasks[i], task, address);
}

static bool joins(const struct variable *variable, enum construct kind) {
  return kind != CONSTRUCT_depend_out && kind == variable->kind && variable->last.count > 0;
}

static void add_to(struct dependences *dependences, struct variable *variable, struct dependences_task task,
                   enum construct kind) {
  bool is_joining = joins(variable, kind);
  drop_unwanted(dependences, &variable->last);
  drop_unwanted(dependences, &variable->before);
  if (!is_joining) {
    struct set emptied = variable->before;
    variable->before = variable->last;
    variable->last = emptied;
    variable->last.count = 0;
    variable->kind = kind;
    variable->set_number = ++dependences->set_count;
  }
  notify_of_all(dependences, &variable->before, task, variable->address);
  if (kind == CONSTRUCT_depend_mutexinoutset && dependences->observer.exclusive)
    dependences->observer.exclusive(dependences->data, task, variable->set_number);
  put(&variable->last, task);
}

static void add_to_all(struct dependences *dependences, struct parent *parent, struct dependences_task task) {
  if (!parent->variables && parent->all_memory.id > 0)
    dependences->observer.before(dependences->data, parent->all_memory, task, 0);
  for (struct variable *variable = parent->variables; variable; variable = variable->next)
    add_to(dependences, variable, task, CONSTRUCT_depend_out);
  parent->all_memory = task;
}

void dependences_add(struct dependences *dependences, uint64_t parent_id, struct dependences_task task,
                     enum construct kind, uint64_t address) {
  enum construct acts_as = kind_of(kind);
  if (acts_as == CONSTRUCT_other)
    return;
  struct parent *parent = get_parent(dependences, parent_id);
  if (kind == CONSTRUCT_depend_out_all_memory || kind == CONSTRUCT_depend_inout_all_memory) {
    add_to_all(dependences, parent, task);
    return;
  }
  sweep(dependences, parent);
  add_to(dependences, get_variable(dependences, parent, address), task, acts_as);
}

/* -- life -- */

struct dependences *dependences_create(const struct dependences_observer *observer, void *data) {
  struct dependences *dependences = memory_get(1, sizeof *dependences);
  dependences->observer = *observer;
  dependences->data = data;
  return dependences;
}

static void free_parent(struct dependences *dependences, struct parent *parent) {
  for (struct variable *variable = parent->variables, *next; variable; variable = next) {
    next = variable->next;
    pair_map_remove(&dependences->variables_by_address, parent->id, variable->address);
    free_variable(variable);
  }
  free(parent);
}

void dependences_forget(struct dependences *dependences, uint64_t id) {
  struct parent *parent = find_parent(dependences, id);
  if (!parent)
    return;
  pair_map_remove(&dependences->parents_by_id, id, 0);
  if (parent->previous)
    parent->previous->next = parent->next;
  else
    dependences->parents = parent->next;
  if (parent->next)
    parent->next->previous = parent->previous;
  dependences->latest = NULL;
  free_parent(dependences, parent);
}

void dependences_free(struct dependences *dependences) {
  if (!dependences)
    return;
  for (struct parent *parent = dependences->parents, *next; parent; parent = next) {
    next = parent->next;
    free_parent(dependences, parent);
  }
  pair_map_free(&dependences->parents_by_id);
  pair_map_free(&dependences->variables_by_address);
  free(dependences);
}
