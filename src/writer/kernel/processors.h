/* Which processors the traced process may use, and who used them: itself, the writer, or others. Queried of
 * the kernel from outside, once at the beginning and once at the end: no thread of the program does anything
 * for it. */
#ifndef STAVE_WRITER_KERNEL_PROCESSORS_H
#define STAVE_WRITER_KERNEL_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESSORS_MAX = 65536, PROCESSOR_WORD_BITS = 8 * sizeof(unsigned long) };

/* Sums since some time, in ns. The kernel counts them in clock ticks (10 ms). */
struct processor_time {
  bool is_known;
  uint64_t own_ns;    /* of the traced process, with its threads that have ended */
  uint64_t writer_ns; /* of this process */
  uint64_t busy_ns;   /* of all programs, the kernel and other virtual machines */
  uint64_t stolen_ns; /* the part of other virtual machines, where the kernel knows */
  uint64_t idle_ns;   /* nothing to do, or waiting for a disk */
};

struct processors {
  pid_t pid;
  unsigned count; /* 0: the system does not have it */
  unsigned long words[PROCESSORS_MAX / PROCESSOR_WORD_BITS];
  struct processor_time begin;
};

/* Those that this process may use: what the application might when it started us, if no thread of it was
 * bound yet. Notes how much they have been used so far. */
void processors_open(struct processors *processors, pid_t pid);

/* How much since processors_open, by /proc/PID/stat and /proc/stat. Unknown where there are none, or when the
 * process is gone. */
struct processor_time processors_used(const struct processors *processors);

#endif
