#include "writer/pipeline/backlog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "session/session.h"
#include "writer/pipeline/free_memory.h"
#include "writer/pipeline/packed.h"
#include "writer/pipeline/record_log.h"
#include "writer/recovery/record_log_file.h"

enum {
  SEGMENT_BYTES = 64 << 10,
  LOOK_EVERY = 256,     /* segments, 16 MiB: so often it is looked up what the machine has left */
  SHARE = 8,            /* the backlog may have so much of what is free: one part of this many */
  UNPACK_RECORDS = 64,  /* at least, if there are so many */
  WINDOW_RECORDS = 256, /* at first: more where a look far ahead is taken */
};

/* Where a chain is unpacked, and where more is put. Used again when nothing waits in it. */
struct backlog_ends {
  struct backlog_ends *next;      /* of all that were made */
  struct backlog_ends *next_idle; /* of those that are no chain's */
  struct record *window;          /* the chain's; see there */
  uint64_t window_mask;
  uint32_t first, last; /* segments */
  uint32_t first_bytes; /* of the first one that were unpacked */
  uint32_t last_bytes;  /* of the last one that are in use */
  struct packed_state unpacker, packer;
  bool has_segments, has_log; /* what waits in a log is in front of segments */
  struct logged *logged;      /* or NULL: nothing ever has */
};

/* The front of a chain, as far as it is in a log. */
struct logged {
  const struct record_log *log;
  struct log_blocks *blocks;
  uint64_t end;        /* position: what is after lies in segments */
  bool is_unpacking;   /* a block; then: */
  uint64_t at_end;     /* the position after it */
  const uint8_t *next; /* in its bytes */
  uint8_t bytes[RECORD_LOG_BYTES_MAX + PACKED_BYTES_MAX];
};

struct backlog {
  uint8_t *memory;
  uint32_t segments_most;
  uint32_t touched; /* segments that have memory; those after never had any */
  bool is_refused;  /* the machine had no memory for one more, since one was read last */
  uint32_t allowed; /* to be touched before the machine is queried again */
  uint32_t *next;   /* by segment: of its chain */
  uint64_t *begins; /* by segment: position of its first record */
  struct backlog_ends *ends, *idle;
  pthread_mutex_t mutex; /* of what backlog_unpack changes beside its chain */
  uint32_t *unused;      /* a stack of touched ones */
  uint32_t unused_count;
  uint64_t waiting, most, total;
};

