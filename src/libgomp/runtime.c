#include "libgomp/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libgomp/callbacks.h"
#include "libgomp/inquiry.h"
#include "libgomp/thread.h"

/* _OPENMP of gcc 9 to 16. */
enum { OPENMP_VERSION = 201511 };

enum { CANDIDATES_MAX = 16 };

typedef ompt_start_tool_result_t *(*start_tool_t)(unsigned omp_version, const char *runtime_version);

static struct {
  pthread_once_t started;
  void (*step_aside)(void);
  const struct library *library;
  start_tool_t candidates[CANDIDATES_MAX];
  unsigned candidate_count;
  ompt_start_tool_result_t *tool;
  bool is_active;
} runtime = {.started = PTHREAD_ONCE_INIT};

static const char *describe(const struct library *library) {
  static char text[96];
  if (library->gcc_version)
    snprintf(text, sizeof text, "GNU libgomp, gcc %d, through Stave's OMPT", library->gcc_version);
  else
    snprintf(text, sizeof text, "GNU libgomp, through Stave's OMPT");
  return text;
}

/* -- looking for a tool (OpenMP 5.1, 4.2.2) -- */

static void add_candidate(void *handle) {
  start_tool_t start = (start_tool_t)dlsym(handle, "ompt_start_tool");
  if (start && runtime.candidate_count < CANDIDATES_MAX)
    runtime.candidates[runtime.candidate_count++] = start;
  else if (handle != RTLD_DEFAULT)
    dlclose(handle);
}

/* omp_initial_device of OpenMP 5.2. On a request for its number, libgomp would load its devices' plugins, and
 * with them NVIDIA's library, which a program without target regions does not do. */
enum { OMP_INITIAL_DEVICE = -1 };

static bool is_disabled(void) {
  const char *value = getenv("OMP_TOOL");
  return value && strcasecmp(value, "disabled") == 0;
}

void runtime_prepare(void (*step_aside)(void)) {
  const char *list = is_disabled() ? NULL : getenv("OMP_TOOL_LIBRARIES");
  char path[PATH_MAX];
  runtime.step_aside = step_aside;
  if (is_disabled())
    return step_aside();
  add_candidate(RTLD_DEFAULT);
  while (list && *list) {
    size_t length = strcspn(list, ":");
    snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1), list);
    void *handle = *path ? dlopen(path, RTLD_LAZY) : NULL;
    if (handle)
      add_candidate(handle);
    list += length + (list[length] == ':');
  }
  if (runtime.candidate_count == 0)
    step_aside();
}

/* Ends the calling thread's tasks and the tool. Nothing, where that has been done. */
static void runtime_finalize(void) {
  if (!runtime.is_active)
    return;
  runtime.is_active = false;
  library_count_workers(false);
  thread_end_last();
  callbacks_forget(); /* other threads may come to some; none follows finalize */
  threads_wait_for_ends();
  runtime.tool->finalize(&runtime.tool->tool_data);
}

/* The first that has an answer; which may be not to be initialized, and then there is none. */
static void start(void) {
  int error = errno;
  for (unsigned i = 0; i < runtime.candidate_count && !runtime.tool; i++)
    runtime.tool = runtime.candidates[i](OPENMP_VERSION, describe(runtime.library));
  if (runtime.tool) {
    inquiry_prepare(runtime.library, runtime_finalize);
    runtime.is_active =
        runtime.tool->initialize(inquiry_lookup, OMP_INITIAL_DEVICE, &runtime.tool->tool_data);
  }
  if (!runtime.is_active)
    runtime.step_aside();
  library_count_workers(runtime.is_active);
  errno = error;
}

bool runtime_start(const struct library *library) {
  const struct library *none = NULL;
  if (!__atomic_load_n(&runtime.library, __ATOMIC_ACQUIRE))
    __atomic_compare_exchange_n(&runtime.library, &none, library, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  pthread_once(&runtime.started, start);
  return runtime.is_active;
}

/* exit() inside of a parallel region ends without: other threads may be in callbacks. */
__attribute__((destructor)) static void finish(void) {
  const struct omp_thread *thread = &thread_self;
  if (!thread->has_started || (thread->task && !thread->task->implicit->team))
    runtime_finalize();
}
