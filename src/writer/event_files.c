#include "writer/event_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "writer/chunk.h"
#include "writer/memory.h"
#include "writer/recovery.h"
#include "writer/room.h"

enum {
  CHUNKS_AHEAD_MOST = 16,    /* that get their room at once */
  LOCATION_BYTES = 8 << 10,  /* of definitions */
  DESCRIPTORS_KEPT = 32,     /* for everything but event files */
};

/* Of a location. */
struct event_file {
  struct recovery_block *block;
  bool is_ordinary; /* the block lies in no file */
  bool is_refused;  /* a full chunk was not taken: nothing but the last follows it */
  int fd;           /* -1: not open */
  uint64_t chunks;  /* in the file */
  uint64_t events;  /* in them */
  uint64_t chunks_reserved; /* have room */
};

struct event_files {
  char *directory;
  struct recovery *recovery;
  struct event_file **by_location; /* NULL: not open */
  size_t capacity, location_count;
  uint64_t kept_bytes;
  uint64_t unwritten; /* locations that have nothing in a file */
  uint64_t open_fds, open_fds_most;
  uint64_t bytes;
  uint64_t refused_events;
  int stop_error; /* errno: nothing more should be written; 0: go on */
  bool is_failed; /* a file has no mark of its end, which readers need */
};

static uint64_t descriptors_for_files(void) {
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > DESCRIPTORS_KEPT ? limit.rlim_cur - DESCRIPTORS_KEPT : 0;
}

/* Stops while all that is in memory still fits: then the archive is whole, up to here. Locations that have a file have
 * reserved their room. */
static void look_at_room(struct event_files *files) {
  uint64_t needed =
      (files->unwritten + 1) * RECOVERY_CHUNK_BYTES + files->location_count * LOCATION_BYTES + files->kept_bytes;
  if (!files->stop_error && room_left(files->directory) < needed)
    files->stop_error = ENOSPC;
}

struct event_files *event_files_open(const char *directory, struct recovery *recovery, uint64_t kept_bytes) {
  struct event_files *files = memory_get(1, sizeof *files);
  files->directory = strcpy(memory_get(strlen(directory) + 1, 1), directory);
  files->recovery = recovery;
  files->kept_bytes = kept_bytes;
  files->open_fds_most = descriptors_for_files();
  look_at_room(files);
  return files;
}

void event_files_close(struct event_files *files) {
  if (!files)
    return;
  free(files->directory);
  free(files->by_location);
  free(files);
}

static struct event_file *open_location(struct event_files *files, uint64_t location) {
  struct event_file *file = memory_get(1, sizeof *file);
  file->fd = -1;
  file->block = files->recovery ? recovery_take(files->recovery, RECOVERY_EVENTS) : NULL;
  file->is_ordinary = !file->block;
  if (file->is_ordinary) {
    file->block = memory_get_aligned(_Alignof(struct recovery_block), sizeof *file->block);
    atomic_init(&file->block->count, 0);
  }
  file->block->location = (uint32_t)location;
  file->block->sequence = 0;
  file->block->use = RECOVERY_EVENTS;
  files->location_count++;
  files->unwritten++;
  look_at_room(files);
  return file;
}

/* -- writing -- */

static unsigned char *bytes_of(const struct event_file *file) {
  return (unsigned char *)file->block->bytes;
}

static int open_file(struct event_files *files, uint64_t location, struct event_file *file) {
  char path[PATH_MAX];
  if (file->fd >= 0)
    return 0;
  snprintf(path, sizeof path, "%s/traces/%llu.evt", files->directory, (unsigned long long)location);
  file->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  files->open_fds += file->fd >= 0;
  return file->fd < 0 ? -errno : 0;
}

static void close_file(struct event_files *files, struct event_file *file) {
  if (file->fd < 0)
    return;
  close(file->fd);
  file->fd = -1;
  files->open_fds--;
}

/* Room for so many chunks, and for further ones as the file has grown: asking takes longer than writing a chunk. */
static int reserve(struct event_file *file, uint64_t chunks) {
  if (chunks <= file->chunks_reserved)
    return 0;
  uint64_t ahead = file->chunks < CHUNKS_AHEAD_MOST ? file->chunks : CHUNKS_AHEAD_MOST;
  if (ahead && room_reserve(file->fd, (chunks + ahead) * RECOVERY_CHUNK_BYTES) == 0) {
    file->chunks_reserved = chunks + ahead;
    return 0;
  }
  int error = room_reserve(file->fd, chunks * RECOVERY_CHUNK_BYTES);
  file->chunks_reserved = error ? file->chunks_reserved : chunks;
  return error;
}

static int write_at(int fd, const unsigned char *bytes, size_t count, uint64_t offset) {
  for (size_t done = 0; done < count;) {
    ssize_t written = pwrite(fd, bytes + done, count - done, (off_t)(offset + done));
    if (written < 0 && errno != EINTR)
      return -errno;
    done += written > 0 ? (size_t)written : 0;
  }
  return 0;
}

