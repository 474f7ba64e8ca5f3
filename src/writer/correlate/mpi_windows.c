/* One-sided communication of MPI. The tool records operations as they begin, and what calls complete: which
 * operations that are is known here.
 *
 * An operation is complete here when its memory may be used again, and at the other side later or
 * immediately. One with a request may be complete here by that first; its request shows nothing more if
 * something else was first. */
#include <stdlib.h>

#include <otf2/otf2.h>

#include "base/array.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/mpi.h"
#include "writer/correlate/record_text.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/definitions_mpi.h"

struct rma_operation {
  uint64_t id;
  bool has_request, is_complete_here;
};

/* A member of a window, as the other side. */
struct target {
  struct rma_operation *open;
  size_t count, capacity;
  bool is_locked; /* and that is in the archive */
};

/* By the tool's number. */
struct mpi_window {
  uint32_t reference; /* of its definition, + 1; 0: not known */
  uint32_t members;
  bool is_made; /* its beginning is in the archive */
  bool is_locked;
  struct target *targets; /* by rank, as far as something was done there */
  size_t target_capacity;
};

static struct mpi_window *window_at(struct correlator *c, uint32_t number) {
  if (number >= MPI_NUMBERS_MAX)
    return NULL;
  array_reserve_zeroed(&c->mpi.windows, &c->mpi.window_capacity, number + 1u, sizeof *c->mpi.windows);
  return &c->mpi.windows[number];
}

/* NULL: it is not known, since its record was lost. */
static struct mpi_window *find(struct correlator *c, uint32_t number) {
  bool is_known = number < c->mpi.window_capacity && c->mpi.windows[number].reference;
  c->figures.lost += !is_known;
  return is_known ? &c->mpi.windows[number] : NULL;
}

/* NULL: no member has this rank. */
static struct target *target_at(struct mpi_window *window, uint64_t rank) {
  if (rank >= window->members)
    return NULL;
  array_reserve_zeroed(&window->targets, &window->target_capacity, rank + 1, sizeof *window->targets);
  return &window->targets[rank];
}

static void free_targets(struct mpi_window *window) {
  for (size_t i = 0; i < window->target_capacity; i++)
    free(window->targets[i].open);
  free(window->targets);
  window->targets = NULL;
  window->target_capacity = 0;
}

void mpi_windows_free(struct correlator *c) {
  for (size_t i = 0; i < c->mpi.window_capacity; i++)
    free_targets(&c->mpi.windows[i]);
  free(c->mpi.windows);
  map_clear(&c->mpi.window_requests);
}

/* -- what is done in a window: one event each -- */

struct doing {
  struct correlator *c;
  struct traced_thread *thread;
  struct mpi_window *window;
  uint64_t now;
};

static void put(const struct doing *doing, enum mpi_event_kind kind, uint32_t member, uint32_t detail) {
  emit_event(doing->c, doing->thread,
             &(struct event){.kind = (uint8_t)kind,
                             .ticks = doing->now,
                             .window = doing->window->reference - 1,
                             .member = member,
                             .detail = detail});
}

static void put_complete(const struct doing *doing, enum mpi_event_kind kind, uint64_t operation) {
  emit_event(doing->c, doing->thread,
             &(struct event){.kind = (uint8_t)kind,
                             .ticks = doing->now,
                             .window = doing->window->reference - 1,
                             .matching_id = operation});
}

/* -- operations -- */

/* What an operation's request is known to be: any pointers. */
static void *waiting(struct correlator *c) {
  return &c->mpi.window_requests;
}

static void *has_come(struct correlator *c) {
  return &c->mpi.hidden_requests;
}

static void begin_operation(const struct doing *doing, struct target *target, uint64_t id, bool has_request) {
  array_reserve_zeroed(&target->open, &target->capacity, target->count + 1, sizeof *target->open);
  target->open[target->count++] = (struct rma_operation){id, has_request, false};
  if (has_request)
    map_put(&doing->c->mpi.window_requests, id, waiting(doing->c));
}

static void complete_here(const struct doing *doing, struct rma_operation *operation) {
  bool is_new = !operation->is_complete_here &&
                !(operation->has_request &&
                  map_get(&doing->c->mpi.window_requests, operation->id) == has_come(doing->c));
  if (operation->has_request)
    map_remove(&doing->c->mpi.window_requests, operation->id);
  operation->is_complete_here = true;
  operation->has_request = false;
  if (is_new)
    put_complete(doing, EVENT_WINDOW_COMPLETE, operation->id);
}

