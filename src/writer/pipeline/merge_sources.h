/* What ring_merge.c and merge_ties.c share: the sources of records and their order. */
#ifndef STAVE_WRITER_PIPELINE_MERGE_SOURCES_H
#define STAVE_WRITER_PIPELINE_MERGE_SOURCES_H

#include "session/ring.h"
#include "writer/pipeline/backlog.h"
#include "writer/pipeline/record_log.h"
#include "writer/pipeline/ring_merge.h"

/* What waits of a slot: [next, view.next) in the backlog, [view.next, head) in the ring. */
struct source {
  struct ring_view view;
  struct backlog_chain chain;
  uint64_t next;             /* first record that was not handed on */
  uint64_t head;             /* H2 */
  uint64_t first_head;       /* H1 */
  struct record record;      /* a copy of the one at `next` */
  uint64_t logged;           /* what is before this is in the log, or there is none */
  struct log_blocks *blocks; /* there, of what was not handed on; the backlog knows them, and sources move */
  uint64_t prepared;         /* the capacity up to which the ring was given memory, or refused it */
  uint64_t emptied_mask;     /* the ring's, at which it was emptied in the middle of a pass; so often: */
  uint64_t emptied;
  bool is_loaded; /* out of a log */
  int is_damaged; /* the application wrote over it: nothing more is read */
};

struct merge {
  struct session_header *session;
  uint64_t ring_bytes;
  uint32_t slots_max;
  merge_sink sink;
  merge_run_sink run_sink; /* NULL: there is none */
  void *data;
  merge_pause pause;
  struct backlog *backlog;    /* NULL: there is to be none */
  struct merge_beside beside; /* run is NULL: nobody does */
  uint64_t since_beside;      /* records that the sink got */
  bool is_loading;            /* rings are not looked at yet */
  bool is_crowded;            /* the program has all processors */
  struct record_log *log;     /* the caller's; or NULL */
  uint64_t waiting_most;  /* records that may wait in it while the writer leaves the processors to others */
  uint64_t since_look;    /* records handed on */
  struct source *sources; /* by slot */
  size_t sources_capacity;
  uint32_t slots; /* seen so far */
  uint32_t *heap; /* slots with something to read, the earliest on top */
  size_t heap_capacity;
  uint32_t heap_count;
  double max_fill;      /* of the last pass */
  uint32_t passed;      /* slots that were known in the last pass */
  bool has_new_threads; /* in the last pass */
  uint64_t damaged;     /* slots whose contents made no sense */
  bool has_growth;      /* what memory there is for rings; then: */
  int64_t growth_left;  /* by how much rings could still grow */
  uint64_t words[4 * RECORD_SLOTS_MAX];
};

static inline const struct record *record_at(const struct merge *merge, struct source *source,
                                             uint64_t position) {
  if (backlog_has(&source->chain, position))
    return backlog_at(merge->backlog, &source->chain, position);
  return ring_view_at(&source->view, position);
}

/* The time up to which the top may run before another ring's record is due. */
static inline uint64_t second_ticks(const struct merge *merge) {
  uint64_t ticks = UINT64_MAX;
  for (uint32_t i = 1; i < 3 && i < merge->heap_count; i++)
    if (merge->sources[merge->heap[i]].record.ticks < ticks)
      ticks = merge->sources[merge->heap[i]].record.ticks;
  return ticks;
}

/* Whether it may be known what of the same time came before the ring's next record. */
static inline bool may_follow(const struct record *record) {
  unsigned type = record->type;
  return type == RECORD_mutex_acquired || type == RECORD_task_schedule || type == RECORD_implicit_task_begin;
}

/* Whether the time alone does not state if the top of the heap is first. */
static inline bool is_tied(const struct merge *merge) {
  const struct record *next = &merge->sources[merge->heap[0]].record;
  return may_follow(next) && next->ticks == second_ticks(merge);
}

/* Whether records of several slots may be handled side by side now. */
static inline bool may_run_beside(const struct merge *merge) {
  return merge->beside.run && merge->since_beside >= *merge->beside.put_off;
}

/* Everything before `next` of this source was handed on. */
void merge_go_on_at(struct merge *merge, struct source *source, uint64_t next);

/* Looks at the slots that are in use now. */
void merge_find_new_slots(struct merge *merge);

/* Hands on what lies below first_head of each source, and what comes before it. Returns the number of
 * records. */
uint64_t merge_hand_on(struct merge *merge);

/* If it is so: puts what is first on top. */
void merge_settle_tie(struct merge *merge);

#endif
