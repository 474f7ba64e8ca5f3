#include "writer/pipeline/ring_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "session/session.h"
#include "writer/pipeline/free_memory.h"
#include "writer/pipeline/merge_sources.h"

enum {
  RELEASE_RECORDS = 2048,  /* room is given back this often inside a long run */
  RECORD_PACKED_BYTES = 8, /* most take 4 or 8 */
  LOOK_RECORDS = 2048,     /* and for each slot */
  LOOK_RECORDS_A_SLOT = 64 /* are merged between two looks at how full the rings are */
};

struct merge *merge_create(struct session_header *session, uint64_t backlog_bytes, merge_sink sink,
                           merge_pause pause, void *data) {
  struct merge *merge = memory_get(1, sizeof *merge);
  *merge = (struct merge){.session = session,
                          .ring_bytes = session->constants.ring_bytes,
                          .slots_max = session->constants.slots_max,
                          .sink = sink,
                          .pause = pause,
                          .data = data,
                          .backlog = backlog_create(backlog_bytes),
                          .waiting_most = backlog_bytes / RECORD_PACKED_BYTES};
  return merge;
}

void merge_set_run_sink(struct merge *merge, merge_run_sink run_sink) {
  merge->run_sink = run_sink;
}

void merge_set_log(struct merge *merge, struct record_log *log) {
  merge->log = log;
}

void merge_set_beside(struct merge *merge, const struct merge_beside *beside) {
  merge->beside = *beside;
}

void merge_set_crowded(struct merge *merge, bool is_crowded) {
  merge->is_crowded = is_crowded;
}

static void free_blocks(struct log_blocks *blocks) {
  free(blocks->all);
  free(blocks);
}

void merge_destroy(struct merge *merge) {
  if (!merge)
    return;
  backlog_destroy(merge->backlog);
  for (uint32_t slot = 0; slot < merge->slots; slot++)
    free_blocks(merge->sources[slot].blocks);
  free(merge->sources);
  free(merge->heap);
  free(merge);
}

void merge_find_new_slots(struct merge *merge) {
  uint32_t used = atomic_load_explicit(&merge->session->shared.slots_used, memory_order_acquire);
  used = used < merge->slots_max ? used : merge->slots_max;
  array_reserve_zeroed(&merge->sources, &merge->sources_capacity, used, sizeof *merge->sources);
  array_reserve_zeroed(&merge->heap, &merge->heap_capacity, used, sizeof *merge->heap);
  for (; merge->slots < used; merge->slots++) {
    struct source *source = &merge->sources[merge->slots];
    ring_view_init(&source->view, session_slot(merge->session, merge->slots),
                   session_ring(merge->session, merge->slots_max, merge->ring_bytes, merge->slots),
                   merge->ring_bytes / RECORD_BYTES);
    source->blocks = memory_get(1, sizeof *source->blocks);
    source->next = source->head = source->logged = source->view.next;
  }
}

/* What is in the ring makes no sense any more; what was moved out of it before does. */
static void give_up_on(struct merge *merge, struct source *source) {
  source->view.next = source->view.head;
  source->first_head = source->head;
  source->is_damaged = 1;
  merge->damaged++;
}

static void update(struct merge *merge, struct source *source) {
  if (source->is_damaged)
    return;
  bool is_sound = ring_view_update(&source->view);
  source->head = is_sound ? source->view.head : source->view.next;
  if (!is_sound)
    give_up_on(merge, source);
}

/* What of the ring was seen and is in no log yet. */
static void log_new(struct merge *merge, struct source *source) {
  const struct ring_view *view = &source->view;
  if (!merge->log || source->is_damaged)
    return;
  while (source->logged != view->head) {
    uint64_t unlogged = view->head - source->logged,
             to_the_end = view->mask + 1 - (source->logged & view->mask);
    uint64_t part = unlogged < to_the_end ? unlogged : to_the_end;
    record_log_put(merge->log, (uint32_t)(source - merge->sources), source->logged,
                   ring_view_at(view, source->logged), part, source->blocks);
    source->logged += part;
  }
}

