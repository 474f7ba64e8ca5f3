#include <stdlib.h>
#include <string.h>

#include "trace/rank_batches.h"

void rank_command_send(struct ranks_job *ranks, unsigned to, struct rank_command command) {
  struct ranks_transfer transfer;
  ranks_send(ranks, to, TAG_COMMAND, &command, sizeof command, &transfer);
  ranks_wait(ranks, &transfer);
}

static void expect(struct ranks_job *ranks, struct rank_source *source, size_t batch) {
  ranks_receive(ranks, source->rank, TAG_BATCH, source->batches[batch].head,
                sizeof(struct batch_head) + rank_batch_bytes(ranks), &source->batches[batch].transfer);
}

static void receive_large(struct ranks_job *ranks, struct rank_source *source, size_t bytes) {
  struct ranks_transfer transfer;
  free(source->large);
  source->large = memory_get(1, bytes + sizeof(struct trace_event));
  ranks_receive(ranks, source->rank, TAG_LARGE, source->large, bytes, &transfer);
  ranks_wait(ranks, &transfer);
  source->at = source->large;
  source->end = source->large + bytes;
}

/* The batch has been taken. */
static void expect_again(struct ranks_job *ranks, struct rank_source *source) {
  expect(ranks, source, source->reading);
  source->reading = (source->reading + 1) % RANK_BATCHES;
  source->at = NULL;
}

int rank_source_next(struct ranks_job *ranks, struct rank_source *source, _Atomic uint64_t *progress,
                     char error[RANKS_ERROR_BYTES]) {
  if (source->at)
    expect_again(ranks, source);
  const struct rank_batch *batch = &source->batches[source->reading];
  ranks_wait(ranks, &source->batches[source->reading].transfer);
  struct batch_head head = *batch->head;
  source->at = rank_batch_events(batch);
  source->end = source->at + head.used;
  source->is_reading = !head.is_last;
  if (progress)
    atomic_fetch_add_explicit(progress, head.events, memory_order_relaxed);
  if (head.is_last && head.result < 0)
    memcpy(error, rank_batch_events(batch), RANKS_ERROR_BYTES);
  if (!head.is_last && head.used > rank_batch_bytes(ranks))
    receive_large(ranks, source, head.used);
  return head.is_last ? head.result : 0;
}

/* Each sends as many empty batches as there is room for. */
static void dismiss(struct rank_sources *all) {
  for (size_t i = 0; i < all->count; i++) {
    rank_command_send(all->ranks, all->sources[i].rank, (struct rank_command){.kind = COMMAND_END});
    if (all->sources[i].at)
      expect_again(all->ranks, &all->sources[i]);
  }
  for (size_t i = 0; i < all->count; i++)
    for (size_t j = 0; j < RANK_BATCHES; j++)
      ranks_wait(all->ranks, &all->sources[i].batches[j].transfer);
}

void rank_sources_free(struct rank_sources *all) {
  if (!all)
    return;
  dismiss(all);
  for (size_t i = 0; i < all->count; i++) {
    rank_batches_free(all->sources[i].batches);
    free(all->sources[i].large);
  }
  free(all);
}

struct rank_sources *rank_sources_make(struct ranks_job *ranks) {
  size_t count = ranks_count(ranks) - 1;
  struct rank_sources *all = memory_get(1, sizeof *all + count * sizeof *all->sources);
  all->ranks = ranks;
  all->count = count;
  for (size_t i = 0; i < count; i++) {
    all->sources[i].rank = (unsigned)i + 1;
    rank_batches_make(all->sources[i].batches, ranks);
  }
  for (size_t i = 0; i < count * RANK_BATCHES; i++)
    expect(ranks, &all->sources[i / RANK_BATCHES], i % RANK_BATCHES);
  return all;
}
