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
  bool has_started;
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
  _Atomic uint32_t next;
  _Atomic uint32_t busy;  /* threads that may still have an item */
  _Atomic uint32_t round; /* grows with each run, and at the end */
  _Atomic bool is_over;
  _Atomic bool rests;    /* no round comes soon */
  pthread_mutex_t mutex; /* for those that sleep */
  pthread_cond_t begins, ends;
};

struct helpers *helpers_create(unsigned workers) {
  struct helpers *helpers = memory_get(1, sizeof *helpers);
  helpers->workers = workers > 0 ? workers : 1;
  helpers->started = 1;
  helpers->all = memory_get(helpers->workers, sizeof *helpers->all);
  pthread_mutex_init(&helpers->mutex, NULL);
  pthread_cond_init(&helpers->begins, NULL);
  pthread_cond_init(&helpers->ends, NULL);
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

static bool is_next_round(struct helpers *helpers, uint32_t known) {
  for (unsigned i = 0; i < helpers->looks; i++, use_time(helpers)) {
    if (atomic_load_explicit(&helpers->round, memory_order_acquire) != known)
      return true;
    if (atomic_load_explicit(&helpers->rests, memory_order_relaxed))
      return false;
  }
  return false;
}

static void do_items(struct helpers *helpers, unsigned worker) {
  for (uint32_t item;
       (item = atomic_fetch_add_explicit(&helpers->next, 1, memory_order_relaxed)) < helpers->items;)
    helpers->work(helpers->data, worker, item);
}

static void wait_for_round(struct helpers *helpers, uint32_t known) {
  if (is_next_round(helpers, known))
    return;
  pthread_mutex_lock(&helpers->mutex);
  while (atomic_load(&helpers->round) == known)
    pthread_cond_wait(&helpers->begins, &helpers->mutex);
  pthread_mutex_unlock(&helpers->mutex);
}

static void note_done(struct helpers *helpers) {
  if (atomic_fetch_sub_explicit(&helpers->busy, 1, memory_order_acq_rel) > 1)
    return;
  pthread_mutex_lock(&helpers->mutex);
  pthread_cond_signal(&helpers->ends);
  pthread_mutex_unlock(&helpers->mutex);
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
  for (uint32_t known = 0;; known++) {
    wait_for_round(helpers, known);
    if (atomic_load(&helpers->is_over))
      return NULL;
    part(helpers);
    do_items(helpers, worker->number);
    note_done(helpers);
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

static void start_all(struct helpers *helpers) {
  helpers->has_started = true;
  elsewhere_usable(&helpers->processors);
  helpers->looks = CPU_COUNT(&helpers->processors) > 1 ? LOOKS_MAX : 0;
  for (; helpers->started < helpers->workers; helpers->started++) {
    struct worker *worker = &helpers->all[helpers->started];
    *worker = (struct worker){.helpers = helpers, .number = helpers->started};
    if (!start(worker))
      break;
  }
}

static void begin_round(struct helpers *helpers) {
  atomic_store_explicit(&helpers->caller_on, sched_getcpu(), memory_order_relaxed);
  atomic_store_explicit(&helpers->rests, false, memory_order_relaxed);
  pthread_mutex_lock(&helpers->mutex);
  atomic_fetch_add(&helpers->round, 1);
  pthread_cond_broadcast(&helpers->begins);
  pthread_mutex_unlock(&helpers->mutex);
}

static bool are_done(struct helpers *helpers) {
  for (unsigned i = 0; i < helpers->looks; i++, use_time(helpers))
    if (atomic_load_explicit(&helpers->busy, memory_order_acquire) == 0)
      return true;
  return false;
}

static void wait_for_all(struct helpers *helpers) {
  if (are_done(helpers))
    return;
  pthread_mutex_lock(&helpers->mutex);
  while (atomic_load(&helpers->busy) > 0)
    pthread_cond_wait(&helpers->ends, &helpers->mutex);
  pthread_mutex_unlock(&helpers->mutex);
}

void helpers_run(struct helpers *helpers, helpers_work work, void *data, uint32_t items) {
  helpers->work = work;
  helpers->data = data;
  helpers->items = items;
  atomic_store(&helpers->next, 0);
  if (helpers->workers > 1 && items > 1 && !helpers->has_started)
    start_all(helpers);
  if (helpers->started == 1 || items <= 1) {
    do_items(helpers, 0);
    return;
  }
  atomic_store(&helpers->busy, helpers->started - 1);
  begin_round(helpers);
  do_items(helpers, 0);
  wait_for_all(helpers);
}

void helpers_rest(struct helpers *helpers) {
  atomic_store_explicit(&helpers->rests, true, memory_order_relaxed);
}

unsigned helpers_workers(const struct helpers *helpers) {
  return helpers->workers;
}

void helpers_destroy(struct helpers *helpers) {
  if (!helpers)
    return;
  atomic_store(&helpers->is_over, true);
  begin_round(helpers);
  for (unsigned i = 1; i < helpers->started; i++)
    pthread_join(helpers->all[i].thread, NULL);
  pthread_cond_destroy(&helpers->begins);
  pthread_cond_destroy(&helpers->ends);
  pthread_mutex_destroy(&helpers->mutex);
  free(helpers->all);
  free(helpers);
}
