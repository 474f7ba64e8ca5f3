#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "session/futex.h"
#include "session/share.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* What is to be made: rings of at most ring_bytes, mapped or not; and what it came to. */
struct extent {
  uint64_t ring_bytes;
  bool with_rings;
  bool survives;
  uint32_t slots;
  void *memory;
};

static uint64_t bytes_for(uint64_t ring_bytes, uint32_t slots) {
  return session_ring_offset(slots, ring_bytes, slots);
}

static uint64_t bytes_before_rings(uint64_t ring_bytes, uint32_t slots) {
  return session_ring_offset(slots, ring_bytes, 0);
}

static uint64_t mapped_bytes(const struct extent *extent) {
  return (extent->with_rings ? bytes_for : bytes_before_rings)(extent->ring_bytes, extent->slots);
}

/* Under RLIMIT_FSIZE a growing ftruncate raises SIGXFSZ, which kills: hold it back and remove it again,
 * unless one was waiting already. */
static int truncate_quietly(int fd, uint64_t bytes) {
  sigset_t size_signal, before, pending;
  sigemptyset(&size_signal);
  sigaddset(&size_signal, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &size_signal, &before);
  sigpending(&pending);
  int error = ftruncate(fd, (off_t)bytes) < 0 ? errno : 0;
  if (error == EFBIG && !sigismember(&pending, SIGXFSZ))
    sigtimedwait(&size_signal, NULL, &(struct timespec){0, 0});
  sigprocmask(SIG_SETMASK, &before, NULL);
  return -error;
}

static void *map_first(int fd, uint64_t bytes) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

/* All of the memory; or what is before the rings: then a limit on address space (`room` has an end) is tried
 * with all of it, else not even for a moment, since VmPeak is what users and batch systems look at. */
static void *map_memory(int fd, const struct extent *extent, uint64_t room, uint32_t slots) {
  uint64_t all = bytes_for(extent->ring_bytes, slots), before = bytes_before_rings(extent->ring_bytes, slots);
  if (!extent->with_rings && room == UINT64_MAX)
    return map_first(fd, before);
  char *memory = map_first(fd, all);
  if (memory != MAP_FAILED && !extent->with_rings)
    munmap(memory + before, all - before);
  return memory;
}

/* Truncates and maps for as many slots as are to be had in that room, halving until it works, down to
 * slots_least. */
static int reserve(int fd, uint64_t room, struct extent *extent, uint32_t slots_most, uint32_t slots_least) {
  int error = -ENOMEM;
  for (uint32_t slots = slots_most; slots > 0 && slots >= slots_least; slots /= 2) {
    uint64_t bytes = bytes_for(extent->ring_bytes, slots);
    error = bytes > room ? -ENOMEM : truncate_quietly(fd, bytes);
    if (error)
      continue;
    void *memory = map_memory(fd, extent, room, slots);
    if (memory != MAP_FAILED) {
      extent->slots = slots;
      extent->memory = memory;
      return 0;
    }
    error = -errno;
  }
  return error;
}

/* The smallest ring where address space is limited; memory is requested page by page. */
static uint64_t least_ring_bytes(void) {
  long page_bytes = sysconf(_SC_PAGESIZE);
  return page_bytes > RING_START_SMALL_BYTES ? (uint64_t)page_bytes : RING_START_SMALL_BYTES;
}

/* A limit on files or address space: more but small rings; or as many as there can be. */
static int reserve_within_limits(int fd, struct extent *extent, uint32_t slots_most) {
  enum { SLOTS_REQUESTED = 64, RING_MIN_BYTES = 64 << 10 };
  struct session_share share =
      session_share(bytes_for(least_ring_bytes(), SLOTS_REQUESTED), SLOTS_REQUESTED, slots_most);
  uint32_t most = share.slots_most, requested = share.slots_least;
  bool is_small = share.bytes < UINT64_MAX;
  uint64_t least = is_small ? least_ring_bytes() : RING_MIN_BYTES;
  int error = reserve(fd, share.bytes, extent, most, requested);
  while ((error == -EFBIG || (error && is_small)) && extent->ring_bytes > least) {
    extent->ring_bytes /= 2;
    error = reserve(fd, share.bytes, extent, most, requested);
  }
  return error ? reserve(fd, share.bytes, extent, requested, 1) : 0;
}

