#include "writer/symbols/symbols.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <urcu/wfcqueue.h>

#include "base/blocked_thread.h"
#include "base/pair_map.h"
#include "writer/symbols/symbols_resolve.h"

enum {
  HURRY_MS = 200,  /* an address in work gets that long when there is no time for those that wait */
  SLEEP_MS = 1000, /* the symboliser looks that often for work whatever became of the waking */
  LOOK_MS = 50,    /* symbols_finish looks that often whether it is to hurry */
};

struct entry {
  struct code_place place;
  struct cds_wfcq_node link;
};

/* Handshakes:
 *   the queue: enqueue (merging) -> dequeue (symboliser): address and module can be read. The release and
 * acquire of `resolved` around them state the same once more, because ThreadSanitizer does not see liburcu's
 * barriers. place.resolved: release (symboliser) -> acquire (code_place_resolved): the names can be read
 *   stop: release (merging, after its last enqueue) -> acquire (symboliser, before it finds the queue empty)
 *   asleep: the symboliser stores it and then looks for work; the others make work and then load it. Both
 * sides have a full barrier in between, so that at least one of them sees the other. */
struct symbols {
  struct modules *modules;
  struct pair_map places;    /* the merging thread's: entries by what is requested */
  struct resolver *resolver; /* the symboliser's while it runs */
  pthread_t thread;
  _Atomic uint64_t *counter; /* whoever needs to see that something happens; NULL: nobody */
  bool running;              /* the thread was started and may still find names */
  bool ended;                /* it frees what it had, and is to be joined */
  bool abandoned;
  atomic_bool stop;  /* nothing more comes */
  atomic_bool hurry; /* leave what waits */
  _Atomic uint32_t asleep;
  _Atomic uint32_t done;
  alignas(64) struct cds_wfcq_tail tail; /* apart: written by the merging thread */
  alignas(64) struct __cds_wfcq_head head;
};

static void futex_wait(_Atomic uint32_t *word, uint32_t while_value, unsigned timeout_ms) {
  struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_value, timeout_ms ? &timeout : NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word) {
  int saved = errno;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  errno = saved;
}

static void wake(struct symbols *symbols) {
  cmm_smp_mb();
  if (!atomic_load_explicit(&symbols->asleep, memory_order_relaxed))
    return;
  atomic_store_explicit(&symbols->asleep, 0, memory_order_relaxed);
  futex_wake(&symbols->asleep);
}

static void sleep_until_woken(struct symbols *symbols) {
  atomic_store_explicit(&symbols->asleep, 1, memory_order_relaxed);
  cmm_smp_mb();
  if (cds_wfcq_empty(&symbols->head, &symbols->tail) && !atomic_load(&symbols->stop) &&
      !atomic_load(&symbols->hurry))
    futex_wait(&symbols->asleep, 1, SLEEP_MS);
  atomic_store_explicit(&symbols->asleep, 0, memory_order_relaxed);
}

static void resolve(struct symbols *symbols, struct cds_wfcq_node *link) {
  struct code_place *place = &caa_container_of(link, struct entry, link)->place;
  if (!atomic_load_explicit(&place->resolved, memory_order_acquire))
    resolver_resolve(symbols->resolver, place);
  atomic_store_explicit(&place->resolved, true, memory_order_release);
  if (symbols->counter)
    atomic_fetch_add_explicit(symbols->counter, 1, memory_order_relaxed);
}

static void *symboliser(void *argument) {
  struct symbols *symbols = argument;
  while (!atomic_load_explicit(&symbols->hurry, memory_order_acquire)) {
    bool stop = atomic_load_explicit(&symbols->stop, memory_order_acquire);
    struct cds_wfcq_node *link = __cds_wfcq_dequeue_blocking(&symbols->head, &symbols->tail);
    if (link)
      resolve(symbols, link);
    else if (stop)
      break;
    else
      sleep_until_woken(symbols);
  }
  resolver_close_descriptors(symbols->resolver);
  atomic_store_explicit(&symbols->done, 1, memory_order_release);
  futex_wake(&symbols->done);
  resolver_close_files(
      symbols->resolver); /* the archive is closed meanwhile: of large libraries this is long */
  return NULL;
}

int symbols_start(struct symbols *symbols) {
  int error = blocked_thread_create(&symbols->thread, NULL, symboliser, symbols);
  symbols->running = error == 0;
  return -error;
}

