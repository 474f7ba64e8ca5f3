/* Records that concern nothing but the thread that made them, as long as they name nothing for the first
 * time: regions of worksharing and synchronisation, and those of locks, once the order of acquisitions is
 * settled (acquisitions.h). Such records of different
 * threads can be handled in any order, and by several threads of the writer side by side: each has a copy of
 * the correlator of its own, of which only what it counts is added to the correlator afterwards. */
#ifndef STAVE_WRITER_CORRELATE_ALONE_H
#define STAVE_WRITER_CORRELATE_ALONE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/records.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"

struct encoder {
  struct correlator correlator;
  struct emitter emitter;
};

/* From now on the correlator remembers all regions that it finds; before the first record. Free with
 * alone_close. */
void alone_open(struct correlator *correlator);
void alone_close(struct correlator *correlator);

enum { ALONE_LOCKS_MAX = 4 };

/* How far a thread's records were looked at. After them it will hold some locks, in the order in which it
 * acquired them, and may wait for a mutex of a construct: then all else that it does is odd. */
struct alone_look {
  struct traced_thread *thread;
  uint64_t ticks; /* of the latest record */
  struct alone_lock {
    uint64_t wait_id;
    bool is_construct;
  } locks[ALONE_LOCKS_MAX];
  size_t held, constructs; /* more than ALONE_LOCKS_MAX are held: nothing of locks is alone */
  uint64_t awaited;
  bool awaits;
  unsigned released_elsewhere; /* as it began */
};

/* Whether there is one that can go on: none of the thread's locks were released by another one. */
bool alone_look_is_valid(const struct alone_look *look);

/* A look begins at the slot's next record. */
void alone_look_begin(struct alone_look *look, const struct correlator *correlator, uint32_t slot);

/* How many of the next records that are looked at, n of them from the one with this id on, are of such a
 * kind, up to the first that is not. What they acquire is noted. */
uint64_t alone_look_at(struct alone_look *look, const struct record *records, uint64_t n, uint64_t id);

/* It ends in front of the record with this id: nothing after is settled. */
void alone_look_end(struct alone_look *look, uint64_t id);

/* Whether there may be such records now: not in a pause, nor with counters. */
bool alone_is_possible(const struct correlator *correlator);

/* Whether the thread that has the slot is in a state in which its records may concern it alone. */
bool alone_is_ready(const struct correlator *correlator, uint32_t slot);

/* The encoder's copy is made; nothing but alone_encode is done until alone_end. */
void alone_begin(struct encoder *encoder, const struct correlator *correlator);

/* What the slot's thread acquires; NULL if there is none. */
struct acquisitions *alone_acquisitions(const struct correlator *correlator, uint32_t slot);

/* Handles records of the slot, up to one that would name something for the first time or is not earlier than
 * `until`. `id` is the first one's. Returns how many. */
uint64_t alone_encode(struct encoder *encoder, uint32_t slot, uint64_t id, const struct record *records,
                      uint64_t n, uint64_t until);

void alone_end(const struct encoder *encoder, struct correlator *correlator);

#endif