static struct session_header *begin_header(const struct extent *extent) {
  struct session_header *header = extent->memory;
  uint64_t ring_bytes = extent->ring_bytes;
  madvise(header, mapped_bytes(extent), MADV_DONTDUMP);
  header->constants.magic = SESSION_MAGIC;
  header->constants.bytes = bytes_for(ring_bytes, extent->slots);
  header->constants.ring_bytes = ring_bytes;
  header->constants.slots_max = extent->slots;
  atomic_init(&header->shared.growth_left,
              8 * ring_bytes > RING_GROWTH_BYTES ? 8 * (int64_t)ring_bytes : RING_GROWTH_BYTES);
  return header;
}

/* Whether memory can be had without a store, which has no answer where a file system is full but SIGBUS. */
static bool can_reserve(void) {
  return madvise(NULL, 0, MADV_POPULATE_WRITE) == 0;
}

/* A file without a name, of this user alone. Without room for rings that grow, a thread that begins later
 * would get none, where memory that is no file's has some. */
static int open_surviving(void) {
  const uint64_t room_least = UINT64_C(512) << 20;
  struct statfs disk = {0};
  int fd = can_reserve() ? open(SESSION_FOLDER, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
  bool has_room = fd >= 0 && fstatfs(fd, &disk) == 0 && disk.f_type == TMPFS_MAGIC &&
                  (disk.f_blocks == 0 || (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize >= room_least);
  if (has_room || fd < 0)
    return fd;
  close(fd);
  return -1;
}

/* Nobody may cut an anonymous memory (SIGBUS). A file has no seals: only this user's processes reach it. */
static int open_memory(const struct extent *extent) {
  int fd = extent->survives ? open_surviving() : -1;
  return fd >= 0 ? fd : memfd_create("stave", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static bool is_anonymous(int fd) {
  return !(fcntl(fd, F_GET_SEALS) & F_SEAL_SEAL);
}

static int create(struct extent *extent, uint32_t slots_most, struct session_header **ret_header,
                  int *ret_fd) {
  int fd = open_memory(extent);
  if (fd < 0)
    return -errno;
  int error = reserve_within_limits(fd, extent, slots_most);
  if (error) {
    close(fd);
    return error;
  }
  /* Nobody may remove the memory under either side (SIGBUS), and what is stored first must be there. */
  if ((is_anonymous(fd) && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) ||
      !session_populate(extent->memory, SESSION_HEADER_BYTES)) {
    error = errno;
    munmap(extent->memory, mapped_bytes(extent));
    close(fd);
    return -error;
  }
  *ret_header = begin_header(extent);
  *ret_fd = fd;
  return 0;
}

int session_create(uint64_t ring_bytes, uint32_t slots_most, struct session_header **ret_header,
                   int *ret_fd) {
  return create(&(struct extent){.ring_bytes = ring_bytes, .with_rings = true}, slots_most, ret_header,
                ret_fd);
}

int session_create_without_rings(uint64_t ring_bytes, uint32_t slots_most, bool survives,
                                 struct session_header **ret_header, int *ret_fd) {
  return create(&(struct extent){.ring_bytes = ring_bytes, .survives = survives}, slots_most, ret_header,
                ret_fd);
}

static bool constants_fit(const struct session_constants *c, uint64_t bytes) {
  uint64_t ring_bytes = c->ring_bytes;
  return c->magic == SESSION_MAGIC && c->bytes == bytes && c->slots_max > 0 &&
         c->slots_max <= SESSION_SLOTS_MAX && ring_bytes >= RECORD_SLOTS_MAX * RECORD_BYTES &&
         (ring_bytes & (ring_bytes - 1)) == 0 && ring_bytes <= UINT32_MAX &&
         bytes_for(ring_bytes, c->slots_max) == bytes;
}

/* Nobody, or nobody but this user, can remove the memory. */
static bool is_safe(int fd, const struct stat *status) {
  enum { OF_OTHERS = 077 };
  int seals = fcntl(fd, F_GET_SEALS);
  bool is_file = seals == F_SEAL_SEAL && S_ISREG(status->st_mode) && !(status->st_mode & OF_OTHERS) &&
                 status->st_uid == geteuid();
  return is_file || (seals >= 0 && (seals & F_SEAL_SHRINK));
}

/* The first so many bytes of it; its size is what the constants state. */
static int map_beginning(int fd, uint64_t bytes, uint64_t size, struct session_header **ret_header) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED)
    return -errno;
  struct session_header *header = memory;
  if (!constants_fit(&header->constants, size)) {
    munmap(memory, bytes);
    return -EINVAL;
  }
  *ret_header = header;
  return 0;
}

/* Its size, or a negative errno. */
static int64_t size_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) < 0)
    return -errno;
  if (status.st_size < (off_t)SESSION_HEADER_BYTES)
    return -EINVAL;
  return is_safe(fd, &status) ? (int64_t)status.st_size : -EPERM;
}

