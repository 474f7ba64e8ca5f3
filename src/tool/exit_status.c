#include "tool/exit_status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tool/held_end.h"
#include "tool/tool.h"

extern int on_exit(void (*function)(int, void *), void *argument) __attribute__((weak));

static bool is_in_session(void) {
  return tool.session && !tool.is_starting && !tool_is_forked_child();
}

/* Comes before the runtime's finalize, which destructors call. The library is never unloaded (meson.build).
 */
static void note(int status, void *data) {
  (void)data;
  if (!is_in_session())
    return;
  if (tool_keeps())
    atomic_store(&tool.session->shared.exit_status, (uint32_t)(status & 0xff) | EXIT_STATUS_KNOWN);
  held_end_exit();
}

/* on_exit(3) acquires a lock under which it may request memory: so it is called while the dynamic linker,
 * which does likewise, loads this library. Where that is before main, exit() comes to it after all
 * destructors. */
__attribute__((constructor)) static void wrap_exit(void) {
  tool.notes_exit = on_exit && on_exit(note, NULL) == 0;
}

__attribute__((visibility("default"), destructor)) void stave_note_exit(void);

/* Destructors of what is preloaded come before LLVM's runtime's, which came later into the process. Where
 * libstave-libgomp.so is, that calls this. */
void stave_note_exit(void) {
  if (is_in_session())
    held_end_exit();
}

/* A library that is preloaded, or loads this one as it is, ends the session in a destructor: there a second
 * function, which exit() comes to before. Only with STAVE_KEEP. */
void exit_status_expect(void) {
  if (tool.notes_exit)
    tool.notes_exit = on_exit(note, NULL) == 0;
  if (!tool.notes_exit)
    atomic_store(&tool.session->shared.exit_status, EXIT_STATUS_UNHEARD);
}
