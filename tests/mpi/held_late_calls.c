/* What held_late loads: calls of MPI. */
#include <mpi.h>
#include <stddef.h>

int first_call(void);
void complete_job(void);

/* One that may be made before MPI_Init. Returns 0. */
int first_call(void) {
  int flag = 1;
  MPI_Initialized(&flag);
  return flag;
}

void complete_job(void) {
  int value = 1, sum = 0;
  MPI_Init(NULL, NULL);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
}
