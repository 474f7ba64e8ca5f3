#include "recover/surviving.h"

#include <fcntl.h>
#include <stdio.h>
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

static struct session_header *map_file(struct surviving *surviving, const struct salvage *salvage,
                                       const struct session_constants *constants) {
  struct stat status;
  const char *name = salvage->header.session_file;
  if (!is_name(name))
    return NULL;
  snprintf(surviving->path, sizeof surviving->path, SESSION_FOLDER "/%s", name);
  int fd = open(surviving->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool is_ours = fd >= 0 && is_of_archive(fd, salvage, &status);
  if (!is_ours)
    surviving->path[0] = '\0';
  struct session_header *session =
      is_ours && (uint64_t)status.st_size == constants->bytes ? map(fd, constants->bytes) : NULL;
  if (fd >= 0)
    close(fd);
  if (!session || is_same_run(&session->constants, constants))
    return session;
  munmap(session, constants->bytes);
  return NULL;
}

static bool are_possible(const struct session_constants *c) {
  return c->slots_max > 0 && c->slots_max <= SESSION_SLOTS_MAX && c->ring_bytes <= UINT32_MAX &&
         c->ring_bytes >= RECORD_SLOTS_MAX * RECORD_BYTES && (c->ring_bytes & (c->ring_bytes - 1)) == 0 &&
         session_ring_offset(c->slots_max, c->ring_bytes, c->slots_max) == c->bytes;
}

bool surviving_open(struct surviving *surviving, const struct salvage *salvage,
                    const struct session_constants *constants) {
  *surviving = (struct surviving){0};
  if (!are_possible(constants))
    return false;
  surviving->session = map_file(surviving, salvage, constants);
  surviving->has_rings = surviving->session != NULL;
  if (!surviving->session)
    surviving->session = map(-1, constants->bytes);
  if (!surviving->session)
    return false;
  surviving->session->constants = *constants;
  atomic_store(&surviving->session->shared.growth_left, 0);
  return true;
}

void surviving_close(struct surviving *surviving) {
  if (surviving->session)
    munmap(surviving->session, surviving->session->constants.bytes);
  surviving->session = NULL;
}

void surviving_remove(const struct surviving *surviving) {
  if (*surviving->path)
    unlink(surviving->path);
}
