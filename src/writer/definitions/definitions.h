/* Everything that events refer to by number: strings, communicators, attributes, locations. Numbers are given
 * out while the program runs, the definitions are written when the archive is closed. */
#ifndef STAVE_WRITER_DEFINITIONS_DEFINITIONS_H
#define STAVE_WRITER_DEFINITIONS_DEFINITIONS_H

#include "session/layout.h"
#include "writer/archive/archive.h"
#include "writer/definitions/call_sites.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/regions.h"
#include "writer/model/event.h"
#include "writer/model/location.h"

struct definitions;

/* A team's communicator as long as its members are not known; that of no team. */
enum { COMM_UNKNOWN = UINT32_MAX };

/* The window in which devices and threads reach each other's memory, where there is no device. */
enum { DEFINITIONS_NO_WINDOW = UINT32_MAX };

/* The one interrupt generator: the timers of STAVE_SAMPLE_HZ. */
enum { GENERATOR_TIMER = 0 };

/* Facts about the entire run when the archive is closed. */
struct run {
  const struct session_constants *constants;
  struct clock_point end; /* now, on the session's clock */
  const char *host;
  const char *platform;
  int mpi_rank; /* -1: no MPI */
};

/* archive stays the caller's; NULL: there is none yet, and locations have no event writer. Free with
 * definitions_destroy, which frees the locations too. */
struct definitions *definitions_create(struct archive *archive);
void definitions_destroy(struct definitions *definitions);

/* Sets the archive: the locations that exist get their event writers. False: the archive refuses them. */
bool definitions_set_archive(struct definitions *definitions, struct archive *archive);

/* From now on every definition goes into the journal before its number is given out. recovery stays the
 * caller's. */
void definitions_set_recovery(struct definitions *definitions, struct recovery *recovery);

/* The number of a text; the text is copied. What is no UTF-8 in it becomes question marks. */
uint32_t definitions_string(struct definitions *definitions, const char *text);

/* The number of an attribute, which will be defined from now on: dense, in order of first use. */
uint32_t definitions_attribute(struct definitions *definitions, enum attribute attribute);
bool definitions_has_attribute(const struct definitions *definitions, enum attribute attribute);

/* A new location with the next number and an open event writer; owned by the definitions. It is followed by
 * `bytes` of memory for the caller's own data, zeros at first. NULL if the archive refuses more. */
struct location *definitions_add_location(struct definitions *definitions, size_t bytes);
/* Nothing was ever written of what has ended on it: the location is another one's from now on, with the same
 * id. */
void definitions_forget_location(struct definitions *definitions, struct location *location);

/* The location has as many events as archive_expect_more has returned. False: there is no room for more, and
 * recording should stop. */
bool definitions_expect_more(struct definitions *definitions, struct location *location);

/* Names the location `template` with its number in place of %s, or with the next free number if that name is
 * taken. */
void definitions_name_location(struct definitions *definitions, struct location *location, const char *prefix,
                               const char *number);

/* Names the location of the thread that began the program. */
void definitions_name_first(struct definitions *definitions, struct location *location);

/* Names the location of a worker after its position in nested teams ("2", "0:1"), or as
 * definitions_name_worker does where another one has that name. Returns whether it got the name. */
bool definitions_name_thread(struct definitions *definitions, struct location *location,
                             const char *position);

/* Names the location of a worker that has no position, or several, by its number: "OMP worker N". */
void definitions_name_worker(struct definitions *definitions, struct location *location);

/* What the journal has of the location; the name ends within its room. */
void definitions_restore_location(struct definitions *definitions, struct location *location,
                                  const struct location_facts *facts);

/* Its thread's type, ids or placement have changed. */
void definitions_location_changed(struct definitions *definitions, const struct location *location);

/* Closes the location's events. Does nothing if that is done. */
void definitions_close_location(struct definitions *definitions, struct location *location);

/* All locations, in the order of their numbers. */
struct location **definitions_locations(struct definitions *definitions, size_t *ret_count);

