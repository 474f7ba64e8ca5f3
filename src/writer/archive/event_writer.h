/* Lays the events of a location out in memory, byte for byte as OTF2's own event writer does, at a fraction
 * of its cost: it writes most of what a trace has, and has no lock, list or handle in the path. Files and
 * format stay OTF2's; chunk.h has what is known of the latter.
 *
 * One event writer is one thread's at a time; those of different locations share only event_files. */
#ifndef STAVE_WRITER_ARCHIVE_EVENT_WRITER_H
#define STAVE_WRITER_ARCHIVE_EVENT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/otf2_events.h"

struct event_files;
struct event_writer;

enum { EVENT_ATTRIBUTES_MAX = 16 }; /* OTF2 reports the length of longer lists in another way */

/* The attributes of one event. */
struct event_attributes {
  uint32_t count; /* up to EVENT_ATTRIBUTES_MAX */
  struct {
    uint64_t value;     /* of 64 bits with the types OTF2_TYPE_UINT64 and _INT64, else of 32 */
    uint32_t attribute; /* number of its definition */
    uint8_t type;       /* OTF2_Type: one of 32 or 64 bits, or a reference to a definition */
  } items[EVENT_ATTRIBUTES_MAX];
};

/* The writer of a new location, which gets its file and its first chunk. `files` stays the caller's. End with
 * event_writer_close. */
struct event_writer *event_writer_open(struct event_files *files, uint32_t location);

/* How many events were taken. */
uint64_t event_writer_events(const struct event_writer *writer);

/* No event follows: the location's file is ended, and its memory given back. */
void event_writer_close(struct event_writer *writer);

/* event_writer_Enter(writer, attributes, ticks, region) and so on: one function for each of OTF2's kinds of
 * events, with the kind's fields as parameters (base/otf2_events.h). `attributes` may be NULL; they are not
 * kept. Returns false, and writes nothing, if `ticks` is earlier than the event before, or no chunk is large
 * enough. Source: OTF2's OTF2_EvtWriter.h, and what it writes. */
#define PARAMETER(type, name, meaning) , type name
#define KIND(k)                                                                                              \
  bool event_writer_##k(struct event_writer *writer, const struct event_attributes *attributes,              \
                        uint64_t ticks TRACE_FIELDS_##k(PARAMETER));
TRACE_KINDS(KIND)
#undef KIND
#undef PARAMETER

/* What an Enter of the region looks like without attributes: its bytes, and their number in the highest one.
 * 0: such a region is not taken here. */
uint64_t event_writer_enter_layout(uint32_t region);

/* Such an Enter, or if is_leave a Leave of the same region: what event_writer_Enter and _Leave would write.
 * Returns false, and writes nothing, if the chunk has to be looked after first, as these do. */
bool event_writer_put_layout(struct event_writer *writer, uint64_t ticks, uint64_t layout, bool is_leave);

static inline uint64_t event_layout_of_leave(uint64_t enter) {
  return enter + 1;
}

/* How events name a task: their fields as they are laid out. */
struct task_name {
  uint64_t words[2]; /* the bytes, then zeros */
  uint8_t length;    /* 0: it has none so far */
};

struct task_name event_task_name(uint32_t comm, uint32_t thread, uint32_t generation);

/* Of a task that the one with this name, an implicit one (generation 0), has created. */
struct task_name event_created_name(const struct task_name *implicit, uint32_t generation);

/* All that becomes of a record, at one time and without attributes: what one call for each event would write.
 * Regions, `before` and `after` are layouts (of `after` and `before`, an Enter's or a Leave's). Each returns
 * false, and writes nothing, if the chunk has to be looked after first. */

/* Enter, ThreadTaskCreate, Leave. */
bool event_writer_put_created(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t creation);
/* ThreadTaskSwitch, Enter. */
bool event_writer_put_started(struct event_writer *writer, uint64_t ticks, const struct task_name *task,
                              uint64_t region);
/* Leave, ThreadTaskComplete, ThreadTaskSwitch. */
bool event_writer_put_completed(struct event_writer *writer, uint64_t ticks, uint64_t region,
                                const struct task_name *task, const struct task_name *next);
/* ThreadTeamBegin, Enter. */
bool event_writer_put_joined(struct event_writer *writer, uint64_t ticks, uint32_t comm, uint64_t region);
/* Leaves of `count` regions, EVENTS_LEFT_MAX at most, the last one first; ThreadTeamEnd. */
enum { EVENTS_LEFT_MAX = 4 };
bool event_writer_put_left(struct event_writer *writer, uint64_t ticks, const uint64_t *regions,
                           unsigned count, uint32_t comm);
/* ThreadAcquireLock, `after`. */
bool event_writer_put_acquired(struct event_writer *writer, uint64_t ticks, uint32_t lock, uint32_t order,
                               uint64_t after);
/* `before`, ThreadReleaseLock, `after`. */
bool event_writer_put_released(struct event_writer *writer, uint64_t ticks, uint64_t before, uint32_t lock,
                               uint32_t order, uint64_t after);

#endif
