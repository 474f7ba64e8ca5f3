#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "timeline/content/activity_track.h"
#include "timeline/content/attribute_lists.h"
#include "timeline/content/detail_form.h"
#include "timeline/content/detail_items.h"
#include "timeline/content/page_items.h"

enum { BLOCK_BYTES = 1024, COARSER = 4, FINEST_NS = 1000, PIECE_ENTRIES = 4096 };

/* A chain of blocks, of which the last is not complete. */
struct detail_chain {
  struct bytes bytes;
  uint32_t count;
  uint64_t begin, end; /* ns, of what is in `bytes` */
};

/* The one that may still grow, and for a moment the next: of a track the one or the other kind. */
struct detail_level {
  struct detail_chain chain;
  struct slice_track slices;
  struct activity_track mixes;
};

struct detail_track {
  uint64_t end; /* ticks, of the last region */
  struct detail_level levels[DETAIL_LEVELS];
};

struct detail_row {
  struct detail_track *activities;
  struct detail_track **depths;
  size_t depth_count, depth_capacity;
};

/* A block that has no entry in the index yet. */
struct detail_entry {
  uint32_t row, depth, level, padding;
  struct detail_block block;
};

struct detail_writer {
  const struct trace *trace;
  FILE *file;
  uint64_t written; /* bytes */
  /* the index grows in memory, and goes into the file by pieces of a size, here and there between blocks */
  struct detail_entry *entries;
  size_t entry_count;
  uint64_t *pieces; /* offsets */
  size_t piece_count, piece_capacity;
  uint64_t resolutions[DETAIL_LEVELS];
  struct detail_row *rows;
  size_t row_count;
  bool *texts;       /* by string */
  struct bytes item; /* detail_items.h */
  struct detail_foot foot;
};

/* -- blocks -- */

static void end_piece(struct detail_writer *writer) {
  array_reserve(&writer->pieces, &writer->piece_capacity, writer->piece_count + 1, sizeof(uint64_t));
  writer->pieces[writer->piece_count++] = writer->written;
  writer->written += fwrite(writer->entries, 1, PIECE_ENTRIES * sizeof *writer->entries, writer->file);
  writer->entry_count = 0;
}

/* Where the chain is, for the index. */
struct position {
  uint32_t row, depth, level;
};

static void end_block(struct detail_writer *writer, struct detail_chain *chain, const struct position *at) {
  if (chain->count == 0)
    return;
  if (writer->entry_count == PIECE_ENTRIES)
    end_piece(writer);
  writer->entries[writer->entry_count++] = (struct detail_entry){
      at->row,
      at->depth,
      at->level,
      0,
      {chain->begin, chain->end, writer->written, (uint32_t)chain->bytes.count, chain->count}};
  writer->written += fwrite(chain->bytes.data, 1, chain->bytes.count, writer->file);
  writer->foot.block_count++;
  chain->bytes.count = 0;
  chain->count = 0;
}

/* Before an item is put into it. Returns where the one before ends. */
static uint64_t begin_item(const struct detail_writer *writer, struct detail_chain *chain,
                           uint64_t begin_ticks) {
  if (chain->count++ > 0)
    return chain->end;
  chain->begin = trace_ns(writer->trace, begin_ticks);
  return 0;
}

static void end_item(struct detail_writer *writer, struct detail_chain *chain, const struct position *at,
                     uint64_t end) {
  chain->end = end;
  if (chain->bytes.count >= BLOCK_BYTES)
    end_block(writer, chain, at);
}

/* -- regions -- */

static void put_slice(struct detail_writer *writer, struct detail_chain *chain, const struct position *at,
                      const struct slice *slice, const uint64_t *attributes) {
  uint64_t last = begin_item(writer, chain, slice->begin);
  end_item(writer, chain, at,
           page_put_region(&chain->bytes, writer->trace, slice, slice->region, attributes, last));
}

