/* Room on the disk for chunks that may have to be written, all in one file without a name.
 *
 * A location's first chunk may stay the only one, and small. If its own file reserved the room, that would
 * have to be given back when the file ends, which costs half a millisecond on ext4: a thousand locations
 * would do so one after the other while the program waits. Here all is returned immediately. */
#ifndef STAVE_WRITER_ARCHIVE_SHARED_ROOM_H
#define STAVE_WRITER_ARCHIVE_SHARED_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct shared_room;

/* On the directory's file system. Never NULL; free with shared_room_close, which gives all back. */
struct shared_room *shared_room_open(const char *directory);

/* NULL is fine. */
void shared_room_close(struct shared_room *room);

/* Holds so many bytes more. Returns 0; ROOM_UNKNOWN where that cannot be done; or the negative errno with
 * which a write would fail. */
int shared_room_hold(struct shared_room *room, uint64_t bytes);

/* So many bytes less are needed; they go to the next caller. */
void shared_room_return(struct shared_room *room, uint64_t bytes);

/* Gives all back to the disk, for what is about to be written. None is to be had here any more. (ext4 gives
 * nothing back of a single piece: it lies after the end of the file.) */
void shared_room_release(struct shared_room *room);

#endif
