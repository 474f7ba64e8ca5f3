#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "timeline/content/detail_form.h"
#include "timeline/content/page_form.h"

/* A level at which a pixel of a very wide window has many items is not looked at. */
enum { ITEMS_MAX = 1 << 17 };

/* Of an answer's bytes what each kind of detail_items.h may have at most. */
enum { ITEMS_SHARE = 4 };

/* -- opening -- */

static bool is_part(const struct detail_file *file, uint64_t offset, uint64_t count, size_t bytes) {
  return offset <= file->length && count <= (file->length - offset) / bytes && offset % sizeof(uint64_t) == 0;
}

static bool is_sound(const struct detail_file *file, const char *identity) {
  const struct detail_foot *foot = file->foot;
  return foot->magic == DETAIL_MAGIC && strncmp(foot->identity, identity, DETAIL_IDENTITY_BYTES) == 0 &&
         foot->page <= file->length && foot->page_bytes <= file->length - foot->page &&
         is_part(file, foot->blocks, foot->block_count, sizeof(struct detail_block)) &&
         is_part(file, foot->tracks, foot->track_count, sizeof(struct detail_track_entry)) &&
         foot->track_count < UINT32_MAX &&
         is_part(file, foot->firsts, foot->track_count * DETAIL_LEVELS + 1, sizeof(uint64_t));
}

static int map(struct detail_file *ret, int fd) {
  struct stat status;
  if (fstat(fd, &status) < 0)
    return -errno;
  ret->length = (size_t)status.st_size;
  if (ret->length < sizeof(struct detail_foot) || ret->length % sizeof(uint64_t) != 0)
    return -ENOENT;
  void *bytes = mmap(NULL, ret->length, PROT_READ, MAP_SHARED, fd, 0);
  if (bytes == MAP_FAILED)
    return -errno;
  ret->bytes = bytes;
  ret->foot = (const void *)(ret->bytes + ret->length - sizeof(struct detail_foot));
  return 0;
}