static struct symbols *create(struct modules *modules, bool is_idle, int *ret_error) {
  struct symbols *symbols = aligned_alloc(alignof(struct symbols), sizeof(*symbols));
  *ret_error = -ENOMEM;
  if (!symbols)
    return NULL;
  *symbols = (struct symbols){.modules = modules, .resolver = resolver_create()};
  __cds_wfcq_init(&symbols->head, &symbols->tail);
  if (symbols->resolver)
    *ret_error = 0;
  if (*ret_error == 0 && !is_idle)
    *ret_error = symbols_start(symbols);
  if (*ret_error == 0)
    return symbols;
  symbols_destroy(symbols);
  return NULL;
}

struct symbols *symbols_create(struct modules *modules, int *ret_error) {
  return create(modules, false, ret_error);
}

struct symbols *symbols_create_idle(struct modules *modules, int *ret_error) {
  return create(modules, true, ret_error);
}

struct key {
  uint64_t address;
  enum place_kind kind;
  const struct module *module;
};

/* A module has pointers in it: its address leaves three bits for the kind. */
static uint64_t high_of(const struct key *key) {
  return (uintptr_t)key->module | (unsigned)key->kind;
}

static struct entry *add(struct symbols *symbols, const struct key *key, const struct code_place *around) {
  struct entry *entry = calloc(1, sizeof(*entry));
  if (!entry)
    return NULL;
  entry->place.address = key->address;
  entry->place.module = key->module;
  entry->place.around = around;
  entry->place.kind = key->kind;
  atomic_store_explicit(&entry->place.resolved, key->module == NULL, memory_order_release);
  cds_wfcq_node_init(&entry->link);
  if (!pair_map_try_put(&symbols->places, high_of(key), key->address, entry)) {
    free(entry);
    return NULL;
  }
  if (!key->module)
    return entry;
  cds_wfcq_enqueue(&symbols->head, &symbols->tail, &entry->link);
  wake(symbols);
  return entry;
}

static struct code_place *request(struct symbols *symbols, const struct key *key,
                                  const struct code_place *around) {
  struct entry *entry = pair_map_get(&symbols->places, high_of(key), key->address);
  if (!entry)
    entry = add(symbols, key, around);
  return entry ? &entry->place : NULL;
}

struct code_place *symbols_request_in(struct symbols *symbols, uint64_t address, enum place_kind kind,
                                      const struct code_place *around) {
  const struct key key = {address, kind, modules_find(symbols->modules, address - 1)};
  return request(symbols, &key, around);
}

struct code_place *symbols_request(struct symbols *symbols, uint64_t address) {
  return symbols_request_in(symbols, address, PLACE_CODE, NULL);
}

struct code_place *symbols_request_variable(struct symbols *symbols, uint64_t address) {
  const struct key key = {address, PLACE_VARIABLE, modules_find(symbols->modules, address)};
  return key.module ? request(symbols, &key, NULL) : NULL;
}

/* Waits for the thread's end, at most HURRY_MS from when there is hurry. Returns whether it came. */
static bool wait_done(struct symbols *symbols) {
  unsigned hurried_ms = 0;
  while (!atomic_load_explicit(&symbols->done, memory_order_acquire)) {
    if (hurried_ms >= HURRY_MS)
      return false;
    if (atomic_load(&symbols->hurry))
      hurried_ms += LOOK_MS;
    futex_wait(&symbols->done, 0, LOOK_MS);
  }
  return true;
}

void symbols_count_into(struct symbols *symbols, _Atomic uint64_t *counter) {
  symbols->counter = counter;
}

int symbols_finish(struct symbols *symbols, bool skip_pending) {
  if (symbols->running) {
    atomic_store_explicit(&symbols->stop, true, memory_order_release);
    if (skip_pending)
      atomic_store(&symbols->hurry, true);
    wake(symbols);
    symbols->running = false;
    symbols->abandoned = !wait_done(symbols);
    symbols->ended = !symbols->abandoned;
    if (symbols->abandoned)
      pthread_detach(symbols->thread);
  }
  if (symbols->abandoned)
    return -ETIMEDOUT;
  return cds_wfcq_empty(&symbols->head, &symbols->tail) ? 0 : -ECANCELED;
}

/* The symboliser has ended. */
static void free_places(struct pair_map *places) {
  for (size_t i = 0; i < places->capacity; i++) {
    struct entry *entry = places->entries[i].value;
    if (!entry)
      continue;
    free((struct code_frame *)entry->place.inlined);
    free(entry);
  }
  pair_map_free(places);
}

void symbols_destroy(struct symbols *symbols) {
  if (!symbols)
    return;
  symbols_finish(symbols, true);
  if (symbols->ended)
    pthread_join(symbols->thread, NULL);
  if (!symbols->abandoned) {
    free_places(&symbols->places);
    resolver_destroy(symbols->resolver);
  }
  if (!symbols->abandoned)
    free(symbols);
}
