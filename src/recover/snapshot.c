#include "recover/snapshot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/copy_file.h"
#include "base/memory.h"
#include "recover/salvage.h"

enum { TRIES_MAX = 100 };

struct snapshot {
  int from, to;  /* recovery files */
  off_t end;     /* of what has been copied */
  char *bytes;   /* RECOVERY_CHUNK_BYTES */
  bool *counted; /* by location: its chunk has been copied */
  size_t counted_capacity;
  char events[PATH_MAX]; /* where the event files are */
  const char *out;
};

/* -- blocks -- */

static bool read_head(const struct snapshot *snapshot, off_t offset, struct salvage_head *ret) {
  return pread(snapshot->from, ret, sizeof *ret, offset) == sizeof *ret;
}

static int put_block(struct snapshot *snapshot, const struct salvage_head *head, size_t count) {
  off_t bytes = snapshot->end + (off_t)offsetof(struct recovery_block, bytes);
  if (pwrite(snapshot->to, head, sizeof *head, snapshot->end) != sizeof *head ||
      pwrite(snapshot->to, snapshot->bytes, count, bytes) != (ssize_t)count)
    return errno ? -errno : -EIO;
  snapshot->end += RECOVERY_BLOCK_BYTES;
  return 0;
}

static bool is_same_chunk(const struct salvage_head *left, const struct salvage_head *right) {
  return left->use == right->use && left->location == right->location && left->sequence == right->sequence;
}

static int put_chunk(struct snapshot *snapshot, const struct salvage_head *head, size_t count) {
  if (head->location >= SALVAGE_LOCATIONS_MAX)
    return -EINVAL;
  array_reserve_zeroed(&snapshot->counted, &snapshot->counted_capacity, head->location + 1u, sizeof(bool));
  snapshot->counted[head->location] = true;
  return put_block(snapshot, head, count);
}

/* Events up to the count that was read before them stay as they are, unless the chunk gets full and the next
 * one replaces it. The last block of the file may end early. */
static int copy_chunk(struct snapshot *snapshot, off_t offset) {
  struct salvage_head before, after;
  for (int tries = 0; tries < TRIES_MAX; tries++) {
    if (!read_head(snapshot, offset, &before) || before.use != RECOVERY_EVENTS)
      return 0;
    ssize_t count = pread(snapshot->from, snapshot->bytes, RECOVERY_CHUNK_BYTES,
                          offset + (off_t)offsetof(struct recovery_block, bytes));
    if (count >= 0 && read_head(snapshot, offset, &after) && is_same_chunk(&before, &after))
      return put_chunk(snapshot, &before, (size_t)count);
  }
  return -EAGAIN;
}

/* A piece of the journal only grows. */
static int copy_piece(struct snapshot *snapshot, off_t offset) {
  struct salvage_head head;
  if (!read_head(snapshot, offset, &head) || head.use != RECOVERY_JOURNAL ||
      head.count > RECOVERY_CHUNK_BYTES)
    return 0;
  ssize_t count = pread(snapshot->from, snapshot->bytes, head.count,
                        offset + (off_t)offsetof(struct recovery_block, bytes));
  return count == (ssize_t)head.count ? put_block(snapshot, &head, head.count) : -EIO;
}

/* Who has got its first chunk meanwhile may have events in its file of which the journal's copy does not
 * show. */
static int drop_newcomer(struct snapshot *snapshot, off_t offset) {
  struct salvage_head head;
  char path[PATH_MAX];
  if (!read_head(snapshot, offset, &head) || head.use != RECOVERY_EVENTS ||
      (head.location < snapshot->counted_capacity && snapshot->counted[head.location]))
    return 0;
  salvage_event_path(snapshot->out, head.location, path, sizeof path);
  unlink(path);
  return 0;
}

static int each_block(struct snapshot *snapshot, int (*each)(struct snapshot *snapshot, off_t offset)) {
  struct salvage_head head;
  int error = 0;
  for (off_t offset = RECOVERY_UNIT_BYTES; !error && read_head(snapshot, offset, &head);
       offset += RECOVERY_BLOCK_BYTES)
    error = each(snapshot, offset);
  return error;
}

/* -- the header, the event files -- */

