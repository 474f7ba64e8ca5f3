/* Reading the events of all locations merged by time, decoded by helper threads: each reads the locations of
 * some parts, merges them and hands them over in batches, in a ring of these. The consumer merges the
 * helpers' batches likewise, so the order is that of one thread. */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocked_thread.h"
#include "base/memory.h"
#include "trace/trace_reader.h"

enum { BATCHES = 8, BATCH_BYTES = 1 << 18, STACK_BYTES = 1 << 20 };

struct batch {
  struct packed_events events;
  bool is_last;
};

struct helper {
  struct trace *trace;
  struct trace_span span;
  uint64_t to_ticks;
  pthread_t thread;
  struct batch batches[BATCHES];
  sem_t filled, empty;       /* batches: filled ones, and empty ones without the one in progress */
  struct batch *filling;     /* the helper's own */
  _Atomic bool is_cancelled; /* no more is read */
  int result;                /* and why, once the last batch is taken */
  char error[TRACE_ERROR_BYTES], message[TRACE_ERROR_BYTES];
  struct batch *current; /* the taker's own; NULL: none */
  size_t at;
};

/* -- the helper -- */

static void wait_for(sem_t *semaphore) {
  while (sem_wait(semaphore) < 0 && errno == EINTR)
    ;
}

static struct batch *after(struct helper *helper, const struct batch *batch) {
  size_t next = (size_t)(batch - helper->batches) + 1;
  return &helper->batches[next < BATCHES ? next : 0];
}

static bool hand_over(struct helper *helper) {
  sem_post(&helper->filled);
  helper->filling = after(helper, helper->filling);
  wait_for(&helper->empty);
  helper->filling->events.used = 0;
  return !atomic_load_explicit(&helper->is_cancelled, memory_order_relaxed);
}

/* Of what is past the window the taker needs to see one event. */
static bool put(void *data, const struct packed_event *packed) {
  struct helper *helper = data;
  if (helper->filling->events.used + packed->bytes > BATCH_BYTES && helper->filling->events.used > 0 &&
      !hand_over(helper))
    return false;
  packed_copy(&helper->filling->events, packed);
  return packed->ticks <= helper->to_ticks;
}

static void *help(void *data) {
  struct helper *helper = data;
  char error[TRACE_ERROR_BYTES];
  pthread_setspecific(helper->trace->reader->message_key, helper->message);
  int result = trace_merge_packed(helper->trace, &helper->span, put, helper, error);
  if (result < 0) {
    helper->result = result;
    memcpy(helper->error, error, sizeof error);
  }
  helper->filling->is_last = true;
  sem_post(&helper->filled);
  return NULL;
}

/* Parts are read by one helper each. */
static struct trace_span span_of(const struct trace *trace, size_t helper) {
  const struct trace_reader *reader = trace->reader;
  size_t first = helper * reader->part_count / reader->helper_count;
  size_t end = (helper + 1) * reader->part_count / reader->helper_count;
  size_t last = end * reader->part_locations;
  return (struct trace_span){first * reader->part_locations,
                             last < trace->location_count ? last : trace->location_count};
}