void merge_go_on_at(struct merge *merge, struct source *source, uint64_t next) {
  source->next = next;
  if (source->chain.begin != source->chain.end)
    backlog_free_below(merge->backlog, &source->chain, next);
  if ((int64_t)(next - source->view.next) > 0)
    source->view.next = next;
}

/* Moves the entry at `i` down to where it belongs. */
static void sift_down(struct merge *merge, uint32_t i) {
  uint32_t slot = merge->heap[i];
  for (uint32_t child; (child = 2 * i + 1) < merge->heap_count; i = child) {
    if (child + 1 < merge->heap_count &&
        merge->sources[merge->heap[child + 1]].record.ticks < merge->sources[merge->heap[child]].record.ticks)
      child++;
    if (merge->sources[merge->heap[child]].record.ticks >= merge->sources[slot].record.ticks)
      break;
    merge->heap[i] = merge->heap[child];
  }
  merge->heap[i] = slot;
}

static void look_at_next(const struct merge *merge, struct source *source) {
  source->record = *record_at(merge, source, source->next);
}

/* A pass over many full rings is long: the tool must see progress meanwhile. */
static void count_progress(struct merge *merge) {
  atomic_fetch_add_explicit(&merge->session->shared.progress, 1, memory_order_relaxed);
}

static uint64_t released(const struct source *source) {
  return atomic_load_explicit(&source->view.slot->tail, memory_order_relaxed);
}

/* What was reported before may have been written over: the thread would wait without end. */
static void give_back(struct merge *merge, struct source *source) {
  if (source->is_damaged)
    atomic_store_explicit(&source->view.slot->is_given_up, true, memory_order_relaxed);
  if (released(source) == source->view.next)
    return;
  count_progress(merge);
  record_log_flush(merge->log);
  log_blocks_drop_below(source->blocks, source->next);
  ring_view_release(&source->view);
}

/* What is in the log waits there. */
static bool leave_in_log(struct merge *merge, struct source *source) {
  struct ring_view *view = &source->view;
  record_log_flush(merge->log);
  if (!record_log_is_complete(merge->log) || view->next == view->head ||
      !backlog_leave_in_log(merge->backlog, &source->chain, view->next, view->head, merge->log,
                            source->blocks))
    return false;
  view->next = view->head;
  return true;
}

/* Moves what is in the ring into the backlog, as far as that has room. */
static void move_out(struct merge *merge, struct source *source) {
  struct ring_view *view = &source->view;
  while (view->next != view->head && !leave_in_log(merge, source)) {
    uint64_t unread = view->head - view->next, to_the_end = view->mask + 1 - (view->next & view->mask);
    uint64_t part = unread < to_the_end ? unread : to_the_end;
    uint64_t done =
        backlog_put(merge->backlog, &source->chain, view->next, ring_view_at(view, view->next), part);
    view->next += done;
    if (done < part)
      break;
  }
  give_back(merge, source);
}

/* A thread has ended and its ring is empty: the slot is free for another. */
static void return_if_ended(struct merge *merge, uint32_t slot) {
  const struct ring_view *view = &merge->sources[slot].view;
  if (!merge->sources[slot].is_damaged && slot_owner(view->slot) == SLOT_ENDED &&
      atomic_load_explicit(&view->slot->head, memory_order_acquire) == view->next)
    session_return_slot(merge->session, slot);
}

/* How many quarters of a ring are in use when it gets memory to grow: two. But from RING_ENOUGH_BYTES on, as
 * long as the backlog has room, three, where its thread comes near to waiting: its pages cost 2 us each. All
 * that where there is as much for all rings. */
static unsigned quarters_to_grow(const struct merge *merge, const struct ring_view *view) {
  bool is_enough = view->mask + 1 >= RING_ENOUGH_BYTES / RECORD_BYTES && backlog_has_room(merge->backlog) &&
                   merge->slots <= RING_GROWTH_BYTES / RING_ENOUGH_BYTES;
  return is_enough ? 3 : 2;
}

