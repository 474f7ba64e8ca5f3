#include "writer/recovery/recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "writer/recovery/stuck.h"

enum {
  ARENA_BLOCKS = 64,            /* mapped together */
  BLOCKS_AHEAD_MAX = 16,        /* that get their room together */
  DISK_RESERVE_BYTES = 4 << 20, /* below that the disk's room is for the archive alone */
};

struct recovery {
  int fd; /* holds the lock; -1: no file */
  size_t page_bytes;
  bool has_failed;                  /* the journal has: what follows it would be worth nothing */
  bool is_cut;                      /* somebody has made the file shorter: what was in it is gone */
  bool may_get_stuck;               /* in stores to it */
  bool is_in_memory;                /* reserving is the slower, the more is reserved */
  volatile sig_atomic_t is_growing; /* the list of arenas may be */
  volatile sig_atomic_t is_frozen;  /* the file stays as it is: what is stored goes to memory of our own */
  atomic_flag is_remapping;         /* pages: one thread at a time, in handlers of signals */
  struct recovery_header *header;
  struct recovery_header unmapped; /* in its place when there is no file */
  struct recovery_block **arenas;
  size_t arena_count, arena_capacity;
  size_t block_count;   /* read from the file so far */
  size_t ready_blocks;  /* the first ones, which have their room on a disk */
  size_t blocks_before; /* when the writer was last found stuck */
  struct recovery_block **unused;
  size_t unused_count, unused_capacity;
  struct recovery_block *journal; /* its newest piece */
  uint64_t journal_blocks;
  char path[PATH_MAX];
};

static const size_t arena_bytes = ARENA_BLOCKS * (size_t)RECOVERY_BLOCK_BYTES;

static off_t arena_offset(size_t arena) {
  return RECOVERY_UNIT_BYTES + (off_t)(arena * arena_bytes);
}

static off_t block_offset(size_t number) {
  return RECOVERY_UNIT_BYTES + (off_t)number * RECOVERY_BLOCK_BYTES;
}

/* -- pages that the disk refuses -- */

/* Whose pages the handler of SIGBUS looks after. */
static struct recovery *_Atomic mapped;

static bool is_in(const void *memory, size_t bytes, const void *address) {
  return (uintptr_t)address - (uintptr_t)memory < bytes;
}

static bool is_of_file(const struct recovery *recovery, const void *address) {
  bool is_there = is_in(recovery->header, RECOVERY_UNIT_BYTES, address);
  for (size_t i = 0; i < recovery->arena_count && !is_there; i++)
    is_there = is_in(recovery->arenas[i], arena_bytes, address);
  return is_there;
}

static bool map_private(const struct recovery *recovery, void *memory, size_t bytes, off_t offset) {
  return mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, recovery->fd,
              offset) == memory;
}

/* All of it at one moment: the journal, the events and how far the writer was belong together. Once: later
 * copies would be without what was stored in the first ones. */
static bool freeze(struct recovery *recovery) {
  bool is_done = recovery->is_frozen || map_private(recovery, recovery->header, RECOVERY_UNIT_BYTES, 0);
  for (size_t i = 0; i < recovery->arena_count && is_done && !recovery->is_frozen; i++)
    is_done = map_private(recovery, recovery->arenas[i], arena_bytes, arena_offset(i));
  recovery->is_frozen = true;
  return is_done;
}

/* The file is shorter than it was: what the page held is gone. */
static bool put_empty_page(const struct recovery *recovery, const void *address) {
  void *page = (void *)((uintptr_t)address & -(uintptr_t)recovery->page_bytes);
  return mmap(page, recovery->page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0) == page;
}

/* Of the calling thread: the store that comes again. Another one's may have frozen the file since it failed.
 */
static _Thread_local const void *tried;

static bool help_store(struct recovery *recovery, const void *address) {
  bool is_again = recovery->is_frozen && tried == address;
  tried = address;
  return is_again ? put_empty_page(recovery, address) : freeze(recovery);
}

static void begin_remapping(struct recovery *recovery) {
  while (atomic_flag_test_and_set_explicit(&recovery->is_remapping, memory_order_acquire))
    continue; /* partner: end_remapping of a thread in a handler, which waits for nobody */
}

static void end_remapping(struct recovery *recovery) {
  atomic_flag_clear_explicit(&recovery->is_remapping, memory_order_release);
}