/* The communicator of these members (location numbers by thread number) in the team of `parent`
 * (COMM_UNKNOWN: none). Equal teams get the same one; a serial part's (is_serial) is never a team's. */
uint32_t definitions_comm(struct definitions *definitions, const uint32_t *members, size_t count,
                          uint32_t parent, bool is_serial);

/* A new device; returns what its locations name it by (location->device): 1 for the first. */
uint32_t definitions_add_device(struct definitions *definitions, int32_t number);

/* The window in which devices and threads reach each other's memory; DEFINITIONS_NO_WINDOW: no device. */
uint32_t definitions_device_window(const struct definitions *definitions);

/* A property of the device, or of what records them all; the texts are copied. */
enum { DEFINITIONS_ALL_DEVICES = 0 };
void definitions_device_property(struct definitions *definitions, uint32_t device, const char *name,
                                 const char *value);

/* Sets those of all devices as properties of the archive (STAVE_PROPERTY_DEVICES), by archive_set_property.
 */
void definitions_devices_properties(const struct definitions *definitions,
                                    void (*set)(struct archive *archive, const char *name, const char *value),
                                    struct archive *archive);

/* The number of a metric, which will be defined from now on: dense, in order of first use. */
enum metric { METRIC_MEMORY, METRIC_RUN_STATE, METRIC_RUN_PROCESSOR, METRIC_PAGE_FAULTS, METRIC_COUNT };
uint32_t definitions_metric(struct definitions *definitions, enum metric metric);

/* The metric of a counter of the program's own; type: OTF2_TYPE_INT64 or OTF2_TYPE_DOUBLE; or of one that is
 * read where regions begin and end: OTF2_TYPE_UINT64. It will be defined from now on. */
uint32_t definitions_counter(struct definitions *definitions, const char *name, const char *unit,
                             OTF2_Type type);

/* The next one, as the journal has it: name and unit are strings' numbers. */
void definitions_restore_counter(struct definitions *definitions, uint32_t name, uint32_t unit,
                                 OTF2_Type type);

/* How far the device's clock and what ompt_translate_time makes of it have come since the device was
 * initialized. */
void definitions_device_clock(struct definitions *definitions, uint32_t device, uint64_t ticks,
                              double seconds);

/* The number of a parameter, a field of a device's record; the text is copied. */
uint32_t definitions_parameter(struct definitions *definitions, const char *name);

/* How many of them there are. */
uint32_t definitions_string_count(const struct definitions *definitions);
uint32_t definitions_attribute_count(const struct definitions *definitions);
uint32_t definitions_comm_count(const struct definitions *definitions);
uint32_t definitions_device_count(const struct definitions *definitions);
uint32_t definitions_metric_count(const struct definitions *definitions);
uint32_t definitions_parameter_count(const struct definitions *definitions);
uint32_t definitions_group_count(const struct definitions *definitions);
uint32_t definitions_window_count(const struct definitions *definitions);
uint32_t definitions_file_count(const struct definitions *definitions);
uint32_t definitions_handle_count(const struct definitions *definitions);

/* The communicator's members, location numbers by thread number; they stay the definitions'. */
const uint32_t *definitions_comm_members(const struct definitions *definitions, uint32_t comm,
                                         size_t *ret_count);

/* In whose team the communicator's team is; COMM_UNKNOWN: in none. */
uint32_t definitions_comm_parent(const struct definitions *definitions, uint32_t comm);

/* The location's thread number in the communicator; 0 if it is none of its. */
uint32_t definitions_comm_rank(const struct definitions *definitions, uint32_t comm, uint32_t location);

/* Writes all definitions, global and local. Every location must be closed. The regions must be finished. */
void definitions_write(struct definitions *definitions, const struct regions *regions,
                       const struct contexts *contexts, const struct call_sites *sites,
                       const struct run *run);

/* Of the process, and of a thread's location: more that is known of them. After definitions_write. */
void definitions_write_process_property(struct definitions *definitions, const char *name, const char *text);
void definitions_write_thread_property(struct definitions *definitions, const struct location *location,
                                       const char *name, const char *text);

#endif
