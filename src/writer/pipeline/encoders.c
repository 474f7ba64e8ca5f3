#include "writer/pipeline/encoders.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/memory.h"
#include "writer/correlate/alone.h"
#include "writer/pipeline/helpers.h"
#include "writer/pipeline/merge_sources.h"

#ifndef ENCODERS_PUT_OFF
#define ENCODERS_PUT_OFF (1 << 16) /* tests have less: rounds all the time */
#endif

enum {
  ENCODERS_MAX = 16,       /* so many where no number is requested */
  WAITING_LEAST = 1 << 17, /* records, likewise; and as long as more are left than */
  WAITING_REST = 1 << 13,
  LOOK_RECORDS = 1 << 16, /* are looked at ahead, of all slots together */
  LOOK_SLOT_MAX = 8000,   /* of one: what they are unpacked to fits into a processor's cache */
  LOOK_SLOT_MIN = 256,
  WORTH = 512, /* records in a round: below this the next one is put off */
  PUT_OFF_MIN = 2,
  PUT_OFF_MAX = ENCODERS_PUT_OFF,
  REST_FROM = 1 << 12, /* records to the next round, from which on nobody waits awake for it */
};

/* What is known of a slot's next records. */
struct ahead {
  uint64_t end;     /* position: those before are of kinds that concern their thread alone */
  uint64_t bound;   /* nothing at or after `end` is earlier */
  uint64_t handled; /* position: those before were handled */
  struct alone_look look;
  bool is_stopped;   /* the next one is of the round, but would name something */
  uint64_t apart[6]; /* no line of a cache has two of what several threads store to */
};

struct encoders {
  struct merge *merge;
  struct correlator *correlator;
  struct encoders_caller caller;
  unsigned requested;      /* 0: nobody has requested a number */
  unsigned now;            /* so many may encode */
  struct helpers *helpers; /* NULL: nothing was worth it so far */
  struct encoder **all;    /* by worker */
  struct ahead *ahead;     /* by slot */
  size_t ahead_capacity;
  struct acquisitions **settling; /* room for all slots */
  size_t settling_capacity;
  bool is_in_rounds;      /* the caller knows that */
  bool has_looked;        /* ahead is of the next records */
  uint64_t look_records;  /* of a slot, in this round */
  uint64_t until;         /* ticks: what is earlier may be handled in this round */
  bool has_stopped;       /* a slot: it goes on as soon as its next record was handed on */
  uint64_t put_off, left; /* records to be handed on one by one after a round without success; still */
};

/* -- how far each slot's records concern it alone -- */

/* A look ends where the pass does, and where the chain does: the application could write over what follows
 * in its ring. */
static uint64_t end_of_look(const struct encoders *encoders, const struct source *source, uint64_t next) {
  const struct backlog_chain *chain = &source->chain;
  uint64_t end = chain->begin != chain->end ? chain->end : next;
  uint64_t in_pass = source->first_head - next, in_chain = end - next;
  uint64_t most = in_pass < in_chain ? in_pass : in_chain;
  if ((int64_t)in_pass <= 0)
    return next;
  return next + (most < encoders->look_records ? most : encoders->look_records);
}

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Nothing more is known to come of a slot whose records are all looked at; what the pass does not see comes
 * after it (ring_merge.h). */
static uint64_t bound_after(const struct encoders *encoders, struct source *source,
                            const struct ahead *ahead) {
  if (ahead->end == source->head)
    return UINT64_MAX;
  struct record record = *record_at(encoders->merge, source, ahead->end);
  return later(ahead->look.ticks, record.ticks);
}

static void begin_look(struct encoders *encoders, uint32_t slot, uint64_t next, uint64_t end) {
  struct ahead *ahead = &encoders->ahead[slot];
  ahead->end = next;
  ahead->look = (struct alone_look){0};
  if (end != next)
    alone_look_begin(&ahead->look, encoders->correlator, slot);
}

/* Up to `end`, as far as they are unpacked. Returns whether the look goes on. */
static bool look_at_some(struct encoders *encoders, struct source *source, struct ahead *ahead, uint64_t id,
                         uint64_t end) {
  const struct record *records = record_at(encoders->merge, source, ahead->end);
  const struct backlog_chain *chain = &source->chain;
  uint64_t to_wrap = chain->window_mask + 1 - (ahead->end & chain->window_mask), n = end - ahead->end;
  n = n < chain->unpacked - ahead->end ? n : chain->unpacked - ahead->end;
  n = n < to_wrap ? n : to_wrap;
  uint64_t done = alone_look_at(&ahead->look, records, n, id);
  ahead->end += done;
  return done == n;
}