/* No more than a part of the process's own limits: all of it is requested together, and others need some. */
static uint64_t within_limits(uint64_t bytes) {
  static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit limit;
    if (getrlimit(limits[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur / SHARE < bytes)
      bytes = limit.rlim_cur / SHARE;
  }
  return bytes / SEGMENT_BYTES * SEGMENT_BYTES;
}

/* Where the system promises no more than it has (overcommit_memory 2), it may refuse. */
static void *reserve(uint64_t bytes) {
  void *memory =
      bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
            : MAP_FAILED;
  return memory == MAP_FAILED ? NULL : memory;
}

struct backlog *backlog_create(uint64_t bytes) {
  bytes = within_limits(bytes);
  void *memory = reserve(bytes);
  if (!memory) {
    bytes = bytes / SHARE / SEGMENT_BYTES * SEGMENT_BYTES;
    memory = reserve(bytes);
  }
  if (!memory)
    return NULL;
  struct backlog *backlog = memory_get(1, sizeof *backlog);
  pthread_mutex_init(&backlog->mutex, NULL);
  backlog->memory = memory;
  backlog->segments_most = (uint32_t)(bytes / SEGMENT_BYTES);
  backlog->next = memory_get(backlog->segments_most, sizeof *backlog->next);
  backlog->begins = memory_get(backlog->segments_most, sizeof *backlog->begins);
  backlog->unused = memory_get(backlog->segments_most, sizeof *backlog->unused);
  return backlog;
}

static void free_ends(struct backlog *backlog) {
  for (struct backlog_ends *ends = backlog->ends, *next; ends; ends = next) {
    next = ends->next;
    free(ends->window);
    free(ends->logged);
    free(ends);
  }
  backlog->ends = backlog->idle = NULL;
}

void backlog_destroy(struct backlog *backlog) {
  if (!backlog)
    return;
  free_ends(backlog);
  pthread_mutex_destroy(&backlog->mutex);
  munmap(backlog->memory, (size_t)backlog->segments_most * SEGMENT_BYTES);
  free(backlog->next);
  free(backlog->begins);
  free(backlog->unused);
  free(backlog);
}

static uint8_t *segment_memory(const struct backlog *backlog, uint32_t segment) {
  return backlog->memory + (size_t)segment * SEGMENT_BYTES;
}

/* Whether the machine has memory for one segment more. Requested every 16 MiB: what is free changes. */
static bool may_touch(struct backlog *backlog) {
  if (backlog->touched == backlog->segments_most)
    return false;
  if (backlog->touched < backlog->allowed)
    return true;
  uint64_t share = free_memory() / SHARE / SEGMENT_BYTES;
  if (share <= backlog->touched)
    return false;
  uint64_t more = share - backlog->touched;
  backlog->allowed = backlog->touched + (more < LOOK_EVERY ? (uint32_t)more : LOOK_EVERY);
  return true;
}

static bool get_segment(struct backlog *backlog, uint32_t *ret_segment) {
  if (backlog->unused_count) {
    *ret_segment = backlog->unused[--backlog->unused_count];
    return true;
  }
  if (!may_touch(backlog) || !session_populate(segment_memory(backlog, backlog->touched), SEGMENT_BYTES)) {
    backlog->is_refused = true;
    return false;
  }
  *ret_segment = backlog->touched++;
  return true;
}

static struct backlog_ends *need_ends(struct backlog *backlog) {
  struct backlog_ends *ends = backlog->idle;
  if (ends) {
    backlog->idle = ends->next_idle;
    memset(&ends->unpacker, 0, sizeof ends->unpacker);
    memset(&ends->packer, 0, sizeof ends->packer);
    return ends;
  }
  ends = memory_get(1, sizeof *ends);
  ends->window = memory_get(WINDOW_RECORDS, RECORD_BYTES);
  ends->window_mask = WINDOW_RECORDS - 1;
  ends->next = backlog->ends;
  backlog->ends = ends;
  return ends;
}

static void begin_chain(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  struct backlog_ends *ends = need_ends(backlog);
  ends->has_segments = ends->has_log = false;
  *chain = (struct backlog_chain){.begin = position,
                                  .end = position,
                                  .unpacked = position,
                                  .window = ends->window,
                                  .window_mask = ends->window_mask,
                                  .ends = ends,
                                  .waiting = &backlog->waiting};
}

/* The chain's last segment is full, or there is none. */
static bool lengthen(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  uint32_t segment;
  if (!get_segment(backlog, &segment))
    return false;
  if (!chain->ends)
    begin_chain(backlog, chain, position);
  struct backlog_ends *ends = chain->ends;
  if (ends->has_segments) {
    backlog->next[ends->last] = segment;
  } else {
    ends->first = segment;
    ends->first_bytes = 0;
  }
  ends->has_segments = true;
  ends->last = segment;
  ends->last_bytes = 0;
  backlog->begins[segment] = chain->end;
  return true;
}

static bool is_full(const struct backlog_chain *chain) {
  const struct backlog_ends *ends = chain->ends;
  return !ends || !ends->has_segments || SEGMENT_BYTES - ends->last_bytes < PACKED_BYTES_MAX;
}

static void count(struct backlog *backlog, uint64_t n) {
  backlog->waiting += n;
  backlog->total += n;
  if (backlog->waiting > backlog->most)
    backlog->most = backlog->waiting;
}

uint64_t backlog_put(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                     const struct record *records, uint64_t n) {
  uint64_t done = 0;
  while (backlog && done < n && (!is_full(chain) || lengthen(backlog, chain, position))) {
    struct backlog_ends *ends = chain->ends;
    size_t bytes;
    uint64_t part = packed_put(&ends->packer, records + done, n - done,
                               segment_memory(backlog, ends->last) + ends->last_bytes,
                               SEGMENT_BYTES - ends->last_bytes, &bytes);
    ends->last_bytes += (uint32_t)bytes;
    chain->end += part;
    done += part;
  }
  if (done)
    count(backlog, done);
  return done;
}

bool backlog_leave_in_log(struct backlog *backlog, struct backlog_chain *chain, uint64_t position,
                          uint64_t end, const struct record_log *log, struct log_blocks *blocks) {
  if (!backlog || (chain->ends && chain->ends->has_segments))
    return false;
  if (!chain->ends)
    begin_chain(backlog, chain, position);
  struct backlog_ends *ends = chain->ends;
  if (!ends->logged)
    ends->logged = memory_get(1, sizeof *ends->logged);
  if (!ends->has_log)
    ends->logged->is_unpacking = false;
  ends->has_log = true;
  ends->logged->log = log;
  ends->logged->blocks = blocks;
  ends->logged->end = end;
  count(backlog, end - chain->end);
  chain->end = end;
  return true;
}

/* Next to be unpacked is what a log has. */
static bool is_in_log(const struct backlog_chain *chain) {
  return chain->ends->has_log && (int64_t)(chain->ends->logged->end - chain->unpacked) > 0;
}

static void free_first(struct backlog *backlog, struct backlog_ends *ends) {
  pthread_mutex_lock(&backlog->mutex);
  backlog->is_refused = false;
  backlog->unused[backlog->unused_count++] = ends->first;
  pthread_mutex_unlock(&backlog->mutex);
  ends->first = backlog->next[ends->first];
  ends->first_bytes = 0;
}

static void widen_window(struct backlog_chain *chain, uint64_t records) {
  struct backlog_ends *ends = chain->ends;
  uint64_t mask = ends->window_mask;
  while (records > mask + 1)
    mask = 2 * mask + 1;
  if (mask == ends->window_mask)
    return;
  struct record *window = memory_get(mask + 1, RECORD_BYTES);
  for (uint64_t position = chain->begin; position != chain->unpacked; position++)
    window[position & mask] = ends->window[position & ends->window_mask];
  free(ends->window);
  chain->window = ends->window = window;
  chain->window_mask = ends->window_mask = mask;
}

/* The file was cut or cannot be read: what it had becomes records of no kind, which are counted as damage. */
static void fill(struct logged *logged, const struct log_block *block) {
  struct packed_state state = {0};
  struct record none = {0};
  uint8_t *to = logged->bytes;
  for (uint32_t i = 0; i < block->records; i++) {
    size_t bytes;
    packed_put(&state, &none, 1, to, PACKED_BYTES_MAX, &bytes);
    to += bytes;
  }
}

/* The block that has the next record; what of it lies before has been handed on out of the ring. */
static void begin_block(struct backlog_chain *chain) {
  struct backlog_ends *ends = chain->ends;
  struct logged *logged = ends->logged;
  struct record skipped;
  log_blocks_drop_below(logged->blocks, chain->unpacked);
  const struct log_block *block = &logged->blocks->all[logged->blocks->begin];
  if (!record_log_read(logged->log, block, logged->bytes))
    fill(logged, block);
  logged->is_unpacking = true;
  logged->next = logged->bytes;
  logged->at_end = block->position + block->records;
  memset(&ends->unpacker, 0, sizeof ends->unpacker);
  for (uint64_t position = block->position; position != chain->unpacked; position++)
    logged->next = packed_read(&ends->unpacker, logged->next, &skipped);
}

/* Into the window, which ends somewhere. Returns what is after them. */
static const uint8_t *unpack(struct backlog_chain *chain, const uint8_t *from, uint64_t n) {
  while (n > 0) {
    uint64_t at = chain->unpacked & chain->window_mask, to_wrap = chain->window_mask + 1 - at;
    uint64_t part = n < to_wrap ? n : to_wrap;
    from = packed_read_some(&chain->ends->unpacker, from, part, &chain->window[at]);
    chain->unpacked += part;
    n -= part;
  }
  return from;
}

/* At most n records out of the log. */
static void unpack_logged(struct backlog_chain *chain, uint64_t n) {
  struct backlog_ends *ends = chain->ends;
  struct logged *logged = ends->logged;
  if (!logged->is_unpacking || chain->unpacked == logged->at_end)
    begin_block(chain);
  uint64_t in_block = logged->at_end - chain->unpacked, in_log = logged->end - chain->unpacked;
  n = n < in_block ? n : in_block;
  n = n < in_log ? n : in_log;
  logged->next = unpack(chain, logged->next, n);
  if (chain->unpacked == logged->end)
    memset(&ends->unpacker, 0, sizeof ends->unpacker); /* segments begin anew */
}

/* n records of the chain's first segment. */
static void unpack_some(struct backlog *backlog, struct backlog_chain *chain, uint64_t n) {
  struct backlog_ends *ends = chain->ends;
  const uint8_t *begin = segment_memory(backlog, ends->first);
  ends->first_bytes = (uint32_t)(unpack(chain, begin + ends->first_bytes, n) - begin);
}

void backlog_unpack(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  struct backlog_ends *ends = chain->ends;
  uint64_t needed = position + 1 - chain->begin, window = chain->unpacked - chain->begin + UNPACK_RECORDS;
  needed = window > needed ? window : needed;
  needed = needed < chain->end - chain->begin ? needed : chain->end - chain->begin;
  widen_window(chain, needed);
  while (chain->unpacked - chain->begin < needed) {
    if (is_in_log(chain)) {
      unpack_logged(chain, needed - (chain->unpacked - chain->begin));
      continue;
    }
    if (ends->first != ends->last && chain->unpacked == backlog->begins[backlog->next[ends->first]])
      free_first(backlog, ends);
    uint64_t end = ends->first == ends->last ? chain->end : backlog->begins[backlog->next[ends->first]];
    uint64_t left = end - chain->unpacked, missing = needed - (chain->unpacked - chain->begin);
    unpack_some(backlog, chain, left < missing ? left : missing);
  }
}

static void empty(struct backlog *backlog, struct backlog_chain *chain) {
  struct backlog_ends *ends = chain->ends;
  while (ends->has_segments && ends->first != ends->last)
    free_first(backlog, ends);
  if (ends->has_segments)
    free_first(backlog, ends);
  ends->next_idle = backlog->idle;
  backlog->idle = ends;
  backlog->waiting -= chain->end - chain->begin;
  *chain = (struct backlog_chain){0};
}

void backlog_free_more(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  if (!chain->ends)
    return;
  if (position - chain->begin >= chain->end - chain->begin) {
    empty(backlog, chain);
    return;
  }
  if (position - chain->begin > chain->unpacked - chain->begin)
    backlog_unpack(backlog, chain, position);
  backlog->waiting -= position - chain->begin;
  chain->begin = position;
}

bool backlog_has_room(const struct backlog *backlog) {
  return backlog &&
         (backlog->unused_count > 0 || (!backlog->is_refused && backlog->touched < backlog->segments_most));
}

uint64_t backlog_waiting(const struct backlog *backlog) {
  return backlog ? backlog->waiting : 0;
}

uint64_t backlog_most(const struct backlog *backlog) {
  return backlog ? backlog->most : 0;
}

uint64_t backlog_total(const struct backlog *backlog) {
  return backlog ? backlog->total : 0;
}

void backlog_shrink(struct backlog *backlog) {
  if (!backlog || backlog->waiting || !backlog->touched)
    return;
  free_ends(backlog);
  madvise(backlog->memory, (size_t)backlog->touched * SEGMENT_BYTES, MADV_DONTNEED);
  backlog->touched = backlog->allowed = backlog->unused_count = 0;
}
