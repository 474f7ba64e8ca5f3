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
#include <time.h>

#include "libgomp/inquiry.h"
#include "libgomp/thread.h"

void callback_of_none(void) {
}

struct callbacks callbacks = {
#define CALLBACK(name, number, since, result, signature, ...)                                                \
  .name = (ompt_callback_##signature##_t)callback_of_none,
#include "ompt/callbacks.def"
};

/* _OPENMP of gcc 9 to 16. */
enum { OPENMP_VERSION = 201511 };

enum { CANDIDATES_MAX = 16 };

typedef ompt_start_tool_result_t *(*start_tool_t)(unsigned omp_version, const char *runtime_version);

static struct {
  pthread_once_t started;
  const struct library *library;
  start_tool_t candidates[CANDIDATES_MAX];
  unsigned candidate_count;
  ompt_start_tool_result_t *tool;
  bool is_active;
  _Atomic uint64_t last_id;
  _Atomic uint32_t thread_ends; /* threads that deliver their last events just now */
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

/* omp_initial_device of OpenMP 5.2. Asked for its number, libgomp would load its devices' plugins, and with
 * them NVIDIA's library, which a program without target regions does not do. */
enum { OMP_INITIAL_DEVICE = -1 };

static bool is_disabled(void) {
  const char *value = getenv("OMP_TOOL");
  return value && strcasecmp(value, "disabled") == 0;
}

/* When this library is loaded: later, in the program's first call, it might hold what another thread, which
 * is in the dynamic linker, waits for. The tools are started then. */
__attribute__((constructor)) static void load_candidates(void) {
  const char *list = is_disabled() ? NULL : getenv("OMP_TOOL_LIBRARIES");
  char path[PATH_MAX];
  library_prepare();
  if (is_disabled())
    return library_step_aside();
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
    library_step_aside();
}

/* The first that has an answer; which may be not to be initialized, and then there is none. */
static void start(void) {
  int error = errno;
  for (unsigned i = 0; i < runtime.candidate_count && !runtime.tool; i++)
    runtime.tool = runtime.candidates[i](OPENMP_VERSION, describe(runtime.library));
  if (runtime.tool) {
    inquiry_prepare(runtime.library);
    runtime.is_active =
        runtime.tool->initialize(inquiry_lookup, OMP_INITIAL_DEVICE, &runtime.tool->tool_data);
  }
  if (!runtime.is_active)
    library_step_aside();
  errno = error;
}

bool runtime_start(const struct library *library) {
  const struct library *none = NULL;
  if (!__atomic_load_n(&runtime.library, __ATOMIC_ACQUIRE))
    __atomic_compare_exchange_n(&runtime.library, &none, library, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  pthread_once(&runtime.started, start);
  return runtime.is_active;
}

uint64_t runtime_unique_id(void) {
  return atomic_fetch_add(&runtime.last_id, 1) + 1;
}

static void forget_callbacks(void) {
#define CALLBACK(name, ...)                                                                                  \
  __atomic_store_n((ompt_callback_t *)&callbacks.name, callback_of_none, __ATOMIC_RELAXED);
#include "ompt/callbacks.def"
}

/* The partner of the fence in wait_for_thread_ends: either the thread finds no callbacks, or it is waited
 * for. */
void runtime_begin_thread_end(void) {
  atomic_fetch_add(&runtime.thread_ends, 1);
  atomic_thread_fence(memory_order_seq_cst);
}

void runtime_end_thread_end(void) {
  atomic_fetch_sub_explicit(&runtime.thread_ends, 1, memory_order_release);
}

/* What they deliver is complete before the tool is finalized; not for long, as this may be a signal's handler
 * in the end of a thread. */
static void wait_for_thread_ends(void) {
  const struct timespec nap = {.tv_nsec = 100000};
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < 200 && atomic_load_explicit(&runtime.thread_ends, memory_order_acquire) > 0; i++)
    nanosleep(&nap, NULL);
}

void runtime_finalize(void) {
  if (!runtime.is_active)
    return;
  runtime.is_active = false;
  thread_end_last();
  forget_callbacks(); /* other threads may come to some; none follows finalize */
  wait_for_thread_ends();
  runtime.tool->finalize(&runtime.tool->tool_data);
}

/* exit() inside of a parallel region ends without: other threads may be in callbacks. */
__attribute__((destructor)) static void finish(void) {
  const struct omp_thread *thread = &thread_self;
  if (!thread->has_started || (thread->task && !thread->task->implicit->team))
    runtime_finalize();
}
