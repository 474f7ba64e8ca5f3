/* CUDA in a script: what tests/cuda/played_cupti.c plays, on the script's threads and at the recording's
 * distances in time, so that calls of the driver lie in the target regions that are around them.
 *
 *     inject                     the driver loads what CUDA_INJECTION64_PATH names
 *     2: until 30628801843       waits for that time of the recording
 *     2: called 7 enter          the call that is record 7 of the recording begins; leave: it ends */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "scripted_runtime.h"

static void *symbol_of(struct line *line, const char *variable, const char *name) {
  const char *path = getenv(variable);
  void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
  void *symbol = library ? dlsym(library, name) : NULL;
  if (!symbol)
    line_fails(line, "%s has no %s", variable, name);
  return symbol;
}

void do_inject(struct line *line) {
  int (*inject)(void) =
      (int (*)(void))(uintptr_t)symbol_of(line, "CUDA_INJECTION64_PATH", "InitializeInjection");
  void (*begin)(void) = (void (*)(void))(uintptr_t)symbol_of(line, "PLAYED_CUPTI", "played_begin");
  inject();
  begin();
}

void do_until(struct line *line) {
  void (*until)(unsigned long long) =
      (void (*)(unsigned long long))(uintptr_t)symbol_of(line, "PLAYED_CUPTI", "played_until");
  until(parse_number(line, line_word(line)));
}

void do_called(struct line *line) {
  void (*called)(unsigned long, int) =
      (void (*)(unsigned long, int))(uintptr_t)symbol_of(line, "PLAYED_CUPTI", "played_call");
  unsigned long number = (unsigned long)parse_number(line, line_word(line));
  const char *site = line_word(line);
  called(number, site && strcmp(site, "enter") == 0);
}
