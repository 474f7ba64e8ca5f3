#include "writer/backlog.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "session/session.h"
#include "writer/free_memory.h"

enum {
  SEGMENT_BYTES = 256 << 10,
  SEGMENT_RECORDS = SEGMENT_BYTES / RECORD_BYTES,
  LOOK_EVERY = 64, /* segments, 16 MiB: so often the machine is asked what it has left */
  SHARE = 8,       /* the backlog may have so much of what is free: one part of this many */
};

struct backlog {
  char *memory;
  uint32_t segments_most;
  uint32_t touched; /* segments that have memory; those behind never had any */
  bool is_refused;  /* the machine had no memory for one more, since one was read last */
  uint32_t allowed; /* to be touched before the machine is asked again */
  uint32_t *next;   /* by segment: of its chain */
  uint32_t *unused; /* a stack of touched ones */
  uint32_t unused_count;
  uint64_t waiting, most, total;
};

/* No more than a part of the process's own limits: all of it is asked for at once, and others need some. */
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
  backlog->memory = memory;
  backlog->segments_most = (uint32_t)(bytes / SEGMENT_BYTES);
  backlog->next = memory_get(backlog->segments_most, sizeof *backlog->next);
  backlog->unused = memory_get(backlog->segments_most, sizeof *backlog->unused);
  return backlog;
}

void backlog_destroy(struct backlog *backlog) {
  if (!backlog)
    return;
  munmap(backlog->memory, (size_t)backlog->segments_most * SEGMENT_BYTES);
  free(backlog->next);
  free(backlog->unused);
  free(backlog);
}

static struct record *segment_records(const struct backlog *backlog, uint32_t segment) {
  return (struct record *)(backlog->memory + (size_t)segment * SEGMENT_BYTES);
}

/* Whether the machine has memory for one segment more. Asked for every 16 MiB: what is free changes. */
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

static bool take_segment(struct backlog *backlog, uint32_t *ret_segment) {
  if (backlog->unused_count) {
    *ret_segment = backlog->unused[--backlog->unused_count];
    return true;
  }
  if (!may_touch(backlog) || !session_populate(segment_records(backlog, backlog->touched), SEGMENT_BYTES)) {
    backlog->is_refused = true;
    return false;
  }
  *ret_segment = backlog->touched++;
  return true;
}

/* The chain's last segment is full, or there is none. */
static bool lengthen(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  uint32_t segment;
  if (!take_segment(backlog, &segment))
    return false;
  if (chain->begin == chain->end)
    *chain = (struct backlog_chain){segment, segment, position, position};
  backlog->next[chain->last] = segment;
  chain->last = segment;
  return true;
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
  while (backlog && done < n) {
    uint64_t used = (chain->end - chain->begin) % SEGMENT_RECORDS;
    if (used == 0 && !lengthen(backlog, chain, position))
      break;
    uint64_t room = SEGMENT_RECORDS - used, part = n - done < room ? n - done : room;
    memcpy(segment_records(backlog, chain->last) + used, records + done, part * RECORD_BYTES);
    chain->end += part;
    done += part;
  }
  if (done)
    count(backlog, done);
  return done;
}

const struct record *backlog_at(const struct backlog *backlog, const struct backlog_chain *chain,
                                uint64_t position) {
  uint64_t offset = position - chain->begin;
  uint32_t segment = chain->first;
  for (; offset >= SEGMENT_RECORDS; offset -= SEGMENT_RECORDS)
    segment = backlog->next[segment];
  return segment_records(backlog, segment) + offset;
}

static void drop_first(struct backlog *backlog, struct backlog_chain *chain) {
  uint64_t length = chain->end - chain->begin, part = length < SEGMENT_RECORDS ? length : SEGMENT_RECORDS;
  backlog->is_refused = false;
  backlog->unused[backlog->unused_count++] = chain->first;
  backlog->waiting -= part;
  chain->first = backlog->next[chain->first];
  chain->begin += part;
}

void backlog_free_below(struct backlog *backlog, struct backlog_chain *chain, uint64_t position) {
  while (chain->begin != chain->end &&
         (position - chain->begin >= SEGMENT_RECORDS || position - chain->begin >= chain->end - chain->begin))
    drop_first(backlog, chain);
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
  madvise(backlog->memory, (size_t)backlog->touched * SEGMENT_BYTES, MADV_DONTNEED);
  backlog->touched = backlog->allowed = backlog->unused_count = 0;
}