/* From `next` on, where it will be once what was taken is handed on. */
static void look_from(struct encoders *encoders, uint32_t slot, uint64_t next) {
  struct source *source = &encoders->merge->sources[slot];
  struct ahead *ahead = &encoders->ahead[slot];
  uint64_t end = alone_is_ready(encoders->correlator, slot) ? end_of_look(encoders, source, next) : next;
  ahead->handled = next;
  if (end == next || !alone_look_is_valid(&ahead->look) || ahead->end - next > end - next)
    begin_look(encoders, slot, next, end);
  while (ahead->end != end && look_at_some(encoders, source, ahead, id_base(slot) + ahead->end, end)) {
  }
  if (ahead->look.thread)
    alone_look_end(&ahead->look, id_base(slot) + ahead->end);
  ahead->bound = bound_after(encoders, source, ahead);
}

static void look_ahead(void *data, unsigned worker, uint32_t slot) {
  struct encoders *encoders = data;
  (void)worker;
  look_from(encoders, slot, encoders->merge->sources[slot].next);
}

/* The earliest record that may concern others bounds what all may handle. */
static void find_bound(struct encoders *encoders) {
  encoders->until = UINT64_MAX;
  for (uint32_t slot = 0; slot < encoders->merge->slots; slot++)
    if (encoders->ahead[slot].bound < encoders->until)
      encoders->until = encoders->ahead[slot].bound;
}

/* Which acquisition of a lock is which is settled for all before anybody handles one. */
static void settle(struct encoders *encoders) {
  uint32_t slots = encoders->merge->slots;
  size_t count = 0;
  array_reserve_zeroed(&encoders->settling, &encoders->settling_capacity, slots, sizeof *encoders->settling);
  for (uint32_t slot = 0; slot < slots; slot++) {
    struct acquisitions *acquisitions = alone_acquisitions(encoders->correlator, slot);
    if (!acquisitions)
      continue;
    acquisitions_drop_before(acquisitions, id_base(slot) + encoders->merge->sources[slot].next);
    encoders->settling[count++] = acquisitions;
  }
  encoders->until = acquisitions_settle(encoders->correlator, encoders->settling, count, encoders->until);
}

/* -- what is handled -- */

static void encode_slot(struct encoders *encoders, unsigned worker, uint32_t slot) {
  const struct backlog_chain *chain = &encoders->merge->sources[slot].chain;
  struct ahead *ahead = &encoders->ahead[slot];
  ahead->is_stopped = false;
  while (ahead->handled != ahead->end) {
    uint64_t at = ahead->handled & chain->window_mask, left = ahead->end - ahead->handled;
    uint64_t part = chain->window_mask + 1 - at < left ? chain->window_mask + 1 - at : left;
    uint64_t done = alone_encode(encoders->all[worker], slot, id_base(slot) + ahead->handled,
                                 chain->window + at, part, encoders->until);
    ahead->handled += done;
    if (done < part) {
      ahead->is_stopped = chain->window[at + done].ticks < encoders->until;
      return;
    }
  }
}

/* And looks where the next round may go. */
static void encode_and_look(void *data, unsigned worker, uint32_t slot) {
  struct encoders *encoders = data;
  encode_slot(encoders, worker, slot);
  look_from(encoders, slot, encoders->ahead[slot].handled);
}

static uint64_t go_on(struct encoders *encoders) {
  uint64_t handled = 0;
  for (uint32_t slot = 0; slot < encoders->merge->slots; slot++) {
    struct source *source = &encoders->merge->sources[slot];
    uint64_t next = encoders->ahead[slot].handled, more = next - source->next;
    if (more > 0)
      merge_go_on_at(encoders->merge, source, next);
    handled += more;
  }
  return handled;
}

static uint64_t round_of_all(struct encoders *encoders) {
  uint32_t slots = encoders->merge->slots;
  unsigned workers = helpers_workers(encoders->helpers);
  workers = workers < encoders->now ? workers : encoders->now;
  helpers_let(encoders->helpers, workers);
  if (!encoders->has_looked)
    helpers_run(encoders->helpers, look_ahead, encoders, slots);
  find_bound(encoders);
  settle(encoders);
  for (unsigned i = 0; i < workers; i++)
    alone_begin(encoders->all[i], encoders->correlator);
  helpers_run(encoders->helpers, encode_and_look, encoders, slots);
  for (unsigned i = 0; i < workers; i++)
    alone_end(encoders->all[i], encoders->correlator);
  encoders->has_looked = true;
  return go_on(encoders);
}

/* -- when -- */

static bool waits_enough(const struct encoders *encoders) {
  return encoders->requested ||
         merge_waiting(encoders->merge) >= (encoders->helpers ? WAITING_REST : WAITING_LEAST);
}

