#include "recover/salvage.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

static struct salvage_location *location_at(struct salvage *salvage, uint32_t location) {
  if (location >= SALVAGE_LOCATIONS_MAX)
    return NULL;
  array_reserve_zeroed(&salvage->locations, &salvage->location_capacity, location + 1u,
                       sizeof *salvage->locations);
  if (salvage->location_count <= location)
    salvage->location_count = location + 1u;
  return &salvage->locations[location];
}

static void note_events(struct salvage *salvage, const struct salvage_head *head, off_t offset) {
  struct salvage_location *location = location_at(salvage, head->location);
  if (!location)
    return;
  /* A location has one block, which counts its events; before the first it counts none. */
  if (head->count > location->complete_events || head->sequence == 0) {
    location->is_counted = true;
    location->complete_events =
        head->count > location->complete_events ? head->count : location->complete_events;
  }
  array_reserve_zeroed(&location->chunks, &location->chunk_capacity, location->chunk_count + 1,
                       sizeof *location->chunks);
  location->chunks[location->chunk_count++] = (struct salvage_chunk){head->sequence, offset};
}

/* -- the journal's pieces, in their order -- */

struct pieces {
  struct piece {
    uint64_t sequence;
    off_t offset;
    size_t bytes;
  } * all;
  size_t count, capacity;
};

static int by_sequence(const void *left, const void *right) {
  const struct piece *a = left, *b = right;
  return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static int chunk_by_sequence(const void *left, const void *right) {
  const struct salvage_chunk *a = left, *b = right;
  return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void read_journal(struct salvage *salvage, struct pieces *pieces) {
  size_t capacity = 0;
  if (pieces->count)
    qsort(pieces->all, pieces->count, sizeof *pieces->all, by_sequence);
  for (size_t i = 0; i < pieces->count && pieces->all[i].sequence == i; i++) {
    const struct piece *piece = &pieces->all[i];
    array_reserve_zeroed(&salvage->journal, &capacity, salvage->journal_bytes + piece->bytes + 1, 1);
    ssize_t bytes =
        pread(salvage->fd, salvage->journal + salvage->journal_bytes, piece->bytes, piece->offset);
    salvage->journal_bytes += bytes > 0 ? (size_t)bytes : 0;
    if (bytes != (ssize_t)piece->bytes)
      return;
  }
}

/* -- the file -- */

static void read_blocks(struct salvage *salvage) {
  struct pieces pieces = {0};
  struct salvage_head head;
  off_t offset = RECOVERY_UNIT_BYTES;
  for (; pread(salvage->fd, &head, sizeof head, offset) == sizeof head; offset += RECOVERY_BLOCK_BYTES) {
    off_t bytes = offset + (off_t)offsetof(struct recovery_block, bytes);
    if (head.use == RECOVERY_EVENTS)
      note_events(salvage, &head, bytes);
    if (head.use != RECOVERY_JOURNAL || head.count > RECOVERY_CHUNK_BYTES)
      continue;
    array_reserve_zeroed(&pieces.all, &pieces.capacity, pieces.count + 1, sizeof *pieces.all);
    pieces.all[pieces.count++] = (struct piece){head.sequence, bytes, head.count};
  }
  read_journal(salvage, &pieces);
  free(pieces.all);
  for (size_t i = 0; i < salvage->location_count; i++)
    if (salvage->locations[i].chunk_count)
      qsort(salvage->locations[i].chunks, salvage->locations[i].chunk_count,
            sizeof *salvage->locations[i].chunks, chunk_by_sequence);
}

/* N.evt: the events of location N. */
static void find_event_files(struct salvage *salvage) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/traces", salvage->directory);
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    char *end;
    unsigned long number = strtoul(entry->d_name, &end, 10);
    if (isdigit((unsigned char)*entry->d_name) && strcmp(end, ".evt") == 0 && number < SALVAGE_LOCATIONS_MAX)
      location_at(salvage, (uint32_t)number)->has_file = true;
  }
  if (directory)
    closedir(directory);
}

static int read_header(struct salvage *salvage) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(salvage->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
    return -EBUSY;
  if (pread(salvage->fd, &salvage->header, sizeof salvage->header, 0) != sizeof salvage->header)
    return -ENODATA;
  salvage->header.version[sizeof salvage->header.version - 1] = '\0';
  bool is_ours =
      salvage->header.magic == RECOVERY_MAGIC && strcmp(salvage->header.version, STAVE_VERSION) == 0;
  return is_ours ? 0 : -EINVAL;
}

int salvage_open(struct salvage *salvage, const char *directory) {
  char path[PATH_MAX];
  *salvage = (struct salvage){.directory = directory, .fd = -1};
  snprintf(path, sizeof path, "%s/" STAVE_RECOVERY_FILE, directory);
  salvage->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (salvage->fd < 0)
    return -errno;
  int error = read_header(salvage);
  if (error)
    return error;
  read_blocks(salvage);
  find_event_files(salvage);
  return 0;
}

bool salvage_is_likely(uint64_t location, size_t known) {
  enum { SLACK = 64 };
  return location < SALVAGE_LOCATIONS_MAX && location <= 2 * known + SLACK;
}

void salvage_settle(struct salvage *salvage, size_t known) {
  size_t left = known, count = known;
  if (known > salvage->location_count)
    location_at(salvage, (uint32_t)(known - 1));
  for (size_t i = known; i < salvage->location_count && salvage_is_likely(i, left); i++)
    if (salvage->locations[i].has_file || salvage->locations[i].chunk_count) {
      left++;
      count = i + 1;
    }
  for (size_t i = count; i < salvage->location_count; i++)
    free(salvage->locations[i].chunks);
  salvage->location_count = count;
}

void salvage_close(struct salvage *salvage) {
  for (size_t i = 0; i < salvage->location_count; i++)
    free(salvage->locations[i].chunks);
  free(salvage->locations);
  free(salvage->journal);
  if (salvage->fd >= 0)
    close(salvage->fd);
}

void salvage_event_path(const char *directory, uint32_t location, char *path, size_t size) {
  snprintf(path, size, "%s/traces/%" PRIu32 ".evt", directory, location);
}

size_t salvage_chunk(const struct salvage *salvage, uint32_t location, int file, uint64_t sequence,
                     void *bytes) {
  const struct salvage_location *from = &salvage->locations[location];
  ssize_t in_file = -1, in_block = -1;
  if (file >= 0 && sequence < INT64_MAX / RECOVERY_CHUNK_BYTES)
    in_file = pread(file, bytes, RECOVERY_CHUNK_BYTES, (off_t)sequence * RECOVERY_CHUNK_BYTES);
  struct salvage_chunk key = {.sequence = sequence};
  const struct salvage_chunk *chunk = NULL;
  if (in_file < RECOVERY_CHUNK_BYTES && from->chunk_count)
    chunk = bsearch(&key, from->chunks, from->chunk_count, sizeof key, chunk_by_sequence);
  if (chunk)
    in_block = pread(salvage->fd, bytes, RECOVERY_CHUNK_BYTES, chunk->offset);
  if (chunk && in_block <= in_file)
    in_file = pread(file, bytes, RECOVERY_CHUNK_BYTES, (off_t)sequence * RECOVERY_CHUNK_BYTES);
  ssize_t most = in_block > in_file ? in_block : in_file;
  return most > 0 ? (size_t)most : 0;
}