/* What can no longer grow at a level goes into its chain, and to the next level. `is_last`: nothing can. */
static void pass_slices(struct detail_writer *writer, struct detail_track *track, struct position at,
                        bool is_last) {
  for (; at.level < DETAIL_LEVELS; at.level++) {
    struct detail_level *level = &track->levels[at.level];
    struct slice_track *kept = &level->slices;
    slice_track_coarsen(kept, writer->resolutions[at.level]);
    if (kept->count == 0 || (kept->count == 1 && !is_last))
      return;
    struct slice slice = kept->slices[0];
    memmove(kept->slices, kept->slices + 1, --kept->count * sizeof slice);
    put_slice(writer, &level->chain, &at, &slice, NULL);
    struct slice_track *next = at.level + 1 < DETAIL_LEVELS ? &track->levels[at.level + 1].slices : NULL;
    if (!next)
      return;
    array_reserve(&next->slices, &next->capacity, next->count + 1, sizeof slice);
    next->slices[next->count++] = slice;
  }
}

/* -- activities -- */

static void pass_mixes(struct detail_writer *writer, struct detail_track *track, struct position at,
                       bool is_last) {
  for (; at.level < DETAIL_LEVELS; at.level++) {
    struct detail_level *level = &track->levels[at.level];
    struct activity_track *kept = &level->mixes;
    activity_track_coarsen(kept, writer->resolutions[at.level]);
    if (kept->count == 0 || (kept->count == 1 && !is_last))
      return;
    struct mix mix = kept->mixes[0];
    memmove(kept->mixes, kept->mixes + 1, --kept->count * sizeof mix);
    uint64_t last = begin_item(writer, &level->chain, mix.begin);
    end_item(writer, &level->chain, &at, page_put_mix(&level->chain.bytes, writer->trace, &mix, last));
    struct activity_track *next = at.level + 1 < DETAIL_LEVELS ? &track->levels[at.level + 1].mixes : NULL;
    if (!next)
      return;
    array_reserve(&next->mixes, &next->capacity, next->count + 1, sizeof mix);
    next->mixes[next->count++] = mix;
  }
}

/* -- what comes -- */

static struct detail_track *activities_of(struct detail_writer *writer, size_t row) {
  struct detail_track **track = &writer->rows[row].activities;
  if (!*track)
    *track = memory_get(1, sizeof **track);
  return *track;
}

static struct detail_track *depth_of(struct detail_writer *writer, size_t row, uint32_t depth) {
  struct detail_row *own = &writer->rows[row];
  array_reserve_zeroed(&own->depths, &own->depth_capacity, depth + 1, sizeof(struct detail_track *));
  own->depth_count = depth >= own->depth_count ? depth + 1 : own->depth_count;
  if (!own->depths[depth])
    own->depths[depth] = memory_get(1, sizeof(struct detail_track));
  return own->depths[depth];
}

void detail_add_activity(struct detail_writer *writer, size_t row, uint64_t begin, uint64_t end,
                         enum activity activity) {
  struct detail_track *track = activities_of(writer, row);
  activity_track_add(&track->levels[0].mixes, begin, end, activity, 0);
  pass_mixes(writer, track, (struct position){(uint32_t)row, DETAIL_ACTIVITIES, 0}, false);
}

static int compare_strings(const void *one, const void *other) {
  const struct trace_string *a = one, *b = other;
  return a->ref < b->ref ? -1 : a->ref > b->ref;
}

static void note_texts(struct detail_writer *writer, const uint64_t *attributes) {
  const struct trace *trace = writer->trace;
  for (uint64_t i = 0; i < attributes[0]; i++) {
    struct trace_string requested = {.ref = attributes[2 + 2 * i]};
    if (trace_type_of(trace->attributes[attributes[1 + 2 * i]].type) != TRACE_TEXT)
      continue;
    const struct trace_string *found =
        bsearch(&requested, trace->strings, trace->string_count, sizeof requested, compare_strings);
    if (found)
      writer->texts[found - trace->strings] = true;
  }
}

