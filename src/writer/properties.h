/* The trace properties: facts about the entire archive. */
#ifndef STAVE_WRITER_PROPERTIES_H
#define STAVE_WRITER_PROPERTIES_H

#include <stdbool.h>

#include "session/layout.h"
#include "writer/archive/archive.h"
#include "writer/kernel/processors.h"

/* STAVE_KEEP: what the archive is of a longer run. */
struct keeping {
  char limits[64]; /* in words */
  char why[128];   /* it was written */
  uint64_t before_ns, records_before;
};

struct summary {
  const char *ending;     /* how the program ended */
  const char *stopped;    /* why recording ended before the program did; empty: it did not */
  const char *record_log; /* what became of it (STAVE_LOG); NULL: none was requested */
  struct figures figures;
  const uint64_t *records; /* how many came, by record type */
  const char *arguments;   /* of the program, quoted for a shell */
  const char *runtimes;    /* files of OpenMP runtimes in the process (runtimes.h) */
  int mpi_rank, mpi_size;  /* by the launcher; -1: none, not known */
  unsigned processors;     /* that it was allowed to use; 0: unknown */
  struct processor_time processor_time;
  int system_error;              /* why STAVE_SYSTEM reported nothing; 0: it did, or was off */
  const char *clock_domain;      /* clock.h; empty: not known */
  const struct keeping *keeping; /* NULL: the archive has the entire run */
  bool is_recovered;             /* by `stave recover`: nobody knows what is missing after complete_until */
  uint64_t complete_until;       /* the first event that is missing comes after this time; 0: not known */
};

void properties_write(struct archive *archive, const struct session_constants *constants,
                      const struct summary *summary, const char *host);

#endif