static void complete_target(const struct doing *doing, struct target *target, bool is_only_here) {
  for (size_t i = 0; i < target->count; i++) {
    complete_here(doing, &target->open[i]);
    if (!is_only_here)
      put_complete(doing, EVENT_WINDOW_COMPLETE_REMOTE, target->open[i].id);
  }
  target->count = is_only_here ? target->count : 0;
}

static void complete(const struct doing *doing, uint64_t remote, bool is_only_here) {
  struct mpi_window *window = doing->window;
  if (remote != WINDOW_ALL) {
    struct target *target = target_at(window, remote);
    if (target)
      complete_target(doing, target, is_only_here);
    return;
  }
  for (size_t i = 0; i < window->target_capacity; i++)
    complete_target(doing, &window->targets[i], is_only_here);
}

static void complete_request(const struct doing *doing, uint64_t operation) {
  if (map_get(&doing->c->mpi.window_requests, operation) != waiting(doing->c))
    return;
  map_put(&doing->c->mpi.window_requests, operation, has_come(doing->c));
  put_complete(doing, EVENT_WINDOW_COMPLETE, operation);
}

void on_mpi_rma(struct correlator *c, struct traced_thread *thread, const struct record_mpi_rma *record) {
  static const enum mpi_event_kind kinds[] = {EVENT_WINDOW_PUT, EVENT_WINDOW_GET, EVENT_WINDOW_ATOMIC};
  uint64_t now = thread_now(c, thread, record->ticks);
  struct mpi_window *window = find(c, record->window);
  struct target *target = window ? target_at(window, record->remote) : NULL;
  if (!target || record->endpoint > KIND_ATOMIC || c->is_paused)
    return;
  const struct doing doing = {c, thread, window, now};
  begin_operation(&doing, target, c->record_id, record->flags & RMA_FLAG_REQUEST);
  emit_event(c, thread,
             &(struct event){.kind = (uint8_t)kinds[record->endpoint],
                             .ticks = now,
                             .window = window->reference - 1,
                             .member = (uint32_t)record->remote,
                             .detail = record->flags & ~(unsigned)RMA_FLAG_REQUEST,
                             .bytes = record->bytes,
                             .atomic_received = record->more ? c->words[0] : 0,
                             .matching_id = c->record_id});
}

/* -- windows -- */

void on_mpi_window(struct correlator *c, struct traced_thread *thread,
                   const struct record_mpi_window *record) {
  struct mpi_window *window = window_at(c, record->window);
  uint32_t comm;
  size_t members;
  thread_now(c, thread, record->ticks);
  if (!window || window->reference || record->comm > UINT32_MAX ||
      !mpi_comm_find(c, (uint32_t)record->comm, &comm))
    return;
  definitions_comm_members(c->definitions, comm, &members);
  window->members = (uint32_t)members;
  window->is_made = !c->is_paused;
  const struct mpi_window_facts facts = {record->key, comm, window->is_made};
  window->reference = 1 + definitions_mpi_window(c->definitions, &facts);
}

void on_mpi_window_name(struct correlator *c, struct traced_thread *thread,
                        const struct record_mpi_window_name *record) {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES];
  thread_now(c, thread, record->ticks);
  struct mpi_window *window = record->more ? find(c, record->window) : NULL;
  if (!window)
    return;
  record_read_text(c, record->more, record->name_bytes, name, sizeof name);
  definitions_mpi_window_name(c->definitions, window->reference - 1, name);
}

void on_mpi_group(struct correlator *c, struct traced_thread *thread, const struct record_mpi_group *record) {
  struct mpi_group_ranks *group = mpi_group_at(c, record->group);
  thread_now(c, thread, record->ticks);
  if (!group)
    return;
  group->reference =
      1 + definitions_mpi_group(c->definitions, group->ranks.all, (uint32_t)group->ranks.count);
  free(group->ranks.all);
  group->ranks = (struct mpi_ranks){0};
}

/* -- synchronization -- */

static void end_collective(const struct doing *doing, uint32_t operation) {
  if (mpi_collective_ends(doing->thread))
    put(doing, EVENT_WINDOW_COLLECTIVE_END, 0, operation);
}

