#include "libgomp/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libgomp/inquiry.h"
#include "libgomp/thread.h"

struct callbacks callbacks;

/* _OPENMP of gcc 9 to 16. */
enum { OPENMP_VERSION = 201511 };

static struct {
  pthread_once_t started;
  const struct library *library;
  ompt_start_tool_result_t *tool;
  bool is_active;
} runtime = {.started = PTHREAD_ONCE_INIT};

typedef ompt_start_tool_result_t *(*start_tool_t)(unsigned omp_version, const char *runtime_version);

static const char *describe(const struct library *library) {
  static char text[96];
  int gcc = library_gcc_version(library);
  if (gcc)
    snprintf(text, sizeof text, "GNU libgomp, gcc %d, through Stave's OMPT", gcc);
  else
    snprintf(text, sizeof text, "GNU libgomp, through Stave's OMPT");
  return text;
}

static ompt_start_tool_result_t *ask(void *handle) {
  start_tool_t start = (start_tool_t)dlsym(handle, "ompt_start_tool");
  return start ? start(OPENMP_VERSION, describe(runtime.library)) : NULL;
}

/* The first of OMP_TOOL_LIBRARIES whose ompt_start_tool has an answer. */
static ompt_start_tool_result_t *ask_libraries(void) {
  const char *list = getenv("OMP_TOOL_LIBRARIES");
  ompt_start_tool_result_t *tool = NULL;
  char path[PATH_MAX];
  while (list && *list && !tool) {
    size_t length = strcspn(list, ":");
    snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1), list);
    void *handle = *path ? dlopen(path, RTLD_LAZY) : NULL;
    tool = handle ? ask(handle) : NULL;
    if (handle && !tool)
      dlclose(handle);
    list += length + (list[length] == ':');
  }
  return tool;
}

static bool is_disabled(void) {
  const char *value = getenv("OMP_TOOL");
  return value && strcasecmp(value, "disabled") == 0;
}

static void start(void) {
  int error = errno;
  runtime.tool = is_disabled() ? NULL : ask(RTLD_DEFAULT);
  if (!runtime.tool && !is_disabled())
    runtime.tool = ask_libraries();
  if (runtime.tool) {
    inquiry_prepare(runtime.library);
    runtime.is_active = runtime.tool->initialize(inquiry_lookup, runtime.library->omp_get_initial_device(),
                                                 &runtime.tool->tool_data);
  }
  errno = error;
}

bool runtime_start(const struct library *library) {
  if (!runtime.library)
    runtime.library = library;
  pthread_once(&runtime.started, start);
  return runtime.is_active;
}

/* exit() inside of a parallel region ends without: other threads may be in callbacks. */
__attribute__((destructor)) static void finalize(void) {
  const struct omp_thread *thread = &thread_self;
  if (!runtime.is_active || (thread->has_begun && thread->task->implicit->team))
    return;
  thread_end_last();
  runtime.is_active = false;
  runtime.tool->finalize(&runtime.tool->tool_data);
}
