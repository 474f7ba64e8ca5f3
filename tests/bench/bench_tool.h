/* What the tools that Stave is measured against share: they all set every host callback to one function. */
#ifndef STAVE_BENCH_TOOL_H
#define STAVE_BENCH_TOOL_H

#include <stdint.h>

/* A callback; what it is called with, whatever that means. */
typedef void bench_event(uint64_t first, uint64_t second, uint64_t third);

/* What a tool provides: its name in messages, its callback, and what it does before the first and after the
 * last. */
struct bench_tool {
  bench_event *event;
  void (*begin)(void); /* or NULL */
  void (*end)(void);   /* or NULL */
};

extern const struct bench_tool bench_tool;

/* Every thread's own pointer, found by one instruction. */
#define BENCH_THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))

#endif
