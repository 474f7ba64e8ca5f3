/* When the module is loaded and unloaded. */
#include "mpi/call.h"
#include "mpi/find_recorder.h"
#include "session/mpi_setting.h"

static __attribute__((constructor)) void begin_process(void) {
  if (mpi_setting_is("off"))
    return;
  fortran_prepare();
  if (library_prepare())
    mpi.find_recorder = recorder_open();
}

/* At exit: an MPI that is called later is not recorded. */
static __attribute__((destructor)) void end_process(void) {
  atomic_store(&mpi.classes, 0);
  if (mpi.recorder && !mpi.is_refused)
    mpi.recorder->leave();
}
