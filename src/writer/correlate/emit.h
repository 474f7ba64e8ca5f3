/* From events to the archive. An event whose team has no communicator yet, and all that follow on its
 * location, are held back in memory until emit_waiters_of. */
#ifndef STAVE_WRITER_CORRELATE_EMIT_H
#define STAVE_WRITER_CORRELATE_EMIT_H

#include <stdatomic.h>

#include "base/pool.h"
#include "writer/correlate/model.h"
#include "writer/definitions/definitions.h"

struct emitter {
  struct definitions *definitions;
  struct regions *regions;
  const struct contexts *contexts;
  struct event_attributes attributes; /* of the event that is being written */
  uint64_t *layouts; /* by region: its Enter (event_writer_enter_layout), once one was written; or 0 */
  size_t layout_capacity;
  uint32_t *arguments; /* strings: the program's, for ProgramBegin */
  size_t argument_count, argument_capacity;
  struct pool teams;
  bool lacks_room;  /* for events of a location that has had few: recording should stop immediately */
  size_t holding;   /* locations that hold events back */
  uint64_t clamped; /* events whose time would have decreased */
  uint64_t failed;  /* events that could not be written */
};

/* definitions, regions and contexts stay the caller's. Free with emitter_close. */
void emitter_open(struct emitter *emitter, struct definitions *definitions, struct regions *regions,
                  const struct contexts *contexts);
void emitter_close(struct emitter *emitter);

/* One argument more of the program, a string's number, for ProgramBegin. */
void emitter_add_argument(struct emitter *emitter, uint32_t string);

/* Writes the event on the location, or holds it back. */
void emit(struct emitter *emitter, struct location *location, const struct event *event);

#ifndef EMIT_SHORTLY
#define EMIT_SHORTLY 1 /* tests have 0: all that is written was a struct event */
#endif

/* Whether there is nothing to be done for an event without attributes but to write it. (A location requests
 * room at its first event.) */
static inline bool emit_may_write(const struct location *location, uint64_t ticks) {
  return EMIT_SHORTLY && ticks >= location->written_ticks && location->events + 1 != location->reserve_at &&
         location->sample_begin == location->sample_end && location->writer;
}

/* Then it was. */
static inline void emit_has_written(struct location *location, uint64_t ticks, uint8_t kind) {
  location->written_ticks = ticks;
  location->written_kind = kind;
  atomic_store_explicit(location->complete_events, ++location->events, memory_order_release);
}

/* Whether nothing is to be done for events without attributes but to write them, where there is room. */
static inline bool emit_may_write_some(const struct location *location) {
  return EMIT_SHORTLY && location->sample_begin == location->sample_end && location->writer &&
         held_is_empty(&location->held);
}

/* And whether there is room for `count` events of one time. */
static inline bool emit_has_room_for(const struct location *location, uint64_t ticks, unsigned count) {
  return ticks >= location->written_ticks && location->reserve_at - location->events > count;
}

/* Then they were. */
static inline void emit_has_written_some(struct location *location, uint64_t ticks, uint8_t last_kind,
                                         unsigned count) {
  location->events += count - 1;
  emit_has_written(location, ticks, last_kind);
}

/* How the region's Enter is laid out; 0: none was written. */
static inline uint64_t emitter_layout(const struct emitter *emitter, uint32_t region) {
  return region < emitter->layout_capacity ? emitter->layouts[region] : 0;
}

static inline uint64_t emitter_layout_of_leave(const struct emitter *emitter, uint32_t region) {
  uint64_t enter = emitter_layout(emitter, region);
  return enter ? event_layout_of_leave(enter) : 0;
}

/* Writes an Enter or Leave without attributes, for which nothing on its location has to wait, as long as
 * there is nothing to be done but to write it. False: it is still to be written. */
static inline bool emit_write_plain(const struct emitter *emitter, struct location *location, uint64_t ticks,
                                    uint32_t region, enum event_kind kind) {
  uint64_t layout = emitter_layout(emitter, region);
  if (!layout || !emit_may_write(location, ticks) ||
      !event_writer_put_layout(location->writer, ticks, layout, kind == EVENT_LEAVE))
    return false;
  emit_has_written(location, ticks, (uint8_t)kind);
  return true;
}

/* Whether an Enter of the region was written, so that another one refers to nothing new. */
static inline bool emitter_has_entered(const struct emitter *emitter, uint32_t region) {
  return emitter_layout(emitter, region) != 0;
}

/* As emit, of an Enter or Leave without attributes, which is what most events are. False: it is still to be
 * emitted. */
static inline bool emit_plain(const struct emitter *emitter, struct location *location, uint64_t ticks,
                              uint32_t region, enum event_kind kind) {
  if (!held_is_empty(&location->held))
    return held_put_plain(&location->held, ticks, region, (uint8_t)kind);
  return emit_write_plain(emitter, location, ticks, region, kind);
}

/* When the late end of a team's member is written, which is reported at `ticks`: not after the end of its
 * team, and not before what is written already, which OTF2 would refuse. */
static inline uint64_t emit_late_ticks(const struct location *location, const struct team *team,
                                       uint64_t ticks) {
  ticks = ticks < team->end_ticks ? ticks : team->end_ticks;
  return ticks > location->written_ticks ? ticks : location->written_ticks;
}

/* The time of the first event that is held back, of all locations; UINT64_MAX if there is none. */
uint64_t emit_held_since(struct emitter *emitter);

/* Writes a sample in its place among the events of the location, which it never moves: it is held back while
 * earlier events may come. may_be_preceded: they may come much later. */
void emit_sample(struct emitter *emitter, struct location *location, const struct event *sample,
                 bool may_be_preceded);

/* The same for what the kernel reports, ahead of the thread's own events (running.h): it is held back until
 * the records up to its time, `merged_until`, have come, and dropped where it is after the last event. */
void emit_metric(struct emitter *emitter, struct location *location, const struct event *metric,
                 uint64_t merged_until);

/* No event of the location follows: writes what is held back and closes it. */
void emit_end(struct emitter *emitter, struct location *location);

/* The team's comm has been set, or its end time: what waited for that goes on. */
void emit_waiting(struct emitter *emitter, struct team *team);
static inline void emit_waiters_of(struct emitter *emitter, struct team *team) {
  if (team->waiters)
    emit_waiting(emitter, team);
}

/* A new team with one reference, the caller's. */
struct team *team_get(struct emitter *emitter);

/* References that keep a team alive while somebody still names it. team_release frees it with the last
 * one. */
static inline struct team *team_keep(struct team *team) {
  if (team)
    team->references++;
  return team;
}

/* Nobody names it any more. */
void team_put_back(struct team *team);

static inline void team_release(struct team *team) {
  if (team && --team->references == 0)
    team_put_back(team);
}

#endif
