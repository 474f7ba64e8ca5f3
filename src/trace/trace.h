/* Reading OTF2 archives, Stave's and others': the definitions as arrays, the events one by one.
 *
 *   trace_open -> look at the arrays -> trace_read_events, as often as requested -> trace_close
 *
 * OTF2's readers may crash or read without end when a file is damaged: read what may be damaged inside
 * guard_run (guard.h), and call find_archive (found_archive.h) before opening. One trace at a time in one
 * thread: OTF2 has one place to report errors to. Everything that is pointed to belongs to the trace and
 * lives until trace_close. */
#ifndef STAVE_TRACE_TRACE_H
#define STAVE_TRACE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/events.h"

enum { TRACE_ERROR_BYTES = 512 };

/* What a reference refers to if it refers to nothing. */
#define TRACE_NO_REF UINT64_MAX
#define TRACE_NO_POSITION UINT32_MAX

/* A named value, of a location, location group or system tree node. */
struct trace_property {
  uint64_t owner; /* its reference */
  const char *name;
  const char *text; /* the value as text, whatever its type */
};

/* In every definition `ref` comes first: the number that others, and events, refer to it by. Texts are never
 * NULL. */
struct trace_region {
  uint64_t ref;
  const char *name, *canonical_name, *description, *file; /* file "": unknown */
  const char *module,
      *module_name; /* path and name of the executable or library, where no source is known; else "" */
  uint32_t begin_line, end_line; /* 0: unknown */
  uint8_t role, paradigm;        /* OTF2_RegionRole, OTF2_Paradigm */
  bool is_instance;              /* others have the same name: see instances.h */
};

struct trace_location {
  uint64_t ref;
  const char *name;
  uint64_t event_count;  /* as the definition states */
  uint64_t group;        /* ref of its location group */
  uint8_t type;          /* OTF2_LocationType */
  const char *bare_name; /* without the process that `name` begins with where there are several */
  bool is_runtimes;      /* a thread that the OpenMP runtime has for itself: own_threads.h */
};

struct trace_location_group {
  uint64_t ref;
  const char *name;
  uint64_t node, creator; /* ref, or TRACE_NO_REF */
  uint8_t type;           /* OTF2_LocationGroupType */
};

struct trace_node {
  uint64_t ref;
  const char *name, *class_name;
  uint64_t parent; /* ref, or TRACE_NO_REF */
};

struct trace_attribute {
  uint64_t ref;
  const char *name, *description;
  uint8_t type; /* OTF2_Type */
};

struct trace_group {
  uint64_t ref;
  const char *name;
  const uint64_t *members;
  uint32_t member_count;
  uint8_t type, paradigm; /* OTF2_GroupType, OTF2_Paradigm */
};

struct trace_comm {
  uint64_t ref;
  const char *name;
  uint64_t group, parent; /* ref, or TRACE_NO_REF */
  bool is_runtimes;       /* a team that the OpenMP runtime has for itself */
};

struct trace_string {
  uint64_t ref;
  const char *text;
};

struct trace_code_line {
  uint64_t ref;
  const char *file;
  uint32_t line;
};

/* Of samples: a function or construct, below the one that it was called in. */
struct trace_context {
  uint64_t ref;
  uint64_t region, code_line, parent; /* ref, or TRACE_NO_REF */
};

/* One of the values that a metric has. */
struct trace_metric_member {
  uint64_t ref;
  const char *name, *description, *unit; /* unit "": none */
  uint8_t type, mode;                    /* OTF2_MetricType, OTF2_MetricMode */
};

/* A class or instance of metrics: what an event has the values of. */
struct trace_metric {
  uint64_t ref;
  const uint32_t *members; /* refs */
  uint32_t member_count;
  bool is_synchronous; /* the values are of the location that has the event */
  uint64_t recorder;   /* ref of the location that has its events; TRACE_NO_REF: not recorded */
};

/* A parameter or window: what is known of them is their name. */
struct trace_named {
  uint64_t ref;
  const char *name;
};

/* A property of the entire archive (STAVE::..., OTF2::...). */
struct trace_archive_property {
  const char *name, *value;
};