int detail_open(struct detail_file *ret, const char *path, const char *identity) {
  *ret = (struct detail_file){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -errno;
  int error = map(ret, fd);
  close(fd);
  if (error == 0 && !is_sound(ret, identity))
    error = -ENOENT;
  if (error)
    detail_close(ret);
  return error;
}

void detail_close(struct detail_file *file) {
  if (file->bytes)
    munmap((void *)file->bytes, file->length);
  *file = (struct detail_file){0};
}

const char *detail_page(const struct detail_file *file, size_t *ret_length) {
  *ret_length = (size_t)file->foot->page_bytes;
  return (const char *)file->bytes + file->foot->page;
}

/* -- finding blocks -- */

/* Those of a track at a level that overlap the window: the first, and after the last. */
struct found {
  const struct detail_block *first, *end;
};

static struct found find(const struct detail_file *file, size_t track, unsigned level,
                         const struct detail_window *window) {
  const struct detail_foot *foot = file->foot;
  const uint64_t *firsts = (const void *)(file->bytes + foot->firsts);
  const struct detail_block *blocks = (const void *)(file->bytes + foot->blocks);
  uint64_t low = firsts[track * DETAIL_LEVELS + level], end = firsts[track * DETAIL_LEVELS + level + 1];
  end = end < foot->block_count ? end : foot->block_count;
  for (uint64_t high = end; low < high;) {
    uint64_t middle = low + (high - low) / 2;
    if (blocks[middle].end < window->from)
      low = middle + 1;
    else
      high = middle;
  }
  uint64_t last = low;
  for (uint64_t high = end; last < high;) {
    uint64_t middle = last + (high - last) / 2;
    if (blocks[middle].begin <= window->to)
      last = middle + 1;
    else
      high = middle;
  }
  return (struct found){blocks + low, blocks + last};
}

static bool is_in_file(const struct detail_file *file, const struct detail_block *block) {
  return block->offset <= file->foot->page && block->bytes <= file->foot->page - block->offset;
}

static bool is_requested(const struct detail_track_entry *track, const struct detail_window *window) {
  return track->depth == DETAIL_ACTIVITIES ||
         (track->row >= window->first_row && track->row <= window->last_row);
}

static const struct detail_track_entry *tracks_of(const struct detail_file *file) {
  return (const void *)(file->bytes + file->foot->tracks);
}

/* Those of items are after them. */
static size_t tracks_of_rows(const struct detail_file *file) {
  size_t count = (size_t)file->foot->track_count;
  while (count > 0 && tracks_of(file)[count - 1].row >= file->foot->row_count)
    count--;
  return count;
}

/* How many bytes an answer at the level has; more than `most`: at least so many. */
static size_t measure(const struct detail_file *file, const struct detail_window *window, unsigned level,
                      size_t most) {
  size_t sum = 0, count = tracks_of_rows(file);
  for (size_t i = 0; i < count && sum <= most; i++) {
    struct found found = {NULL, NULL};
    if (is_requested(&tracks_of(file)[i], window))
      found = find(file, i, level, window);
    for (; found.first < found.end && sum <= most; found.first++)
      sum += found.first->bytes;
  }
  return sum;
}

static unsigned choose_level(const struct detail_file *file, const struct detail_window *window,
                             size_t most) {
  unsigned level = 0;
  while (level + 1 < DETAIL_LEVELS &&
         file->foot->resolutions_ns[level + 1] < (window->to - window->from) / ITEMS_MAX)
    level++;
  while (level + 1 < DETAIL_LEVELS && measure(file, window, level, most) > most)
    level++;
  return level;
}

/* -- items -- */

static size_t bytes_in(const struct found *found) {
  size_t sum = 0;
  for (const struct detail_block *block = found->first; block < found->end; block++)
    sum += block->bytes;
  return sum;
}

/* The shortest class of a kind's items that is in an answer with all longer ones; their blocks by class.
 * DETAIL_LEVELS: none is. */
static unsigned find_items(const struct detail_file *file, size_t track, const struct detail_window *window,
                           size_t most, struct found found[DETAIL_LEVELS]) {
  size_t sum = 0;
  for (unsigned level = DETAIL_LEVELS; level > 0; level--) {
    found[level - 1] = find(file, track, level - 1, window);
    sum += bytes_in(&found[level - 1]);
    if (sum > most)
      return level;
  }
  return 0;
}

/* -- the answer -- */

static void put_blocks(const struct detail_file *file, const struct found *found, struct bytes *ret) {
  for (const struct detail_block *block = found->first; block < found->end; block++) {
    bool is_there = is_in_file(file, block);
    page_put_detail_block(
        ret, &(struct page_detail_block){is_there ? block->count : 0, is_there ? block->bytes : 0});
    if (is_there)
      bytes_add(ret, file->bytes + block->offset, block->bytes);
  }
}

static void put_track(const struct detail_file *file, const struct found *found, struct bytes *ret) {
  page_put_detail_track(ret, &(struct page_detail_track){(uint64_t)(found->end - found->first)});
  put_blocks(file, found, ret);
}

static void put_items(const struct detail_file *file, size_t track, const struct detail_window *window,
                      size_t most, struct bytes *ret) {
  struct found found[DETAIL_LEVELS];
  unsigned first = find_items(file, track, window, most, found);
  uint64_t blocks = 0;
  for (unsigned level = first; level < DETAIL_LEVELS; level++)
    blocks += (uint64_t)(found[level].end - found[level].first);
  page_put_detail_items(ret, &(struct page_detail_items){
                                 first < DETAIL_LEVELS ? file->foot->resolutions_ns[first] : UINT64_MAX});
  page_put_detail_track(ret, &(struct page_detail_track){blocks});
  for (unsigned level = first; level < DETAIL_LEVELS; level++)
    put_blocks(file, &found[level], ret);
}

void detail_answer(const struct detail_file *file, const struct detail_window *window, size_t most,
                   struct bytes *ret) {
  const struct detail_track_entry *tracks = tracks_of(file);
  size_t count = tracks_of_rows(file);
  unsigned level = choose_level(file, window, most);
  page_put_detail(ret, &(struct page_detail){file->foot->resolutions_ns[level], file->foot->row_count});
  for (size_t i = 0, depths; i < count; i += 1 + depths) {
    struct found found = find(file, i, level, window);
    for (depths = 0; i + 1 + depths < count && tracks[i + 1 + depths].depth != DETAIL_ACTIVITIES;)
      depths++;
    bool has_regions = depths > 0 && is_requested(&tracks[i + 1], window);
    put_track(file, &found, ret);
    bytes_number(ret, has_regions ? depths : 0);
    for (size_t depth = 0; has_regions && depth < depths; depth++) {
      found = find(file, i + 1 + depth, level, window);
      put_track(file, &found, ret);
    }
  }
  for (size_t i = count + 1; i < file->foot->track_count; i++)
    put_items(file, i, window, most / ITEMS_SHARE, ret);
}