static bool may_now(struct encoders *encoders) {
  encoders->now = waits_enough(encoders) ? encoders->caller.may_encode(encoders->caller.data) : 0;
  return encoders->now > 0;
}

static bool is_worth_it(struct encoders *encoders) {
  return encoders->left == 0 && alone_is_possible(encoders->correlator) && may_now(encoders);
}

static void start(struct encoders *encoders) {
  unsigned processors = encoders->requested ? encoders->requested : limits_processors();
  encoders->helpers =
      helpers_create(encoders->requested || processors < ENCODERS_MAX ? processors : ENCODERS_MAX);
  helpers_set_aside(encoders->helpers, encoders->caller.on_wait, encoders->caller.data);
  unsigned workers = helpers_workers(encoders->helpers);
  encoders->all = memory_get(workers, sizeof *encoders->all);
  for (unsigned i = 0; i < workers; i++)
    encoders->all[i] = memory_get(1, sizeof **encoders->all);
}

static void set_look(struct encoders *encoders) {
  uint32_t slots = encoders->merge->slots;
  uint64_t records = LOOK_RECORDS / (slots ? slots : 1);
  records = records < LOOK_SLOT_MAX ? records : LOOK_SLOT_MAX;
  encoders->look_records = records > LOOK_SLOT_MIN ? records : LOOK_SLOT_MIN;
  array_reserve_zeroed(&encoders->ahead, &encoders->ahead_capacity, slots, sizeof *encoders->ahead);
}

/* In front of what would name something: a slot's later records would wait for as long as there are rounds.
 */
static bool has_stopped(const struct encoders *encoders) {
  for (uint32_t slot = 0; slot < encoders->merge->slots; slot++)
    if (encoders->ahead[slot].is_stopped)
      return true;
  return false;
}

static void put_off(struct encoders *encoders, uint64_t handled) {
  encoders->has_stopped = handled >= WORTH && has_stopped(encoders);
  encoders->left = encoders->has_stopped;
  if (handled >= WORTH) {
    encoders->put_off = PUT_OFF_MIN;
    return;
  }
  encoders->left = encoders->put_off < PUT_OFF_MAX ? encoders->put_off : PUT_OFF_MAX;
  encoders->put_off = 2 * encoders->left;
  if (encoders->left >= REST_FROM)
    helpers_rest(encoders->helpers);
}

static void note_rounds(struct encoders *encoders, bool are_now) {
  if (encoders->is_in_rounds != are_now && encoders->caller.on_rounds)
    encoders->caller.on_rounds(encoders->caller.data, are_now);
  encoders->is_in_rounds = are_now;
}

/* A merge_beside's. */
static uint64_t run(void *data, uint64_t handed_on) {
  struct encoders *encoders = data;
  encoders->left = encoders->left > handed_on ? encoders->left - handed_on : 0;
  encoders->has_stopped &= encoders->left > 0;
  encoders->has_looked &= handed_on == 0;
  bool is_now = is_worth_it(encoders);
  note_rounds(encoders, is_now);
  if (!is_now)
    return 0;
  if (!encoders->helpers)
    start(encoders);
  set_look(encoders);
  uint64_t handled = round_of_all(encoders);
  put_off(encoders, handled);
  if (encoders->left > 0)
    note_rounds(encoders, false);
  return handled;
}

static bool may(void *data) {
  return may_now(data);
}

struct encoders *encoders_create(struct merge *merge, struct correlator *correlator, unsigned requested,
                                 struct encoders_caller caller) {
  struct encoders *encoders = memory_get(1, sizeof *encoders);
  *encoders = (struct encoders){.merge = merge,
                                .correlator = correlator,
                                .caller = caller,
                                .requested = requested,
                                .put_off = PUT_OFF_MIN};
  alone_open(correlator);
  merge_set_beside(merge,
                   &(struct merge_beside){may, run, &encoders->left, &encoders->has_stopped, encoders});
  return encoders;
}

unsigned encoders_awake(const struct encoders *encoders) {
  return encoders ? helpers_awake(encoders->helpers) : 0;
}

void encoders_rest(struct encoders *encoders) {
  if (encoders && encoders->helpers)
    helpers_rest(encoders->helpers);
}

void encoders_destroy(struct encoders *encoders) {
  if (!encoders)
    return;
  note_rounds(encoders, false); /* else what is still to be written waits for those who help */
  merge_set_beside(encoders->merge, &(struct merge_beside){0});
  alone_close(encoders->correlator);
  for (unsigned i = 0; encoders->helpers && i < helpers_workers(encoders->helpers); i++)
    free(encoders->all[i]);
  helpers_destroy(encoders->helpers);
  free(encoders->all);
  free(encoders->ahead);
  free(encoders->settling);
  free(encoders);
}