void detail_add_slice(struct detail_writer *writer, size_t row, uint32_t depth, const struct slice *slice,
                      const struct attribute_lists *attributes) {
  struct detail_track *track = depth_of(writer, row, depth);
  const uint64_t *words = slice->attributes ? attributes->words + slice->attributes : NULL;
  struct position at = {(uint32_t)row, depth, 0};
  struct slice own = *slice;
  own.begin = own.begin > track->end ? own.begin : track->end;
  own.end = own.end > own.begin ? own.end : own.begin;
  own.busy = own.longest = (float)(own.end - own.begin);
  track->end = own.end;
  if (words)
    note_texts(writer, words);
  put_slice(writer, &track->levels[0].chain, &at, &own, words);
  own.attributes = 0;
  struct slice_track *next = &track->levels[1].slices;
  array_reserve(&next->slices, &next->capacity, next->count + 1, sizeof own);
  next->slices[next->count++] = own;
  at.level = 1;
  pass_slices(writer, track, at, false);
}

bool detail_has_text(const struct detail_writer *writer, size_t string) {
  return writer->texts[string];
}

/* -- items -- */

const struct trace *detail_trace(const struct detail_writer *writer) {
  return writer->trace;
}

struct bytes *detail_begin_item(struct detail_writer *writer) {
  writer->item.count = 0;
  return &writer->item;
}

/* Level 0 has those that are shorter than level 1's resolution, and so on. */
static uint32_t class_of(const struct detail_writer *writer, uint64_t ns) {
  uint32_t level = 0;
  while (level + 1 < DETAIL_LEVELS && ns >= trace_span_ns(writer->trace, writer->resolutions[level + 1]))
    level++;
  return level;
}

void detail_end_item(struct detail_writer *writer, enum detail_kind kind, uint64_t begin, uint64_t end) {
  struct detail_track *track = depth_of(writer, writer->row_count, kind);
  struct position at = {(uint32_t)writer->row_count, kind, class_of(writer, end - begin)};
  struct detail_chain *chain = &track->levels[at.level].chain;
  chain->begin = chain->count == 0 || begin < chain->begin ? begin : chain->begin;
  end = chain->count > 0 && chain->end > end ? chain->end : end;
  bytes_add(&chain->bytes, writer->item.data, writer->item.count);
  chain->count++;
  end_item(writer, chain, &at, end);
}

/* -- begin -- */

static void set_resolutions(struct detail_writer *writer) {
  const struct trace_clock *clock = &writer->trace->clock;
  uint64_t resolution = (uint64_t)((__uint128_t)FINEST_NS * clock->ticks_per_second / 1000000000);
  for (int level = 1; level < DETAIL_LEVELS; level++) {
    writer->resolutions[level] = resolution > 0 ? resolution : 1;
    resolution =
        writer->resolutions[level] > UINT64_MAX / COARSER ? UINT64_MAX : COARSER * writer->resolutions[level];
  }
}

struct detail_writer *detail_create(int fd, const struct trace *trace, size_t rows) {
  int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = own < 0 ? NULL : fdopen(own, "r+");
  if (!file) {
    if (own >= 0)
      close(own);
    return NULL;
  }
  struct detail_writer *writer = memory_get(1, sizeof *writer);
  *writer = (struct detail_writer){.trace = trace,
                                   .file = file,
                                   .entries = memory_get(PIECE_ENTRIES, sizeof *writer->entries),
                                   .rows = memory_get(rows + 1, sizeof *writer->rows), /* the last: items */
                                   .row_count = rows,
                                   .texts = memory_get(trace->string_count, sizeof *writer->texts)};
  set_resolutions(writer);
  return writer;
}

/* -- end -- */

static void end_track(struct detail_writer *writer, struct detail_track *track, uint32_t row,
                      uint32_t depth) {
  if (!track)
    return;
  for (uint32_t level = 0; level < DETAIL_LEVELS; level++) {
    struct position at = {row, depth, level};
    if (depth == DETAIL_ACTIVITIES)
      while (track->levels[level].mixes.count > 0)
        pass_mixes(writer, track, at, true);
    else
      while (track->levels[level].slices.count > 0)
        pass_slices(writer, track, at, true);
  }
  for (uint32_t level = 0; level < DETAIL_LEVELS; level++)
    end_block(writer, &track->levels[level].chain, &(struct position){row, depth, level});
}

