/* Calls that are not the usual ones: the first of a thread or file. */
#include <errno.h>
#include <unistd.h>

#include "libgomp/runtime.h"
#include "libgomp/thread.h"

/* The dynamic linker's words: no libgomp is there that could be called. */
static void fail(void) {
  static const char text[] = "stave: libgomp is called, and none is loaded\n";
  ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
  _exit(127);
}

/* A library with OMPT of its own delivers its events itself: LLVM's, which has libgomp's names, too. */
static struct omp_call enter_anew(struct omp_thread *thread, const void *code) {
  struct caller_range range;
  const struct library *library = library_of(code, &range);
  if (!library)
    fail();
  if (!library->has_own_ompt && !thread->has_started && runtime_start(library))
    thread_begin_initial(thread);
  if (library->has_own_ompt || !thread->has_started) {
    thread->other_callers = range;
    thread->other = library;
    return (struct omp_call){.library = library};
  }
  thread->callers = range;
  thread->library = library;
  thread->code = code;
  return (struct omp_call){thread, code, library, true};
}

struct omp_call call_enter_slow(const void *code) {
  struct omp_thread *thread = &thread_self;
  if (library_is_own(code) && thread->library)
    return (struct omp_call){thread, thread->code, thread->library, true};
  if (caller_range_has(&thread->other_callers, code))
    return (struct omp_call){.library = thread->other};
  int error = errno;
  struct omp_call call = enter_anew(thread, code);
  errno = error;
  return call;
}
