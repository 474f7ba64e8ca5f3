/* The OTF2 archive on disk: the only file that opens and closes OTF2 things. */
#ifndef STAVE_WRITER_ARCHIVE_ARCHIVE_H
#define STAVE_WRITER_ARCHIVE_ARCHIVE_H

#include <stdint.h>

#include <otf2/otf2.h>

#include "writer/archive/event_writer.h"

struct archive;
struct recovery;

/* Opens an archive named "traces" in the existing, empty directory. What is not in its files yet is kept by
 * `recovery`, which stays the caller's; NULL: by nobody. Returns NULL if OTF2 cannot. */
struct archive *archive_open(const char *directory, struct recovery *recovery);

/* Gets the memory for definitions, for which the program would wait at its end. */
void archive_prepare_end(struct archive *archive);

/* Each file that is closed from now on is counted there. NULL: nowhere. */
void archive_count_into(struct archive *archive, _Atomic uint64_t *counter);

/* From now on events are written to their files beside, or no longer (event_files.h). */
void archive_write_beside(struct archive *archive, bool is_beside);

/* The thread that does so is to leave its processor to threads that help it, or to go on; such a thread does
 * a part of it, and returns whether there was one (chunk_thread.h). */
void archive_rest_beside(struct archive *archive, bool rests);
bool archive_help_beside(struct archive *archive);

/* The event writer of a new location; locations are numbered from 0. NULL if the archive refuses more. */
struct event_writer *archive_open_location(struct archive *archive, uint32_t location);

/* Where the number of complete events of an open location is to be stored after each, for its recovery. */
_Atomic uint64_t *archive_complete_events(struct archive *archive, uint32_t location);

/* An open location has so many events: there will be room for those that follow, up to the number that is
 * returned. Then this is to be called again, the first time when it has one event. */
uint64_t archive_expect_more(struct archive *archive, uint32_t location, uint64_t events);

/* Closes the location's events for good; returns how many there are. */
uint64_t archive_close_location(struct archive *archive, struct event_writer *writer);

/* 0, or the errno for which writing should stop now, while there is room for what is in memory. */
int archive_stop_error(const struct archive *archive);

/* Events that were taken, but found no room on the disk in the end. */
uint64_t archive_refused_events(const struct archive *archive);

/* 0, or the errno for which events are in no file, or one is not closed. Once all locations are closed. */
int archive_lack(const struct archive *archive);

/* What one definition can list: members of a group, numbers of a mapping. */
enum { ARCHIVE_MEMBERS_MAX = 3 << 20 };

/* No event follows, all locations are closed. From now on definitions can be written, none of which lists
 * more than so many members. Returns whether OTF2 could. */
int archive_end_events(struct archive *archive, uint64_t members_most);

/* Writes the local definitions of all locations: the mapping of region numbers (`count` entries), or nothing
 * if `regions` is NULL. */
void archive_write_local(struct archive *archive, const uint32_t *regions, uint32_t count);

/* The writer of the global definitions, after archive_end_events. */
OTF2_GlobalDefWriter *archive_global(struct archive *archive);

/* Sets a trace property; later calls win. In the value, which is any text, bytes that are no UTF-8 become
 * '?'. */
void archive_set_property(struct archive *archive, const char *name, const char *value);

/* Sets the anchor file's creator, machine name and description. The last two are any text, as a property's
 * value is. */
void archive_describe(struct archive *archive, const char *creator, const char *machine,
                      const char *description);

/* Bytes of events in OTF2's memory and on disk so far, about. */
uint64_t archive_bytes(const struct archive *archive);

/* Bytes of events in files, once all locations are closed. */
uint64_t archive_event_bytes(const struct archive *archive);

/* Closes and frees. Returns 0 if the archive is complete, else the negative errno for which it is not. NULL
 * is fine. */
int archive_close(struct archive *archive);

#endif