FILE *detail_begin_page(struct detail_writer *writer) {
  for (size_t i = 0; i <= writer->row_count; i++) {
    struct detail_row *row = &writer->rows[i];
    end_track(writer, row->activities, (uint32_t)i, DETAIL_ACTIVITIES);
    for (size_t depth = 0; depth < row->depth_count; depth++)
      end_track(writer, row->depths[depth], (uint32_t)i, (uint32_t)depth);
  }
  writer->foot.page = writer->written;
  return writer->file;
}

/* Where the tracks of each row begin in the list of tracks. Returns how many there are. */
static uint64_t number_tracks(const struct detail_writer *writer, uint64_t *first_of_row) {
  uint64_t count = 0;
  for (size_t i = 0; i <= writer->row_count; i++) {
    first_of_row[i] = count;
    count += 1 + writer->rows[i].depth_count;
  }
  return count;
}

static size_t place_of(const struct detail_entry *entry, const uint64_t *first_of_row) {
  uint64_t track = first_of_row[entry->row] + (entry->depth == DETAIL_ACTIVITIES ? 0 : 1 + entry->depth);
  return (size_t)(track * DETAIL_LEVELS + entry->level);
}

/* Where the entries of the next piece are; the last one is still in memory. Returns how many; 0: they cannot
 * be read. */
static size_t read_piece(const struct detail_writer *writer, size_t piece, struct detail_entry *ret) {
  size_t bytes = PIECE_ENTRIES * sizeof *ret;
  if (piece == writer->piece_count) {
    memcpy(ret, writer->entries, writer->entry_count * sizeof *ret);
    return writer->entry_count;
  }
  ssize_t count = pread(fileno(writer->file), ret, bytes, (off_t)writer->pieces[piece]);
  return count == (ssize_t)bytes ? PIECE_ENTRIES : 0;
}

/* No block ends before the one before it does, or begins after the next: what is looked for lies between two
 * of them. Blocks of items overlap a little. */
static void make_monotonic(const uint64_t *firsts, size_t first_count, struct detail_block *blocks) {
  for (size_t chain = 0; chain + 1 < first_count; chain++) {
    for (uint64_t i = firsts[chain] + 1; i < firsts[chain + 1]; i++)
      blocks[i].end = blocks[i - 1].end > blocks[i].end ? blocks[i - 1].end : blocks[i].end;
    for (uint64_t i = firsts[chain + 1]; i > firsts[chain] + 1; i--)
      blocks[i - 2].begin =
          blocks[i - 1].begin < blocks[i - 2].begin ? blocks[i - 1].begin : blocks[i - 2].begin;
  }
}

/* Sorts the index: counts first, then puts each block where its track and level are. */
static bool sort_index(struct detail_writer *writer, const uint64_t *first_of_row, uint64_t *firsts,
                       size_t first_count, struct detail_block *blocks) {
  struct detail_entry *entries = memory_get(PIECE_ENTRIES, sizeof *entries);
  uint64_t before = 0, sorted = 0;
  for (size_t piece = 0; piece <= writer->piece_count; piece++)
    for (size_t i = read_piece(writer, piece, entries); i-- > 0;)
      firsts[place_of(&entries[i], first_of_row)]++;
  for (size_t i = 0; i < first_count; i++) {
    uint64_t count = firsts[i];
    firsts[i] = before;
    before += count;
  }
  for (size_t piece = 0; piece <= writer->piece_count; piece++) {
    size_t count = read_piece(writer, piece, entries);
    for (size_t i = 0; i < count; i++)
      blocks[firsts[place_of(&entries[i], first_of_row)]++] = entries[i].block;
    sorted += count;
  }
  memmove(firsts + 1, firsts, (first_count - 1) * sizeof *firsts);
  firsts[0] = 0;
  free(entries);
  make_monotonic(firsts, first_count, blocks);
  return sorted == writer->foot.block_count;
}