/* Whether a ring that has to be emptied in the middle of a pass is to grow: up to RING_ENOUGH_BYTES one
 * quarter is enough. But where the program has all processors each time takes 30 us of one of them from a
 * thread that others may wait for, as do the pages of LOOK_BYTES. There one quarter is enough once all these
 * times have cost what the pages will: a short stretch of events pays for no large ring, a long one at most
 * twice what would have been best. */
static bool is_worth_growing(const struct merge *merge, struct source *source) {
  enum { LOOK_BYTES = 64 << 10 };
  const struct ring_view *view = &source->view;
  unsigned quarters = quarters_to_grow(merge, view);
  source->emptied = view->mask == source->emptied_mask ? source->emptied + 1 : 1;
  source->emptied_mask = view->mask;
  bool has_paid = !merge->is_crowded || source->emptied * LOOK_BYTES >= (view->mask + 1) * RECORD_BYTES;
  if (quarters == 2 && merge->slots <= RING_GROWTH_BYTES / RING_ENOUGH_BYTES && has_paid)
    quarters = 1;
  return ring_view_could_grow(view, quarters);
}

/* Rings that are a quarter full: there a thread may wait for more room. And slots of threads that have ended,
 * since others wait for them. What makes no sense is found in the next pass. True: let it grow. */
static bool relieve_one(struct merge *merge, uint32_t slot) {
  struct source *source = &merge->sources[slot];
  if (ring_view_can_wait(&source->view) && slot_owner(source->view.slot) != SLOT_ENDED)
    return false;
  if (!merge->backlog || source->is_damaged || !ring_view_update(&source->view))
    return false;
  bool grows = is_worth_growing(merge, source);
  log_new(merge, source);
  move_out(merge, source);
  return_if_ended(merge, slot);
  return grows;
}

static void relieve_all(void *merge) {
  for (uint32_t slot = 0; slot < ((struct merge *)merge)->slots; slot++)
    relieve_one(merge, slot);
}

/* Beyond its limit on memory a control group loses a process, most likely the program: all rings together
 * grow by no more than a part of what is free. Queried again as they have grown by some more. */
static void limit_growth(struct merge *merge) {
  enum { SHARE = 8, QUERY_EVERY = 4 << 20 };
  _Atomic int64_t *left = &merge->session->shared.growth_left;
  int64_t now = atomic_load_explicit(left, memory_order_relaxed);
  if (merge->has_growth && merge->growth_left - now < QUERY_EVERY)
    return;
  uint64_t share = free_memory() / SHARE;
  if (now > 0 && share < (uint64_t)now)
    atomic_fetch_sub_explicit(left, now - (int64_t)share, memory_order_relaxed);
  merge->has_growth = true;
  merge->growth_left = atomic_load_explicit(left, memory_order_relaxed);
}

/* Memory for a ring that is to grow; once for each capacity. That is as slow as filling rings. */
static void prepare_growth(struct merge *merge, struct source *source) {
  uint64_t capacity = source->view.mask + 1;
  if (source->is_damaged || source->prepared >= 2 * capacity || 2 * capacity > source->view.capacity_max)
    return;
  source->prepared = 2 * capacity;
  count_progress(merge);
  limit_growth(merge);
  if (session_grow(merge->session, source->view.records, capacity, relieve_all, merge))
    ring_view_prepare(&source->view, 2 * capacity);
}

void merge_drain_full_rings(struct merge *merge) {
  merge->since_look = 0;
  merge_find_new_slots(merge);
  for (uint32_t slot = 0; merge->backlog && slot < merge->slots; slot++)
    if (relieve_one(merge, slot))
      prepare_growth(merge, &merge->sources[slot]);
}

/* A reader of the log has the blocks between two marks in memory; and a pass may be long. */
static void log_all_in_time(struct merge *merge) {
  enum { MARK_BYTES = 32 << 20 };
  if (record_log_since_mark(merge->log) < MARK_BYTES)
    return;
  for (uint32_t slot = 0; slot < merge->slots; slot++)
    if (!merge->sources[slot].is_damaged && ring_view_update(&merge->sources[slot].view))
      log_new(merge, &merge->sources[slot]);
  record_log_mark(merge->log);
  record_log_flush(merge->log);
}

/* In the middle of a pass: rings that fill are relieved, and others may need the processor. Sources may lie
 * elsewhere afterwards. */
