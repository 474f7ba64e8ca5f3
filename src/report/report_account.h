/* What became of the threads' time: who had the processors. A part of struct report. */
#ifndef STAVE_REPORT_REPORT_ACCOUNT_H
#define STAVE_REPORT_REPORT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* What the process might run on. Times in ticks, of the entire run. */
struct report_processors {
  uint64_t count; /* 0: the archive does not have it */
  bool is_known;  /* what follows */
  double own;     /* used by the process */
  double writer;  /* by Stave's */
  double others;  /* at least, by other programs; 0: nothing to speak of */
  double all;     /* all of them together, idle or not */
  double stolen;  /* by a hypervisor, as far as that is the process's part; 0: nothing to speak of */
};

/* What the kernel did for a thread, or for the process with its threads that have ended. */
struct report_kernel {
  bool is_known;
  double faults, ticks; /* page faults, and time in the kernel, since the first event */
  double busiest,
      busiest_faults; /* a process's: the part of its ticks, faults that one thread had; 0: not known */
};

/* What kept threads from running that could have run, or were stopped. */
enum hindrance {
  HINDRANCE_QUOTA,       /* of a control group */
  HINDRANCE_TEAM,        /* other threads of OpenMP, more than they may use processors */
  HINDRANCE_OWN_THREADS, /* of the process, that are none of OpenMP's */
  HINDRANCE_WRITER,      /* of Stave: without the trace they would have run */
  HINDRANCE_OTHERS,      /* other processes */
  HINDRANCE_STOPPED,     /* by a signal; these threads were not ready */
  HINDRANCE_HYPERVISOR,  /* other virtual machines; the kernel counts it as neither running nor ready */
  HINDRANCE_COUNT
};

/* A thread's part of the account of a parallel region; ready_useful: while it worked. */
struct report_accounted {
  double ticks, ran, ready, ready_useful;
};

/* What became of the threads' time, as the kernel has it. In ticks. */
struct report_account {
  bool is_known;
  double all, ran, ready, slept;
  double unknown;               /* before and after the readings */
  double lost[HINDRANCE_COUNT]; /* thread time: of `ready`; stopped, hypervisor: besides */
  double gain[HINDRANCE_COUNT], unsure[HINDRANCE_COUNT]; /* wall time, +- unsure */
  double gone;                                           /* of threads that had ended: no part of it */
  double own_threads;                                    /* processor time of the process's other threads */
  uint64_t online;                                       /* processors of the machine */
  uint64_t processors; /* that the threads may use, as last read; of all machines */
  uint64_t threads;    /* the most that share the fewest */
  uint64_t shared;     /* these */
  double quota;        /* processors; 0: none */
};

/* Of the time that all threads of the run could have run, as the kernel counts it, the part that they waited
 * for a processor; below 0: unknown. */
double report_preempted(const struct trace *trace);

#endif
