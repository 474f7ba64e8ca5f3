/* Windows, files, messages and collective operations that begin and end in and around pauses of the
 * recording. The first argument is a folder for files. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int rank, size, value;

/* One of each kind, in and of what there is. */
static void use(MPI_Win window, MPI_File file) {
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_flush((rank + 1) % size, window);
  MPI_File_write_at(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void open_both(const char *folder, int number, MPI_Win *window, MPI_File *file, int *memory) {
  char name[1024];
  snprintf(name, sizeof name, "%s/file-%d", folder, number);
  MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, window);
  MPI_Win_lock_all(0, *window);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, file);
}

static void close_both(MPI_Win *window, MPI_File *file) {
  MPI_Win_unlock_all(*window);
  MPI_Win_free(window);
  MPI_File_close(file);
}

/* Requests of every kind. */
static void begin(MPI_Win window, MPI_File file, MPI_Request *requests, int *memory) {
  MPI_Irecv(&memory[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Iallreduce(&rank, &memory[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
  MPI_Rget(&memory[2], 1, MPI_INT, 0, 0, 1, MPI_INT, window, &requests[3]);
  MPI_File_iwrite_at(file, 4 * rank, &rank, 1, MPI_INT, &requests[4]);
}

int main(int argc, char **argv) {
  enum { WINDOWS = 4, REQUESTS = 5 };
  int memory[WINDOWS] = {0}, got[REQUESTS];
  MPI_Win windows[WINDOWS];
  MPI_File files[WINDOWS];
  MPI_Request requests[REQUESTS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel num_threads(2)
  value = 0;
  open_both(argv[1], 0, &windows[0], &files[0], &memory[0]);
  open_both(argv[1], 1, &windows[1], &files[1], &memory[1]);
  begin(windows[0], files[0], requests, got);
  omp_control_tool(omp_control_tool_pause, 0, NULL);
  MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
  open_both(argv[1], 2, &windows[2], &files[2], &memory[2]);
  open_both(argv[1], 3, &windows[3], &files[3], &memory[3]);
  for (int i = 0; i < WINDOWS; i++)
    use(windows[i], files[i]);
  close_both(&windows[1], &files[1]);
  close_both(&windows[3], &files[3]);
  begin(windows[0], files[0], requests, got);
  omp_control_tool(omp_control_tool_start, 0, NULL);
  MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
  use(windows[0], files[0]);
  use(windows[2], files[2]);
  close_both(&windows[0], &files[0]);
  close_both(&windows[2], &files[2]);
  MPI_Finalize();
  return 0;
}
