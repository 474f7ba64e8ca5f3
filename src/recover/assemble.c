#include "recover/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "writer/archive/archive.h"
#include "writer/archive/chunk.h"

/* The file of one location as it is made: a chunk is written when it is known whether another one follows. */
struct making {
  int from, to; /* event files */
  struct chunk_position position;
  unsigned char *bytes, *waiting; /* RECOVERY_CHUNK_BYTES each */
  size_t waiting_bytes;           /* up to the end of its last event; 0: none waits */
};

static int write_all(int file, const unsigned char *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t written = write(file, bytes + done, count - done);
    if (written < 0 && errno != EINTR)
      return -errno;
    done += written > 0 ? (size_t)written : 0;
  }
  return 0;
}

static void swap(struct making *making, size_t used) {
  unsigned char *bytes = making->bytes;
  making->bytes = making->waiting;
  making->waiting = bytes;
  making->waiting_bytes = used;
}

/* Before the first chunk, OTF2's own file of a location without events is replaced. */
static int put_waiting(struct making *making) {
  if (making->waiting_bytes)
    return write_all(making->to, making->waiting, RECOVERY_CHUNK_BYTES);
  return ftruncate(making->to, 0) < 0 ? -errno : 0;
}

static int finish(struct making *making) {
  if (making->waiting_bytes == 0)
    return 0;
  size_t bytes = chunk_finish(making->waiting, making->waiting_bytes, making->position.events);
  return write_all(making->to, making->waiting, bytes);
}

/* A last chunk is not the last where closing failed: then the recovery file has the one after it. */
static bool goes_on(const struct salvage_location *from, const struct making *making) {
  return from->is_counted && making->position.events < from->complete_events;
}

static int copy_chunks(const struct salvage *salvage, uint32_t location, struct making *making,
                       struct assembled *found) {
  const struct salvage_location *from = &salvage->locations[location];
  uint64_t most = from->is_counted ? from->complete_events : UINT64_MAX;
  enum chunk_end end = CHUNK_FULL;
  for (uint64_t sequence = 0; end == CHUNK_FULL || (end == CHUNK_LAST && goes_on(from, making)); sequence++) {
    size_t used, count = salvage_chunk(salvage, location, making->from, sequence, making->bytes);
    memset(making->bytes + count, 0, RECOVERY_CHUNK_BYTES - count);
    end = chunk_walk(making->bytes, count, most, &making->position, &used);
    if (used == 0 || (used == CHUNK_HEADER_BYTES && sequence > 0))
      break;
    int error = put_waiting(making);
    if (error)
      return error;
    swap(making, used);
  }
  found->events = making->position.events;
  found->last_ticks = making->position.ticks;
  found->missing = from->is_counted ? most - found->events : 0;
  found->is_complete = from->is_counted ? found->missing == 0 : end == CHUNK_LAST;
  return finish(making);
}

/* Not to wait for who opens a pipe's other end; but for who gives back a lease on a file (a file server). */
static int open_events(const char *path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == EWOULDBLOCK && stat(path, &status) == 0 && S_ISREG(status.st_mode))
    fd = open(path, O_RDONLY | O_CLOEXEC);
  return fd;
}

static int make_file(const struct salvage *salvage, const char *directory, uint32_t location, int from,
                     struct assembled *found) {
  char path[PATH_MAX];
  struct making making = {.from = from, .bytes = memory_get(2, RECOVERY_CHUNK_BYTES)};
  unsigned char *bytes = making.bytes;
  making.waiting = bytes + RECOVERY_CHUNK_BYTES;
  salvage_event_path(directory, location, path, sizeof path);
  making.to = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  int error = making.to < 0 ? -errno : copy_chunks(salvage, location, &making, found);
  if (making.to >= 0 && close(making.to) < 0 && errno != EINTR)
    error = error ? error : -errno;
  free(bytes);
  return error;
}

/* One that is there, but cannot be read, is not to count as one that is gone. */
static int make_events(const struct salvage *salvage, const char *directory, uint32_t location,
                       struct assembled *found, char *ret_refused) {
  salvage_event_path(salvage->directory, location, ret_refused, PATH_MAX);
  int from = open_events(ret_refused);
  if (from < 0 && errno != ENOENT)
    return -errno;
  *ret_refused = '\0';
  int error = make_file(salvage, directory, location, from, found);
  if (from >= 0)
    close(from);
  return error;
}

/* As much as OTF2 needs to find around events; the locations get their events afterwards. */
static int make_archive(const char *directory, size_t locations) {
  struct archive *archive = archive_open(directory, NULL);
  if (!archive)
    return -EIO;
  for (size_t i = 0; i < locations; i++)
    archive_close_location(archive, archive_open_location(archive, (uint32_t)i));
  archive_end_events(archive, 0);
  archive_write_local(archive, NULL, 0);
  OTF2_GlobalDefWriter *w = archive_global(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(w, 1, 0, 0, OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteString(w, 0, "");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(w, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  for (size_t i = 0; i < locations; i++)
    OTF2_GlobalDefWriter_WriteLocation(w, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0);
  return archive_close(archive);
}

int assemble(const struct salvage *salvage, const char *directory, struct assembled *found,
             char *ret_refused) {
  int error = make_archive(directory, salvage->location_count);
  *ret_refused = '\0';
  for (uint32_t i = 0; i < salvage->location_count && !error; i++)
    error = make_events(salvage, directory, i, &found[i], ret_refused);
  return error;
}