struct trace_clock {
  uint64_t ticks_per_second, first_ticks, length_ticks;
  uint64_t realtime_ns; /* since 1970, at first_ticks; UINT64_MAX: unknown */
};

/* One array a kind of definition, each sorted by ref. */
struct trace {
  const char *creator, *machine, *description;
  struct trace_clock clock;
  struct trace_archive_property *archive_properties;
  size_t archive_property_count;
  struct trace_string *strings;
  size_t string_count;
  struct trace_region *regions;
  size_t region_count;
  char *(*region_names)[2]; /* those that were made, a module's and its own (module_names.h); NULL: none */
  size_t region_name_count;
  struct trace_location *locations;
  size_t location_count;
  char **location_names;   /* those that were made (location_names.h); NULL: none */
  char **nameless_names;   /* the same, of locations without a name */
  char **submission_names; /* the same, of regions that are submissions of kernels (device_times.h) */
  struct trace_location_group *location_groups;
  size_t location_group_count;
  struct trace_node *nodes;
  size_t node_count;
  struct trace_attribute *attributes;
  size_t attribute_count;
  struct trace_group *groups;
  size_t group_count;
  struct trace_comm *comms;
  size_t comm_count;
  struct trace_named *parameters, *windows;
  size_t parameter_count, window_count;
  struct trace_metric_member *metric_members;
  size_t metric_member_count;
  struct trace_metric *metrics;
  size_t metric_count;
  struct trace_code_line *code_lines;
  size_t code_line_count;
  struct trace_context *contexts;
  size_t context_count;
  struct trace_property *location_properties, *location_group_properties, *node_properties;
  size_t location_property_count, location_group_property_count, node_property_count;
  _Atomic uint64_t *progress;  /* if set: counts what has been read */
  struct trace_reader *reader; /* opaque */
};

/* Opens the archive with this anchor file (.../traces.otf2) and reads all its definitions. `progress` may be
 * NULL. Returns 0 and gives *ret to the caller, who closes it; or -EIO with one line in `error`. */
int trace_open(const char *anchor, _Atomic uint64_t *progress, struct trace **ret,
               char error[TRACE_ERROR_BYTES]);

/* The same, for reading by as many processors as `jobs` states: trace_read_in_order then has threads that
 * decode events ahead of the caller. 0: as many as the process may use, where the archive is large enough.
 * The order is the same. */
int trace_open_parallel(const char *anchor, unsigned jobs, _Atomic uint64_t *progress, struct trace **ret,
                        char error[TRACE_ERROR_BYTES]);

/* Frees everything. Accepts NULL. */
void trace_close(struct trace *trace);

/* Gets one event; it and what it points to last until the return. False stops the reading. */
typedef bool (*trace_on_event)(void *data, const struct trace_event *event);

/* Gives every event to `on_event`, location by location, in the order of the file. Times are on the archive's
 * common clock, references are the archive's global ones. Returns 0, also if `on_event` stopped it, or -EIO
 * with one line in `error`: what came until then has been delivered. */
int trace_read_events(struct trace *trace, trace_on_event on_event, void *data,
                      char error[TRACE_ERROR_BYTES]);

/* Gives the events of all locations from `from_ticks` to `to_ticks` (both included) to `on_event`, merged by
 * time; events of one location stay in the order of their file, also where their time is equal or goes
 * backwards. Reads from the beginning in every case, and not further than `to_ticks`. 0 and UINT64_MAX are
 * everything. Memory: one chunk of each location's file. Returns as trace_read_events. */
int trace_read_in_order(struct trace *trace, uint64_t from_ticks, uint64_t to_ticks, trace_on_event on_event,
                        void *data, char error[TRACE_ERROR_BYTES]);

/* Size of the location's event file; 0 if it is not known. */
uint64_t trace_location_bytes(const struct trace *trace, size_t index);

