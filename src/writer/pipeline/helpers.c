#include "writer/pipeline/helpers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/elsewhere.h"
#include "base/memory.h"

enum {
  /* at whether there is more to do, before a thread sleeps: 0.5 ms on an EPYC of 2.6 GHz. Two that do so on
   * one processor wait for each other, which is why they part (part), and none looks where there is only one.
   */
  LOOKS_MAX = 20000,
  STACK_BYTES = 1 << 18,
};

struct worker {
  struct helpers *helpers;
  pthread_t thread;
  unsigned number;
};

struct helpers {
  unsigned workers, started; /* the caller's included */
  _Atomic unsigned most;     /* of them may work */
  _Atomic unsigned awake;    /* beside the caller */
  bool has_started, is_refused;
  struct worker *all;
  cpu_set_t processors; /* that may be used */
  unsigned looks;
  _Atomic int caller_on;     /* which of them: the caller's, as the round began */
  bool (*aside)(void *data); /* NULL: there is nothing else to be done */
  void *aside_data;
  /* of what is done now */
  helpers_work work;
  void *data;
  uint32_t items;
  _Atomic uint64_t claims; /* the round, which grows with each run and at the end, and those of its items that
                              nobody has */
  _Atomic uint32_t undone; /* items: the caller waits for these, and for no worker that has none */
  _Atomic bool is_over;
  _Atomic bool rests;    /* no round comes soon */
  pthread_mutex_t mutex; /* for those that sleep */
  pthread_cond_t begins, ends, more;
};

struct helpers *helpers_create(unsigned workers) {
  struct helpers *helpers = memory_get(1, sizeof *helpers);
  helpers->workers = workers > 0 ? workers : 1;
  helpers->started = 1;
  helpers->most = helpers->workers;
  helpers->all = memory_get(helpers->workers, sizeof *helpers->all);
  pthread_mutex_init(&helpers->mutex, NULL);
  pthread_cond_init(&helpers->begins, NULL);
  pthread_cond_init(&helpers->ends, NULL);
  pthread_cond_init(&helpers->more, NULL);
  return helpers;
}

static inline void rest(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void helpers_set_aside(struct helpers *helpers, bool (*aside)(void *data), void *data) {
  helpers->aside = aside;
  helpers->aside_data = data;
}

static inline void use_time(const struct helpers *helpers) {
  if (!helpers->aside || !helpers->aside(helpers->aside_data))
    rest();
}

enum { ROUND_AT = 32 }; /* in claims */

static uint32_t round_now(struct helpers *helpers) {
  return (uint32_t)(atomic_load_explicit(&helpers->claims, memory_order_acquire) >> ROUND_AT);
}

static bool is_next_round(struct helpers *helpers, uint32_t known) {
  for (unsigned i = 0; i < helpers->looks; i++, use_time(helpers)) {
    if (round_now(helpers) != known)
      return true;
    if (atomic_load_explicit(&helpers->rests, memory_order_relaxed))
      return false;
  }
  return false;
}

/* Of this round: as long as its items are not all done the caller goes on with no other one. The acquire's
 * partner is the release in begin_round. */
static bool claim(struct helpers *helpers, uint32_t round, uint32_t *ret_item) {
  uint64_t claims = atomic_load_explicit(&helpers->claims, memory_order_acquire);
  do {
    if (claims >> ROUND_AT != round || (uint32_t)claims == 0)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(&helpers->claims, &claims, claims - 1, memory_order_acq_rel,
                                                  memory_order_acquire));
  *ret_item = helpers->items - (uint32_t)claims;
  return true;
}

static void note_done(struct helpers *helpers, unsigned worker) {
  if (atomic_fetch_sub_explicit(&helpers->undone, 1, memory_order_acq_rel) > 1 || worker == 0)
    return;
  pthread_mutex_lock(&helpers->mutex);
  pthread_cond_signal(&helpers->ends);
  pthread_mutex_unlock(&helpers->mutex);
}

static void do_items(struct helpers *helpers, unsigned worker, uint32_t round) {
  for (uint32_t item; claim(helpers, round, &item);) {
    helpers->work(helpers->data, worker, item);
    note_done(helpers, worker);
  }
}

static bool may_work(const struct worker *worker) {
  return worker->number < atomic_load_explicit(&worker->helpers->most, memory_order_relaxed);
}

/* Returns another round than the known one. */
static uint32_t wait_for_round(const struct worker *worker, uint32_t known) {
  struct helpers *helpers = worker->helpers;
  if (may_work(worker) && is_next_round(helpers, known))
    return round_now(helpers);
  atomic_fetch_sub_explicit(&helpers->awake, 1, memory_order_relaxed);
  pthread_mutex_lock(&helpers->mutex);
  while (round_now(helpers) == known || !may_work(worker))
    pthread_cond_wait(may_work(worker) ? &helpers->begins : &helpers->more, &helpers->mutex);
  pthread_mutex_unlock(&helpers->mutex);
  atomic_fetch_add_explicit(&helpers->awake, 1, memory_order_relaxed);
  return round_now(helpers);
}

/* A worker that was woken on the caller's processor, as its own had something else to do then, moves on. */
static void part(const struct helpers *helpers) {
  cpu_set_t others = helpers->processors;
  int own = sched_getcpu();
  if (own < 0 || own != atomic_load_explicit(&helpers->caller_on, memory_order_relaxed))
    return;
  CPU_CLR(own, &others);
  if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(pthread_self(), sizeof others, &others) == 0)
    elsewhere_leave(pthread_self(), &helpers->processors);
}

