/* Calls of MPI: each ends when the event that it waits for has happened, and the rest of its duration has
 * passed. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "what_if/clocks.h"

static struct clock_awaited *awaited(struct clocks *clocks, uint64_t moment) {
  struct clock_awaited *found = pair_map_get(&clocks->awaited, 0, moment);
  size_t waiting = found ? 0 : messages_awaited(&clocks->messages, moment);
  if (found || waiting == 0)
    return found;
  found = memory_get(1, sizeof *found);
  pair_map_put(&clocks->awaited, 0, moment, found);
  found->waiting = waiting;
  return found;
}

static void begin(struct clocks *clocks, struct clock_row *row, uint64_t call) {
  const struct messages *messages = &clocks->messages;
  struct clock_awaited *own = awaited(clocks, call);
  clock_set(clocks, &row->call, row);
  if (own)
    clock_set(clocks, &own->moment, row);
  while (clocks->next_part < messages->part_count && messages->parts[clocks->next_part].call < call)
    clocks->next_part++;
  for (; clocks->next_part < messages->part_count && messages->parts[clocks->next_part].call == call;
       clocks->next_part++) {
    struct clock_awaited *several = awaited(clocks, messages->parts[clocks->next_part].moment);
    if (several)
      clock_raise(clocks, &several->moment, row);
  }
}

/* What has not happened by the call's end, as clocks differ, it has not waited for. */
static void wait_for(struct clocks *clocks, uint64_t moment) {
  struct clock_awaited *found = awaited(clocks, moment);
  if (!found)
    return;
  if (found->moment.is_known)
    clock_raise_to(clocks, &clocks->latest, &found->moment);
  if (--found->waiting > 0)
    return;
  clock_moment_free(clocks, &found->moment);
  free(pair_map_remove(&clocks->awaited, 0, moment));
}

static void end(struct clocks *clocks, struct clock_row *row, const struct mpi_call *call, uint64_t ticks) {
  const struct messages *messages = &clocks->messages;
  bool is_of_several = false;
  clocks->latest.is_known = false;
  for (size_t i = messages_first(messages->waits, messages->wait_count, call->id);
       i < messages->wait_count && messages->waits[i].call == call->id; i++) {
    is_of_several |= messages->waits[i].moment >= MESSAGE_OF_SEVERAL;
    wait_for(clocks, messages->waits[i].moment);
  }
  if (row->call.is_known)
    clock_resume(clocks, row, &row->call, clocks->latest.is_known ? &clocks->latest : NULL, ticks);
  bool is_init = strncmp(clocks->trace->regions[call->region].name, "MPI_Init", 8) == 0;
  if (is_of_several && !is_init && !clocks->processes[row->process].has_team)
    clock_gain(clocks, row);
}

void clock_calls_event(struct clocks *clocks, const struct trace_event *event) {
  struct clock_row *row = &clocks->rows[event->location];
  struct mpi_call before = mpi_open_call(clocks->mpi, event->location);
  if (event->kind == TRACE_Enter || event->kind == TRACE_Leave)
    mpi_process(clocks->mpi, event);
  struct mpi_call now = mpi_open_call(clocks->mpi, event->location);
  if (before.id == 0 && now.id > 0)
    begin(clocks, row, now.id);
  else if (before.id > 0 && now.id == 0) {
    struct replay_frame frame = {.region = before.region};
    row->place = clock_place(clocks, row, &frame, 1, before.site);
    end(clocks, row, &before, event->ticks);
  }
}

void clock_calls_free(struct clocks *clocks) {
  for (size_t i = 0; i < clocks->awaited.capacity; i++) {
    struct clock_awaited *left = clocks->awaited.entries[i].value;
    if (left)
      clock_moment_free(clocks, &left->moment);
    free(left);
  }
  pair_map_free(&clocks->awaited);
  clock_moment_free(clocks, &clocks->latest);
  mpi_free(clocks->mpi);
  messages_free(&clocks->messages);
}