static void look_around(struct merge *merge) {
  if (merge->is_loading)
    return;
  if (merge->backlog)
    count_progress(merge);
  merge_drain_full_rings(merge);
  log_all_in_time(merge);
  if (merge->pause)
    merge->pause(merge->data);
}

/* A record that claims more slots than there are was written over, and nothing after it means anything. */
static void give_up_inside(struct merge *merge, struct source *source) {
  backlog_free_below(merge->backlog, &source->chain, source->chain.end);
  source->next = source->head;
  give_up_on(merge, source);
}

/* Hands one record on. */
static void deliver(struct merge *merge, uint32_t slot) {
  struct source *source = &merge->sources[slot];
  unsigned more = source->record.more;
  if (more >= RECORD_SLOTS_MAX || source->head - source->next <= more) {
    give_up_inside(merge, source);
    return;
  }
  for (unsigned i = 0; i < more; i++)
    memcpy(merge->words + 4 * i, record_at(merge, source, source->next + 1 + i), RECORD_BYTES);
  uint64_t id = id_base(slot) + source->next;
  merge_go_on_at(merge, source, source->next + 1u + more);
  merge->sink(merge->data, slot, id, &source->record, merge->words);
  if (source->view.next - released(source) >= RELEASE_RECORDS)
    give_back(merge, source);
}

/* Records of one source that lie one after the other, from `next` on. */
struct stretch {
  const struct record *records; /* by position, masked */
  uint64_t mask, count;
};

/* What is decided on is a copy, once and for all: the application may write over the record. */
static inline void copy_record(struct record *copy, const struct record *record) {
  *copy = *record;
  __asm__ volatile("" : "+m"(*copy)); /* it is not read once more */
}

/* What may be read without unpacking, and before room is to be given back. */
static struct stretch at_hand(const struct source *source) {
  const struct backlog_chain *chain = &source->chain;
  const struct ring_view *view = &source->view;
  if (chain->begin != chain->end)
    return (struct stretch){chain->window, chain->window_mask, chain->unpacked - source->next};
  uint64_t handled = view->next - released(source);
  return (struct stretch){view->records, view->mask,
                          handled < RELEASE_RECORDS ? RELEASE_RECORDS - handled : 0};
}

/* The run's first records, as far as they are at hand and none has more slots after it, `most` at most.
 * Returns how many. */
static inline uint64_t deliver_stretch(struct merge *merge, uint32_t slot, uint64_t until, uint64_t most) {
  struct source *source = &merge->sources[slot];
  struct stretch stretch = at_hand(source);
  struct record record = source->record;
  uint64_t begin = source->next, next = begin, end = begin + (stretch.count < most ? stretch.count : most);
  while (next != end && record.more == 0) {
    merge->sink(merge->data, slot, id_base(slot) + next++, &record, merge->words);
    if (next == end)
      break;
    copy_record(&record, &stretch.records[next & stretch.mask]);
    if (record.ticks > until || (record.ticks == until && may_follow(&record)))
      break;
  }
  if (next != begin)
    merge_go_on_at(merge, source, next);
  return next - begin;
}

/* Of records that nobody can write over: those that are due together and have no further slots. That the
 * first one is due is known. */
static inline uint64_t due_together(const struct record *records, uint64_t n, uint64_t until) {
  uint64_t due = 0;
  while (
      due < n && records[due].more == 0 &&
      (due == 0 || records[due].ticks < until || (records[due].ticks == until && !may_follow(&records[due]))))
    due++;
  return due;
}

/* The same of what is unpacked, by one call for all of it that is due. What the sink refuses comes one by
 * one, and some that follow it, too: what is due would have to be found for each anew. */
