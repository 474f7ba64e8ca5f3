/* Counters of the kernel and the processor for one thread (perf_event_open(2)): their names, and opening
 * them. */
#ifndef STAVE_SESSION_COUNTERS_H
#define STAVE_SESSION_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_MAX = 10, COUNTER_NAME_BYTES = 40 };

struct kernel_counter {
  char name[COUNTER_NAME_BYTES]; /* with ":u" where only the user's own code counts */
  uint32_t type;
  uint32_t is_user_only;
  uint64_t config;
};

/* What a read(2) of a group's leader gives. */
struct counter_reading {
  uint64_t count, enabled_ns, running_ns;
  struct {
    uint64_t value, id;
  } counters[COUNTERS_MAX];
};

/* Reads a list of names, of which rNNN is a raw event of the processor and NAME:u one in the user's code
 * alone. Returns how many there are, or -EINVAL with what is wrong in `error`, of `size` bytes. Allocates
 * nothing. */
int counters_parse(const char *list, struct kernel_counter counters[static COUNTERS_MAX], char *error,
                   size_t size);

/* The names that have a row of their own, from 0 on; NULL after the last. */
const char *counter_known(size_t number);

/* The unit of the counter of this name, with or without ":u"; "" for mere numbers. */
const char *counter_unit(const char *name);

/* Opens the counter of the calling thread, in the group of this leader (-1: as a leader, whose group counts
 * from PERF_EVENT_IOC_ENABLE on). Where only the user's code may be counted, that is what is counted, and the
 * name reports it. Returns the descriptor, or -errno. */
int counter_open(struct kernel_counter *counter, int leader);

/* What would allow it, for the user to read: a constant text. */
const char *counter_advice(int error);

#endif
