#include "writer/correlate/thread_tasks.h"

#include <stddef.h>

#include "base/pool.h"
#include "writer/correlate/emit.h"
#include "writer/definitions/definitions.h"

/* A thread begins with its location. */
_Static_assert(offsetof(struct traced_thread, location) == 0, "");

struct traced_thread *thread_at(struct correlator *c, size_t number) {
  size_t count;
  struct location **locations = definitions_locations(c->definitions, &count);
  bool is_thread = number < count && !locations[number]->facts.device;
  return is_thread ? (struct traced_thread *)locations[number] : NULL;
}

struct traced_thread *thread_next(struct correlator *c, size_t *position) {
  size_t count;
  definitions_locations(c->definitions, &count);
  while (*position < count) {
    struct traced_thread *thread = thread_at(c, (*position)++);
    if (thread)
      return thread;
  }
  return NULL;
}

bool thread_has_open(const struct traced_thread *thread, const struct task *task) {
  const struct task *open = thread->current;
  while (open && open != task)
    open = open->outer;
  return open != NULL;
}

struct team *serial_team_of(struct correlator *c, struct traced_thread *thread) {
  if (thread->serial_team)
    return thread->serial_team;
  struct team *team = team_get(c->emitter);
  team->is_serial = true;
  team->primary = thread;
  team->comm = definitions_comm(c->definitions, &thread->location.id, 1, COMM_UNKNOWN, true);
  return thread->serial_team = team;
}

struct team *team_of(struct correlator *c, struct traced_thread *thread) {
  struct task *task = implicit_task_of(thread);
  return task->team && !task->is_initial ? task->team : serial_team_of(c, thread);
}

uint32_t thread_number_of(struct traced_thread *thread) {
  struct task *task = implicit_task_of(thread);
  return task->team && !task->is_initial ? task->creator : 0;
}

uint64_t code_around(struct traced_thread *thread) {
  const struct task *task = thread->current;
  if (!task->is_implicit && task->codeptr)
    return task->codeptr;
  const struct team *team = implicit_task_of(thread)->team;
  return team ? team->codeptr : 0;
}
