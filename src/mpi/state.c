#include "mpi/call.h"

struct mpi mpi;
_Thread_local struct mpi_thread mpi_thread;