static uint64_t deliver_unpacked(struct merge *merge, uint32_t slot, uint64_t until, uint64_t most) {
  enum { RUN_MAX = 256, REFUSED = 32 };
  struct source *source = &merge->sources[slot];
  const struct backlog_chain *chain = &source->chain;
  uint64_t at = source->next & chain->window_mask, n = chain->unpacked - source->next;
  most = most < RUN_MAX ? most : RUN_MAX;
  n = n < most ? n : most;
  n = n < chain->window_mask + 1 - at ? n : chain->window_mask + 1 - at;
  n = due_together(chain->window + at, n, until);
  uint64_t handled =
      n ? merge->run_sink(merge->data, slot, id_base(slot) + source->next, chain->window + at, n) : 0;
  if (handled == 0)
    return deliver_stretch(merge, slot, until, n < REFUSED ? n : REFUSED);
  merge_go_on_at(merge, source, source->next + handled);
  return handled;
}

/* What is at hand of the top ring. Returns how many records. */
static uint64_t deliver_some(struct merge *merge, uint32_t slot, uint64_t until, uint64_t most) {
  const struct backlog_chain *chain = &merge->sources[slot].chain;
  bool is_unpacked = merge->run_sink && chain->begin != chain->end;
  return is_unpacked ? deliver_unpacked(merge, slot, until, most) : deliver_stretch(merge, slot, until, most);
}

/* So often others are looked after in a pass. */
static uint64_t records_to_look(const struct merge *merge) {
  return LOOK_RECORDS + (uint64_t)LOOK_RECORDS_A_SLOT * merge->slots;
}

/* Delivers records of the top ring while they are the earliest of all, but not after `end`. Returns how many.
 */
static uint64_t deliver_run(struct merge *merge, uint32_t slot, uint64_t end) {
  struct source *source = &merge->sources[slot];
  uint64_t until = second_ticks(merge), handled = 0;
  uint64_t look_at = records_to_look(merge);
  do {
    uint64_t most = look_at - merge->since_look, left = end - source->next;
    uint64_t delivered = deliver_some(merge, slot, until, left < most ? left : most);
    if (delivered == 0) {
      deliver(merge, slot);
      delivered = 1;
    }
    handled += delivered;
    merge->since_look += delivered;
    if (merge->since_look >= look_at)
      look_around(merge);
    source = &merge->sources[slot];
    if (source->next == source->head)
      break;
    look_at_next(merge, source);
    if (source->record.ticks == until && may_follow(&source->record))
      break;
  } while (source->record.ticks <= until && (int64_t)(end - source->next) > 0);
  return handled;
}

/* Whether some of what the first reading saw is still to be taken. A position that was written over may be
 * about to wrap, so only differences mean something. */
static bool is_due(const struct source *source) {
  return (int64_t)(source->first_head - source->next) > 0;
}

static uint32_t fill_heap(struct merge *merge) {
  merge->heap_count = 0;
  uint32_t due = 0;
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    struct source *source = &merge->sources[slot];
    if (source->next == source->head)
      continue;
    look_at_next(merge, source);
    merge->heap[merge->heap_count++] = slot;
    due += is_due(source);
  }
  for (uint32_t i = merge->heap_count / 2; i-- > 0;)
    sift_down(merge, i);
  return due;
}

/* The two readings of all heads. A slot that shows up between them belongs to the second. */
static void read_heads(struct merge *merge) {
  merge_find_new_slots(merge);
  merge->max_fill = 0;
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    update(merge, &merge->sources[slot]);
    const struct ring_view *view = &merge->sources[slot].view;
    double used = (double)(view->head - view->next) / (double)(view->mask + 1);
    merge->max_fill = used > merge->max_fill ? used : merge->max_fill;
    merge->sources[slot].first_head = merge->sources[slot].head;
    if (ring_view_could_grow(view, quarters_to_grow(merge, view)))
      prepare_growth(merge, &merge->sources[slot]);
  }
  atomic_thread_fence(memory_order_seq_cst);
  uint32_t before = merge->slots;
  merge_find_new_slots(merge);
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    struct source *source = &merge->sources[slot];
    if (slot >= before)
      source->first_head = source->next;
    update(merge, source);
    log_new(merge, source);
  }
  record_log_mark(merge->log);
  record_log_flush(merge->log);
  merge->has_new_threads = merge->slots > merge->passed;
  merge->passed = merge->slots;
}

