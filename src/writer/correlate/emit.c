#include "writer/correlate/emit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/pool.h"
#include "writer/correlate/emit_mpi.h"
#include "writer/definitions/contexts.h"

enum {
  /* the last sample may have interrupted a callback that had read the clock already */
  SAMPLES_HELD_MIN = 1,
  SAMPLES_HELD_MAX = 4096,
};

static void free_members(void *team) {
  free(((struct team *)team)->members);
}

void emitter_open(struct emitter *emitter, struct definitions *definitions, struct regions *regions,
                  const struct contexts *contexts) {
  *emitter = (struct emitter){.definitions = definitions,
                              .regions = regions,
                              .contexts = contexts,
                              .teams = {.item_bytes = sizeof(struct team)}};
}

void emitter_close(struct emitter *emitter) {
  pool_free(&emitter->teams, free_members);
  free(emitter->arguments);
  free(emitter->layouts);
}

void emitter_add_argument(struct emitter *emitter, uint32_t string) {
  array_reserve_zeroed(&emitter->arguments, &emitter->argument_capacity, emitter->argument_count + 1,
                       sizeof *emitter->arguments);
  emitter->arguments[emitter->argument_count++] = string;
}

struct team *team_get(struct emitter *emitter) {
  uint32_t number;
  struct team *team = pool_new(&emitter->teams, &number);
  struct member *members = team->members;
  size_t capacity = team->capacity;
  pool_clear(&emitter->teams, team);
  team->pool = &emitter->teams;
  team->number = number;
  team->references = 1;
  team->members = members;
  team->capacity = capacity;
  return team;
}

void team_put_back(struct team *team) {
  while (team) {
    struct team *parent = team->parent;
    if (team->size)
      memset(team->members, 0, team->size * sizeof *team->members);
    pool_put(team->pool, team->number);
    team = parent && --parent->references == 0 ? parent : NULL;
  }
}

