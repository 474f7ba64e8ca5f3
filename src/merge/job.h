/* What the parts of merging share: the archives that are merged (sources), in the order in which they get
 * their numbers, and the archive that is written. */
#ifndef STAVE_MERGE_JOB_H
#define STAVE_MERGE_JOB_H

#include <otf2/otf2.h>

#include "merge/merge.h"
#include "merge/unified.h"

enum { SOURCE_POINTS_MAX = 16 };

/* One instant on a process's clock and on the one of its `reference`. */
struct instant_pair {
  uint64_t local, remote; /* ticks of either */
  double deviation;       /* the most that `remote` may be wrong, in ticks of `local` */
};

/* A group of all locations that participate in a paradigm: others have positions in it for members. */
struct base_group {
  OTF2_Paradigm paradigm;
  uint64_t *members;    /* locations of the source */
  uint32_t count, base; /* base: what positions grow by in the merged group */
};

/* An archive that is merged. */
struct merge_source {
  const char *anchor;
  size_t side;         /* of the request's; 0 if it has none */
  int64_t rank, size;  /* -1: none, not known */
  char *job;           /* what the ranks of one MPI_COMM_WORLD share; NULL: not known */
  char *host, *domain; /* domain NULL: not known */
  char *reference;     /* the domain of the other clock of `points`; NULL: not known */
  uint64_t frequency, first, length, realtime_ns; /* ClockProperties */
  struct instant_pair points[SOURCE_POINTS_MAX];
  size_t point_count;
  uint64_t *locations; /* their numbers in the source; their new ones are first_location + position */
  size_t location_count, first_location;
  uint64_t events;
  size_t process_groups; /* location groups that are processes */
  struct base_group *base_groups;
  size_t base_group_count;
  uint64_t chunk_bytes, ids_most; /* ids_most: definitions, which no table can be longer than */
  bool has_lost;                  /* it was recovered: */
  uint64_t lost_after;            /* after which tick events may be missing */
  size_t clock;                   /* position in clocks.c's list */
};

struct merging {
  const struct merge_request *request;
  struct merge_result *result;
  struct merge_source *sources;
  struct clock_line *lines; /* by the clock of a source; those of a side are neighbours */
  size_t line_count;
  uint64_t frequency, first, length, realtime_ns; /* ClockProperties of the merged archive */
  size_t hosts;                                   /* different ones */
  uint64_t ids_most;                              /* the most of any source */
  struct common_property *properties, *endings;   /* properties.c's, by number */
  size_t property_count, property_capacity, ending_count, ending_capacity;
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *writer;
  struct unified unified;
  char reason[MERGE_TEXT_BYTES / 2]; /* what OTF2 reported first */
  int error;                         /* errno; 0: none so far */
};

/* Notes that something went wrong, as the result's failure, unless something else did before. Returns a
 * negative errno. */
int merge_fail(struct merging *merge, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A reader of the archive; NULL: it cannot be opened, which is noted. */
OTF2_Reader *merge_open(struct merging *merge, const struct merge_source *source);

/* Notes an error of OTF2's writer. */
void merge_check(struct merging *merge, OTF2_ErrorCode code);

static inline void merge_step(const struct merging *merge) {
  if (merge->request->progress)
    atomic_fetch_add_explicit(merge->request->progress, 1, memory_order_relaxed);
}

#endif
