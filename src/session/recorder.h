/* What libstave.so offers to other libraries of Stave's in the same process, which record into its session:
 * libstave-mpi.so and libstave-cuda.so. Both are of one build: stave_recorder refuses others. */
#ifndef STAVE_SESSION_RECORDER_H
#define STAVE_SESSION_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "session/config.h"
#include "session/records.h"

struct recorder {
  /* Begins the session if there is none yet. False: nothing is recorded; has printed why. */
  bool (*join)(void);
  /* The process ends: ends the session unless an OpenMP runtime does so later. Calls of put are harmless
   * afterwards. */
  void (*leave)(void);
  /* Puts a record with its words (4 * record->more) into the calling thread's ring, at ticks, or now if that
   * is 0. code: an address in the program that the record names, or NULL. Returns the record's id; 0: it was
   * dropped. */
  uint64_t (*put)(const struct record *record, const uint64_t *words, uint64_t ticks, const void *code);
  /* Now, on the session's clock. */
  uint64_t (*ticks)(void);
  /* Where the calling thread's next record goes: the same as before, if it has made none since. */
  uint64_t (*position)(void);
  /* "stave: ..." as one line on stderr. */
  void (*log)(const char *format, ...) __attribute__((format(printf, 1, 2)));
  /* Which clock these ticks are of (session/clock.h); `ret` has CLOCK_DOMAIN_BYTES. */
  void (*clock_domain)(char *ret);
  /* The directory of this process's archive, in that which it shares with the other ranks of its job; NULL:
   * it shares none. */
  const char *(*job_archive)(void);
  /* From now on `on_target` is called in each target region's begin and end, with its id. For libraries that
   * cannot see the calls made in it (src/cuda). */
  void (*follow_targets)(void (*on_target)(uint64_t id, bool is_begin));
  /* As read by join. */
  const struct config *config;
};

/* NULL: `magic` is not the SESSION_MAGIC of this libstave.so. */
typedef const struct recorder *stave_recorder_t(uint64_t magic);

#define STAVE_RECORDER_NAME "stave_recorder"

#endif