static bool start(struct helper *helper) {
  pthread_attr_t attributes;
  sem_init(&helper->filled, 0, 0);
  sem_init(&helper->empty, 0, BATCHES - 1);
  helper->filling = helper->batches;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  int error = blocked_thread_create(&helper->thread, &attributes, help, helper);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

static void stop(struct helper *helper) {
  atomic_store_explicit(&helper->is_cancelled, true, memory_order_relaxed);
  sem_post(&helper->empty);
  pthread_join(helper->thread, NULL);
  sem_destroy(&helper->filled);
  sem_destroy(&helper->empty);
  for (size_t i = 0; i < BATCHES; i++)
    free(helper->batches[i].events.bytes);
}

/* -- the taker -- */

static const struct packed_event *first_of(const struct helper *helper) {
  return (const void *)(helper->current->events.bytes + helper->at);
}

/* The next batch with events; none is left: current is NULL. Returns the helper's result as it ends. */
static int next_batch(struct helper *helper) {
  bool is_last = helper->current && helper->current->is_last;
  struct batch *next = helper->current ? after(helper, helper->current) : helper->batches;
  if (helper->current)
    sem_post(&helper->empty);
  helper->current = NULL;
  helper->at = 0;
  if (is_last)
    return helper->result;
  wait_for(&helper->filled);
  if (next->events.used == 0)
    return helper->result;
  helper->current = next;
  return 0;
}

static bool is_before(const struct helper *a, const struct helper *b) {
  uint64_t ticks = first_of(a)->ticks, other = first_of(b)->ticks;
  return ticks < other || (ticks == other && a < b);
}

/* NULL: there are no more events. Of equal times the helper comes first whose locations come first. */
static struct helper *first_helper(struct helper *helpers, size_t count) {
  struct helper *first = NULL;
  for (size_t i = 0; i < count; i++)
    if (helpers[i].current && (!first || is_before(&helpers[i], first)))
      first = &helpers[i];
  return first;
}

static int pass(struct helper *failed, int result, char error[TRACE_ERROR_BYTES]) {
  if (result < 0)
    memcpy(error, failed->error, TRACE_ERROR_BYTES);
  return result;
}

static int advance(struct helper *helper, char error[TRACE_ERROR_BYTES]) {
  helper->at += first_of(helper)->bytes;
  return helper->at < helper->current->events.used ? 0 : pass(helper, next_batch(helper), error);
}

/* The only helper's. */
static int deliver_batches(struct helper *helper, struct trace_delivery *delivery) {
  int result = next_batch(helper);
  while (result == 0 && helper->current) {
    const char *at = helper->current->events.bytes, *end = at + helper->current->events.used;
    for (; at < end; at += ((const struct packed_event *)(const void *)at)->bytes)
      if (!trace_deliver(delivery, (const void *)at))
        return 0;
    result = next_batch(helper);
  }
  return result;
}

static int deliver_all(struct helper *helpers, size_t count, struct trace_delivery *delivery,
                       char error[TRACE_ERROR_BYTES]) {
  struct helper *helper;
  int result = 0;
  if (count == 1)
    return pass(helpers, deliver_batches(helpers, delivery), error);
  for (size_t i = 0; i < count && result == 0; i++)
    result = pass(&helpers[i], next_batch(&helpers[i]), error);
  while (result == 0 && (helper = first_helper(helpers, count))) {
    if (!trace_deliver(delivery, first_of(helper)))
      return 0;
    result = advance(helper, error);
  }
  return result;
}

/* Those that were started are stopped in any case. */
static int read_by(struct helper *helpers, struct trace_delivery *delivery, char error[TRACE_ERROR_BYTES]) {
  struct trace *trace = delivery->trace;
  size_t requested = trace->reader->helper_count, started = 0;
  int result = -EAGAIN;
  for (bool is_started = true; started < requested && is_started; started += is_started) {
    helpers[started].trace = trace;
    helpers[started].span = span_of(trace, started);
    helpers[started].to_ticks = delivery->window->to_ticks;
    is_started = start(&helpers[started]);
  }
  if (started == requested)
    result = deliver_all(helpers, requested, delivery, error);
  for (size_t i = 0; i < started; i++)
    stop(&helpers[i]);
  return result;
}

int trace_read_ahead(struct trace *trace, const struct trace_window *window, char error[TRACE_ERROR_BYTES]) {
  struct trace_reader *reader = trace->reader;
  struct trace_delivery delivery = {.trace = trace, .window = window};
  if (!reader->has_message_key)
    reader->has_message_key = pthread_key_create(&reader->message_key, NULL) == 0;
  if (!reader->has_message_key)
    return -EAGAIN;
  if (trace_make_callbacks(trace, error) < 0)
    return -EIO;
  struct helper *helpers = memory_get(reader->helper_count, sizeof *helpers);
  trace_delivery_begin(&delivery);
  int result = read_by(helpers, &delivery, error);
  free(helpers);
  if (result == -EAGAIN)
    free(delivery.numbers);
  return result == -EAGAIN ? result : trace_delivery_end(&delivery, result, error);
}