static void *help(void *data) {
  struct worker *worker = data;
  struct helpers *helpers = worker->helpers;
  for (uint32_t round = 0;;) {
    round = wait_for_round(worker, round);
    if (atomic_load(&helpers->is_over))
      return NULL;
    if (!may_work(worker))
      continue;
    part(helpers);
    do_items(helpers, worker->number, round);
  }
}

/* Signals are for the thread that has made them. */
static bool start(struct worker *worker) {
  pthread_attr_t attributes;
  sigset_t all, before;
  cpu_set_t processor;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  bool is_elsewhere = elsewhere_of(&worker->helpers->processors, worker->number, &processor) &&
                      pthread_attr_setaffinity_np(&attributes, sizeof processor, &processor) == 0;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&worker->thread, &attributes, help, worker);
  if (!error && is_elsewhere)
    elsewhere_leave(worker->thread, &worker->helpers->processors);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

static void start_first(struct helpers *helpers) {
  helpers->has_started = true;
  elsewhere_usable(&helpers->processors);
  helpers->looks = CPU_COUNT(&helpers->processors) > 1 ? LOOKS_MAX : 0;
}

/* As many as may work. */
static void start_more(struct helpers *helpers) {
  if (!helpers->has_started)
    start_first(helpers);
  while (helpers->started < helpers->most && !helpers->is_refused) {
    struct worker *worker = &helpers->all[helpers->started];
    *worker = (struct worker){.helpers = helpers, .number = helpers->started};
    helpers->awake++;
    if (start(worker))
      helpers->started++;
    else
      helpers->is_refused = helpers->awake-- > 0;
  }
}

/* Returns the round. */
static uint32_t begin_round(struct helpers *helpers, uint32_t items) {
  uint32_t round = round_now(helpers) + 1;
  atomic_store_explicit(&helpers->caller_on, sched_getcpu(), memory_order_relaxed);
  atomic_store_explicit(&helpers->rests, false, memory_order_relaxed);
  pthread_mutex_lock(&helpers->mutex);
  atomic_store_explicit(&helpers->claims, (uint64_t)round << ROUND_AT | items, memory_order_release);
  pthread_cond_broadcast(&helpers->begins);
  pthread_mutex_unlock(&helpers->mutex);
  return round;
}

static bool are_done(struct helpers *helpers) {
  for (unsigned i = 0; i < helpers->looks; i++, use_time(helpers))
    if (atomic_load_explicit(&helpers->undone, memory_order_acquire) == 0)
      return true;
  return false;
}

static void wait_for_all(struct helpers *helpers) {
  if (are_done(helpers))
    return;
  pthread_mutex_lock(&helpers->mutex);
  while (atomic_load(&helpers->undone) > 0)
    pthread_cond_wait(&helpers->ends, &helpers->mutex);
  pthread_mutex_unlock(&helpers->mutex);
}

void helpers_run(struct helpers *helpers, helpers_work work, void *data, uint32_t items) {
  helpers->work = work;
  helpers->data = data;
  helpers->items = items;
  if (helpers->started < helpers->most && items > 1)
    start_more(helpers);
  if (helpers->started == 1 || helpers->most == 1 || items <= 1) {
    for (uint32_t item = 0; item < items; item++)
      work(data, 0, item);
    return;
  }
  atomic_store_explicit(&helpers->undone, items, memory_order_relaxed); /* released with the claims */
  do_items(helpers, 0, begin_round(helpers, items));
  wait_for_all(helpers);
}

void helpers_rest(struct helpers *helpers) {
  atomic_store_explicit(&helpers->rests, true, memory_order_relaxed);
}

void helpers_let(struct helpers *helpers, unsigned most) {
  most = most < helpers->workers ? most : helpers->workers;
  if (most == helpers->most)
    return;
  pthread_mutex_lock(&helpers->mutex);
  atomic_store_explicit(&helpers->most, most, memory_order_relaxed);
  pthread_cond_broadcast(&helpers->more);
  pthread_mutex_unlock(&helpers->mutex);
}

unsigned helpers_awake(const struct helpers *helpers) {
  return helpers ? atomic_load_explicit(&helpers->awake, memory_order_relaxed) : 0;
}

unsigned helpers_workers(const struct helpers *helpers) {
  return helpers->workers;
}

void helpers_destroy(struct helpers *helpers) {
  if (!helpers)
    return;
  atomic_store(&helpers->is_over, true);
  helpers_let(helpers, helpers->workers);
  begin_round(helpers, 0);
  for (unsigned i = 1; i < helpers->started; i++)
    pthread_join(helpers->all[i].thread, NULL);
  pthread_cond_destroy(&helpers->begins);
  pthread_cond_destroy(&helpers->ends);
  pthread_cond_destroy(&helpers->more);
  pthread_mutex_destroy(&helpers->mutex);
  free(helpers->all);
  free(helpers);
}