/* Definitions by reference; NULL if there is none. */
const struct trace_region *trace_region(const struct trace *trace, uint64_t ref);
const struct trace_location *trace_location(const struct trace *trace, uint64_t ref);
const struct trace_location_group *trace_location_group(const struct trace *trace, uint64_t ref);
const struct trace_node *trace_node(const struct trace *trace, uint64_t ref);
const struct trace_attribute *trace_attribute(const struct trace *trace, uint64_t ref);
const struct trace_group *trace_group(const struct trace *trace, uint64_t ref);
const struct trace_comm *trace_comm(const struct trace *trace, uint64_t ref);
const struct trace_code_line *trace_code_line(const struct trace *trace, uint64_t ref);
const struct trace_context *trace_context(const struct trace *trace, uint64_t ref);
const struct trace_metric *trace_metric(const struct trace *trace, uint64_t ref);
const struct trace_metric_member *trace_metric_member(const struct trace *trace, uint64_t ref);

/* The position in `regions`, `locations` of what an event refers to; TRACE_NO_POSITION: there is none. It is
 * needed for every event, and most archives number from 0 without gaps: then the position is the number. */
#define TRACE_POSITION(kind)                                                                                 \
  static inline uint32_t trace_##kind##_position(const struct trace *trace, uint64_t ref) {                  \
    if (ref < trace->kind##_count && trace->kind##s[ref].ref == ref)                                         \
      return (uint32_t)ref;                                                                                  \
    const struct trace_##kind *item = trace_##kind(trace, ref);                                              \
    return item ? (uint32_t)(item - trace->kind##s) : TRACE_NO_POSITION;                                     \
  }
TRACE_POSITION(region)
TRACE_POSITION(location)
#undef TRACE_POSITION

/* The member whose value is the one at `index` of an event of this metric; NULL: not defined. */
const struct trace_metric_member *trace_metric_member_of(const struct trace *trace, uint64_t metric,
                                                         uint32_t index);

/* The location that a thread number of a communicator means: its ref; TRACE_NO_REF if there is none. */
uint64_t trace_comm_member(const struct trace *trace, uint64_t comm, uint32_t thread);

/* True for a stream of a device; false for a thread, and for what is unknown. */
bool trace_location_is_device(const struct trace_location *location);

/* True for what has counters alone, of a node, for example: no thread, and no device. */
bool trace_location_is_metric(const struct trace_location *location);

/* True for a thread of a processor. */
bool trace_location_is_thread(const struct trace_location *location);

/* Whether such a value grows from the beginning of the thread or the run on, as what is counted does. */
bool trace_metric_is_counter(const struct trace_metric_member *member);

/* Whether such a value is what one thread did, as processors' counters are, and not the program's own. */
bool trace_metric_is_of_thread(const struct trace_metric_member *member);

/* The string; "" if there is none. */
const char *trace_string(const struct trace *trace, uint64_t ref);

/* The archive's property; NULL if it has none of this name. */
const char *trace_archive_property(const struct trace *trace, const char *name);

/* The same as a number; 0 if it has none. */
uint64_t trace_archive_number(const struct trace *trace, const char *name);

/* How many events are missing from an archive of Stave's: dropped, made unreadable, or refused by OTF2. */
uint64_t trace_lost_events(const struct trace *trace);

/* The location's property as text; NULL if it has none of this name. */
const char *trace_location_property(const struct trace *trace, uint64_t location, const char *name);

/* Whether a property is a series of readings and no fact of its own: for those who show all there are. */
bool trace_is_series(const char *name);

/* What the process reports of itself, else what all report alike. NULL: nothing. `group`: its reference. */
const char *trace_process_property(const struct trace *trace, uint64_t group, const char *name);

/* The variable that a lock is, as the program calls it; NULL: not known. `process`: the position of its
 * location group. */
const char *trace_lock_name(const struct trace *trace, size_t process, uint32_t lock);

/* The system tree node's property as text; NULL if it has none of this name. */
const char *trace_node_property(const struct trace *trace, uint64_t node, const char *name);

/* Whether the location group is a device. */
bool trace_group_is_device(const struct trace_location_group *group);

/* Whether the node is a device on which nothing was done: it has no location group. (Stave's, from 0.2
 * on.) */
bool trace_node_is_idle_device(const struct trace *trace, const struct trace_node *node);

/* Ticks on the clock of the trace as nanoseconds since its first event; earlier ticks count as 0. */
uint64_t trace_ns(const struct trace *trace, uint64_t ticks);

/* A length of time. */
uint64_t trace_span_ns(const struct trace *trace, uint64_t ticks);

#endif