static bool freeze_alone(struct recovery *recovery) {
  begin_remapping(recovery);
  bool is_done = freeze(recovery);
  end_remapping(recovery);
  return is_done;
}

/* The room that was reserved does not help where a file system copies on write and has none left, or a quota
 * is used up: the store is SIGBUS. The file stays as it is then, which is as the archive was at that moment,
 * and the writer goes on in copies of its pages. Recovery has less of it; the archive loses nothing. */
static void on_page_without_room(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  struct recovery *recovery = atomic_load(&mapped);
  bool is_helped = recovery && is_of_file(recovery, info->si_addr);
  if (is_helped) {
    begin_remapping(recovery);
    is_helped = help_store(recovery, info->si_addr);
    end_remapping(recovery);
  }
  if (!is_helped)
    signal(number, SIG_DFL); /* the store comes again, and it is fatal */
  errno = error;
}

static void keep_pages_of(struct recovery *recovery) {
  atomic_store(&mapped, recovery);
  struct sigaction action = {.sa_sigaction = on_page_without_room, .sa_flags = SA_SIGINFO};
  sigaddset(&action.sa_mask, SIGALRM); /* which freezes too */
  sigaction(SIGBUS, &action, NULL);
}

/* In a signal handler. The caller that gets blocks makes files, too, which may wait for the disk as well. */
static bool freeze_stuck(void *data) {
  struct recovery *recovery = data;
  bool is_busy = recovery->is_growing || recovery->block_count != recovery->blocks_before;
  recovery->blocks_before = recovery->block_count;
  return !is_busy && (recovery->is_frozen || freeze_alone(recovery));
}

void recovery_watch(struct recovery *recovery, const uint64_t *records) {
  if (recovery->may_get_stuck)
    stuck_watch(records, freeze_stuck, recovery);
}

bool recovery_may_get_stuck(const struct recovery *recovery) {
  return recovery->may_get_stuck;
}

void recovery_freeze(struct recovery *recovery) {
  if (recovery->may_get_stuck && !recovery->is_frozen)
    freeze_alone(recovery);
}

/* -- the file -- */

/* The first touch of a page reads no others around it, as it otherwise would: pages that were never written
 * are zero, and some MiB of them, page by page, cost more than all the rest of the writer's start. */
static void *map(const struct recovery *recovery, size_t bytes, off_t offset) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, recovery->fd, offset);
  if (memory == MAP_FAILED)
    return NULL;
  madvise(memory, bytes, MADV_RANDOM);
  return memory;
}

/* Reserves the disk's room for a part of the file: a store to a page that the disk has no room for would be
 * SIGBUS. File systems that cannot reserve are written to. Returns 0 or a negative errno. */
static int reserve(const struct recovery *recovery, off_t offset, size_t bytes) {
  static const char zeros[4096];
  int result;
  while ((result = fallocate(recovery->fd, 0, offset, (off_t)bytes)) < 0 && errno == EINTR) {
  }
  if (result == 0)
    return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS)
    return -errno;
  for (size_t done = 0; done < bytes; done += sizeof zeros)
    if (pwrite(recovery->fd, zeros, sizeof zeros, offset + (off_t)done) != (ssize_t)sizeof zeros)
      return errno ? -errno : -EIO;
  return 0;
}

static int look_for_room(const struct recovery *recovery) {
  struct statvfs disk;
  if (fstatvfs(recovery->fd, &disk) < 0)
    return -errno;
  return disk.f_bavail * disk.f_frsize < DISK_RESERVE_BYTES ? -ENOSPC : 0;
}

/* For those who look later for the reason why so little is there. The first reason is the one. */
static void fall_short(struct recovery *recovery, int error) {
  if (!recovery->header->shortfall)
    recovery->header->shortfall = -error;
}

static int make_header(struct recovery *recovery) {
  int error = reserve(recovery, 0, sizeof *recovery->header);
  if (error)
    return error;
  struct recovery_header *header = map(recovery, RECOVERY_UNIT_BYTES, 0);
  if (!header)
    return -errno;
  recovery->header = header;
  struct statfs disk;
  recovery->is_in_memory = fstatfs(recovery->fd, &disk) == 0 && disk.f_type == TMPFS_MAGIC;
  recovery->may_get_stuck = stuck_is_possible(recovery->fd);
  keep_pages_of(recovery);
  snprintf(header->version, sizeof header->version, "%s", STAVE_VERSION);
  header->writer = getpid();
  header->magic = RECOVERY_MAGIC;
  return 0;
}