/* What was started before a pause ends in it all the same. */
static void free_window(const struct doing *doing, uint32_t operation) {
  if (doing->window->is_made)
    put(doing, EVENT_WINDOW_DESTROY, 0, 0);
  doing->window->is_made = false;
  end_collective(doing, operation);
  free_targets(doing->window);
}

static bool *lock_of(struct mpi_window *window, uint64_t remote) {
  struct target *target = remote == WINDOW_ALL ? NULL : target_at(window, remote);
  return target ? &target->is_locked : remote == WINDOW_ALL ? &window->is_locked : NULL;
}

static void lock(const struct doing *doing, uint64_t remote, uint32_t type) {
  bool *is_locked = lock_of(doing->window, remote);
  if (!is_locked || doing->c->is_paused)
    return;
  *is_locked = true;
  put(doing, EVENT_WINDOW_REQUEST_LOCK, (uint32_t)remote, type);
}

static void unlock(const struct doing *doing, uint64_t remote) {
  bool *is_locked = lock_of(doing->window, remote);
  complete(doing, remote, false);
  if (!is_locked || !*is_locked)
    return;
  *is_locked = false;
  put(doing, EVENT_WINDOW_RELEASE_LOCK, (uint32_t)remote, 0);
}

static void synchronize_group(const struct doing *doing, uint64_t number, uint32_t level) {
  const struct correlator *c = doing->c;
  bool is_known = number < c->mpi.group_capacity && c->mpi.groups[number].reference;
  if (is_known && !c->is_paused)
    put(doing, EVENT_WINDOW_GROUP_SYNC, c->mpi.groups[number].reference - 1, level);
}

static void begin_collective(const struct doing *doing) {
  mpi_collective_begins(doing->c, doing->thread);
  if (!doing->c->is_paused)
    put(doing, EVENT_WINDOW_COLLECTIVE_BEGIN, 0, 0);
}

static void end_group(const struct doing *doing, const struct record_mpi_rma_sync *record) {
  if (record->flags & WINDOW_GROUP_COMPLETES)
    complete(doing, WINDOW_ALL, false);
  synchronize_group(doing, record->what, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);
}

static void synchronize_memory(const struct doing *doing, uint64_t remote) {
  if (!doing->c->is_paused && remote < doing->window->members)
    put(doing, EVENT_WINDOW_SYNC, (uint32_t)remote, 0);
}

static void make(const struct doing *doing, uint32_t operation) {
  if (doing->window->is_made)
    put(doing, EVENT_WINDOW_CREATE, 0, 0);
  end_collective(doing, operation);
}

static void synchronize(const struct doing *doing, const struct record_mpi_rma_sync *record) {
  switch ((enum window_moment)record->endpoint) {
  case WINDOW_COLLECTIVE_BEGIN:
    begin_collective(doing);
    return;
  case WINDOW_MADE:
    make(doing, record->flags);
    return;
  case WINDOW_FREED:
    free_window(doing, record->flags);
    return;
  case WINDOW_NOT_MADE:
    end_collective(doing, record->flags);
    return;
  case WINDOW_FENCED:
    complete(doing, WINDOW_ALL, false);
    end_collective(doing, record->flags);
    return;
  case WINDOW_LOCK:
    lock(doing, record->remote, record->flags);
    return;
  case WINDOW_UNLOCK:
    unlock(doing, record->remote);
    return;
  case WINDOW_COMPLETE:
  case WINDOW_COMPLETE_HERE:
    complete(doing, record->remote, record->endpoint == WINDOW_COMPLETE_HERE);
    return;
  case WINDOW_REQUEST_COMPLETE:
    complete_request(doing, record->what);
    return;
  case WINDOW_GROUP_BEGIN:
    synchronize_group(doing, record->what, OTF2_RMA_SYNC_LEVEL_PROCESS);
    return;
  case WINDOW_GROUP_END:
    end_group(doing, record);
    return;
  case WINDOW_SYNC:
    synchronize_memory(doing, record->remote);
    return;
  case WINDOW_MOMENTS:
    break;
  }
}

void on_mpi_rma_sync(struct correlator *c, struct traced_thread *thread,
                     const struct record_mpi_rma_sync *record) {
  uint64_t now = thread_now(c, thread, record->ticks);
  struct mpi_window *window = find(c, record->window);
  const struct doing doing = {c, thread, window, now};
  if (window)
    synchronize(&doing, record);
}
