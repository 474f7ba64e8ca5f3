/* What processors and the kernel have counted in regions, where the archive has it. */
#ifndef STAVE_REPORT_REPORT_COUNTERS_H
#define STAVE_REPORT_REPORT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum { REPORT_COUNTERS_MAX = 10 };

/* Of one thread in one region itself, without those inside whose counters were read. */
struct report_counted {
  uint32_t region, location; /* region: REPLAY_NONE: in none whose begin and end have counters */
  uint64_t ticks;            /* between the readings */
  uint64_t sums[REPORT_COUNTERS_MAX];
};

struct report_counters {
  const char *names[REPORT_COUNTERS_MAX];
  size_t count; /* 0: the archive has none */
  struct report_counted **rows;
  size_t row_count;
};

/* What numbers mean that are looked for by all their names; COUNTER_NONE: the archive has none of these. */
enum { COUNTER_NONE = -1 };
int report_counter_instructions(const struct report_counters *counters);
int report_counter_cycles(const struct report_counters *counters);
int report_counter_memory(const struct report_counters *counters); /* lines that came from memory */

/* Several rows together. */
struct report_counter_sums {
  uint32_t rows;
  uint64_t ticks, ticks_most;                                    /* most: of one row */
  uint64_t sums[REPORT_COUNTERS_MAX], most[REPORT_COUNTERS_MAX]; /* the same */
};

/* Adds what all threads have in each region to ret[its position], what is in none to ret[regions]; and what
 * each thread has to ret[its position]. */
void report_counters_by_region(const struct report_counters *counters, size_t regions,
                               struct report_counter_sums *ret);
void report_counters_by_thread(const struct report_counters *counters, struct report_counter_sums *ret);

void report_counters_free(struct report_counters *counters);

#endif