int session_map(int fd, struct session_header **ret_header) {
  int64_t size = size_of(fd);
  return size < 0 ? (int)size : map_beginning(fd, (uint64_t)size, (uint64_t)size, ret_header);
}

int session_map_header(int fd, struct session_header **ret_header) {
  int64_t size = size_of(fd);
  return size < 0 ? (int)size : map_beginning(fd, SESSION_HEADER_BYTES, (uint64_t)size, ret_header);
}

void session_unmap(struct session_header *header, uint64_t bytes) {
  munmap(header, bytes);
}

uint64_t session_bytes_before_rings(const struct session_header *header) {
  return bytes_before_rings(header->constants.ring_bytes, header->constants.slots_max);
}

struct record *session_map_ring(int fd, const struct session_header *header, uint32_t index, uint64_t bytes) {
  const struct session_constants *constants = &header->constants;
  uint64_t offset = session_ring_offset(constants->slots_max, constants->ring_bytes, index);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
  if (memory == MAP_FAILED)
    return NULL;
  madvise(memory, bytes, MADV_DONTFORK);
  madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

/* Pops the stack of given-back slots. The change counter in the high half makes a stale compare fail. */
static bool pop_free_slot(struct session_header *header, uint32_t *ret_index) {
  _Atomic uint64_t *top = &header->shared.slots_free;
  uint64_t seen = atomic_load_explicit(top, memory_order_acquire);
  for (;;) {
    uint32_t first = (uint32_t)seen;
    if (first == 0 || first > header->constants.slots_max)
      return false;
    struct thread_slot *slot = session_slot(header, first - 1);
    uint64_t next = atomic_load_explicit(&slot->next_free, memory_order_relaxed);
    uint64_t requested = (((seen >> 32) + 1) << 32) | next;
    if (atomic_compare_exchange_weak_explicit(top, &seen, requested, memory_order_acquire,
                                              memory_order_acquire)) {
      *ret_index = first - 1;
      return true;
    }
  }
}

/* Raises the high-water mark, never beyond the end. */
static bool get_new_slot(struct session_header *header, uint32_t *ret_index) {
  uint32_t used = atomic_load_explicit(&header->shared.slots_used, memory_order_relaxed);
  do {
    if (used >= header->constants.slots_max)
      return false;
  } while (!atomic_compare_exchange_weak_explicit(&header->shared.slots_used, &used, used + 1,
                                                  memory_order_acq_rel, memory_order_relaxed));
  *ret_index = used;
  return true;
}

struct thread_slot *session_get_slot(struct session_header *header, int32_t kernel_tid, uint32_t *ret_index) {
  if (!pop_free_slot(header, ret_index) && !get_new_slot(header, ret_index))
    return NULL;
  struct thread_slot *slot = session_slot(header, *ret_index);
  uint64_t turn = (atomic_load_explicit(&slot->owner, memory_order_relaxed) >> 32) + 1;
  atomic_store_explicit(&slot->owner, turn << 32 | (uint32_t)kernel_tid, memory_order_relaxed);
  return slot;
}

void session_end_slot(struct session_header *header, struct thread_slot *slot) {
  uint64_t turn = atomic_load_explicit(&slot->owner, memory_order_relaxed) >> 32;
  atomic_fetch_add_explicit(&header->shared.slots_ended, 1, memory_order_relaxed);
  atomic_store_explicit(&slot->owner, turn << 32 | (uint32_t)SLOT_ENDED, memory_order_release);
}

void session_return_slot(struct session_header *header, uint32_t index) {
  struct thread_slot *slot = session_slot(header, index);
  uint64_t owner = atomic_load_explicit(&slot->owner, memory_order_relaxed);
  if ((int32_t)owner == SLOT_ENDED)
    atomic_fetch_sub_explicit(&header->shared.slots_ended, 1, memory_order_relaxed);
  /* release: who finds it free also finds the count that its thread raised before (is_in_use) */
  atomic_store_explicit(&slot->owner, owner >> 32 << 32 | SLOT_FREE, memory_order_release);
  _Atomic uint64_t *top = &header->shared.slots_free;
  uint64_t seen = atomic_load_explicit(top, memory_order_relaxed);
  uint64_t requested;
  do {
    atomic_store_explicit(&slot->next_free, (uint32_t)seen, memory_order_relaxed);
    requested = (((seen >> 32) + 1) << 32) | (index + 1);
  } while (!atomic_compare_exchange_weak_explicit(top, &seen, requested, memory_order_release,
                                                  memory_order_relaxed));
}

/* The kernel walks this list at the thread's end and marks the futexes that it holds: here one, in memory
 * that others see. Its node is private, so that nobody can lead the kernel elsewhere. */
void session_writer_lives(struct session_header *header) {
  static struct robust_list node;
  static struct robust_list_head head;
  _Atomic uint32_t *life = &header->shared.writer_life;
  node.next = &head.list;
  head = (struct robust_list_head){{&node}, (char *)life - (char *)&node, NULL};
  atomic_store(life, (uint32_t)syscall(SYS_gettid));
  syscall(SYS_set_robust_list, &head, sizeof head);
}

bool session_writer_is_dead(const struct session_header *header) {
  return atomic_load_explicit(&header->shared.writer_life, memory_order_relaxed) & FUTEX_OWNER_DIED;
}

bool session_populate(void *memory, size_t bytes) {
  long page_size = sysconf(_SC_PAGESIZE);
  size_t page_bytes = page_size > 0 ? (size_t)page_size : 4096, before = (uintptr_t)memory & (page_bytes - 1);
  memory = (char *)memory - before;
  bytes += before;
  if (madvise(memory, bytes, MADV_POPULATE_WRITE) == 0)
    return true;
  if (errno != EINVAL)
    return false;
  for (size_t i = 0; i < bytes; i += page_bytes)
    __atomic_fetch_or((char *)memory + i, 0, __ATOMIC_RELAXED); /* the other side may be using it already */
  return true;
}

bool session_grow(struct session_header *header, const struct record *records, uint64_t capacity,
                  void (*between)(void *), void *data) {
  uint64_t bytes = capacity * RECORD_BYTES;
  int64_t share = bytes < RING_START_BYTES ? 0 : (int64_t)bytes;
  if (2 * bytes > header->constants.ring_bytes ||
      atomic_load_explicit(&header->shared.growth_left, memory_order_relaxed) < share)
    return false;
  atomic_fetch_sub_explicit(&header->shared.growth_left, share, memory_order_relaxed);
  for (uint64_t done = 0, part; done < bytes; done += part) {
    part = bytes < RING_START_BYTES ? bytes : RING_START_BYTES;
    if (!session_populate((char *)records + bytes + done, part))
      return false;
    if (between)
      between(data);
  }
  return true;
}

void session_note_lost(struct session_header *header, uint64_t ticks) {
  uint64_t first = atomic_load_explicit(&header->shared.lost_ticks, memory_order_relaxed);
  while ((first == 0 || ticks < first) &&
         !atomic_compare_exchange_weak(&header->shared.lost_ticks, &first, ticks))
    continue;
}

/* The fence is what orders the two loads (session_writer_sleep): without it the caller's store of head
 * may still be in the store buffer when `asleep` is read (ring.pml). */
void session_wake_writer(struct session_header *header) {
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load(&header->shared.asleep))
    return;
  atomic_fetch_add(&header->shared.wake, 1);
  futex_wake_all(&header->shared.wake);
}

void session_writer_sleep(struct session_header *header, uint64_t timeout_ns, int (*may_sleep)(void *),
                          void *data) {
  uint32_t seen = atomic_load(&header->shared.wake);
  atomic_store(&header->shared.asleep, 1);
  /* Partner of the producer's look at `asleep` after its store of head: one of the two sees the other. */
  atomic_thread_fence(memory_order_seq_cst);
  if (may_sleep(data))
    futex_wait(&header->shared.wake, seen, timeout_ns);
  atomic_store(&header->shared.asleep, 0);
}
