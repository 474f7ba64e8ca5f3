/* The writer's share of a processor, whether others need it, and how long records have waited for it. */
#ifndef STAVE_WRITER_KERNEL_PACE_H
#define STAVE_WRITER_KERNEL_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/layout.h"

enum { PACE_WAITED_MAX_NS = 200000000, PACE_CALM_NS = 10000000, PACE_NAP_NS = 50000000 };

/* Of some of the machine's processors the machine does not report how many threads are ready for them. But
 * the kernel counts for how long this thread waited for one that others had, and how long the program has
 * run. */
struct pace_part {
  int waits;                             /* /proc/thread-self/schedstat; -1: cannot be read */
  int program;                           /* the program's clock of processor time, a clockid_t */
  bool is_full;                          /* as last looked */
  uint64_t looked_ns, waited_ns, ran_ns; /* then: the time, and these two readings */
};

struct pace {
  unsigned processors;
  enum clock_kind clock;
  struct clock_point start;  /* of the session: how long its clock's ticks are */
  unsigned helpers;          /* of the caller, which run beside it: the caller's to set */
  unsigned running;          /* threads of the machine, when last looked; 0: not known */
  uint64_t looked_ns;        /* when that was */
  unsigned free, least_free; /* processors: what pace_free has returned last, and how many there were since */
  uint64_t free_ns, free_looked_ns; /* this time; and when it was called last */
  bool is_late;                     /* what waits has done so for too long */
  bool is_contended;                /* more threads than processors, when last looked */
  bool was_calm;                    /* much was encoded since the last nap: others may need only a moment */
  uint64_t calm_ns;                 /* when it is calm, if it stays as it was seen last; 0: always */
  int loads;                        /* /proc/loadavg; -1: cannot be read */
  struct pace_part part;            /* then it is this */
  uint64_t begin_ns, cpu_begin_ns;  /* since when is looked at, on the clock and in processor time */
};

/* `processors`: so many this process may use, and the program, whose number is pid. The calling thread is the
 * one that will call the others. */
void pace_open(struct pace *pace, unsigned processors, int pid, enum clock_kind clock,
               const struct clock_point *start);
void pace_close(struct pace *pace);

/* Whether the calling thread has run for more than a 32nd of the time. When it has not, the time to look at
 * begins anew: what was not used is not saved up. */
bool pace_is_too_fast(struct pace *pace);

/* Whether more threads than there are processors are ready to run now, on the entire machine. False where the
 * system does not have it. Where this process may use only some of them: whether it had to wait for one in
 * the last 10 ms; and, since it has left them to the program, whether that uses them all. Queried each
 * millisecond: 2 us. */
bool pace_is_contended(struct pace *pace);

/* How many processors nobody has had for 3 ms, beside those of the caller's process: fewer as soon as others
 * have some. 0 where that is not known of the entire machine, or was not looked at for so long. Whoever calls
 * it encodes: the next nap is short. */
unsigned pace_free(struct pace *pace);

/* How long ago a time of the session's clock was, in ns; 0 for what is to come. */
uint64_t pace_waited_ns(const struct pace *pace, uint64_t ticks);

/* Whether the writer leaves the processor to others: they need it, and no record has waited for
 * PACE_WAITED_MAX_NS, nor for half of that since one did last: when both processes are killed, what has
 * waited for longer is safe. `waited_ns`: the oldest one's. */
bool pace_yields_cpu(struct pace *pace, uint64_t waited_ns);

/* The same where what waits is safe (record_log.h): as long as there are more threads to run than processors,
 * and for PACE_CALM_NS after. Threads that wait at barriers leave a processor idle for moments, and whoever
 * runs there then makes all of them wait. */
bool pace_yields_until_calm(struct pace *pace);

/* How long the next nap is, after one of the two above has decided for it; waited_ns: as there, 0 for what is
 * safe. While others need the processors it is long: each look interrupts a thread for which others may wait.
 * These then leave their processors to other programs, for a time slice each. A thread whose ring is half
 * full wakes the writer (ring.h). */
uint64_t pace_nap(struct pace *pace, uint64_t waited_ns);

#endif
