#include "tool/first_rings.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"
#include "session/share.h"
#include "tool/thread.h"

/* With more threads than processors each one fills its ring the slower, and 256 KiB for each of a thousand
 * threads cost more than all else that the tool does when a thread begins, and again when the process
 * ends. Where so many threads are expected, only the first ring is large from the start. */
void first_rings_expect(void) {
  enum { LARGE_RINGS_MIN = 16 };
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = 2 * processors > LARGE_RINGS_MIN ? (uint32_t)(2 * processors) : LARGE_RINGS_MIN;
  const char *requested = getenv("OMP_NUM_THREADS");
  unsigned long threads = requested ? strtoul(requested, NULL, 10) : 0;
  uint32_t slots = tool.session->constants.slots_max;
  tool.first_rings.large = threads > most ? 1 : most;
  tool.first_rings.expected = threads < slots ? (uint32_t)threads : slots;
  tool.first_rings.populated = 0;
}

uint64_t first_ring_bytes(uint32_t index) {
  uint64_t most = tool.session->constants.ring_bytes;
  uint64_t requested = index < tool.first_rings.large ? RING_START_BYTES : RING_START_SMALL_BYTES;
  return requested < most ? requested : most;
}

/* -- mappings -- */

/* The program may have closed the descriptor and have something else under its number. A file that is the
 * session's memory of a mapping was so before. */
static bool is_session(int fd) {
  struct stat status;
  return fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == tool.session_inode &&
         status.st_dev == tool.session_device;
}

static struct record *map_from(int fd, uint32_t index, uint64_t bytes) {
  if (!is_session(fd))
    return NULL;
  struct record *ring = session_map_ring(fd, tool.session, index, bytes);
  if (!ring || is_session(fd))
    return ring;
  munmap(ring, bytes);
  return NULL;
}

/* The writer has the same descriptor. */
static struct record *map_from_writer(uint32_t index, uint64_t bytes) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%u/fd/%d",
           atomic_load(&tool.session->shared.writer_life) & FUTEX_TID_MASK, WRITER_FD_SESSION);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0);
  struct record *ring = map_from(fd, index, bytes);
  if (fd >= 0)
    syscall(SYS_close, fd);
  return ring;
}

static struct record *map_ring(uint32_t index, uint64_t bytes) {
  struct record *ring = map_from(tool.session_fd, index, bytes);
  return ring || is_session(tool.session_fd) ? ring : map_from_writer(index, bytes);
}

/* A limit that came after the session's beginning: a 128th of what is left, as share.h has it, or what a ring
 * begins with if that is no more than a 16th. 0: that is too little. */
static uint64_t bytes_to_map(uint32_t index) {
  enum { SHARE = 128, SHARE_MAX = 16 };
  uint64_t left = session_addresses_left(), bytes = tool.session->constants.ring_bytes,
           least = first_ring_bytes(index);
  if (left == UINT64_MAX)
    return bytes;
  while (bytes > left / SHARE && bytes > least)
    bytes /= 2;
  return bytes <= left / SHARE_MAX ? bytes : 0;
}

static bool is_mapped(uint32_t index) {
  struct thread *thread = &tool.threads[index];
  if (thread->mapped_ring)
    return true;
  uint64_t bytes = bytes_to_map(index);
  thread->mapped_ring = bytes ? map_ring(index, bytes) : NULL;
  thread->mapped_bytes = bytes;
  return thread->mapped_ring;
}

/* The rings of the threads that are expected, by calls for all of them in place of some for each, which
 * change the process's mappings while other threads are being made. Where a limit counts addresses, each ring
 * is mapped when its thread comes. */
static void map_together(uint32_t count) {
  uint64_t bytes = tool.session->constants.ring_bytes;
  if (session_addresses_left() != UINT64_MAX)
    return;
  char *rings = (char *)map_from(tool.session_fd, 0, count * bytes);
  for (uint32_t i = 0; rings && i < count; i++) {
    tool.threads[i].mapped_ring = (struct record *)(rings + i * bytes);
    tool.threads[i].mapped_bytes = bytes;
  }
}

/* The ring, and those after it without a gap. Returns the first one that is none of them. */
static uint32_t find_neighbours(uint32_t index, uint32_t most, uint64_t *ret_bytes) {
  const char *begin = (const char *)tool.threads[index].mapped_ring;
  for (*ret_bytes = 0; index < most; index++) {
    const struct thread *thread = &tool.threads[index];
    if ((const char *)thread->mapped_ring != begin + *ret_bytes)
      break;
    *ret_bytes += thread->mapped_bytes;
  }
  return index;
}

static void each_mapped(void (*what)(void *rings, uint64_t bytes)) {
  const struct session_header *session = tool.session;
  uint32_t used = atomic_load(&session->shared.slots_used), most = session->constants.slots_max;
  used = used > tool.first_rings.expected ? used : tool.first_rings.expected;
  most = used < most ? used : most;
  for (uint32_t i = 0, next; tool.threads && i < most; i = next) {
    uint64_t bytes;
    void *rings = tool.threads[i].mapped_ring;
    next = rings ? find_neighbours(i, most, &bytes) : i + 1;
    if (rings)
      what(rings, bytes);
  }
}

static void unmap(void *rings, uint64_t bytes) {
  munmap(rings, bytes);
}

static void let_go(void *rings, uint64_t bytes) {
  madvise(rings, bytes, MADV_DONTNEED);
}

void first_rings_unmap(void) {
  each_mapped(unmap);
  munmap(tool.session, session_bytes_before_rings(tool.session));
}

void first_rings_let_go(void) {
  each_mapped(let_go);
  madvise(tool.session, session_bytes_before_rings(tool.session), MADV_DONTNEED);
}

/* -- memory -- */

bool first_ring_populate(uint32_t index) {
  return is_mapped(index) &&
         (index < tool.first_rings.populated ||
          (session_populate(session_slot(tool.session, index), sizeof(struct thread_slot)) &&
           session_populate(tool.threads[index].mapped_ring, first_ring_bytes(index))));
}

void first_rings_populate_while(const _Atomic uint32_t *state, uint32_t while_it_is) {
  if (tool.first_rings.expected > 1 && !tool.threads[0].mapped_ring)
    map_together(tool.first_rings.expected);
  while (tool.first_rings.populated < tool.first_rings.expected && atomic_load(state) == while_it_is &&
         first_ring_populate(tool.first_rings.populated))
    tool.first_rings.populated++;
}
