/* What is done when this library is loaded. */
#include "libgomp/exports.h"
#include "libgomp/library.h"
#include "libgomp/runtime.h"

__attribute__((constructor)) static void load(void) {
  library_prepare();
  if (library_in_scope.has_own_ompt)
    entries_step_aside();
  runtime_prepare(entries_step_aside);
}
