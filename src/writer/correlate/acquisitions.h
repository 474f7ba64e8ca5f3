/* A thread's next acquisitions of locks, in the order of its records. Which one of a lock an acquisition is
 * (its order) depends on all threads; once that is settled, the records of locks concern nothing but their
 * threads (alone.h). */
#ifndef STAVE_WRITER_CORRELATE_ACQUISITIONS_H
#define STAVE_WRITER_CORRELATE_ACQUISITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct correlator;

struct awaited_acquisition {
  uint64_t id;      /* of the record */
  uint64_t ticks;   /* when it is handed on: never before an earlier one of its thread */
  uint64_t wait_id; /* the lock */
  uint32_t order;   /* 0: not settled */
};

struct acquisitions {
  struct awaited_acquisition *all;
  size_t begin, settled, end, capacity; /* [begin, settled) have an order */
  uint64_t until_id;                    /* those from here on are not to be settled yet */
};

/* One more after the others; nothing, if it is there. */
void acquisitions_add(struct acquisitions *acquisitions, const struct awaited_acquisition *acquisition);

/* Settles in the order of time, of all the threads (`count` of them), what comes before `until` and before
 * their until_id. Returns the time up to which it has, where that is earlier: two are at the same time, or
 * nobody has acquired the lock before. `heap` has room for all. */
uint64_t acquisitions_settle(struct correlator *c, struct acquisitions **heap, size_t count, uint64_t until);

/* What comes before the record is over. */
static inline void acquisitions_drop_before(struct acquisitions *acquisitions, uint64_t id) {
  while (acquisitions->begin != acquisitions->end && acquisitions->all[acquisitions->begin].id < id)
    acquisitions->begin++;
  if (acquisitions->settled < acquisitions->begin)
    acquisitions->settled = acquisitions->begin;
}

/* The record's order, 0 if that is not settled. */
static inline uint32_t acquisition_settled_order(struct acquisitions *acquisitions, uint64_t id) {
  acquisitions_drop_before(acquisitions, id);
  bool is_first = acquisitions->begin != acquisitions->end && acquisitions->all[acquisitions->begin].id == id;
  return is_first ? acquisitions->all[acquisitions->begin].order : 0;
}

/* The same. It is over then. */
static inline uint32_t acquisition_order(struct acquisitions *acquisitions, uint64_t id) {
  acquisitions_drop_before(acquisitions, id);
  if (acquisitions->begin == acquisitions->end || acquisitions->all[acquisitions->begin].id != id)
    return 0;
  uint32_t order = acquisitions->all[acquisitions->begin].order;
  acquisitions_drop_before(acquisitions, id + 1);
  return order;
}

/* Whether the record's order is settled. */
static inline bool acquisition_is_settled(struct acquisitions *acquisitions, uint64_t id) {
  acquisitions_drop_before(acquisitions, id);
  return acquisitions->begin != acquisitions->settled && acquisitions->all[acquisitions->begin].id == id;
}

#endif
