#include "writer/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "writer/memory.h"

enum {
  ARENA_BLOCKS = 64,                 /* mapped at once */
  DISK_RESERVE_BYTES = 64 << 20,     /* below that the disk's room is for the archive alone */
};

struct recovery {
  int fd; /* holds the lock; -1: no file */
  bool has_failed; /* the journal has: what follows it would be worth nothing */
  volatile sig_atomic_t has_lost_pages; /* some are in no file any more: no further ones are taken from it */
  struct recovery_header *header;
  struct recovery_header unmapped; /* in its place when there is no file */
  struct recovery_block **arenas;
  size_t arena_count, arena_capacity;
  size_t block_count; /* taken from the file so far */
  struct recovery_block **unused;
  size_t unused_count, unused_capacity;
  struct recovery_block *journal; /* its newest piece */
  uint64_t journal_blocks;
  char path[PATH_MAX];
};

/* -- pages that the disk does not take -- */

/* Whose pages the handler of SIGBUS looks after. */
static struct recovery *_Atomic mapped;

/* Where the page lies in the file; -1: it is none of the file's. */
static off_t offset_of_page(const struct recovery *recovery, const char *page) {
  const size_t arena_bytes = ARENA_BLOCKS * sizeof *recovery->arenas[0];
  if (page == (const char *)recovery->header)
    return 0;
  for (size_t i = 0; i < recovery->arena_count; i++) {
    uintptr_t offset = (uintptr_t)page - (uintptr_t)recovery->arenas[i];
    if (offset < arena_bytes)
      return RECOVERY_PAGE_BYTES + (off_t)(i * arena_bytes + offset);
  }
  return -1;
}

/* The room that was reserved does not help where a file system copies on write and has none left, or a quota is used
 * up: the store is SIGBUS. The page goes on as ordinary memory, with what it held. Recovery then has less of it; the
 * archive loses nothing. */
static void on_page_without_room(int number, siginfo_t *info, void *context) {
  (void)context;
  struct recovery *recovery = atomic_load(&mapped);
  char *page = (char *)((uintptr_t)info->si_addr & -(uintptr_t)RECOVERY_PAGE_BYTES);
  char copy[RECOVERY_PAGE_BYTES] = {0};
  off_t offset = recovery ? offset_of_page(recovery, page) : -1;
  int error = errno;
  ssize_t held = offset < 0 ? -1 : pread(recovery->fd, copy, sizeof copy, offset);
  if (held < 0 || mmap(page, sizeof copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
                      page) {
    signal(number, SIG_DFL); /* the store comes again, and it is fatal */
    return;
  }
  memcpy(page, copy, sizeof copy);
  recovery->has_lost_pages = true;
  errno = error;
}

static void keep_pages_of(struct recovery *recovery) {
  atomic_store(&mapped, recovery);
  sigaction(SIGBUS, &(struct sigaction){.sa_sigaction = on_page_without_room, .sa_flags = SA_SIGINFO}, NULL);
}

/* -- the file -- */

/* The first touch of a page reads no others around it, as it would: what was never written is zero, and some MiB of
 * that, page by page, take longer than all the rest of the writer's start. */
static void *map(const struct recovery *recovery, size_t bytes, off_t offset) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, recovery->fd, offset);
  if (memory == MAP_FAILED)
    return NULL;
  madvise(memory, bytes, MADV_RANDOM);
  return memory;
}

/* Reserves the disk's room for a part of the file: a store to a page that the disk has no room for would be SIGBUS.
 * File systems that cannot reserve are written to. */
static bool reserve(const struct recovery *recovery, off_t offset, size_t bytes) {
  static const char zeros[RECOVERY_PAGE_BYTES];
  if (fallocate(recovery->fd, 0, offset, (off_t)bytes) == 0)
    return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS)
    return false;
  for (size_t done = 0; done < bytes; done += sizeof zeros)
    if (pwrite(recovery->fd, zeros, sizeof zeros, offset + (off_t)done) != (ssize_t)sizeof zeros)
      return false;
  return true;
}

static bool has_room(const struct recovery *recovery) {
  struct statvfs disk;
  return fstatvfs(recovery->fd, &disk) == 0 && disk.f_bavail * disk.f_frsize >= DISK_RESERVE_BYTES;
}

