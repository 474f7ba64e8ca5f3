/* The event files of an archive. event_writer.c lays the events of a location out in memory that it gets
 * here, chunk by chunk, and a full chunk goes to its file immediately; then the next one replaces it in
 * memory. (OTF2 would copy it to a buffer first, of 4 MiB a location, whose contents die with the process.)
 * The memory is a block of the recovery file, so that the chunk in the making survives too. */
#ifndef STAVE_WRITER_ARCHIVE_EVENT_FILES_H
#define STAVE_WRITER_ARCHIVE_EVENT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk_thread;
struct event_files;
struct recovery;

/* For an archive in `directory` whose disk must keep `flight_buffer_bytes` free besides the events. NULL as
 * recovery: ordinary memory is used. Both stay the caller's. Never NULL. Free with event_files_close. */
struct event_files *event_files_open(const char *directory, struct recovery *recovery,
                                     uint64_t flight_buffer_bytes);

/* From now on so many bytes. */
void event_files_keep(struct event_files *files, uint64_t bytes);

void event_files_close(struct event_files *files);

/* From now on a thread writes full chunks, where there is a processor for it, or no longer does so. What is
 * in memory then is not needed for the recovery of the archive, as something else has it (the log of all
 * records). Nobody requests chunks meanwhile. */
void event_files_write_beside(struct event_files *files, bool is_beside);

/* That thread, which others may help. NULL: there is none. */
struct chunk_thread *event_files_beside(const struct event_files *files);

/* Memory for the next chunk of the location, RECOVERY_CHUNK_BYTES of it: the last one's, which is full and
 * has been written, or other memory. The location's file is opened with its first chunk, and has the disk's
 * room for it. Threads may call this at the same time, for locations that have chunks. */
void *event_files_next_chunk(struct event_files *files, uint64_t location);

/* The location has so many events, all in its chunk. When RECOVERY_FEW_BYTES might not be enough for much
 * longer, it gets the room for an entire chunk. Returns the number of events at which to call this again,
 * UINT64_MAX: never. */
uint64_t event_files_expect_more(struct event_files *files, uint64_t location, uint64_t events);

/* Where the number of complete events of a location is to be stored after each, for its recovery. The
 * location has a chunk. */
_Atomic uint64_t *event_files_complete_events(struct event_files *files, uint64_t location);

/* The location has got its last event, number `events`, and `used` bytes of its chunk: marks the end there,
 * writes the chunk, and closes the file. */
void event_files_end(struct event_files *files, uint64_t location, size_t used, uint64_t events);

/* Gives back the location's memory. What is in no file stays in the recovery file, as the archive cannot be
 * closed. */
void event_files_release(struct event_files *files, uint64_t location);

/* All locations have ended: what held their room is given back, with its inode. */
void event_files_release_room(struct event_files *files);

/* 0, or the errno for which writing should stop now, while there is room for what is in memory. */
int event_files_stop_error(const struct event_files *files);

/* 0; or the errno for which a file that was ended has not got its mark of the end, or may have lost what was
 * written. On a full disk that copies on write no mark can be put where it would have to be. On a network's a
 * write may fail as late as when the file is closed. */
int event_files_failure(const struct event_files *files);

/* Events of chunks that found no room on the disk, or that were lost with the recovery file. */
uint64_t event_files_refused(const struct event_files *files);

/* Of the files that were ended. */
uint64_t event_files_ended_bytes(const struct event_files *files);

/* Of chunks, in memory and on disk. */
uint64_t event_files_bytes(const struct event_files *files);

#endif
