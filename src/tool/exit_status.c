#include "tool/exit_status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tool/tool.h"

extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

void exit_status_note(int status) {
  atomic_store(&tool.session->shared.exit_status, (uint32_t)(status & 0xff) | EXIT_STATUS_KNOWN);
}

/* Comes before the runtime's finalize, which destructors call. The library is never unloaded (meson.build).
 */
static void note(int status, void *data) {
  (void)data;
  if (tool.session && !tool_is_forked_child())
    exit_status_note(status);
}

/* on_exit(3) acquires a lock under which it may request memory: so it is called while the dynamic linker,
 * which does likewise, loads this library. Where that is before main, exit() comes to it after all
 * destructors. */
__attribute__((constructor)) static void wrap_exit(void) {
  const char *keep = getenv("STAVE_KEEP");
  tool.notes_exit = keep && *keep && on_exit && on_exit(note, NULL) == 0;
}

/* A library that is preloaded, or loads this one as it is, ends the session in a destructor: there a second
 * function, which exit() comes to before. Only with STAVE_KEEP. */
void exit_status_expect(void) {
  if (tool.notes_exit)
    tool.notes_exit = on_exit(note, NULL) == 0;
  if (!tool.notes_exit)
    atomic_store(&tool.session->shared.exit_status, EXIT_STATUS_UNHEARD);
}
