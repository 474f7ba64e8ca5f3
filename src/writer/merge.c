#include "writer/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "session/ring.h"
#include "session/session.h"
#include "writer/backlog.h"

enum {
  RELEASE_RECORDS = 2048,  /* room is given back this often inside a long run */
  TIED_RINGS_MOST = 64,    /* compared where times are equal, and */
  TIED_RECORDS_MOST = 64,  /* looked at in each: a clock's tick is as short as a few events */
  LOOK_RECORDS = 2048,     /* and for each slot */
  LOOK_RECORDS_A_SLOT = 64 /* are merged between two looks at how full the rings are */
};

/* What waits of a slot: [next, view.next) in the backlog, [view.next, head) in the ring. */
struct source {
  struct ring_view view;
  struct backlog_chain chain;
  uint64_t next;        /* first record that was not handed on */
  uint64_t head;        /* H2 */
  uint64_t first_head;  /* H1 */
  struct record record; /* a copy of the one at `next` */
  uint64_t prepared;    /* the capacity up to which the ring was given memory, or refused it */
  int is_damaged;       /* the application wrote over it: nothing more is read */
};

struct merge {
  struct session_header *session;
  uint64_t ring_bytes;
  uint32_t slots_max;
  merge_sink sink;
  void *data;
  merge_pause pause;
  struct backlog *backlog; /* NULL: there is to be none */
  uint64_t since_look;     /* records handed on */
  struct source *sources;  /* by slot */
  size_t sources_capacity;
  uint32_t slots; /* seen so far */
  uint32_t *heap; /* slots with something to read, the earliest on top */
  size_t heap_capacity;
  uint32_t heap_count;
  double fullest;   /* of the last pass */
  uint32_t passed;  /* slots that were known in the last pass */
  bool met_threads; /* in the last pass */
  uint64_t damaged; /* slots whose contents made no sense */
  uint64_t words[4 * RECORD_SLOTS_MAX];
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
                          .backlog = backlog_create(backlog_bytes)};
  return merge;
}

void merge_destroy(struct merge *merge) {
  if (!merge)
    return;
  backlog_destroy(merge->backlog);
  free(merge->sources);
  free(merge->heap);
  free(merge);
}

