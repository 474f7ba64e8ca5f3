#include "recover/surviving.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_name(const char *name) {
  static const char prefix[] = SESSION_FILE_PREFIX;
  size_t length = strnlen(name, SESSION_FILE_BYTES), begin = sizeof prefix - 1;
  return length == begin + SESSION_FILE_DIGITS && strncmp(name, prefix, begin) == 0 &&
         strspn(name + begin, "0123456789abcdef") == SESSION_FILE_DIGITS;
}

/* Of who recovers, or of who left the archive: a recovery file that others made leads to nothing else. */
static bool is_of_archive(int fd, const struct salvage *salvage, struct stat *ret_status) {
  struct stat archive;
  return fstat(fd, ret_status) == 0 && fstat(salvage->fd, &archive) == 0 && S_ISREG(ret_status->st_mode) &&
         ret_status->st_uid == archive.st_uid;
}

static bool is_same_run(const struct session_constants *found, const struct session_constants *known) {
  return found->magic == SESSION_MAGIC && found->magic == known->magic && found->bytes == known->bytes &&
         found->ring_bytes == known->ring_bytes && found->slots_max == known->slots_max &&
         found->pid == known->pid && memcmp(&found->start, &known->start, sizeof found->start) == 0;
}

static struct session_header *map(int fd, uint64_t bytes) {
  int flags = MAP_PRIVATE | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static uint64_t offset_of_ring(const struct session_constants *constants, uint32_t slot) {
  return session_ring_offset(constants->slots_max, constants->ring_bytes, slot);
}

/* To the last ring that has records. All of them would be 64 GiB of addresses, which limits refuse. */
static uint64_t bytes_used(struct session_header *session, const struct session_constants *constants) {
  uint32_t used = constants->slots_max;
  while (used > 0 && atomic_load(&session_slot(session, used - 1)->head) == 0)
    used--;
  return offset_of_ring(constants, used);
}

/* A lock on the archive shows it too, unless the file system has none. */
static bool is_in_use(const struct session_header *session) {
  uint32_t life = atomic_load(&session->shared.writer_life);
  return life != 0 && !(life & FUTEX_OWNER_DIED);
}

/* Not a copy of it that somebody has made. */
static bool is_archive_of(const struct session_header *session, const char *directory) {
  const struct session_shared *shared = &session->shared;
  char path[PATH_MAX];
  return memchr(shared->file_of, 0, sizeof shared->file_of) && realpath(directory, path) &&
         strcmp(path, shared->file_of) == 0;
}

static void map_to_last_ring(struct surviving *surviving, int fd, struct session_header *first,
                             const struct session_constants *constants) {
  surviving->bytes = bytes_used(first, constants);
  surviving->session = map(fd, surviving->bytes);
  surviving->error = surviving->session ? 0 : errno;
}

/* Its first part shows how much there is to map. */
static void map_rings(struct surviving *surviving, int fd, const struct salvage *salvage,
                      const struct session_constants *constants) {
  uint64_t before_rings = offset_of_ring(constants, 0);
  struct session_header *first = map(fd, before_rings);
  if (!first)
    surviving->error = errno;
  else if (!is_same_run(&first->constants, constants))
    surviving->unread = ESTALE;
  else if (!is_in_use(first))
    map_to_last_ring(surviving, fd, first, constants);
  else if (is_archive_of(first, salvage->directory))
    surviving->error = EBUSY;
  else
    surviving->unread = EBUSY;
  if (first)
    munmap(first, before_rings);
}

/* Another call of `stave recover` may be luckier. */
static bool is_passing(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO;
}

static void map_file(struct surviving *surviving, const struct salvage *salvage,
                     const struct session_constants *constants) {
  struct stat status;
  const char *name = salvage->header.session_file;
  if (!is_name(name))
    return;
  snprintf(surviving->path, sizeof surviving->path, SESSION_FOLDER "/%s", name);
  int fd = open(surviving->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0)
    *(is_passing(errno) ? &surviving->error : &surviving->unread) = errno;
  else if (!is_of_archive(fd, salvage, &status) || (uint64_t)status.st_size != constants->bytes)
    surviving->unread = ESTALE;
  else
    map_rings(surviving, fd, salvage, constants);
  if (fd >= 0)
    close(fd);
}

static bool are_possible(const struct session_constants *c) {
  return c->slots_max > 0 && c->slots_max <= SESSION_SLOTS_MAX && c->ring_bytes <= UINT32_MAX &&
         c->ring_bytes >= RECORD_SLOTS_MAX * RECORD_BYTES && (c->ring_bytes & (c->ring_bytes - 1)) == 0 &&
         offset_of_ring(c, c->slots_max) == c->bytes;
}

/* Without rings their slots are enough. */
static bool make_session(struct surviving *surviving, const struct session_constants *constants) {
  surviving->has_rings = false;
  surviving->bytes = offset_of_ring(constants, 0);
  surviving->session = map(-1, surviving->bytes);
  surviving->error = surviving->session ? 0 : errno;
  if (surviving->session)
    surviving->session->constants = *constants;
  return surviving->session;
}

bool surviving_leave_rings(struct surviving *surviving) {
  struct session_constants constants = surviving->session->constants;
  surviving_close(surviving);
  return make_session(surviving, &constants);
}

bool surviving_open(struct surviving *surviving, const struct salvage *salvage,
                    const struct session_constants *constants) {
  *surviving = (struct surviving){0};
  if (!are_possible(constants))
    return false;
  map_file(surviving, salvage, constants);
  surviving->has_rings = surviving->session != NULL;
  if (surviving->error || (!surviving->session && !make_session(surviving, constants)))
    return false;
  surviving->session->constants = *constants;
  atomic_store(&surviving->session->shared.growth_left, 0);
  return true;
}

void surviving_close(struct surviving *surviving) {
  if (surviving->session)
    munmap(surviving->session, surviving->bytes);
  surviving->session = NULL;
}