static void open_file(struct recovery *recovery) {
  recovery->fd = open(recovery->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (recovery->fd < 0)
    return;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  fcntl(recovery->fd, F_SETLK, &lock);
  if (!reserve(recovery, 0, RECOVERY_PAGE_BYTES) || !has_room(recovery))
    return;
  struct recovery_header *header = map(recovery, RECOVERY_PAGE_BYTES, 0);
  if (!header)
    return;
  recovery->header = header;
  keep_pages_of(recovery);
  snprintf(header->version, sizeof header->version, "%s", STAVE_VERSION);
  header->writer = getpid();
  header->magic = RECOVERY_MAGIC;
}

struct recovery *recovery_open(const char *directory) {
  struct recovery *recovery = memory_get(1, sizeof *recovery);
  recovery->fd = -1;
  recovery->header = &recovery->unmapped;
  if ((size_t)snprintf(recovery->path, sizeof recovery->path, "%s/" STAVE_RECOVERY_FILE, directory) <
      sizeof recovery->path)
    open_file(recovery);
  recovery->has_failed = recovery->header == &recovery->unmapped;
  return recovery;
}

int recovery_remove(struct recovery *recovery) {
  return recovery && recovery->fd >= 0 && unlink(recovery->path) < 0 ? -errno : 0;
}

void recovery_close(struct recovery *recovery) {
  if (!recovery)
    return;
  atomic_store(&mapped, NULL);
  for (size_t i = 0; i < recovery->arena_count; i++)
    munmap(recovery->arenas[i], ARENA_BLOCKS * sizeof *recovery->arenas[i]);
  if (recovery->header != &recovery->unmapped)
    munmap(recovery->header, RECOVERY_PAGE_BYTES);
  if (recovery->fd >= 0)
    close(recovery->fd);
  free(recovery->arenas);
  free(recovery->unused);
  free(recovery);
}

/* The block's place in the file, which grows by arenas, with holes where no block was taken yet. */
static struct recovery_block *new_block(struct recovery *recovery) {
  size_t number = recovery->block_count;
  off_t offset = RECOVERY_PAGE_BYTES + (off_t)number * RECOVERY_BLOCK_BYTES;
  if (number == recovery->arena_count * ARENA_BLOCKS) {
    size_t bytes = ARENA_BLOCKS * (size_t)RECOVERY_BLOCK_BYTES;
    bool is_grown = ftruncate(recovery->fd, offset + (off_t)bytes) == 0;
    struct recovery_block *arena = is_grown ? map(recovery, bytes, offset) : NULL;
    if (!arena)
      return NULL;
    memory_grow(&recovery->arenas, &recovery->arena_capacity, recovery->arena_count + 1, sizeof *recovery->arenas);
    recovery->arenas[recovery->arena_count++] = arena;
  }
  if (!reserve(recovery, offset, RECOVERY_BLOCK_BYTES))
    return NULL;
  recovery->block_count++;
  return &recovery->arenas[number / ARENA_BLOCKS][number % ARENA_BLOCKS];
}

struct recovery_block *recovery_take(struct recovery *recovery, enum recovery_use use) {
  struct recovery_block *block = NULL;
  if (recovery->has_lost_pages)
    return NULL;
  if (recovery->unused_count > 0)
    block = recovery->unused[--recovery->unused_count];
  else if (recovery->header != &recovery->unmapped && (use == RECOVERY_JOURNAL || has_room(recovery)))
    block = new_block(recovery);
  if (!block)
    return NULL;
  block->sequence = 0;
  atomic_store_explicit(&block->count, 0, memory_order_relaxed);
  return block;
}

void recovery_release(struct recovery *recovery, struct recovery_block *block) {
  block->use = RECOVERY_UNUSED;
  memory_grow(&recovery->unused, &recovery->unused_capacity, recovery->unused_count + 1, sizeof *recovery->unused);
  recovery->unused[recovery->unused_count++] = block;
}

struct recovery_state *recovery_state(struct recovery *recovery) {
  return &recovery->header->state;
}

/* -- the journal -- */

static struct recovery_block *journal_block(struct recovery *recovery) {
  struct recovery_block *block = recovery->journal;
  if (block && atomic_load_explicit(&block->count, memory_order_relaxed) < sizeof block->bytes)
    return block;
  block = recovery_take(recovery, RECOVERY_JOURNAL);
  if (block) {
    block->sequence = recovery->journal_blocks++;
    block->use = RECOVERY_JOURNAL;
  }
  return recovery->journal = block;
}

static void put(struct recovery *recovery, const void *data, size_t count) {
  const char *bytes = data;
  while (count > 0) {
    struct recovery_block *block = recovery->has_failed ? NULL : journal_block(recovery);
    recovery->has_failed |= !block;
    if (!block)
      return;
    size_t used = atomic_load_explicit(&block->count, memory_order_relaxed), room = sizeof block->bytes - used;
    size_t piece = count < room ? count : room;
    memcpy(block->bytes + used, bytes, piece);
    atomic_store_explicit(&block->count, used + piece, memory_order_release);
    bytes += piece;
    count -= piece;
  }
}

void recovery_tell(struct recovery *recovery, enum journal_type type, const void *head, size_t head_bytes,
                   const void *rest, size_t rest_bytes) {
  static const char zeros[8];
  size_t bytes = head_bytes + rest_bytes;
  if (!recovery || recovery->has_failed || bytes > UINT32_MAX)
    return;
  struct journal_entry entry = {.type = type, .bytes = (uint32_t)bytes};
  entry.checksum = journal_sum(journal_sum_begin(entry.type, entry.bytes), head, head_bytes);
  entry.checksum = journal_sum(entry.checksum, rest, rest_bytes);
  put(recovery, &entry, sizeof entry);
  put(recovery, head, head_bytes);
  put(recovery, rest, rest_bytes);
  put(recovery, zeros, -bytes % sizeof zeros);
}
