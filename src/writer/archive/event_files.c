#include "writer/archive/event_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/memory.h"
#include "writer/archive/chunk.h"
#include "writer/archive/chunk_thread.h"
#include "writer/archive/room.h"
#include "writer/archive/shared_room.h"
#include "writer/recovery/recovery.h"

enum {
  CHUNKS_AHEAD_MAX = 16,    /* that get their room together */
  LOCATION_BYTES = 8 << 10, /* of definitions */
  DESCRIPTORS_KEPT = 32,    /* for everything but event files */
  LOCATIONS_BETWEEN_LOOKS = 8,
  SPARES_MAX = 16, /* locations whose chunks are written beside */
  /* A chunk in memory: OTF2 marks the end of events after it. */
  CHUNK_MEMORY_BYTES = RECOVERY_CHUNK_BYTES + 64,
};

/* A full chunk that the thread beside writes. */
struct full_chunk {
  struct chunk_job job; /* while it is pending, all that states where the file ends is the thread's */
  struct event_file *file;
  const unsigned char *bytes;
  uint64_t before, last; /* events: in front of it, its last one */
};

/* Of a location. */
struct event_file {
  uint64_t location;
  struct recovery_block *block;
  unsigned char *bytes; /* of the chunk in the making: the block's, or spare */
  unsigned char *spare; /* NULL: chunks are written before the next one begins */
  struct full_chunk full;
  bool is_ordinary; /* the block lies in no file */
  bool is_refused;  /* a full chunk could not be written: nothing but the last follows it */
  bool needs_room;  /* it has neither a chunk in the file nor room for one */
  /* all events are in the file, which has its mark of the end: the block is not needed any more */
  bool is_complete;
  int fd;                   /* -1: not open */
  uint64_t shared_room;     /* bytes that are held for its first chunk in files->first_room */
  int close_error;          /* negative errno: what had been written may be lost; 0: it is not */
  uint64_t chunks;          /* in the file */
  uint64_t events;          /* the last one in them */
  uint64_t before;          /* the last event in front of the chunk in memory */
  uint64_t refused;         /* events that are in no chunk of it */
  uint64_t events_in_all;   /* events in all, once that is known */
  uint64_t chunks_reserved; /* have room */
};

struct event_files {
  char *directory;
  /* of the event files, so that they are found when the directory gets another name; -1: not open */
  int folder_fd;
  struct recovery *recovery;
  struct shared_room *first_room;  /* of locations without a chunk in their files */
  struct event_file **by_location; /* NULL: not open */
  size_t capacity, location_count;
  _Atomic uint64_t flight_buffer_bytes;
  uint64_t unwritten; /* locations that need room */
  bool is_scarce; /* room for more than the next chunk was refused: another request costs btrfs a commit */
  struct chunk_thread *_Atomic beside;         /* NULL: there is none; helpers look for it at any time */
  atomic_bool has_asked_for_beside, is_beside; /* whether it is to be used now */
  size_t spares;
  pthread_mutex_t mutex; /* of what locations share, while chunks are written */
  uint64_t open_fds, open_fds_most;
  uint64_t bytes;
  uint64_t ended_bytes; /* of files that were ended */
  uint64_t refused_events;
  _Atomic int stop_error; /* errno: nothing more should be written; 0: go on */
  /* errno: a file has no mark of its end, which readers need, or may not be all there; 0: all are */
  int failure;
};

static uint64_t descriptors_for_files(void) {
  struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > DESCRIPTORS_KEPT ? limit.rlim_cur - DESCRIPTORS_KEPT : 0;
}

/* Stops while all that is in memory still fits: then the archive is complete, up to here. Locations that have
 * a file have reserved their room. */
static void look_at_room(struct event_files *files) {
  uint64_t needed = (files->unwritten + 1) * RECOVERY_CHUNK_BYTES + files->location_count * LOCATION_BYTES +
                    files->flight_buffer_bytes;
  if (!files->stop_error && room_left(files->directory) < needed)
    files->stop_error = ENOSPC;
}

