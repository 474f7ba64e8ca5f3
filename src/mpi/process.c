/* MPI_Init, which begins the session if OpenMP has not, and MPI_Finalize. */
#include <stdlib.h>
#include <string.h>

#include "mpi/clocks.h"
#include "mpi/comms.h"
#include "mpi/find_recorder.h"
#include "mpi/polls.h"
#include "session/layout.h"
#include "session/mpi_setting.h"

/* -- MPI_Init -- */

static bool join(void) {
  if (mpi_setting_is("off"))
    return false;
  if (!library_open()) {
    recorder_stderr("libstave-mpi.so does not know this MPI: its calls are not traced");
    return false;
  }
  mpi.recorder = recorder_find(mpi.find_recorder);
  if (!mpi.recorder)
    recorder_stderr("libstave-mpi.so finds no libstave.so of its own build: MPI's calls are not traced");
  return mpi.recorder && mpi.recorder->join();
}

static void put_process(void) {
  enum { VERSION_BYTES = 8192, TEXT_MAX = 1024 };
  char version[VERSION_BYTES] = "";
  uint64_t words[TEXT_MAX / sizeof(uint64_t)] = {0};
  int length = 0;
  REAL(Get_library_version, (word)version, (word)&length);
  size_t bytes = strcspn(version, "\n");
  bytes = bytes < TEXT_MAX ? bytes : TEXT_MAX;
  memcpy(words, version, bytes);
  const struct record_mpi_process record = {.type = RECORD_mpi_process,
                                            .more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES),
                                            .rank = (uint64_t)mpi.rank,
                                            .size = (uint64_t)mpi.size,
                                            .library_bytes = (uint32_t)bytes};
  mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}

static void begin(void) {
  REAL(Comm_rank, mpi.abi.comm_world, (word)&mpi.rank);
  REAL(Comm_size, mpi.abi.comm_world, (word)&mpi.size);
  put_process();
  comms_begin();
  clocks_begin();
}

/* Until MPI is initialized, what it is used for reports nothing. */
void mpi_on_init(struct call *call) {
  bool is_first = !atomic_load(&mpi.classes) && !mpi.is_refused;
  if (is_first)
    mpi.is_refused = !join();
  if (is_first && !mpi.is_refused)
    atomic_store(&mpi.classes, (uint32_t)mpi.recorder->config->events & EVENT_CLASS_mpi);
  if (atomic_load(&mpi.classes) == 0) {
    call_invoke(call);
    return;
  }
  struct polls_clock before = polls_clock_now();
  call_enter(call, 0);
  call_invoke(call);
  polls_begin(&before);
  if (is_first && call_succeeded(call))
    begin();
  call_leave(call);
}

/* -- the end -- */

void mpi_on_finalize(struct call *call) {
  call_enter(call, 0);
  clocks_end();
  call_invoke(call);
  call_leave(call);
}
