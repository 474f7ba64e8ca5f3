/* Where threads run: their place, the partition of places they may use, and the processor.
 *
 * A thread requests its place from the runtime as the first implicit task of a team begins: before that the
 * answer is wrong. In a thread that it does not know well (in the middle of fork) the question acquires a
 * lock that may never be free. The thread requests it again where another team begins and the thread is on
 * another processor by then, which costs the fast path one comparison; if the program has more than one
 * place, then at every team, since a place can change without the processor. */
#ifndef STAVE_TOOL_PLACEMENT_H
#define STAVE_TOOL_PLACEMENT_H

#include "tool/thread.h"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

/* No processor has this number: query at every team. */
enum { PROCESSOR_NONE = INT32_MIN };

/* The processor on which the calling thread was a moment ago, as the kernel keeps it in the thread's memory
 * (rseq(2)); constant where it does not. */
static inline int32_t processor_now(void) {
#if defined(RSEQ_SIG) && defined(__x86_64__)
  int32_t processor; /* in one instruction: this is in the fast path */
  __asm__ volatile("movl %%fs:%c2(%1), %0"
                   : "=r"(processor)
                   : "r"(tool.rseq_offset), "i"(offsetof(struct rseq, cpu_id)));
  return processor;
#elif defined(RSEQ_SIG)
#if defined(__powerpc64__)
  register char *thread __asm__("r13");
#else
  char *thread = __builtin_thread_pointer();
#endif
  return *(volatile int32_t *)(thread + tool.rseq_offset + offsetof(struct rseq, cpu_id));
#else
  return 0;
#endif
}

/* Before the first event. */
static inline void placement_prepare(void) {
#if defined(RSEQ_SIG)
  tool.rseq_offset = __rseq_offset;
#endif
}

static inline bool placement_is_due(const struct thread *thread) {
  return thread->processor != processor_now();
}

/* Queries the runtime, and records what has changed. On a thread whose implicit task begins. */
void placement_record(void);

#endif
