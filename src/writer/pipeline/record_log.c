#include "writer/pipeline/record_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "stave/names.h"
#include "writer/pipeline/packed.h"
#include "writer/recovery/record_log_file.h"

enum {
  BUFFER_BYTES = 256 << 10,
  LOOK_BYTES = 16 << 20, /* so often the disk's room is looked up */
  AHEAD_BYTES = 4 << 20, /* so much room is reserved immediately */
};

/* That the disk has to have beside the log, which may have as much as the archive. */
static const uint64_t room_least = UINT64_C(256) << 20;

struct record_log {
  int fd; /* -1: it is of no use any more */
  bool has_ended;
  _Atomic uint32_t *is_complete;
  uint64_t bytes, bytes_most;
  uint64_t look_at; /* bytes */
  uint64_t since_mark;
  uint64_t reserved; /* bytes that have their room; UINT64_MAX: none is reserved */
  size_t used;       /* of the buffer */
  char path[PATH_MAX];
  struct packed_state state;
  unsigned char buffer[BUFFER_BYTES];
};

static bool has_room(const struct record_log *log) {
  struct statvfs disk;
  if (log->bytes_most && log->bytes >= log->bytes_most)
    return false;
  return fstatvfs(log->fd, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize >= room_least + log->bytes;
}

/* What read(2) and write(2) have answered: nothing may be all that there is, and leaves errno alone. */
static bool may_go_on(ssize_t done) {
  return done > 0 || (done < 0 && errno == EINTR);
}

/* What was put is worth nothing to recovery without the rest: it goes by the archive's own chunks then. */
void record_log_end(struct record_log *log) {
  if (!log)
    return;
  if (record_log_is_complete(log)) {
    atomic_store_explicit(log->is_complete, 0, memory_order_release);
    unlink(log->path);
  }
  log->has_ended = true;
  log->used = 0;
}

/* Cut first: a server of files would be sent what is in memory when the descriptor is closed. */
static void let_go(struct record_log *log) {
  if (log->fd >= 0 && ftruncate(log->fd, 0) == 0)
    log->bytes = 0;
  if (log->fd >= 0)
    close(log->fd);
  log->fd = -1;
}

/* ext4 reserves the room of each page by itself as it is written, which is a third of a page's cost. tmpfs
 * would clear reserved pages, btrfs and ZFS write them to another place all the same, and a file server would
 * be queried over the network. XFS was not measured. */
static bool is_reserved_by_page(int fd) {
  struct statfs disk;
  return fstatfs(fd, &disk) == 0 && disk.f_type == EXT4_SUPER_MAGIC;
}

/* Not for the log of a short run. Little immediately: what is reserved counts against the user's quota, which
 * the archive may need. */
static void reserve_ahead(struct record_log *log) {
  if (log->bytes <= log->reserved || log->bytes < BUFFER_BYTES)
    return;
  bool is_reserved = fallocate(log->fd, FALLOC_FL_KEEP_SIZE, (off_t)log->bytes, AHEAD_BYTES) == 0;
  log->reserved = is_reserved ? log->bytes + AHEAD_BYTES : UINT64_MAX;
  if (!is_reserved && ftruncate(log->fd, (off_t)log->bytes) != 0) /* of which it may have got a part */
    record_log_end(log);
}

struct record_log *record_log_open(const char *directory, uint64_t bytes_most,
                                   _Atomic uint32_t *is_complete) {
  struct record_log *log = memory_get(1, sizeof *log);
  int length = snprintf(log->path, sizeof log->path, "%s/" STAVE_RECORDS_FILE, directory);
  log->is_complete = is_complete;
  log->bytes_most = bytes_most;
  log->look_at = LOOK_BYTES;
  log->fd = (size_t)length < sizeof log->path
                ? open(log->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666)
                : -1;
  if (log->fd >= 0 && has_room(log)) {
    log->reserved = is_reserved_by_page(log->fd) ? 0 : UINT64_MAX;
    atomic_store_explicit(is_complete, 1, memory_order_release);
    return log;
  }
  record_log_close(log);
  return NULL;
}

void record_log_close(struct record_log *log) {
  if (!log)
    return;
  record_log_end(log);
  let_go(log);
  free(log);
}

bool record_log_is_complete(const struct record_log *log) {
  return log && log->fd >= 0 && !log->has_ended;
}

void record_log_rest(struct record_log *log) {
  if (log && log->has_ended)
    let_go(log);
}

void log_blocks_drop_below(struct log_blocks *blocks, uint64_t position) {
  while (blocks->begin < blocks->count) {
    const struct log_block *first = &blocks->all[blocks->begin];
    if ((int64_t)(position - first->position) < (int64_t)first->records)
      return;
    blocks->begin++;
  }
  blocks->begin = blocks->count = 0;
}

static void note_block(struct log_blocks *blocks, const struct log_block *block) {
  size_t held = blocks->count - blocks->begin;
  if (blocks->count == blocks->capacity && blocks->begin > 0 && blocks->begin >= held) {
    memmove(blocks->all, blocks->all + blocks->begin, held * sizeof *blocks->all);
    blocks->begin = 0;
    blocks->count = held;
  }
  array_reserve_zeroed(&blocks->all, &blocks->capacity, blocks->count + 1, sizeof *blocks->all);
  blocks->all[blocks->count++] = *block;
}

bool record_log_read(const struct record_log *log, const struct log_block *block, uint8_t *bytes) {
  for (size_t done = 0; done < block->bytes;) {
    ssize_t part = pread(log->fd, bytes + done, block->bytes - done, (off_t)(block->offset + done));
    if (!may_go_on(part))
      return false;
    done += part > 0 ? (size_t)part : 0;
  }
  return true;
}

uint64_t record_log_since_mark(const struct record_log *log) {
  return log ? log->since_mark : 0;
}

static bool write_all(int fd, const unsigned char *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t written = write(fd, bytes + done, count - done);
    if (!may_go_on(written))
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  return true;
}

void record_log_flush(struct record_log *log) {
  if (!record_log_is_complete(log) || log->used == 0)
    return;
  size_t bytes = log->used;
  log->used = 0;
  log->bytes += bytes;
  if (log->bytes >= log->look_at) {
    log->look_at = log->bytes + LOOK_BYTES;
    if (!has_room(log)) {
      record_log_end(log);
      return;
    }
  }
  if (write_all(log->fd, log->buffer, bytes))
    reserve_ahead(log);
  else
    record_log_end(log);
}

/* A block's head and its bytes lie at the end of the buffer. */
static void add_block(struct record_log *log, struct record_log_head *head) {
  unsigned char *block = log->buffer + log->used;
  size_t padded = (head->bytes + 7) / 8 * (size_t)8;
  memset(block + sizeof *head + head->bytes, 0, padded - head->bytes);
  head->checksum = record_log_sum(head, block + sizeof *head);
  memcpy(block, head, sizeof *head);
  log->used += sizeof *head + padded;
  log->since_mark += sizeof *head + padded;
}

void record_log_put(struct record_log *log, uint32_t slot, uint64_t position, const struct record *records,
                    uint64_t n, struct log_blocks *blocks) {
  while (n > 0 && record_log_is_complete(log)) {
    if (BUFFER_BYTES - log->used < sizeof(struct record_log_head) + RECORD_LOG_BYTES_MAX) {
      record_log_flush(log);
      continue;
    }
    size_t bytes;
    memset(&log->state, 0, sizeof log->state);
    uint64_t done =
        packed_put(&log->state, records, n, log->buffer + log->used + sizeof(struct record_log_head),
                   RECORD_LOG_BYTES_MAX - 8, &bytes);
    note_block(blocks, &(struct log_block){.offset = log->bytes + log->used + sizeof(struct record_log_head),
                                           .position = position,
                                           .records = (uint32_t)done,
                                           .bytes = (uint32_t)bytes});
    add_block(log,
              &(struct record_log_head){
                  .position = position, .slot = slot, .records = (uint32_t)done, .bytes = (uint32_t)bytes});
    position += done;
    records += done;
    n -= done;
  }
}

void record_log_mark(struct record_log *log) {
  if (!record_log_is_complete(log) || log->since_mark == 0)
    return;
  if (BUFFER_BYTES - log->used < sizeof(struct record_log_head))
    record_log_flush(log);
  if (record_log_is_complete(log))
    add_block(log, &(struct record_log_head){0});
  log->since_mark = 0;
}