static int open_file(struct recovery *recovery) {
  recovery->fd = open(recovery->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (recovery->fd < 0)
    return -errno;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  fcntl(recovery->fd, F_SETLK, &lock);
  return make_header(recovery);
}

struct recovery *recovery_open(const char *directory) {
  struct recovery *recovery = memory_get(1, sizeof *recovery);
  long page_bytes = sysconf(_SC_PAGESIZE);
  recovery->fd = -1;
  recovery->header = &recovery->unmapped;
  recovery->page_bytes = page_bytes > 0 ? (size_t)page_bytes : RECOVERY_UNIT_BYTES;
  int length = snprintf(recovery->path, sizeof recovery->path, "%s/" STAVE_RECOVERY_FILE, directory);
  int error = (size_t)length < sizeof recovery->path ? open_file(recovery) : -ENAMETOOLONG;
  recovery->has_failed = error != 0;
  if (error)
    fall_short(recovery, error);
  return recovery;
}

int recovery_remove(struct recovery *recovery) {
  return recovery && recovery->fd >= 0 && unlink(recovery->path) < 0 ? -errno : 0;
}

int recovery_shortfall(const struct recovery *recovery) {
  return recovery->header->shortfall;
}

bool recovery_is_cut(struct recovery *recovery) {
  struct stat status;
  size_t blocks = recovery->block_count;
  off_t bytes = blocks ? block_offset(blocks - 1) + RECOVERY_USED_BYTES : (off_t)sizeof *recovery->header;
  if (recovery->header != &recovery->unmapped && fstat(recovery->fd, &status) == 0 && status.st_size < bytes)
    recovery->is_cut = true;
  return recovery->is_cut;
}

void recovery_close(struct recovery *recovery) {
  if (!recovery)
    return;
  stuck_end();
  atomic_store(&mapped, NULL);
  for (size_t i = 0; i < recovery->arena_count; i++)
    munmap(recovery->arenas[i], arena_bytes);
  if (recovery->header != &recovery->unmapped)
    munmap(recovery->header, RECOVERY_UNIT_BYTES);
  if (recovery->fd >= 0)
    close(recovery->fd);
  free(recovery->arenas);
  free(recovery->unused);
  free(recovery);
}

/* The file need not be as long: it grows by what is taken. */
static int add_arena(struct recovery *recovery) {
  struct recovery_block *arena = map(recovery, arena_bytes, arena_offset(recovery->arena_count));
  if (!arena)
    return -errno;
  array_reserve_zeroed(&recovery->arenas, &recovery->arena_capacity, recovery->arena_count + 1,
                       sizeof *recovery->arenas);
  recovery->arenas[recovery->arena_count++] = arena;
  return 0;
}

/* Several at a time, since a disk needs as long for one. In memory the file gets long enough, no more. */
static int prepare_blocks(struct recovery *recovery, size_t number, size_t count) {
  off_t begin = block_offset(number), end = block_offset(number + count - 1) + RECOVERY_USED_BYTES;
  int error = 0;
  if (!recovery->is_in_memory)
    error = reserve(recovery, begin, (size_t)(end - begin));
  else if (ftruncate(recovery->fd, end) < 0)
    error = -errno;
  if (!error)
    recovery->ready_blocks = number + count;
  return error;
}

static int reserve_block(struct recovery *recovery, const struct recovery_block *block) {
  for (size_t i = 0; i < recovery->arena_count; i++)
    if (is_in(recovery->arenas[i], arena_bytes, block)) {
      size_t number = i * ARENA_BLOCKS + (size_t)(block - recovery->arenas[i]);
      return reserve(recovery, block_offset(number), RECOVERY_USED_BYTES);
    }
  return 0;
}

/* A journal that has started goes on as long as it can: all that was reported before depends on it. */
static int look_before_block(struct recovery *recovery, enum recovery_use use) {
  if (recovery_is_cut(recovery))
    return -EIO;
  return use == RECOVERY_JOURNAL && recovery->journal_blocks > 0 ? 0 : look_for_room(recovery);
}

static int make_ready(struct recovery *recovery, size_t number, enum recovery_use use) {
  size_t more = number / 8 < BLOCKS_AHEAD_MAX ? number / 8 : BLOCKS_AHEAD_MAX;
  int error = look_before_block(recovery, use);
  if (error)
    return error;
  error = prepare_blocks(recovery, number, 1 + more);
  return error && more ? prepare_blocks(recovery, number, 1) : error;
}

static int new_block(struct recovery *recovery, enum recovery_use use, struct recovery_block **ret_block) {
  size_t number = recovery->block_count;
  int error = number < recovery->ready_blocks ? 0 : make_ready(recovery, number, use);
  recovery->is_growing = true; /* not to be frozen in between */
  if (!error && number == recovery->arena_count * ARENA_BLOCKS)
    error = recovery->is_frozen ? -EIO : add_arena(recovery);
  recovery->is_growing = false;
  if (!error && recovery->is_in_memory)
    error =
        reserve(recovery, block_offset(number), offsetof(struct recovery_block, bytes) + RECOVERY_FEW_BYTES);
  if (error)
    return error;
  recovery->block_count++;
  *ret_block = &recovery->arenas[number / ARENA_BLOCKS][number % ARENA_BLOCKS];
  return 0;
}

struct recovery_block *recovery_get_block(struct recovery *recovery, enum recovery_use use) {
  struct recovery_block *block = NULL;
  if (recovery->is_frozen || recovery->has_failed)
    return NULL;
  int error = 0;
  if (recovery->unused_count > 0)
    block = recovery->unused[--recovery->unused_count];
  else
    error = new_block(recovery, use, &block);
  if (!error && use == RECOVERY_JOURNAL && recovery->is_in_memory)
    error = reserve_block(recovery, block);
  if (error) {
    fall_short(recovery, error);
    return NULL;
  }
  block->sequence = 0;
  atomic_store_explicit(&block->count, 0, memory_order_relaxed);
  return block;
}

void recovery_hand_over(struct recovery *recovery, const struct recovery_block *block) {
  int error = recovery->is_in_memory && !recovery->is_frozen ? reserve_block(recovery, block) : 0;
  if (error)
    fall_short(recovery, error);
}

void recovery_release(struct recovery *recovery, struct recovery_block *block) {
  block->use = RECOVERY_UNUSED;
  array_reserve_zeroed(&recovery->unused, &recovery->unused_capacity, recovery->unused_count + 1,
                       sizeof *recovery->unused);
  recovery->unused[recovery->unused_count++] = block;
}

struct recovery_header *recovery_header(struct recovery *recovery) {
  return recovery->header;
}

struct recovery_state *recovery_state(struct recovery *recovery) {
  return &recovery->header->state;
}

/* -- the journal -- */

static struct recovery_block *journal_block(struct recovery *recovery) {
  struct recovery_block *block = recovery->journal;
  if (block && atomic_load_explicit(&block->count, memory_order_relaxed) < sizeof block->bytes)
    return block;
  block = recovery_get_block(recovery, RECOVERY_JOURNAL);
  if (block) {
    block->sequence = recovery->journal_blocks++;
    block->use = RECOVERY_JOURNAL;
  }
  return recovery->journal = block;
}

/* Events that refer to what is not reported any more would be worth nothing: they stay out too. */
static void end_journal(struct recovery *recovery) {
  recovery->has_failed = true;
  if (recovery->header != &recovery->unmapped && !recovery->is_frozen)
    freeze(recovery);
}

static void put(struct recovery *recovery, const void *data, size_t count) {
  const char *bytes = data;
  while (count > 0) {
    struct recovery_block *block = recovery->has_failed ? NULL : journal_block(recovery);
    if (!block) {
      end_journal(recovery);
      return;
    }
    size_t used = atomic_load_explicit(&block->count, memory_order_relaxed),
           room = sizeof block->bytes - used;
    size_t piece = count < room ? count : room;
    memcpy(block->bytes + used, bytes, piece);
    atomic_store_explicit(&block->count, used + piece, memory_order_release);
    bytes += piece;
    count -= piece;
  }
}

void recovery_append(struct recovery *recovery, enum journal_type type, const void *head, size_t head_bytes,
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
