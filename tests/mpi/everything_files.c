/* Files: opened, read and written in every way, and deleted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "everything.h"

enum { INTS = 4, BYTES = INTS * sizeof(int) };

static int numbers[INTS], got[INTS];
static MPI_File file;

/* -- what is done, and what it is in the archive -- */

static void did_operation(void) {
  did("IoOperationBegin", 1);
  did("IoOperationComplete", 1);
  did("requested", BYTES);
  did("completed", BYTES);
}

static void did_later(void) {
  did_operation();
  did("IoOperationIssued", 1);
}

static void seek(MPI_Offset offset, int whence) {
  MPI_File_seek(file, offset, whence);
  did("IoSeek", 1);
}

static void seek_shared(MPI_Offset offset) {
  MPI_File_seek_shared(file, offset, MPI_SEEK_SET);
  did("IoSeek", 1);
}

static void open_file(MPI_Comm comm, const char *name, int mode) {
  EXPECT(MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  did("IoCreateHandle", 1);
}

static void close_file(void) {
  MPI_File_close(&file);
  did("IoDestroyHandle", 1);
}

static void check_at(int line) {
  expect(memcmp(got, numbers, BYTES) == 0, __FILE__, line);
  memset(got, 0, BYTES);
}

#define check() check_at(__LINE__)

static void wait_for(MPI_Request *request) {
  MPI_Status status;
  int bytes = 0;
  MPI_Wait(request, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  EXPECT(bytes == BYTES);
  did_later();
}

/* -- each way -- */

static MPI_Offset own(void) {
  return (MPI_Offset)rank * BYTES;
}

static void with_offsets(void) {
  MPI_Request request;
  MPI_File_write_at(file, own(), numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, own(), got, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check();
  MPI_File_write_at_all(file, own(), numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, own(), got, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check();
  for (int i = 0; i < 4; i++)
    did_operation();
  MPI_File_iwrite_at(file, own(), numbers, INTS, MPI_INT, &request);
  wait_for(&request);
  MPI_File_iread_at(file, own(), got, INTS, MPI_INT, &request);
  wait_for(&request);
  check();
  MPI_File_iwrite_at_all(file, own(), numbers, INTS, MPI_INT, &request);
  wait_for(&request);
  MPI_File_iread_at_all(file, own(), got, INTS, MPI_INT, &request);
  wait_for(&request);
  check();
  MPI_File_write_at_all_begin(file, own(), numbers, INTS, MPI_INT);
  MPI_File_write_at_all_end(file, numbers, MPI_STATUS_IGNORE);
  did_later();
  MPI_File_read_at_all_begin(file, own(), got, INTS, MPI_INT);
  MPI_File_read_at_all_end(file, got, MPI_STATUS_IGNORE);
  did_later();
  check();
}

static void with_own_pointers(void) {
  MPI_Request request;
  seek(own(), MPI_SEEK_SET);
  MPI_File_write(file, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  seek(-BYTES, MPI_SEEK_CUR);
  MPI_File_read(file, got, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check();
  seek(own(), MPI_SEEK_SET);
  MPI_File_write_all(file, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD); /* else the file may not have its end yet */
  seek(own() - size * (MPI_Offset)BYTES, MPI_SEEK_END);
  MPI_File_read_all(file, got, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check();
  for (int i = 0; i < 4; i++)
    did_operation();
  seek(own(), MPI_SEEK_SET);
  MPI_File_iwrite(file, numbers, INTS, MPI_INT, &request);
  wait_for(&request);
  seek(own(), MPI_SEEK_SET);
  MPI_File_iread(file, got, INTS, MPI_INT, &request);
  wait_for(&request);
  check();
  seek(own(), MPI_SEEK_SET);
  MPI_File_iwrite_all(file, numbers, INTS, MPI_INT, &request);
  wait_for(&request);
  seek(own(), MPI_SEEK_SET);
  MPI_File_iread_all(file, got, INTS, MPI_INT, &request);
  wait_for(&request);
  check();
  seek(own(), MPI_SEEK_SET);
  MPI_File_write_all_begin(file, numbers, INTS, MPI_INT);
  MPI_File_write_all_end(file, numbers, MPI_STATUS_IGNORE);
  did_later();
  seek(own(), MPI_SEEK_SET);
  MPI_File_read_all_begin(file, got, INTS, MPI_INT);
  MPI_File_read_all_end(file, got, MPI_STATUS_IGNORE);
  did_later();
  check();
}

/* Who comes first gets what, and between writing and reading nothing synchronizes: what is read is not
 * checked. */
static void with_shared_pointer(void) {
  MPI_Request request;
  int other[INTS];
  seek_shared(0);
  MPI_File_write_shared(file, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  seek_shared(0);
  MPI_File_read_shared(file, other, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  seek_shared(0);
  MPI_File_iwrite_shared(file, numbers, INTS, MPI_INT, &request);
  wait_for(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  seek_shared(0);
  MPI_File_iread_shared(file, other, INTS, MPI_INT, &request);
  wait_for(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  seek_shared(0);
  MPI_File_write_ordered(file, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  seek_shared(0);
  MPI_File_read_ordered(file, got, INTS, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; i++)
    did_operation();
  seek_shared(0);
  MPI_File_write_ordered_begin(file, numbers, INTS, MPI_INT);
  MPI_File_write_ordered_end(file, numbers, MPI_STATUS_IGNORE);
  did_later();
  seek_shared(0);
  MPI_File_read_ordered_begin(file, got, INTS, MPI_INT);
  MPI_File_read_ordered_end(file, got, MPI_STATUS_IGNORE);
  did_later();
}

/* Preallocated is less than the file has. Else rank 0 of Open MPI (4.1.4) writes the file's bytes again,
 * after its pointer, while the others look how large it is; who finds it too large already returns, and
 * leaves others in a broadcast without an end. */
static void with_views(void) {
  MPI_File_preallocate(file, BYTES);
  MPI_File_set_size(file, size * (MPI_Offset)BYTES);
  MPI_File_set_atomicity(file, 0);
  MPI_File_set_view(file, own(), MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, 0, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  did_operation();
  MPI_File_sync(file);
  did("IoOperationBegin", 1);
  did("IoOperationComplete", 1);
}

void files(const char *folder) {
  char name[1024];
  for (int i = 0; i < INTS; i++)
    numbers[i] = rank * INTS + i;
  snprintf(name, sizeof name, "%s/shared", folder);
  open_file(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  with_offsets();
  with_own_pointers();
  with_shared_pointer();
  with_views();
  close_file();
  snprintf(name, sizeof name, "%s/own-%d", folder, rank);
  open_file(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  MPI_File_write(file, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE);
  did_operation();
  close_file();
  EXPECT(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
         MPI_SUCCESS);
  MPI_File_delete(name, MPI_INFO_NULL);
  did("IoDeleteFile", 1);
}