static void add_attribute(struct emitter *emitter, enum attribute attribute, uint64_t number_value) {
  static const OTF2_Type types[ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(id, name, type, description) [ATTRIBUTE_##id] = OTF2_TYPE_##type,
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  };
  struct event_attributes *list = &emitter->attributes;
  list->items[list->count].attribute = definitions_attribute(emitter->definitions, attribute);
  list->items[list->count].type = types[attribute];
  list->items[list->count++].value = number_value;
}

/* Of an event that has one at least; until the next one's are requested. (Not inlined, as others here that
 * most events do not need: those that do not would save registers for it.) */
static __attribute__((noinline)) const struct event_attributes *attributes_of(struct emitter *emitter,
                                                                              const struct event *event) {
  emitter->attributes.count = 0;
  add_attribute(emitter, event->attribute, event->value);
  if (event->attribute2 != ATTRIBUTE_NONE)
    add_attribute(emitter, event->attribute2, event->value2);
  if (event->kind == EVENT_ENTER && event->attribute3 != ATTRIBUTE_NONE)
    add_attribute(emitter, (enum attribute)event->attribute3, (uint64_t)event->value3);
  if (event->kind == EVENT_RMA_COMPLETE && event->waits_for)
    add_attribute(emitter, ATTRIBUTE_waits_for, event->waits_for);
  if (event->kind == EVENT_SAMPLE && event->processor != UINT32_MAX)
    add_attribute(emitter, ATTRIBUTE_sample_processor, event->processor);
  if (event->kind == EVENT_SAMPLE && event->missed)
    add_attribute(emitter, ATTRIBUTE_missed_samples, event->missed);
  return &emitter->attributes;
}

/* Tasks name their creator by its thread number; the comm counts only members that have started. */
static uint32_t rank_of(const struct event *event) {
  const struct team *team = event->team;
  return team && event->creator < team->size ? team->members[event->creator].rank : event->creator;
}

static bool write_metric(struct event_writer *w, const struct event *event, uint64_t t) {
  const uint8_t type = (uint8_t)event->metric_type;
  const OTF2_MetricValue value = {.unsigned_int = event->metric_bits};
  return event_writer_Metric(w, NULL, t, event->metric, 1, &type, &value);
}

/* With the distance from the location's last sample to this one. */
static bool write_sample_event(const struct contexts *contexts, struct location *location,
                               const struct event *event, uint64_t t, const struct event_attributes *list) {
  uint32_t last = location->sampled_context - 1; /* CONTEXT_NONE at first */
  location->sampled_context = event->context + 1;
  return event_writer_CallingContextSample(location->writer, list, t, event->context,
                                           contexts_distance(contexts, last, event->context),
                                           GENERATOR_TIMER);
}

/* All but Enter and Leave. */
static __attribute__((noinline)) bool write_other_event(const struct emitter *emitter,
                                                        struct location *location, const struct event *event,
                                                        uint64_t t, const struct event_attributes *list) {
  struct event_writer *w = location->writer;
  if (event->kind >= EVENT_KINDS)
    return emit_mpi(w, event, t);
  uint32_t comm = event->team ? event->team->comm : OTF2_UNDEFINED_COMM;
  switch ((enum event_kind)event->kind) {
  case EVENT_PROGRAM_BEGIN:
    return event_writer_ProgramBegin(w, list, t, event->program, (uint32_t)emitter->argument_count,
                                     emitter->arguments);
  case EVENT_PROGRAM_END:
    return event_writer_ProgramEnd(w, list, t, event->exit_status);
  case EVENT_FORK:
    return event_writer_ThreadFork(w, list, t, OTF2_PARADIGM_OPENMP, event->requested);
  case EVENT_JOIN:
    return event_writer_ThreadJoin(w, list, t, OTF2_PARADIGM_OPENMP);
  case EVENT_TEAM_BEGIN:
    return event_writer_ThreadTeamBegin(w, list, t, comm);
  case EVENT_TEAM_END:
    return event_writer_ThreadTeamEnd(w, list, t, comm);
  case EVENT_TASK_CREATE:
    return event_writer_ThreadTaskCreate(w, list, t, comm, rank_of(event), event->generation);
  case EVENT_TASK_SWITCH:
    return event_writer_ThreadTaskSwitch(w, list, t, comm, rank_of(event), event->generation);
  case EVENT_TASK_COMPLETE:
    return event_writer_ThreadTaskComplete(w, list, t, comm, rank_of(event), event->generation);
  case EVENT_ACQUIRE_LOCK:
    return event_writer_ThreadAcquireLock(w, list, t, OTF2_PARADIGM_OPENMP, event->lock, event->order);
  case EVENT_RELEASE_LOCK:
    return event_writer_ThreadReleaseLock(w, list, t, OTF2_PARADIGM_OPENMP, event->lock, event->order);
  case EVENT_BUFFER_FLUSH:
    return event_writer_BufferFlush(w, list, t, event->end_ticks);
  case EVENT_METRIC:
    return write_metric(w, event, t);
  case EVENT_PARAMETER:
    return event_writer_ParameterUnsignedInt(w, list, t, event->parameter, event->argument);
  case EVENT_RMA_GET:
    return event_writer_RmaGet(w, list, t, definitions_device_window(emitter->definitions), event->remote,
                               event->bytes, event->matching_id);
  case EVENT_RMA_PUT:
    return event_writer_RmaPut(w, list, t, definitions_device_window(emitter->definitions), event->remote,
                               event->bytes, event->matching_id);
  case EVENT_RMA_COMPLETE:
    return event_writer_RmaOpCompleteBlocking(w, list, t, definitions_device_window(emitter->definitions),
                                              event->matching_low | (uint64_t)event->matching_high << 32);
  case EVENT_SAMPLE:
    return write_sample_event(emitter->contexts, location, event, t, list);
  case EVENT_MEASUREMENT:
    return event_writer_MeasurementOnOff(w, list, t, (uint8_t)event->measurement);
  case EVENT_ENTER:
  case EVENT_LEAVE:
  case EVENT_KINDS:
    break;
  }
  return false;
}

/* An Enter refers to the region. Those that follow need not report it again (emit_plain). */
static __attribute__((noinline)) void refer(struct emitter *emitter, uint32_t region) {
  if (region < emitter->layout_capacity && emitter->layouts[region])
    return;
  regions_refer(emitter->regions, region);
  if (region == REGION_NONE)
    return;
  array_reserve_zeroed(&emitter->layouts, &emitter->layout_capacity, region + (size_t)1,
                       sizeof *emitter->layouts);
  emitter->layouts[region] = event_writer_enter_layout(region);
}

/* The one place where OTF2 events are written, but for emit_plain; at the time t, which may not be the
 * event's own. */
static inline bool write_event(struct emitter *emitter, struct location *location, const struct event *event,
                               uint64_t t, const struct event_attributes *list) {
  if (event->kind == EVENT_ENTER) {
    refer(emitter, event->region);
    return event_writer_Enter(location->writer, list, t, event->region);
  }
  if (event->kind == EVENT_LEAVE)
    return event_writer_Leave(location->writer, list, t, event->region);
  return write_other_event(emitter, location, event, t, list);
}

/* Nothing goes back after what is written already. */
static uint64_t final_ticks(struct emitter *emitter, const struct location *location,
                            const struct event *event) {
  if (event->is_late)
    return emit_late_ticks(location, event->team, event->ticks);
  if (event->ticks >= location->written_ticks)
    return event->ticks;
  emitter->clamped++;
  return location->written_ticks;
}

static inline void write_final(struct emitter *emitter, struct location *location, const struct event *event,
                               uint64_t ticks) {
  if (location->events == 0)
    location->first_ticks = ticks;
  const struct event_attributes *list =
      event->attribute != ATTRIBUTE_NONE ? attributes_of(emitter, event) : NULL;
  if (!write_event(emitter, location, event, ticks, list)) {
    emitter->failed++;
    return;
  }
  location->written_ticks = ticks;
  if (event->kind != EVENT_SAMPLE && event->kind != EVENT_METRIC)
    location->written_kind = event->kind;
  uint64_t events = ++location->events;
  atomic_store_explicit(location->complete_events, events, memory_order_release);
  if (__builtin_expect(events == location->reserve_at, 0))
    emitter->lacks_room |= !definitions_expect_more(emitter->definitions, location);
}

static __attribute__((noinline)) void write_sample(struct emitter *emitter, struct location *location) {
  const struct event *sample = &location->samples[location->sample_begin++];
  bool is_late = sample->ticks < location->written_ticks;
  write_final(emitter, location, sample, is_late ? location->written_ticks : sample->ticks);
  if (location->sample_begin == location->sample_end)
    location->sample_begin = location->sample_end = 0;
}

/* A fork and the primary's begin are one for readers, as are its begin and the region's Enter, and its end
 * and the join: no region may be in between. */
static bool are_one(uint8_t before, uint8_t next) {
  return before == EVENT_FORK || before == EVENT_TEAM_BEGIN || next == EVENT_JOIN;
}

static inline void write_samples_until(struct emitter *emitter, struct location *location, uint64_t ticks,
                                       uint8_t next) {
  while (location->sample_begin != location->sample_end &&
         location->samples[location->sample_begin].ticks <= ticks &&
         (location->samples[location->sample_begin].kind == EVENT_SAMPLE ||
          !are_one(location->written_kind, next)))
    write_sample(emitter, location);
}

static inline void write_now(struct emitter *emitter, struct location *location, const struct event *event) {
  uint64_t ticks = final_ticks(emitter, location, event);
  write_samples_until(emitter, location, ticks, event->kind);
  write_final(emitter, location, event, ticks);
}

/* The kinds of which programs make millions, without attributes. False: it is of another one, or is still to
 * be written. */
static inline bool write_frequent(struct event_writer *w, const struct event *event, uint64_t t) {
  const struct team *team = event->team;
  switch (event->kind) {
  case EVENT_FORK:
    return event_writer_ThreadFork(w, NULL, t, OTF2_PARADIGM_OPENMP, event->requested);
  case EVENT_JOIN:
    return event_writer_ThreadJoin(w, NULL, t, OTF2_PARADIGM_OPENMP);
  case EVENT_TEAM_BEGIN:
    return event_writer_ThreadTeamBegin(w, NULL, t, team->comm);
  case EVENT_TEAM_END:
    return event_writer_ThreadTeamEnd(w, NULL, t, team->comm);
  case EVENT_TASK_CREATE:
    return team && event_writer_ThreadTaskCreate(w, NULL, t, team->comm, rank_of(event), event->generation);
  case EVENT_TASK_SWITCH:
    return team && event_writer_ThreadTaskSwitch(w, NULL, t, team->comm, rank_of(event), event->generation);
  case EVENT_TASK_COMPLETE:
    return team && event_writer_ThreadTaskComplete(w, NULL, t, team->comm, rank_of(event), event->generation);
  case EVENT_ACQUIRE_LOCK:
    return event_writer_ThreadAcquireLock(w, NULL, t, OTF2_PARADIGM_OPENMP, event->lock, event->order);
  case EVENT_RELEASE_LOCK:
    return event_writer_ThreadReleaseLock(w, NULL, t, OTF2_PARADIGM_OPENMP, event->lock, event->order);
  default:
    return false;
  }
}

/* As write_now, where that is simple. */
static inline bool write_simply(struct location *location, const struct event *event) {
  uint64_t ticks = event->is_late ? emit_late_ticks(location, event->team, event->ticks) : event->ticks;
  if (event->attribute != ATTRIBUTE_NONE || !emit_may_write(location, ticks) ||
      !write_frequent(location->writer, event, ticks))
    return false;
  emit_has_written(location, ticks, event->kind);
  return true;
}

static bool must_wait(const struct event *event) {
  const struct team *team = event->team;
  return team && (team->comm == COMM_UNKNOWN || (event->is_late && !team->has_ended));
}

static void wait_for(struct location *location, struct team *team) {
  location->next_waiter = team->waiters;
  team->waiters = location;
}

static __attribute__((noinline)) void hold(struct emitter *emitter, struct location *location,
                                           const struct event *event) {
  if (held_is_empty(&location->held)) {
    wait_for(location, event->team);
    emitter->holding++;
  }
  held_put(&location->held, event);
  team_keep(event->team);
}

void emit(struct emitter *emitter, struct location *location, const struct event *event) {
  if (!held_is_empty(&location->held) || must_wait(event))
    hold(emitter, location, event);
  else if (!write_simply(location, event))
    write_now(emitter, location, event);
}

/* What the kernel reports of a time after the last event is no part of the run. */
static void write_last_samples(struct emitter *emitter, struct location *location) {
  for (; location->sample_begin != location->sample_end;)
    if (location->samples[location->sample_begin].kind == EVENT_SAMPLE)
      write_sample(emitter, location);
    else
      location->sample_begin++;
}

void emit_end(struct emitter *emitter, struct location *location) {
  write_last_samples(emitter, location);
  held_clear(&location->held);
  definitions_close_location(emitter->definitions, location);
}

static void close_if_ended(struct emitter *emitter, struct location *location) {
  if (location->has_ended && held_is_empty(&location->held))
    emit_end(emitter, location);
}

/* In the order of time: what the kernel reports comes ahead of what the thread's ring has. */
static void hold_sample(struct location *location, const struct event *sample) {
  if (location->sample_begin > SAMPLES_HELD_MAX) {
    location->sample_end -= location->sample_begin;
    memmove(location->samples, location->samples + location->sample_begin,
            location->sample_end * sizeof *sample);
    location->sample_begin = 0;
  }
  array_reserve_zeroed(&location->samples, &location->sample_capacity, location->sample_end + 1,
                       sizeof *sample);
  size_t at = location->sample_end++;
  for (; at > location->sample_begin && location->samples[at - 1].ticks > sample->ticks; at--)
    location->samples[at] = location->samples[at - 1];
  location->samples[at] = *sample;
}

static bool holds_more(const struct location *location, size_t most) {
  return held_is_empty(&location->held) && location->sample_end - location->sample_begin > most;
}

/* What the kernel reports waits for the thread's next event, which may be one with the last. */
static bool may_part(const struct location *location) {
  uint8_t before = location->written_kind;
  return location->samples[location->sample_begin].kind != EVENT_SAMPLE &&
         (are_one(before, EVENT_KINDS) || before == EVENT_TEAM_END);
}

void emit_sample(struct emitter *emitter, struct location *location, const struct event *sample,
                 bool may_be_preceded) {
  hold_sample(location, sample);
  size_t most = may_be_preceded ? SAMPLES_HELD_MAX : SAMPLES_HELD_MIN;
  while (holds_more(location, most) && location->samples[location->sample_begin].ticks <= sample->ticks &&
         (!may_part(location) || holds_more(location, SAMPLES_HELD_MAX)))
    write_sample(emitter, location);
}

void emit_metric(struct emitter *emitter, struct location *location, const struct event *metric,
                 uint64_t merged_until) {
  hold_sample(location, metric);
  while (holds_more(location, SAMPLES_HELD_MAX) &&
         location->samples[location->sample_begin].ticks < merged_until &&
         !are_one(location->written_kind, EVENT_KINDS))
    write_sample(emitter, location);
}

/* The first event, if it is an Enter or Leave that needs nothing else. */
static inline bool release_plain(const struct emitter *emitter, struct location *location) {
  struct held *held = &location->held;
  enum event_kind kind = (enum event_kind)held_first_kind(held);
  if ((kind != EVENT_ENTER && kind != EVENT_LEAVE) || !held_first_is_plain(held) ||
      !emit_write_plain(emitter, location, held_first_ticks(held), held_first_number(held), kind))
    return false;
  held_drop_first(held, HELD_PLAIN_SIZE);
  return true;
}

/* Writes what is held back, up to the next event that has to wait for something else. */
static void release_queue(struct emitter *emitter, struct location *location) {
  struct event event;
  while (!held_is_empty(&location->held)) {
    if (release_plain(emitter, location))
      continue;
    size_t size = held_first(&location->held, &event);
    if (must_wait(&event)) {
      wait_for(location, event.team);
      return;
    }
    held_drop_first(&location->held, size);
    if (!write_simply(location, &event))
      write_now(emitter, location, &event);
    team_release(event.team);
  }
  emitter->holding--;
  close_if_ended(emitter, location);
}

uint64_t emit_held_since(struct emitter *emitter) {
  uint64_t since = UINT64_MAX;
  size_t count;
  struct location **locations = definitions_locations(emitter->definitions, &count);
  for (size_t i = 0; i < count && emitter->holding; i++)
    if (!held_is_empty(&locations[i]->held) && held_first_ticks(&locations[i]->held) < since)
      since = held_first_ticks(&locations[i]->held);
  return since;
}

void emit_waiting(struct emitter *emitter, struct team *team) {
  team_keep(team);
  struct location *waiting = team->waiters;
  team->waiters = NULL;
  while (waiting) {
    struct location *next = waiting->next_waiter;
    release_queue(emitter, waiting);
    waiting = next;
  }
  team_release(team);
}