static bool read_header(const struct snapshot *snapshot, struct recovery_header *ret) {
  return pread(snapshot->from, ret, sizeof *ret, 0) == sizeof *ret;
}

/* Read twice alike, it was not just being changed. */
static int copy_header(struct snapshot *snapshot) {
  static struct recovery_header one, other;
  bool is_settled = false;
  for (int tries = 0; tries < TRIES_MAX && !is_settled; tries++) {
    if (!read_header(snapshot, &one) || !read_header(snapshot, &other))
      return -ENODATA;
    is_settled = memcmp(&one, &other, sizeof one) == 0;
  }
  if (!is_settled)
    return -EAGAIN;
  snapshot->end = RECOVERY_UNIT_BYTES;
  return pwrite(snapshot->to, &one, sizeof one, 0) == sizeof one ? 0 : -EIO;
}

/* A link, or a copy where the file system has none: more events may come into the file, but the chunks in the
 * making state how many count. */
static int give_events(const char *from, const char *to) {
  return symlink(from, to) == 0 ? 0 : copy_file(from, to);
}

static int link_events(struct snapshot *snapshot) {
  char target[2 * PATH_MAX], path[2 * PATH_MAX];
  DIR *directory = opendir(snapshot->events);
  int error = directory ? 0 : -errno;
  for (struct dirent *entry; !error && (entry = readdir(directory));) {
    if (!isdigit((unsigned char)*entry->d_name))
      continue;
    snprintf(target, sizeof target, "%s/%s", snapshot->events, entry->d_name);
    snprintf(path, sizeof path, "%s/traces/%s", snapshot->out, entry->d_name);
    error = give_events(target, path);
  }
  if (directory)
    closedir(directory);
  return error;
}

/* -- all of it -- */

static int make_directories(const struct snapshot *snapshot) {
  char traces[PATH_MAX];
  snprintf(traces, sizeof traces, "%.*s/traces", PATH_MAX - 16, snapshot->out);
  return mkdir(snapshot->out, 0700) < 0 || mkdir(traces, 0700) < 0 ? -errno : 0;
}

static int open_files(struct snapshot *snapshot, const char *directory) {
  char path[PATH_MAX], *real = realpath(directory, NULL);
  if (!real)
    return -errno;
  snprintf(snapshot->events, sizeof snapshot->events, "%.*s/traces", PATH_MAX - 16, real);
  snprintf(path, sizeof path, "%.*s/" STAVE_RECOVERY_FILE, PATH_MAX - 32, real);
  free(real);
  snapshot->from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (snapshot->from < 0)
    return -errno;
  snprintf(path, sizeof path, "%.*s/" STAVE_RECOVERY_FILE, PATH_MAX - 32, snapshot->out);
  snapshot->to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  return snapshot->to < 0 ? -errno : 0;
}

static int copy(struct snapshot *snapshot) {
  int error = copy_header(snapshot);
  error = error ? error : each_block(snapshot, copy_chunk);
  error = error ? error : link_events(snapshot);
  error = error ? error : each_block(snapshot, copy_piece);
  return error ? error : each_block(snapshot, drop_newcomer);
}

int snapshot_make(const char *directory, const char *out) {
  struct snapshot snapshot = {.from = -1, .to = -1, .out = out};
  snapshot.bytes = memory_get(1, RECOVERY_CHUNK_BYTES);
  int error = make_directories(&snapshot);
  error = error ? error : open_files(&snapshot, directory);
  error = error ? error : copy(&snapshot);
  if (snapshot.from >= 0)
    close(snapshot.from);
  if (snapshot.to >= 0 && close(snapshot.to) < 0 && !error)
    error = -errno;
  free(snapshot.bytes);
  free(snapshot.counted);
  return error;
}

void snapshot_remove(const char *out) {
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/traces", out);
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    snprintf(path, sizeof path, "%s/traces/%s", out, entry->d_name);
    unlink(path);
  }
  if (directory)
    closedir(directory);
  snprintf(path, sizeof path, "%s/traces", out);
  rmdir(path);
  snprintf(path, sizeof path, "%s/" STAVE_RECOVERY_FILE, out);
  unlink(path);
  rmdir(out);
}
