/* What CUPTI reports of NVIDIA's devices. */
#ifndef STAVE_WRITER_CORRELATE_CUDA_H
#define STAVE_WRITER_CORRELATE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct correlator;

/* One instant on the session's clock and on that of CUPTI's records. */
struct cuda_clock {
  uint64_t ticks, ns;
};

enum { CALLS_MAX = 1 << 20 };

/* A call that may start something. */
struct cuda_call {
  uint64_t codeptr; /* of the target region around it; 0: it is in none */
  uint32_t on;      /* the location of the thread */
  bool is_graph;    /* it starts many kernels */
};

struct cuda_work;

/* Who waits for what devices do (cuda_waits.c). */
struct cuda_waits {
  struct cuda_host_wait *hosts; /* of threads, by their begins once they are sorted */
  size_t host_count, host_capacity, host_first;
  bool is_sorted;
  struct map streams; /* by context and stream: what it did last, and what it has to wait for */
  struct map events;  /* by context and event: where it was put last */
};

struct cuda_state {
  bool has_started, has_ended, is_own_clock, has_externals;
  uint32_t version;
  uint64_t clock_error; /* in ticks, the largest */
  struct map targets;   /* by id, where no calls are reported: the code address of the target region */
  struct cuda_clock first, last;
  struct map calls;        /* by correlation: who has started what, until the device's record has come */
  struct cuda_work *works; /* what devices did, and is on no stream yet */
  size_t work_count, work_capacity;
  uint64_t oldest_ns, newest_ns; /* begin of the first of these; end of the last that ever came */
  uint64_t dropped;              /* records, by CUPTI */
  uint64_t delivered_ticks;      /* when CUPTI last delivered something */
  struct cuda_waits waits;
};

/* A target region begins. */
void cuda_target_begins(struct correlator *c, uint64_t id, uint64_t codeptr, uint32_t location);

/* The begin of the first one that is on no stream yet; UINT64_MAX if there is none. */
uint64_t cuda_held_since(const struct correlator *c);

/* No record follows: what is left goes to the streams. Before correlate_end. */
void cuda_end(struct correlator *c);

/* Writes down how far the devices' times can be trusted, and what a kill has taken. */
void cuda_describe(struct correlator *c, uint64_t ticks_per_second);

void cuda_free(struct correlator *c);

#endif
