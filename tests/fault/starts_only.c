/* starts_only LIBRARY WAY: a runtime that loads a tool, whose start is then interrupted. It waits
 * until its standard input ends. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ompt/types.h"
#include "ompt/values.h"

static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  (void)which, (void)callback;
  return OMPT_SET_RESULT_always;
}

static ompt_interface_fn_t address_query_max(const char *name) {
  return strcmp(name, "ompt_set_callback") == 0 ? (ompt_interface_fn_t)set_callback : NULL;
}

static ompt_interface_fn_t address_query_nothing(const char *name) {
  (void)name;
  return NULL;
}

static void wait_for_end(void) {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

static int run(ompt_start_tool_result_t *result) {
  if (!result->initialize(address_query_max, 0, &result->tool_data))
    return 3;
  result->finalize(&result->tool_data);
  return 0;
}

/* Both have a session, the child another one than its parent. */
static int fork_and_run(ompt_start_tool_result_t *result) {
  int status = 0;
  pid_t child = fork();
  if (child == 0)
    _exit(run(result));
  return waitpid(child, &status, 0) != child || status != 0 ? 4 : run(result);
}

int main(int argc, char **argv) {
  ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  *(void **)&start = library ? dlsym(library, "ompt_start_tool") : NULL;
  if (!start) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  ompt_start_tool_result_t *result = start(202011, "a runtime of the tests");
  if (!result)
    return 5;
  if (strcmp(argv[2], "killed") == 0)
    raise(SIGKILL);
  if (strcmp(argv[2], "execs") == 0)
    execlp("cat", "cat", (char *)NULL);
  if (strcmp(argv[2], "forks") == 0)
    return fork_and_run(result);
  if (strcmp(argv[2], "lacks-all") == 0 && result->initialize(address_query_nothing, 0, &result->tool_data))
    return 6;
  if (strcmp(argv[2], "lacks-all") == 0)
    wait_for_end();
  return 0;
}
