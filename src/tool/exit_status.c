#include "tool/exit_status.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tool/tool.h"

extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

/* Comes before the runtime's finalize, which destructors call: these are the first that exit() was told of.
 */
static void note(int status, void *data) {
  (void)data;
  if (tool.session && !tool_is_forked_child())
    atomic_store(&tool.session->shared.exit_status, (uint32_t)(status & 0xff) | EXIT_STATUS_KNOWN);
}

/* What exit() will call must be there. */
static bool stay_loaded(void) {
  Dl_info library;
  return dladdr((void *)(uintptr_t)note, &library) && library.dli_fname &&
         dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void exit_status_expect(void) {
  if (tool.notes_exit || !on_exit)
    return;
  tool.notes_exit = stay_loaded() && on_exit(note, NULL) == 0;
  if (!tool.notes_exit)
    atomic_store(&tool.session->shared.exit_status, EXIT_STATUS_UNHEARD);
}