/* Puts what is in memory behind the chunks of the file; they end with event number `last`. */
static int append(struct event_files *files, uint64_t location, struct event_file *file, size_t count, uint64_t last) {
  int error = open_file(files, location, file);
  error = error ? error : reserve(file, file->chunks + 1);
  if (!error)
    error = write_at(file->fd, bytes_of(file), count, file->chunks * RECOVERY_CHUNK_BYTES);
  if (error)
    return error;
  files->unwritten -= file->chunks == 0;
  file->chunks++;
  file->events = last;
  return 0;
}

/* There is room for the next chunk before it is begun: when there is none for the one behind that, it is time to stop,
 * and what is still to come goes there. What follows a chunk that was refused is refused too, but for the last one. */
static void put_full_chunk(struct event_files *files, uint64_t location, struct event_file *file) {
  if (file->is_refused)
    return;
  int error = append(files, location, file, RECOVERY_CHUNK_BYTES, chunk_last_event(bytes_of(file)));
  file->is_refused = error != 0;
  error = error ? error : reserve(file, file->chunks + 2);
  look_at_room(files);
  if (error && !files->stop_error)
    files->stop_error = -error;
  if (files->open_fds > files->open_fds_most)
    close_file(files, file);
}

void *event_files_next_chunk(struct event_files *files, uint64_t location) {
  memory_grow(&files->by_location, &files->capacity, location + 1, sizeof *files->by_location);
  struct event_file *file = files->by_location[location];
  files->bytes += RECOVERY_CHUNK_BYTES;
  if (!file) {
    file = files->by_location[location] = open_location(files, location);
  } else {
    put_full_chunk(files, location, file);
    file->block->sequence++;
  }
  return file->block->bytes;
}

_Atomic uint64_t *event_files_whole_events(struct event_files *files, uint64_t location) {
  return &files->by_location[location]->block->count;
}

/* -- the end -- */

/* Makes the chunk in memory a last one; returns its bytes, and the number of its last event. */
static size_t finish(struct event_file *file, uint64_t *ret_last) {
  unsigned char *bytes = bytes_of(file);
  struct chunk_position position = {.events = chunk_events_before(bytes)};
  size_t used;
  chunk_walk(bytes, RECOVERY_CHUNK_BYTES, UINT64_MAX, &position, &used);
  *ret_last = position.events;
  return chunk_finish(bytes, used, position.events);
}

/* The last chunk found no room: the one before is the last, and gets its mark of the end where it ends anyhow. Returns
 * its bytes. */
static size_t end_early(struct event_files *files, struct event_file *file) {
  uint64_t offset = (file->chunks - 1) * RECOVERY_CHUNK_BYTES, last;
  bool is_read = pread(file->fd, bytes_of(file), RECOVERY_CHUNK_BYTES, (off_t)offset) == RECOVERY_CHUNK_BYTES;
  size_t count = is_read ? finish(file, &last) : RECOVERY_CHUNK_BYTES;
  files->is_failed |= !is_read || write_at(file->fd, bytes_of(file), count, offset) != 0;
  return count;
}

/* What stands behind the last chunk is what is left of one that was refused, and blocks that were reserved. */
static void cut(const struct event_file *file, size_t last_count) {
  if (ftruncate(file->fd, (off_t)((file->chunks - 1) * RECOVERY_CHUNK_BYTES + last_count)) < 0)
    return; /* readers stop at the mark of the end */
}

/* A location without any chunk makes the archive unreadable: the file may be had now, and what there is may fit where
 * there is no room for a whole chunk. */
static bool squeeze_first_in(struct event_files *files, uint64_t location, struct event_file *file, size_t count) {
  if (file->chunks > 0 || open_file(files, location, file) != 0 || write_at(file->fd, bytes_of(file), count, 0) != 0)
    return false;
  file->chunks = 1;
  files->unwritten--;
  return true;
}

void event_files_end(struct event_files *files, uint64_t location) {
  struct event_file *file = files->by_location[location];
  uint64_t before = chunk_events_before(bytes_of(file)), written = file->events, last;
  size_t count = finish(file, &last);
  bool is_taken = append(files, location, file, count, last) == 0 || squeeze_first_in(files, location, file, count);
  files->refused_events += (is_taken ? before : last) - written;
  files->unwritten -= file->chunks == 0;
  files->is_failed |= file->chunks == 0 || file->fd < 0; /* no file, or one without its mark of the end */
  if (file->chunks > 0 && file->fd >= 0)
    cut(file, is_taken ? count : end_early(files, file));
  close_file(files, file);
}

void event_files_release(struct event_files *files, uint64_t location) {
  struct event_file *file = files->by_location[location];
  if (file->is_ordinary)
    free(file->block);
  else
    recovery_release(files->recovery, file->block);
  free(file);
  files->by_location[location] = NULL;
}

int event_files_stop_error(const struct event_files *files) {
  return files->stop_error;
}

bool event_files_are_whole(const struct event_files *files) {
  return !files->is_failed;
}

uint64_t event_files_refused(const struct event_files *files) {
  return files->refused_events;
}

uint64_t event_files_bytes(const struct event_files *files) {
  return files->bytes;
}