struct event_files *event_files_open(const char *directory, struct recovery *recovery,
                                     uint64_t flight_buffer_bytes) {
  struct event_files *files = memory_get(1, sizeof *files);
  files->directory = strcpy(memory_get(strlen(directory) + 1, 1), directory);
  pthread_mutex_init(&files->mutex, NULL);
  files->folder_fd = -1;
  files->recovery = recovery;
  files->first_room = shared_room_open(directory);
  files->flight_buffer_bytes = flight_buffer_bytes;
  files->open_fds_most = descriptors_for_files();
  look_at_room(files);
  return files;
}

void event_files_close(struct event_files *files) {
  if (!files)
    return;
  chunk_thread_stop(files->beside);
  if (files->folder_fd >= 0)
    close(files->folder_fd);
  shared_room_close(files->first_room);
  pthread_mutex_destroy(&files->mutex);
  free(files->directory);
  free(files->by_location);
  free(files);
}

void event_files_keep(struct event_files *files, uint64_t bytes) {
  files->flight_buffer_bytes = bytes;
}

/* -- writing -- */

static unsigned char *block_bytes(const struct event_file *file) {
  return (unsigned char *)file->block->bytes;
}

/* Whether the chunk in the making lies in the recovery file. */
static bool is_in_recovery(const struct event_file *file) {
  return !file->is_ordinary && file->bytes == block_bytes(file);
}

static int open_folder(struct event_files *files) {
  char path[PATH_MAX];
  if (files->folder_fd >= 0)
    return 0;
  snprintf(path, sizeof path, "%s/traces", files->directory);
  files->folder_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return files->folder_fd < 0 ? -errno : 0;
}

