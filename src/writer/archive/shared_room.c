#include "writer/archive/shared_room.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/memory.h"
#include "writer/archive/room.h"

enum { AHEAD_MAX = 4 << 20 }; /* bytes that are reserved beyond what is needed */

struct shared_room {
  int fd;                /* -1: such a file cannot be had */
  uint64_t held, needed; /* bytes */
};

struct shared_room *shared_room_open(const char *directory) {
  struct shared_room *room = memory_get(1, sizeof *room);
  room->fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  return room;
}

void shared_room_close(struct shared_room *room) {
  if (room)
    shared_room_release(room);
  free(room);
}

static int hold_more(struct shared_room *room, uint64_t bytes) {
  int error = room_extend(room->fd, room->held, bytes);
  if (error == 0)
    room->held += bytes;
  return error;
}

int shared_room_hold(struct shared_room *room, uint64_t bytes) {
  if (room->fd < 0)
    return ROOM_UNKNOWN;
  uint64_t needed_in_all = room->needed + bytes,
           ahead = room->held / 8 < AHEAD_MAX ? room->held / 8 : AHEAD_MAX;
  uint64_t lacking = needed_in_all > room->held ? needed_in_all - room->held : 0;
  if (lacking && !room_is_allowed(bytes))
    return ROOM_UNKNOWN;
  int error = lacking ? hold_more(room, lacking + ahead) : 0;
  if (error < 0 && ahead)
    error = hold_more(room, lacking);
  if (error == 0)
    room->needed = needed_in_all;
  return error;
}

void shared_room_return(struct shared_room *room, uint64_t bytes) {
  room->needed -= bytes < room->needed ? bytes : room->needed;
}

void shared_room_release(struct shared_room *room) {
  if (room->fd >= 0)
    room_give_back(room->fd);
  room->fd = -1;
  room->held = room->needed = 0;
}
