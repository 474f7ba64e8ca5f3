#include "replay/mpi.h"

#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/memory.h"
#include "replay/mpi_state.h"
#include "trace/constructs.h"

/* -- definitions -- */

static uint32_t process_of(const struct trace *trace, const struct trace_location *location) {
  const struct trace_location_group *group = location ? trace_location_group(trace, location->group) : NULL;
  return group ? (uint32_t)(group - trace->location_groups) : (uint32_t)trace->location_group_count;
}

static void learn_regions(struct mpi_replay *mpi) {
  for (size_t i = 0; i < mpi->trace->region_count; i++) {
    mpi->is_mpi[i] = construct_is_mpi(&mpi->trace->regions[i]);
    mpi->has_mpi |= mpi->is_mpi[i];
  }
}

static void learn_site(struct mpi_replay *mpi) {
  mpi->site_attribute = TRACE_NO_REF;
  for (size_t i = 0; i < mpi->trace->attribute_count; i++)
    if (strcmp(mpi->trace->attributes[i].name, "call site") == 0)
      mpi->site_attribute = mpi->trace->attributes[i].ref;
}

static void learn_rank(struct mpi_replay *mpi, uint32_t comm, uint32_t rank) {
  struct mpi_rank_table *table = &mpi->ranks[comm];
  uint64_t ref = trace_comm_member(mpi->trace, mpi->trace->comms[comm].ref, rank);
  const struct trace_location *location = ref == TRACE_NO_REF ? NULL : trace_location(mpi->trace, ref);
  table->processes[rank] = location ? process_of(mpi->trace, location) : UINT32_MAX;
  if (!location)
    return;
  table->present++;
  pair_map_put(&mpi->rank_of, comm, table->processes[rank], (void *)(uintptr_t)(rank + 1ull));
}

static void learn_comm(struct mpi_replay *mpi, uint32_t comm) {
  struct mpi_rank_table *table = &mpi->ranks[comm];
  const struct trace_group *group = trace_group(mpi->trace, mpi->trace->comms[comm].group);
  table->is_mpi = group && group->paradigm == OTF2_PARADIGM_MPI;
  table->is_self = table->is_mpi && group->type == OTF2_GROUP_TYPE_COMM_SELF;
  if (!table->is_mpi || table->is_self)
    return;
  table->processes = memory_get(group->member_count, sizeof *table->processes);
  table->count = group->member_count;
  for (uint32_t rank = 0; rank < table->count; rank++)
    learn_rank(mpi, comm, rank);
}

static void learn(struct mpi_replay *mpi) {
  learn_regions(mpi);
  learn_site(mpi);
  for (size_t i = 0; i < mpi->trace->location_count; i++)
    mpi->processes[i] = process_of(mpi->trace, &mpi->trace->locations[i]);
  for (uint32_t i = 0; i < mpi->trace->comm_count; i++)
    learn_comm(mpi, i);
}

/* -- calls -- */

static uint64_t site_of(const struct mpi_replay *mpi, const struct trace_event *event) {
  uint32_t count = mpi->site_attribute == TRACE_NO_REF ? 0 : trace_event_attribute_count(event);
  for (uint32_t i = 0; i < count; i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    if (attribute.attribute == mpi->site_attribute)
      return attribute.number;
  }
  return TRACE_NO_REF;
}

static uint32_t mpi_region(const struct mpi_replay *mpi, uint32_t ref) {
  uint32_t position = trace_region_position(mpi->trace, ref);
  return position != TRACE_NO_POSITION && mpi->is_mpi[position] ? position : UINT32_MAX;
}

/* A call inside of another one, by other tools, is the other one's part. */
static void enter(struct mpi_replay *mpi, const struct trace_event *event) {
  struct mpi_call *call = &mpi->calls[event->location];
  uint32_t region = mpi_region(mpi, event->Enter.region);
  if (region == UINT32_MAX || call->id > 0)
    return;
  *call = (struct mpi_call){.id = ++mpi->call_count,
                            .location = event->location,
                            .region = region,
                            .site = site_of(mpi, event),
                            .enter_ticks = event->ticks};
}

static void leave(struct mpi_replay *mpi, const struct trace_event *event) {
  struct mpi_call *call = &mpi->calls[event->location];
  if (call->id == 0 || call->region != mpi_region(mpi, event->Leave.region))
    return;
  if (mpi->observer.left)
    mpi->observer.left(mpi->data, call, event->ticks);
  mpi_leave_ending(mpi, event->location, event->ticks);
  call->id = 0;
}

/* -- all -- */

/* What handles an event. */
enum handler { NOBODY, ENTERED, LEFT, MESSAGES, COLLECTIVES };