static void find_new_slots(struct merge *merge) {
  uint32_t used = atomic_load_explicit(&merge->session->shared.slots_used, memory_order_acquire);
  used = used < merge->slots_max ? used : merge->slots_max;
  memory_grow(&merge->sources, &merge->sources_capacity, used, sizeof *merge->sources);
  memory_grow(&merge->heap, &merge->heap_capacity, used, sizeof *merge->heap);
  for (; merge->slots < used; merge->slots++) {
    struct source *source = &merge->sources[merge->slots];
    ring_view_init(&source->view, session_slot(merge->session, merge->slots),
                   session_ring(merge->session, merge->slots_max, merge->ring_bytes, merge->slots),
                   merge->ring_bytes / RECORD_BYTES);
    source->next = source->head = source->view.next;
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

static const struct record *record_at(const struct merge *merge, struct source *source, uint64_t position) {
  if (backlog_has(&source->chain, position))
    return backlog_at(merge->backlog, &source->chain, position);
  return ring_view_at(&source->view, position);
}

/* Everything before `next` was handed on. */
static void go_on_at(struct merge *merge, struct source *source, uint64_t next) {
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

/* The time up to which the top may run before another ring's record is due. */
static uint64_t second_ticks(const struct merge *merge) {
  uint64_t ticks = UINT64_MAX;
  for (uint32_t i = 1; i < 3 && i < merge->heap_count; i++)
    if (merge->sources[merge->heap[i]].record.ticks < ticks)
      ticks = merge->sources[merge->heap[i]].record.ticks;
  return ticks;
}

static void look_at_next(const struct merge *merge, struct source *source) {
  source->record = *record_at(merge, source, source->next);
}

/* A pass over many full rings takes long: the tool must not think that nothing goes on. */
static void count_progress(struct merge *merge) {
  atomic_fetch_add_explicit(&merge->session->shared.progress, 1, memory_order_relaxed);
}

static uint64_t released(const struct source *source) {
  return atomic_load_explicit(&source->view.slot->tail, memory_order_relaxed);
}

/* What was said before may have been written over: the thread would wait for ever. */
static void give_back(struct merge *merge, struct source *source) {
  if (source->is_damaged)
    atomic_store_explicit(&source->view.slot->is_given_up, true, memory_order_relaxed);
  if (released(source) == source->view.next)
    return;
  count_progress(merge);
  ring_view_release(&source->view);
}

/* Moves what is in the ring into the backlog, as far as that has room. */
static void move_out(struct merge *merge, struct source *source) {
  struct ring_view *view = &source->view;
  while (view->next != view->head) {
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

/* Rings that are a quarter full: there a thread may wait for more room. And slots of threads that have ended,
 * since others wait for them. What makes no sense is found in the next pass. True: let it grow. */
static bool relieve_one(struct merge *merge, uint32_t slot) {
  struct source *source = &merge->sources[slot];
  if (ring_view_can_wait(&source->view) && slot_owner(source->view.slot) != SLOT_ENDED)
    return false;
  if (!merge->backlog || source->is_damaged || !ring_view_update(&source->view))
    return false;
  bool wants_growth = ring_view_wants_growth(&source->view);
  move_out(merge, source);
  return_if_ended(merge, slot);
  return wants_growth;
}

static void relieve_all(void *merge) {
  for (uint32_t slot = 0; slot < ((struct merge *)merge)->slots; slot++)
    relieve_one(merge, slot);
}

/* Memory for a ring that was half full; once for each capacity. It takes as long as filling rings does. */
static void prepare_growth(struct merge *merge, struct source *source) {
  uint64_t capacity = source->view.mask + 1;
  if (source->is_damaged || source->prepared >= 2 * capacity || 2 * capacity > source->view.capacity_max)
    return;
  source->prepared = 2 * capacity;
  count_progress(merge);
  if (session_grow(merge->session, source->view.records, capacity, relieve_all, merge))
    ring_view_prepare(&source->view, 2 * capacity);
}

double merge_relieve(struct merge *merge) {
  double fullest = 0;
  merge->since_look = 0;
  find_new_slots(merge);
  for (uint32_t slot = 0; merge->backlog && slot < merge->slots; slot++) {
    double used = ring_view_in_use(&merge->sources[slot].view);
    fullest = used > fullest ? used : fullest;
    if (relieve_one(merge, slot))
      prepare_growth(merge, &merge->sources[slot]);
  }
  return fullest;
}

/* In the middle of a pass: rings that fill are relieved, and others may want the processor. Sources may lie
 * elsewhere afterwards. */
static void look_around(struct merge *merge) {
  if (merge->backlog)
    count_progress(merge);
  merge_relieve(merge);
  if (merge->pause)
    merge->pause(merge->data);
}

/* A record that claims more slots than there are was written over, and nothing behind it means anything. */
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
  go_on_at(merge, source, source->next + 1u + more);
  merge->sink(merge->data, slot, id, &source->record, merge->words);
  if (source->view.next - released(source) >= RELEASE_RECORDS)
    give_back(merge, source);
}

/* Whether it may be known what of the same time came before the ring's next record. */
static bool may_follow(const struct source *source) {
  unsigned type = source->record.type;
  return type == RECORD_mutex_acquired || type == RECORD_task_schedule || type == RECORD_implicit_task_begin;
}

/* The entry of the heap in whose ring the id's record is still to come, at the same time; 0: none. */
static uint32_t maker_of(const struct merge *merge, uint64_t id) {
  uint64_t slot = id >> ID_POSITION_BITS, ticks = merge->sources[merge->heap[0]].record.ticks;
  for (uint32_t i = 1; i < merge->heap_count && i < TIED_RINGS_MOST; i++) {
    const struct source *source = &merge->sources[merge->heap[i]];
    if (merge->heap[i] == slot && source->record.ticks == ticks)
      return id >= id_base((uint32_t)slot) + source->next ? i : 0;
  }
  return 0;
}

/* Steps to the ring's next record, of those that are looked at in advance. Returns whether there is one. */
static bool step(const struct merge *merge, struct source *source, uint64_t *position, unsigned *steps) {
  uint8_t more = record_at(merge, source, *position)->more;
  *position += 1u + more;
  return more < RECORD_SLOTS_MAX && ++*steps < TIED_RECORDS_MOST && (int64_t)(source->head - *position) > 0;
}

/* The first acquisition of the lock among the records of the ring that have the time of its next one. */
static bool find_acquisition(const struct merge *merge, struct source *source, uint64_t wait_id,
                             uint64_t *ret) {
  uint64_t position = source->next;
  unsigned steps = 0;
  do {
    const struct record *record = record_at(merge, source, position);
    if (record->ticks != source->record.ticks)
      return false;
    if (record->type == RECORD_mutex_acquired && record->a == wait_id) {
      *ret = position;
      return true;
    }
  } while (step(merge, source, &position, &steps));
  return false;
}

/* When the thread has told that it gave the lock back which it acquired at the position. UINT64_MAX: it has
 * not told yet, or it told of something else before, after the time of the acquisition. (What the tool says
 * for itself may come between the end of the lock and the callback that tells of it.) */
static uint64_t hold_end(const struct merge *merge, struct source *source, uint64_t position) {
  const struct record acquired = *record_at(merge, source, position);
  unsigned steps = 0;
  while (step(merge, source, &position, &steps)) {
    const struct record *record = record_at(merge, source, position);
    if (record->type == RECORD_mutex_released && record->a == acquired.a)
      return record->ticks;
    if (record->ticks > acquired.ticks && record_class(record->type) != RECORD_CLASS_tool)
      break;
  }
  return UINT64_MAX;
}

/* The entry of the heap whose thread had the lock, at the time at which the top acquires it, before all
 * others; 0: the top itself. */
static uint32_t first_owner(const struct merge *merge) {
  struct source *top = &merge->sources[merge->heap[0]];
  uint64_t wait_id = top->record.a, earliest = hold_end(merge, top, top->next), position;
  uint32_t first = 0;
  for (uint32_t i = 1; i < merge->heap_count && i < TIED_RINGS_MOST; i++) {
    struct source *other = &merge->sources[merge->heap[i]];
    if (other->record.ticks != top->record.ticks || !find_acquisition(merge, other, wait_id, &position))
      continue;
    uint64_t end = hold_end(merge, other, position);
    first = end < earliest ? i : first;
    earliest = end < earliest ? end : earliest;
  }
  return first;
}

/* The entry of the heap that is to be taken before the top, whose time is the same: what made the task or
 * the team that the top names, or had its lock before. */
static uint32_t find_earlier(const struct merge *merge) {
  const struct record *next = &merge->sources[merge->heap[0]].record;
  if (next->type == RECORD_mutex_acquired)
    return first_owner(merge);
  return maker_of(merge, next->type == RECORD_task_schedule
                             ? ((const struct record_task_schedule *)next)->next_task
                             : ((const struct record_implicit_task_begin *)next)->parallel);
}

/* The time alone does not say which of the rings of the earliest time is first. */
static void settle_tie(struct merge *merge) {
  for (unsigned tries = 0; tries < TIED_RINGS_MOST; tries++) {
    uint32_t slot = merge->heap[0];
    if (!may_follow(&merge->sources[slot]) || merge->sources[slot].record.ticks != second_ticks(merge))
      return;
    uint32_t earlier = find_earlier(merge);
    merge->heap[0] = merge->heap[earlier];
    merge->heap[earlier] = slot;
    if (earlier == 0)
      return;
  }
}

/* Takes records of the top ring while they are the earliest of all, but not behind `end`. Returns how
 * many. */
static uint64_t deliver_run(struct merge *merge, uint32_t slot, uint64_t end) {
  struct source *source;
  uint64_t until = second_ticks(merge), taken = 0;
  uint64_t most = LOOK_RECORDS + (uint64_t)LOOK_RECORDS_A_SLOT * merge->slots;
  do {
    deliver(merge, slot);
    taken++;
    if (++merge->since_look >= most)
      look_around(merge);
    source = &merge->sources[slot];
    if (source->next == source->head)
      break;
    look_at_next(merge, source);
    if (source->record.ticks == until && may_follow(source))
      break;
  } while (source->record.ticks <= until && (int64_t)(end - source->next) > 0);
  return taken;
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
  find_new_slots(merge);
  merge->fullest = 0;
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    update(merge, &merge->sources[slot]);
    const struct ring_view *view = &merge->sources[slot].view;
    double used = (double)(view->head - view->next) / (double)(view->mask + 1);
    merge->fullest = used > merge->fullest ? used : merge->fullest;
    merge->sources[slot].first_head = merge->sources[slot].head;
    if (ring_view_wants_growth(view))
      prepare_growth(merge, &merge->sources[slot]);
  }
  atomic_thread_fence(memory_order_seq_cst);
  uint32_t before = merge->slots;
  find_new_slots(merge);
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    struct source *source = &merge->sources[slot];
    if (slot >= before)
      source->first_head = source->next;
    update(merge, source);
  }
  merge->met_threads = merge->slots > merge->passed;
  merge->passed = merge->slots;
}

uint64_t merge_pass(struct merge *merge) {
  uint64_t taken = 0;
  read_heads(merge);
  for (uint32_t due = fill_heap(merge); due > 0;) {
    settle_tie(merge);
    uint32_t slot = merge->heap[0];
    const struct source *source = &merge->sources[slot];
    bool was_due = is_due(source);
    /* Behind the last record that is due, an earlier one may still be missing elsewhere. */
    taken += deliver_run(merge, slot, was_due && due == 1 ? source->first_head : source->head);
    source = &merge->sources[slot];
    due -= was_due && !is_due(source);
    if (source->next == source->head)
      merge->heap[0] = merge->heap[--merge->heap_count];
    sift_down(merge, 0);
  }
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    give_back(merge, &merge->sources[slot]);
    return_if_ended(merge, slot);
  }
  return taken;
}

uint64_t merge_behind(const struct merge *merge) {
  return backlog_waiting(merge->backlog);
}

bool merge_may_fall_behind(const struct merge *merge) {
  return backlog_has_room(merge->backlog);
}

void merge_rest(struct merge *merge) {
  backlog_shrink(merge->backlog);
}

double merge_fullest(const struct merge *merge) {
  return merge->fullest;
}

bool merge_met_threads(const struct merge *merge) {
  return merge->met_threads;
}

bool merge_can_wait(struct merge *merge) {
  find_new_slots(merge);
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
