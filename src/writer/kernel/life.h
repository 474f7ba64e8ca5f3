/* The process's life before the writer: how long it had lived, and how much of that its first thread ran; and
 * its page faults. */
#ifndef STAVE_WRITER_KERNEL_LIFE_H
#define STAVE_WRITER_KERNEL_LIFE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/definitions/definitions.h"
#include "writer/kernel/page_cost.h"

struct life {
  pid_t pid;
  uint64_t read_ticks, age_ns; /* at that time it was so old; 0: not known */
  uint64_t ran_ns, ready_ns;   /* its first thread, until then */
  uint64_t faults_before, faults;
  uint64_t faults_of_others; /* by then, of processes that it had started and waited for */
  uint64_t peak_pages;       /* that it had at a time; 0: not known */
  uint64_t static_pages;     /* of its variables */
  uint64_t stack_pages;      /* of its first thread's stack, at most */
  uint64_t shared_pages;     /* Stave's own rings among them, at most */
};

/* Now, which is so many ticks of the session's clock. */
void life_begin(struct life *life, pid_t pid, uint64_t ticks, uint64_t ran_ns, uint64_t ready_ns);

/* How many page faults it has had until now. */
void life_look(struct life *life);

/* Whether it matters what these cost. */
bool life_has_many_faults(const struct life *life);

/* Properties of the process. NULL: no costs are known. */
void life_write(const struct life *life, const struct page_costs *costs, struct definitions *definitions);

#endif