static int open_file(struct event_files *files, struct event_file *file) {
  char name[32];
  if (file->fd >= 0)
    return 0;
  int error = open_folder(files);
  if (error)
    return error;
  snprintf(name, sizeof name, "%llu.evt", (unsigned long long)file->location);
  file->fd = openat(files->folder_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  files->open_fds += file->fd >= 0;
  return file->fd < 0 ? -errno : 0;
}

/* On file systems of networks, and with a quota, a write may fail as late as here. Returns 0 or a negative
 * errno. */
static int close_file(struct event_files *files, struct event_file *file) {
  if (file->fd < 0)
    return 0;
  int error = close(file->fd) < 0 && errno != EINTR ? -errno : 0;
  file->fd = -1;
  files->open_fds--;
  file->close_error = file->close_error ? file->close_error : error;
  return error;
}

/* A file that cannot be open now can be at the end, when others are closed. */
static bool is_lack_of_descriptors(int error) {
  return error == -EMFILE || error == -ENFILE;
}

/* While a file system works others may go on; but not where each of them would need one more descriptor than
 * there are. */
static bool let_others_go_on(struct event_files *files) {
  bool may_go_on = files->open_fds <= files->open_fds_most;
  if (may_go_on)
    pthread_mutex_unlock(&files->mutex);
  return may_go_on;
}

static void go_on_alone(struct event_files *files, bool could_others) {
  if (could_others)
    pthread_mutex_lock(&files->mutex);
}

static int reserve_apart(struct event_files *files, const struct event_file *file, uint64_t from,
                         uint64_t bytes) {
  bool could_others = let_others_go_on(files);
  int error = room_reserve(file->fd, from, bytes);
  go_on_alone(files, could_others);
  return error;
}

/* The query is slower than writing a chunk. In a thread beside, nothing waits for it, unless it lasts as long
 * as filling the next chunk. */
static uint64_t chunks_ahead(const struct event_files *files, const struct event_file *file) {
  uint64_t grown = file->chunks < CHUNKS_AHEAD_MAX ? file->chunks : CHUNKS_AHEAD_MAX;
  bool is_beside = file->spare && files->is_beside && !chunk_thread_rests(files->beside);
  return files->is_scarce || is_beside ? 0 : grown;
}

/* Room for so many chunks, and for further ones as the file has grown. Returns as room_reserve. */
static int reserve(struct event_files *files, struct event_file *file, uint64_t chunks) {
  if (chunks <= file->chunks_reserved)
    return 0;
  uint64_t ahead = chunks_ahead(files, file);
  uint64_t from = file->chunks_reserved * RECOVERY_CHUNK_BYTES;
  int error = ahead ? reserve_apart(files, file, from, (chunks + ahead) * RECOVERY_CHUNK_BYTES) : -ENOSPC;
  if (error < 0) {
    files->is_scarce |= ahead > 0;
    ahead = 0;
    error = reserve_apart(files, file, from, chunks * RECOVERY_CHUNK_BYTES);
  }
  if (error == 0)
    file->chunks_reserved = chunks + ahead;
  return error;
}

/* -- a new location -- */

static struct recovery_block *ordinary_block(void) {
  struct recovery_block *block = memory_get_aligned(_Alignof(struct recovery_block), sizeof *block);
  atomic_init(&block->count, 0);
  return block;
}

static void get_block(struct event_files *files, struct event_file *file) {
  file->block = files->recovery ? recovery_get_block(files->recovery, RECOVERY_EVENTS) : NULL;
  file->is_ordinary = !file->block;
  if (file->is_ordinary)
    file->block = ordinary_block();
  file->block->location = (uint32_t)file->location;
  file->block->sequence = 0;
  file->block->use = RECOVERY_EVENTS;
  file->bytes = block_bytes(file);
}

static void set_needs_room(struct event_files *files, struct event_file *file, bool needs_room) {
  files->unwritten += (uint64_t)needs_room - (uint64_t)file->needs_room;
  file->needs_room = needs_room;
}

/* In its own file where it cannot be shared. */
static int reserve_first(struct event_files *files, struct event_file *file, uint64_t bytes) {
  int error = shared_room_hold(files->first_room, bytes);
  file->shared_room += error == 0 ? bytes : 0;
  return error == ROOM_UNKNOWN ? reserve(files, file, 1) : error;
}

static void stop_for(struct event_files *files, int error) {
  if (error < 0 && !is_lack_of_descriptors(error) && !files->stop_error)
    files->stop_error = -error;
}

/* A location has its file, and room for its first events, before these come: it may be long until the chunk
 * is full, and the disk may be filled by others meanwhile. Most of a program's threads may do next to
 * nothing, and a chunk's room is memory on tmpfs: the rest is reserved when more events follow
 * (event_files_expect_more). */
static struct event_file *open_location(struct event_files *files, uint64_t location) {
  struct event_file *file = memory_get(1, sizeof *file);
  file->location = location;
  file->fd = -1;
  int error = open_file(files, file);
  error = error ? error : reserve_first(files, file, RECOVERY_FEW_BYTES);
  files->location_count++;
  set_needs_room(files, file, error != 0);
  stop_for(files, error);
  get_block(files, file);
  if (error || files->location_count % LOCATIONS_BETWEEN_LOOKS == 0)
    look_at_room(files);
  if (files->open_fds > files->open_fds_most)
    close_file(files, file);
  return file;
}

/* -- chunks -- */

static void leave_room(struct event_files *files, struct event_file *file) {
  shared_room_return(files->first_room, file->shared_room);
  file->shared_room = 0;
}

static int write_apart(struct event_files *files, const struct event_file *file, const unsigned char *bytes,
                       size_t count) {
  bool could_others = let_others_go_on(files);
  int error = room_write(file->fd, bytes, count, file->chunks * RECOVERY_CHUNK_BYTES);
  go_on_alone(files, could_others);
  return error;
}

static int write_chunk(struct event_files *files, struct event_file *file, const unsigned char *bytes,
                       size_t count) {
  /* nothing to give back afterwards */
  bool is_only = file->chunks_reserved == 0 && count < RECOVERY_CHUNK_BYTES;
  int error = is_only ? 0 : reserve(files, file, file->chunks + 1);
  return error < 0 ? error : write_apart(files, file, bytes, count);
}

/* Puts what is in memory after the chunks of the file; they end with event number `last`. */
static int append(struct event_files *files, struct event_file *file, const unsigned char *bytes,
                  size_t count, uint64_t last) {
  int error = open_file(files, file);
  error = error ? error : write_chunk(files, file, bytes, count);
  if (error && file->shared_room && file->fd >= 0) {
    file->shared_room = 0;
    shared_room_release(files->first_room);
    error = write_chunk(files, file, bytes, count);
  }
  if (error)
    return error;
  leave_room(files, file);
  set_needs_room(files, file, false);
  file->chunks++;
  file->events = last;
  return 0;
}

/* What lies in the recovery file is gone when somebody makes that shorter. */
static bool is_spoilt(const struct event_files *files, const struct event_file *file) {
  return is_in_recovery(file) &&
         (recovery_is_cut(files->recovery) || !chunk_is_open(file->bytes, file->before));
}

/* The chunk is given up, and the next ones lie elsewhere. The old block stays: complete events are counted
 * there. */
static void drop_spoilt(struct event_file *file) {
  file->refused += chunk_last_event(file->bytes) - file->before;
  file->is_ordinary = true;
  file->block = ordinary_block();
  file->block->location = (uint32_t)file->location;
  file->bytes = block_bytes(file);
}

/* There is room for the next chunk before it is started, and for `more` after that: when there is none for
 * the one after, it is time to stop, and what is still to come goes there. What follows a chunk that was
 * refused is refused too, but for the last one; not where it lay in a recovery file that was cut. */
static void put_full_chunk(struct event_files *files, const struct full_chunk *full, uint64_t more) {
  struct event_file *file = full->file;
  int error = file->is_refused ? -EIO : append(files, file, full->bytes, RECOVERY_CHUNK_BYTES, full->last);
  if (error)
    file->refused += full->last - full->before;
  if (file->is_refused || error == -EFAULT)
    return;
  file->is_refused = error != 0;
  error = error ? error : reserve(files, file, file->chunks + 1 + more);
  look_at_room(files);
  int close_error = files->open_fds > files->open_fds_most ? close_file(files, file) : 0;
  error = error < 0 ? error : close_error;
  if (error < 0 && !files->stop_error)
    files->stop_error = -error;
}

/* -- chunks that are written beside -- */

/* That there is no room is known only once the next chunk is started, or is nearly full: so it has room, and
 * one more. */
static void put_beside(void *data, struct chunk_job *job) {
  struct event_files *files = data;
  pthread_mutex_lock(&files->mutex);
  put_full_chunk(files, (const struct full_chunk *)job, 2);
  pthread_mutex_unlock(&files->mutex);
}

void event_files_write_beside(struct event_files *files, bool is_beside) {
  files->is_beside = is_beside;
  if (files->has_asked_for_beside || !is_beside)
    return;
  files->has_asked_for_beside = true;
  files->beside = limits_processors() > 1 ? chunk_thread_start(put_beside, files) : NULL;
}

struct chunk_thread *event_files_beside(const struct event_files *files) {
  return files->beside;
}

static void wait_for_chunk(const struct event_files *files, uint64_t location) {
  struct event_file *file = location < files->capacity ? files->by_location[location] : NULL;
  if (files->beside && file)
    chunk_thread_wait(files->beside, &file->full.job);
}

/* The chunk with which a location gets its spare reserves the room of those that are written beside. */
static bool has_spare(struct event_files *files, struct event_file *file) {
  bool had_spare = file->spare, is_beside = files->beside && files->is_beside;
  if (is_beside && !had_spare && files->spares < SPARES_MAX) {
    files->spares++;
    file->spare = memory_get_aligned(_Alignof(struct recovery_block), CHUNK_MEMORY_BYTES);
  }
  return is_beside && had_spare;
}

static void put_now_or_beside(struct event_files *files, struct event_file *file, uint64_t last) {
  file->full = (struct full_chunk){.file = file, .bytes = file->bytes, .before = file->before, .last = last};
  if (has_spare(files, file)) {
    file->bytes = file->bytes == file->spare ? block_bytes(file) : file->spare;
    chunk_thread_add(files->beside, &file->full.job);
    return;
  }
  put_full_chunk(files, &file->full, file->spare ? 2 : 1);
  file->bytes = block_bytes(file); /* the log may have ended: recovery looks there */
}

static void *next_chunk(struct event_files *files, uint64_t location) {
  array_reserve_zeroed(&files->by_location, &files->capacity, location + 1, sizeof *files->by_location);
  struct event_file *file = files->by_location[location];
  files->bytes += RECOVERY_CHUNK_BYTES;
  if (!file) {
    file = files->by_location[location] = open_location(files, location);
    return file->bytes;
  }
  uint64_t last = chunk_last_event(file->bytes);
  if (is_spoilt(files, file))
    drop_spoilt(file);
  else
    put_now_or_beside(files, file, last);
  file->before = last;
  file->block->sequence++;
  return file->bytes;
}

void *event_files_next_chunk(struct event_files *files, uint64_t location) {
  wait_for_chunk(files, location);
  pthread_mutex_lock(&files->mutex);
  void *chunk = next_chunk(files, location);
  pthread_mutex_unlock(&files->mutex);
  return chunk;
}

/* How many events the location can have without needing more than RECOVERY_FEW_BYTES, with what the record in
 * hand still becomes and the ends of what is open; 0: it needs more soon, or that cannot be determined. */
static uint64_t events_with_room(const struct event_file *file, uint64_t events) {
  enum { EVENT_BYTES_MAX = 256, END_BYTES = 1536, RESERVED_MIN = 4 };
  struct chunk_position position = {0};
  size_t used;
  chunk_walk(file->bytes, RECOVERY_FEW_BYTES, events, &position, &used);
  bool is_known = position.events == events && used + END_BYTES < RECOVERY_FEW_BYTES;
  uint64_t more = is_known ? (RECOVERY_FEW_BYTES - END_BYTES - used) / EVENT_BYTES_MAX : 0;
  return more < RESERVED_MIN ? 0 : events + more;
}

static uint64_t expect_more(struct event_files *files, uint64_t location, uint64_t events) {
  struct event_file *file = files->by_location[location];
  uint64_t next = file->before == 0 && file->chunks == 0 ? events_with_room(file, events) : 0;
  if (next > 0)
    return next;
  if (file->shared_room)
    stop_for(files, reserve_first(files, file, RECOVERY_CHUNK_BYTES - RECOVERY_FEW_BYTES));
  if (!file->is_ordinary)
    recovery_hand_over(files->recovery, file->block);
  return UINT64_MAX;
}

uint64_t event_files_expect_more(struct event_files *files, uint64_t location, uint64_t events) {
  pthread_mutex_lock(&files->mutex);
  uint64_t next = expect_more(files, location, events);
  pthread_mutex_unlock(&files->mutex);
  return next;
}

_Atomic uint64_t *event_files_complete_events(struct event_files *files, uint64_t location) {
  return &files->by_location[location]->block->count;
}

/* -- the end -- */

/* Makes the chunk a last one; returns its bytes. */
static size_t finish(unsigned char *bytes) {
  struct chunk_position position = {.events = chunk_events_before(bytes)};
  size_t used;
  chunk_walk(bytes, RECOVERY_CHUNK_BYTES, UINT64_MAX, &position, &used);
  return chunk_finish(bytes, used, position.events);
}

/* A location without any chunk makes the archive unreadable: the file may be had now, and what there is may
 * fit where there is no room for an entire chunk. */
static int squeeze_first_in(struct event_files *files, struct event_file *file, size_t count) {
  int error = open_file(files, file);
  error = error ? error : room_write(file->fd, file->bytes, count, 0);
  file->chunks = error ? 0 : 1;
  return error;
}

static int put_last(struct event_files *files, struct event_file *file, size_t count) {
  int error = append(files, file, file->bytes, count, file->events_in_all);
  return error && file->chunks == 0 ? squeeze_first_in(files, file, count) : error;
}

static int read_last(const struct event_file *file, unsigned char *bytes) {
  ssize_t count =
      pread(file->fd, bytes, RECOVERY_CHUNK_BYTES, (off_t)((file->chunks - 1) * RECOVERY_CHUNK_BYTES));
  return count < 0 ? -errno : count < RECOVERY_CHUNK_BYTES ? -EIO : 0;
}

/* The last chunk is not to be had: the one before is the last, and gets its mark of the end where it ends
 * anyhow. *ret_count: its bytes. What is in memory stays as it is, for recovery. */
static int end_early(struct event_files *files, struct event_file *file, size_t *ret_count) {
  unsigned char *bytes = memory_get(1, RECOVERY_CHUNK_BYTES);
  int error = open_file(files, file);
  if (!error && file->chunks > 0)
    error = read_last(file, bytes);
  else
    chunk_begin(bytes, 0);
  file->chunks = file->chunks ? file->chunks : 1;
  *ret_count = error ? 0 : finish(bytes);
  error = error ? error : room_write(file->fd, bytes, *ret_count, (file->chunks - 1) * RECOVERY_CHUNK_BYTES);
  free(bytes);
  return error;
}

/* What follows the last chunk is what is left of one that was refused, and blocks that were reserved. */
static void cut(const struct event_file *file, size_t last_count) {
  bool is_longer = file->chunks_reserved > 0 || file->chunks > 1 || file->refused > 0;
  if (is_longer && ftruncate(file->fd, (off_t)((file->chunks - 1) * RECOVERY_CHUNK_BYTES + last_count)) < 0)
    return; /* readers stop at the mark of the end */
}

static void end_file(struct event_files *files, uint64_t location, size_t used, uint64_t events) {
  struct event_file *file = files->by_location[location];
  file->events_in_all = events;
  bool is_lost = is_spoilt(files, file);
  size_t count = is_lost ? 0 : chunk_finish(file->bytes, used, events);
  int error = is_lost ? -EIO : put_last(files, file, count);
  if (error)
    file->refused += file->events_in_all - file->before;
  if (error && (is_lost || file->chunks > 0))
    error = end_early(files, file, &count);
  if (!error) {
    cut(file, count);
    files->ended_bytes += (file->chunks - 1) * RECOVERY_CHUNK_BYTES + count;
  }
  close_file(files, file);
  error = error ? error : file->close_error;
  if (error && !files->failure)
    files->failure = -error;
  leave_room(files, file);
  set_needs_room(files, file, false);
  files->refused_events += file->refused;
  file->is_complete = !error && file->refused == 0;
}

void event_files_end(struct event_files *files, uint64_t location, size_t used, uint64_t events) {
  wait_for_chunk(files, location);
  pthread_mutex_lock(&files->mutex);
  end_file(files, location, used, events);
  pthread_mutex_unlock(&files->mutex);
}

void event_files_release(struct event_files *files, uint64_t location) {
  struct event_file *file = files->by_location[location];
  if (file->is_ordinary)
    free(file->block);
  else if (file->is_complete)
    recovery_release(files->recovery, file->block);
  files->spares -= file->spare != NULL;
  free(file->spare);
  free(file);
  files->by_location[location] = NULL;
}

void event_files_release_room(struct event_files *files) {
  shared_room_release(files->first_room);
}

int event_files_stop_error(const struct event_files *files) {
  return files->stop_error;
}

int event_files_failure(const struct event_files *files) {
  return files->failure;
}

uint64_t event_files_refused(const struct event_files *files) {
  return files->refused_events;
}

uint64_t event_files_ended_bytes(const struct event_files *files) {
  return files->ended_bytes;
}

uint64_t event_files_bytes(const struct event_files *files) {
  return files->bytes;
}