/* How far the source's records are handed on one by one. */
static uint64_t end_of_run(const struct merge *merge, const struct source *source, uint64_t end) {
  return merge->beside.run && *merge->beside.is_after_one ? source->next + 1 : end;
}

/* What can be handled side by side. The heap is as it was, or filled anew; *due likewise. */
static uint64_t run_beside(struct merge *merge, uint32_t *due) {
  uint64_t handled = merge->beside.run(merge->beside.data, merge->since_beside);
  merge->since_beside = 0;
  if (handled == 0)
    return 0;
  merge->since_look += handled;
  *due = fill_heap(merge);
  if (merge->since_look >= records_to_look(merge))
    look_around(merge);
  return handled;
}

uint64_t merge_hand_on(struct merge *merge) {
  uint64_t handled = 0;
  merge->since_beside++; /* there may be more than in the last pass */
  for (uint32_t due = fill_heap(merge); due > 0;) {
    uint64_t beside = may_run_beside(merge) ? run_beside(merge, &due) : 0;
    handled += beside;
    if (beside)
      continue;
    if (is_tied(merge))
      merge_settle_tie(merge);
    uint32_t slot = merge->heap[0];
    const struct source *source = &merge->sources[slot];
    bool was_due = is_due(source);
    /* After the last record that is due, an earlier one may still be missing elsewhere. */
    uint64_t end = was_due && due == 1 ? source->first_head : source->head;
    uint64_t run = deliver_run(merge, slot, end_of_run(merge, source, end));
    handled += run;
    merge->since_beside += run;
    source = &merge->sources[slot];
    due -= was_due && !is_due(source);
    if (source->next == source->head)
      merge->heap[0] = merge->heap[--merge->heap_count];
    sift_down(merge, 0);
  }
  return handled;
}

/* So that nobody can write over it any more. */
static void move_all_out(struct merge *merge) {
  for (uint32_t slot = 0; merge->backlog && slot < merge->slots; slot++)
    if (!merge->sources[slot].is_damaged)
      move_out(merge, &merge->sources[slot]);
}

uint64_t merge_pass(struct merge *merge) {
  read_heads(merge);
  if (merge->beside.may && merge->beside.may(merge->beside.data))
    move_all_out(merge);
  uint64_t handled = merge_hand_on(merge);
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    give_back(merge, &merge->sources[slot]);
    return_if_ended(merge, slot);
  }
  return handled;
}

uint64_t merge_next_ticks(const struct merge *merge) {
  return merge->heap_count ? merge->sources[merge->heap[0]].record.ticks : 0;
}

uint64_t merge_waiting(const struct merge *merge) {
  return backlog_waiting(merge->backlog);
}

/* In a log, which needs no memory, as many as the memory would have room for: the end is waited for. */
bool merge_may_lag(const struct merge *merge) {
  if (merge->backlog && record_log_is_complete(merge->log))
    return backlog_waiting(merge->backlog) < merge->waiting_most;
  return backlog_has_room(merge->backlog);
}

void merge_rest(struct merge *merge) {
  record_log_rest(merge->log);
  backlog_shrink(merge->backlog);
}

double merge_max_fill(const struct merge *merge) {
  return merge->max_fill;
}

bool merge_has_new_threads(const struct merge *merge) {
  return merge->has_new_threads;
}

bool merge_can_wait(struct merge *merge) {
  merge_find_new_slots(merge);
  for (uint32_t slot = 0; slot < merge->slots; slot++)
    if (!merge->sources[slot].is_damaged && !ring_view_can_wait(&merge->sources[slot].view))
      return false;
  return true;
}

uint64_t merge_lost_without_slot(const struct merge *merge) {
  return atomic_load_explicit(&merge->session->shared.figures.lost, memory_order_relaxed);
}

struct figures merge_figures(const struct merge *merge) {
  struct figures sum = {.damaged = merge->damaged,
                        .backlog_most = backlog_most(merge->backlog),
                        .backlog_records = backlog_total(merge->backlog)};
  figures_add_tool(&sum, &merge->session->shared.figures);
  for (uint32_t slot = 0; slot < merge->slots; slot++)
    figures_add_tool(&sum, &merge->sources[slot].view.slot->figures);
  return sum;
}
