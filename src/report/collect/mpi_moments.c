/* Moments that calls of MPI depend on, and who waits for which. */
#include <stdlib.h>

#include "base/array.h"
#include "report/collect/mpi_waits.h"

/* -- lists -- */

static void mpi_push(struct collector *collector, uint32_t *list, struct mpi_link link) {
  struct pool *links = &collector->waits->links;
  uint32_t slot;
  link.next = *list;
  *(struct mpi_link *)pool_new(links, &slot) = link;
  *list = slot;
}

/* Removes the first; false: there is none. */
bool mpi_pop(struct collector *collector, uint32_t *list, struct mpi_link *ret) {
  struct pool *links = &collector->waits->links;
  uint32_t slot = *list;
  if (slot == MPI_NONE)
    return false;
  *ret = *(struct mpi_link *)pool_item(links, slot);
  *list = ret->next;
  pool_put(links, slot);
  return true;
}

void mpi_make_ready(struct collector *collector, uint64_t call) {
  struct mpi_waits *waits = collector->waits;
  array_reserve(&waits->ready, &waits->ready_capacity, waits->ready_count + 1, sizeof *waits->ready);
  waits->ready[waits->ready_count++] = call;
}

/* -- calls -- */

struct live_call *mpi_waits_call(struct collector *collector, uint32_t slot) {
  return pool_item(&collector->waits->calls, slot);
}

uint32_t mpi_waits_find(struct collector *collector, uint64_t id) {
  uintptr_t found = id ? (uintptr_t)pair_map_get(&collector->waits->by_id, 0, id) : 0;
  return found ? (uint32_t)(found - 1) : MPI_NONE;
}

void mpi_drop_if_done(struct collector *collector, uint32_t slot) {
  struct live_call *call = mpi_waits_call(collector, slot);
  if (!call->is_done || call->references > 0)
    return;
  pair_map_remove(&collector->waits->by_id, 0, call->call.id);
  pool_put(&collector->waits->calls, slot);
}

/* -- moments -- */

struct moment *mpi_moment_at(struct collector *collector, uint32_t slot) {
  return pool_item(&collector->waits->moments, slot);
}

uint32_t mpi_waits_moment(struct collector *collector, uint32_t parts) {
  uint32_t slot;
  *(struct moment *)pool_new(&collector->waits->moments, &slot) =
      (struct moment){.unknown = parts, .references = 1 + parts, .waiting = MPI_NONE};
  return slot;
}

void mpi_waits_release(struct collector *collector, uint32_t slot) {
  struct moment *moment = mpi_moment_at(collector, slot);
  struct mpi_link link;
  if (--moment->references > 0)
    return;
  while (mpi_pop(collector, &moment->waiting, &link)) {
  }
  pool_put(&collector->waits->moments, slot);
}

void mpi_know_part(struct collector *collector, uint32_t slot, const struct moment *part) {
  struct moment *moment = mpi_moment_at(collector, slot);
  struct mpi_link link;
  moment->ideal = part->ideal > moment->ideal ? part->ideal : moment->ideal;
  if (part->ticks >= moment->ticks) {
    moment->ticks = part->ticks;
    moment->late = part->late;
    moment->late_process = part->late_process;
    moment->late_lost = part->late_lost;
    moment->late_parallel = part->late_parallel;
  }
  moment->unknown--;
  while (moment->unknown == 0 && mpi_pop(collector, &moment->waiting, &link))
    mpi_make_ready(collector, link.call);
  mpi_waits_release(collector, slot);
}

struct moment mpi_part_of(const struct live_call *call, uint64_t ticks) {
  return (struct moment){.ticks = ticks,
                         .ideal = (double)ticks - call->begin_gained,
                         .late = call->call,
                         .late_process = call->process,
                         .late_lost = call->lost,
                         .late_parallel = call->parallel};
}

void mpi_waits_add_part(struct collector *collector, uint32_t moment, const struct mpi_call *call,
                        uint32_t process, uint64_t ticks) {
  uint32_t slot = mpi_waits_find(collector, call->id);
  struct live_call *live = slot == MPI_NONE ? NULL : mpi_waits_call(collector, slot);
  if (live && !live->has_started) {
    mpi_push(collector, &live->waiting, (struct mpi_link){.item = moment, .ticks = ticks});
    return;
  }
  struct moment part = {.ticks = ticks,
                        .ideal = (double)ticks - collector->waits->gained[process],
                        .late = *call,
                        .late_process = process,
                        .late_parallel = REPLAY_NONE};
  if (live)
    part = mpi_part_of(live, ticks);
  mpi_know_part(collector, moment, &part);
}

void mpi_waits_depend(struct collector *collector, const struct mpi_call *call, uint32_t moment,
                      enum report_cause cause) {
  uint32_t slot = mpi_waits_find(collector, call->id);
  if (slot == MPI_NONE)
    return;
  struct live_call *live = mpi_waits_call(collector, slot);
  live->pending -= live->pending > 0;
  if (moment != MPI_NONE) {
    mpi_push(collector, &live->depends, (struct mpi_link){.item = moment, .cause = cause});
    mpi_moment_at(collector, moment)->references++;
    if (mpi_moment_at(collector, moment)->unknown > 0)
      mpi_push(collector, &mpi_moment_at(collector, moment)->waiting,
               (struct mpi_link){.call = live->call.id});
  }
  mpi_make_ready(collector, live->call.id);
}

/* -- clocks -- */

void mpi_waits_compare(struct collector *collector, uint64_t begin, uint64_t end) {
  uint64_t *most = &collector->report->caveats.clock_ticks;
  if (end > 0 && begin > end && begin - end > *most)
    *most = begin - end;
}