static inline enum handler handler_of(const struct trace_event *event) {
  switch ((int)event->kind) {
  case TRACE_Enter:
    return ENTERED;
  case TRACE_Leave:
    return LEFT;
  case TRACE_MpiSend:
  case TRACE_MpiIsend:
  case TRACE_MpiIsendComplete:
  case TRACE_MpiIrecvRequest:
  case TRACE_MpiRecv:
  case TRACE_MpiIrecv:
  case TRACE_MpiRequestCancelled:
    return MESSAGES;
  case TRACE_MpiCollectiveBegin:
  case TRACE_MpiCollectiveEnd:
  case TRACE_NonBlockingCollectiveRequest:
  case TRACE_NonBlockingCollectiveComplete:
    return COLLECTIVES;
  default:
    return NOBODY;
  }
}

bool mpi_concerns(const struct mpi_replay *mpi, const struct trace_event *event) {
  switch (handler_of(event)) {
  case ENTERED:
    return mpi_region(mpi, event->Enter.region) != UINT32_MAX;
  case LEFT:
    return mpi_region(mpi, event->Leave.region) != UINT32_MAX;
  case MESSAGES:
  case COLLECTIVES:
    return true;
  case NOBODY:
    break;
  }
  return false;
}

void mpi_process(struct mpi_replay *mpi, const struct trace_event *event) {
  switch (handler_of(event)) {
  case ENTERED:
    enter(mpi, event);
    break;
  case LEFT:
    leave(mpi, event);
    break;
  case MESSAGES:
    mpi_messages_process(mpi, event);
    break;
  case COLLECTIVES:
    mpi_collectives_process(mpi, event);
    break;
  case NOBODY:
    break;
  }
}

void mpi_finish(struct mpi_replay *mpi) {
  mpi_messages_finish(mpi);
  mpi_collectives_finish(mpi);
}

static void make_tables(struct mpi_replay *mpi) {
  const struct trace *trace = mpi->trace;
  mpi->process_count = trace->location_group_count + 1;
  mpi->is_mpi = memory_get(trace->region_count, sizeof *mpi->is_mpi);
  mpi->calls = memory_get(trace->location_count, sizeof *mpi->calls);
  mpi->endings = memory_get(trace->location_count, sizeof *mpi->endings);
  mpi->begin_ticks = memory_get(trace->location_count, sizeof *mpi->begin_ticks);
  mpi->processes = memory_get(trace->location_count, sizeof *mpi->processes);
  mpi->ranks = memory_get(trace->comm_count, sizeof *mpi->ranks);
  mpi->receives = memory_get(mpi->process_count, sizeof *mpi->receives);
  mpi->operations_posted = memory_get(mpi->process_count, sizeof *mpi->operations_posted);
  learn(mpi);
}

struct mpi_replay *mpi_create(const struct trace *trace, const struct mpi_observer *observer, void *data) {
  struct mpi_replay *mpi = memory_get(1, sizeof *mpi);
  mpi->trace = trace;
  mpi->observer = *observer;
  mpi->data = data;
  mpi->halves.item_bytes = sizeof(struct mpi_half);
  mpi->channel_pool.item_bytes = sizeof(struct mpi_channel);
  mpi->requests.item_bytes = sizeof(struct mpi_request);
  mpi->late.item_bytes = sizeof(struct mpi_late);
  mpi->operation_pool.item_bytes = sizeof(struct mpi_operation_state);
  mpi->ending_pool.item_bytes = sizeof(struct mpi_ending);
  make_tables(mpi);
  return mpi;
}

static void free_postings(struct mpi_replay *mpi) {
  for (size_t i = 0; i < mpi->process_count; i++) {
    match_queue_free(&mpi->receives[i]);
    match_queue_free(&mpi->operations_posted[i]);
  }
}

static void free_operation(void *item) {
  free(((struct mpi_operation_state *)item)->members);
}

static void free_maps_and_pools(struct mpi_replay *mpi) {
  pair_map_free(&mpi->rank_of);
  pair_map_free(&mpi->channels);
  pair_map_free(&mpi->request_table);
  pair_map_free(&mpi->operations);
  pair_map_free(&mpi->counts);
  pool_free(&mpi->halves, NULL);
  pool_free(&mpi->channel_pool, NULL);
  pool_free(&mpi->requests, NULL);
  pool_free(&mpi->late, NULL);
  pool_free(&mpi->operation_pool, free_operation);
  pool_free(&mpi->ending_pool, NULL);
}

void mpi_free(struct mpi_replay *mpi) {
  if (!mpi)
    return;
  for (size_t i = 0; i < mpi->trace->comm_count; i++)
    free(mpi->ranks[i].processes);
  free_postings(mpi);
  free_maps_and_pools(mpi);
  free(mpi->is_mpi);
  free(mpi->calls);
  free(mpi->endings);
  free(mpi->begin_ticks);
  free(mpi->processes);
  free(mpi->ranks);
  free(mpi->receives);
  free(mpi->operations_posted);
  free(mpi);
}
