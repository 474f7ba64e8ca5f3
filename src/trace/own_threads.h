/* Threads that an OpenMP runtime has for itself: they are no team of the program. */
#ifndef STAVE_TRACE_OWN_THREADS_H
#define STAVE_TRACE_OWN_THREADS_H

#include "trace/trace.h"

/* LLVM's hidden helper threads, which run target tasks, are a team, whose first thread has no other name than
 * that of an initial one. Marks such teams, and the threads in them. */
void own_threads_mark(struct trace *trace);

#endif