static void write_tracks(const struct detail_writer *writer) {
  for (uint32_t i = 0; i <= writer->row_count; i++) {
    struct detail_track_entry entry = {i, DETAIL_ACTIVITIES};
    fwrite(&entry, sizeof entry, 1, writer->file);
    for (entry.depth = 0; entry.depth < writer->rows[i].depth_count; entry.depth++)
      fwrite(&entry, sizeof entry, 1, writer->file);
  }
}

/* The parts after the page. False: what is in the file already cannot be read. */
static bool write_index(struct detail_writer *writer) {
  struct detail_foot *foot = &writer->foot;
  uint64_t *first_of_row = memory_get(writer->row_count + 2, sizeof *first_of_row);
  foot->track_count = number_tracks(writer, first_of_row);
  size_t first_count = (size_t)foot->track_count * DETAIL_LEVELS + 1;
  uint64_t *firsts = memory_get(first_count, sizeof *firsts);
  struct detail_block *blocks = memory_get(foot->block_count, sizeof *blocks);
  bool is_sorted = sort_index(writer, first_of_row, firsts, first_count, blocks);
  if (is_sorted) {
    foot->tracks =
        foot->blocks + fwrite(blocks, sizeof *blocks, foot->block_count, writer->file) * sizeof *blocks;
    write_tracks(writer);
    foot->firsts = foot->tracks + foot->track_count * sizeof(struct detail_track_entry);
    fwrite(firsts, sizeof *firsts, first_count, writer->file);
  }
  free(first_of_row);
  free(firsts);
  free(blocks);
  return is_sorted;
}

static void free_track(struct detail_track *track) {
  for (int level = 0; track && level < DETAIL_LEVELS; level++) {
    bytes_free(&track->levels[level].chain.bytes);
    slice_track_free(&track->levels[level].slices);
    activity_track_free(&track->levels[level].mixes);
  }
  free(track);
}

static void free_writer(struct detail_writer *writer) {
  for (size_t i = 0; i <= writer->row_count; i++) {
    free_track(writer->rows[i].activities);
    for (size_t depth = 0; depth < writer->rows[i].depth_count; depth++)
      free_track(writer->rows[i].depths[depth]);
    free(writer->rows[i].depths);
  }
  free(writer->rows);
  bytes_free(&writer->item);
  free(writer->texts);
  free(writer->entries);
  free(writer->pieces);
  free(writer);
}

void detail_abandon(struct detail_writer *writer) {
  if (!writer)
    return;
  fclose(writer->file);
  free_writer(writer);
}

/* What is read as arrays begins at a multiple of its items' size. */
static void align(struct detail_writer *writer) {
  static const char zeros[sizeof(uint64_t)] = "";
  off_t end = ftello(writer->file);
  writer->foot.page_bytes = (uint64_t)end - writer->foot.page;
  size_t padding = (sizeof zeros - (size_t)end % sizeof zeros) % sizeof zeros;
  fwrite(zeros, 1, padding, writer->file);
  writer->foot.blocks = (uint64_t)end + padding;
}

/* 0, or a negative errno. What failed before has no errno any more: another byte, which nobody reads, shows
 * it. */
static int write_out(FILE *file) {
  errno = 0;
  if (fflush(file) == 0 && !ferror(file))
    return 0;
  if (errno == 0 && write(fileno(file), "", 1) == 1)
    errno = EIO;
  return -errno;
}

int detail_end(struct detail_writer *writer, const char *identity) {
  struct detail_foot *foot = &writer->foot;
  align(writer);
  foot->row_count = writer->row_count;
  foot->magic = DETAIL_MAGIC;
  snprintf(foot->identity, sizeof foot->identity, "%s", identity);
  for (int level = 0; level < DETAIL_LEVELS; level++)
    foot->resolutions_ns[level] = trace_span_ns(writer->trace, writer->resolutions[level]);
  int error = write_out(writer->file);
  if (error == 0 && !write_index(writer))
    error = -EIO;
  fwrite(foot, sizeof *foot, 1, writer->file);
  if (error == 0)
    error = write_out(writer->file);
  if (fclose(writer->file) != 0 && error == 0)
    error = -errno;
  free_writer(writer);
  return error;
}
