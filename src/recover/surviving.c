#include "recover/surviving.h"

#include <errno.h>
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

/* Its first part shows how much there is to map. */
static void map_rings(struct surviving *surviving, int fd, const struct session_constants *constants) {
  uint64_t before_rings = offset_of_ring(constants, 0);
  struct session_header *first = map(fd, before_rings);
  bool is_ours = first && is_same_run(&first->constants, constants);
  surviving->bytes = is_ours ? bytes_used(first, constants) : 0;
  surviving->session = is_ours ? map(fd, surviving->bytes) : NULL;
  surviving->error = !first || (is_ours && !surviving->session) ? errno : 0;
  if (first)
    munmap(first, before_rings);
}

static void map_file(struct surviving *surviving, const struct salvage *salvage,
                     const struct session_constants *constants) {
  struct stat status;
  const char *name = salvage->header.session_file;
  if (!is_name(name))
    return;
  snprintf(surviving->path, sizeof surviving->path, SESSION_FOLDER "/%s", name);
  int fd = open(surviving->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool is_ours = fd >= 0 && is_of_archive(fd, salvage, &status);
  if (!is_ours)
    surviving->path[0] = '\0';
  else if ((uint64_t)status.st_size == constants->bytes)
    map_rings(surviving, fd, constants);
  if (fd >= 0)
    close(fd);
}

static bool are_possible(const struct session_constants *c) {
  return c->slots_max > 0 && c->slots_max <= SESSION_SLOTS_MAX && c->ring_bytes <= UINT32_MAX &&
         c->ring_bytes >= RECORD_SLOTS_MAX * RECORD_BYTES && (c->ring_bytes & (c->ring_bytes - 1)) == 0 &&
         offset_of_ring(c, c->slots_max) == c->bytes;
}

/* Without rings their slots are enough. */
bool surviving_open(struct surviving *surviving, const struct salvage *salvage,
                    const struct session_constants *constants) {
  *surviving = (struct surviving){0};
  if (!are_possible(constants))
    return false;
  map_file(surviving, salvage, constants);
  surviving->has_rings = surviving->session != NULL;
  if (!surviving->session && surviving->error == 0) {
    surviving->bytes = offset_of_ring(constants, 0);
    surviving->session = map(-1, surviving->bytes);
  }
  if (!surviving->session)
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
