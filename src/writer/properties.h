/* The trace properties: what the archive says about itself as a whole. */
#ifndef STAVE_WRITER_PROPERTIES_H
#define STAVE_WRITER_PROPERTIES_H

#include <stdbool.h>

#include "session/layout.h"
#include "writer/archive/archive.h"

/* What is known of samples besides those that the archive has. */
struct sampling_summary {
  uint64_t missed;          /* expirations of timers that nobody saw */
  uint64_t left_out;        /* samples for which a thread had no place */
  uint64_t threads_without; /* threads without a timer */
};

struct summary {
  const char *ending;        /* how the program ended */
  uint64_t closed_by_writer; /* events added at the end */
  const char *stopped;       /* why recording ended before the program did; empty: it did not */
  uint64_t lost;             /* events that threads dropped */
  uint64_t damaged;          /* records that made no sense */
  uint64_t refused;          /* events that OTF2 did not take */
  uint64_t stalls;           /* times a thread waited for the writer */
  struct sampling_summary samples;
  uint64_t pauses; /* by omp_control_tool */
  uint64_t user_regions_left_open, user_ends_refused;
  const uint64_t *records; /* how many came, by record type */
  const char *arguments;   /* of the program, quoted for a shell */
  const char *runtimes;    /* files of OpenMP runtimes in the process (runtimes.h) */
  bool is_recovered;       /* by `stave recover`: nobody knows what is missing behind */
  uint64_t whole_until;    /* this time */
};

void properties_write(struct archive *archive, const struct session_constants *constants,
                      const struct summary *summary, const char *host);

#endif
