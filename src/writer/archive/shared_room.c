#include "writer/archive/shared_room.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "writer/archive/room.h"

enum { AHEAD_MOST = 16 }; /* pieces that are reserved at once */

struct shared_room {
  int fd; /* -1: such a file cannot be had */
  uint64_t piece_bytes;
  uint64_t held, needed; /* pieces */
};

struct shared_room *shared_room_open(const char *directory, uint64_t piece_bytes) {
  struct shared_room *room = memory_get(1, sizeof *room);
  room->fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  room->piece_bytes = piece_bytes;
  return room;
}

void shared_room_close(struct shared_room *room) {
  if (room)
    shared_room_release(room);
  free(room);
}

static int hold_more(struct shared_room *room, uint64_t pieces) {
  int error = room_extend(room->fd, room->held * room->piece_bytes, pieces * room->piece_bytes);
  if (error == 0)
    room->held += pieces;
  return error;
}

int shared_room_take(struct shared_room *room) {
  if (room->fd < 0 || !room_is_allowed(room->piece_bytes))
    return ROOM_UNKNOWN;
  uint64_t ahead = room->held / 8 < AHEAD_MOST ? room->held / 8 : AHEAD_MOST;
  int error = room->needed < room->held ? 0 : hold_more(room, 1 + ahead);
  if (error < 0 && ahead)
    error = hold_more(room, 1);
  room->needed += error == 0;
  return error;
}

void shared_room_leave(struct shared_room *room) {
  room->needed -= room->needed > 0;
}

void shared_room_release(struct shared_room *room) {
  if (room->fd >= 0)
    close(room->fd);
  room->fd = -1;
  room->held = room->needed = 0;
}
