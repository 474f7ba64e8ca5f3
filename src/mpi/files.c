/* Files of MPI: MPI_File_read(file, buffer, count, type, status), with an offset after the file in forms with
 * _at, a request in place of the status without blocking, none in those that only begin. */
#include "mpi/files.h"

#include <string.h>

#include "mpi/comms.h"
#include "mpi/handles.h"
#include "mpi/messages.h"
#include "mpi/own_heap.h"
#include "mpi/requests.h"

/* flags of mpi_io: OTF2_IoOperationMode and, in the high half, OTF2_IoOperationFlag */
enum { FLAG_MODE = 0x0f, MODE_FLUSH = 2, FLAG_NONBLOCKING = 0x10, FLAG_COLLECTIVE = 0x20 };

enum { NAME_BYTES_MAX = 2048, STATUS_BYTES_MAX = 64 };

struct known_file {
  struct handle_item item;
  uint32_t number;
  uint64_t split; /* id of the operation that is started and not ended; 0: none */
};

static struct handles files = HANDLES;

/* Of every MPI a pointer. */
static struct known_file *file_of(word handle) {
  return (struct known_file *)handle_find(&files, handle);
}

/* -- opening and closing -- */

static uint8_t access_of(int mode) {
  return mode & mpi.abi.mode_rdwr     ? ACCESS_READ_WRITE
         : mode & mpi.abi.mode_wronly ? ACCESS_WRITE
                                      : ACCESS_READ;
}

static uint8_t flags_of(int mode) {
  return (uint8_t)((mode & mpi.abi.mode_create ? FILE_CREATE : 0) |
                   (mode & mpi.abi.mode_excl ? FILE_EXCLUSIVE : 0) |
                   (mode & mpi.abi.mode_unique_open ? FILE_UNIQUE : 0) |
                   (mode & mpi.abi.mode_sequential ? FILE_NO_SEEK : 0) |
                   (mode & mpi.abi.mode_append ? FILE_APPEND : 0) |
                   (mode & mpi.abi.mode_delete_on_close ? FILE_DELETE : 0));
}

/* The record with the file's name after it; name_bytes and more are set here. */
static void put_named(struct record_mpi_file *record, const char *name) {
  uint64_t words[NAME_BYTES_MAX / sizeof(uint64_t)] = {0};
  size_t bytes = strnlen(name, NAME_BYTES_MAX);
  memcpy(words, name, bytes);
  record->name_bytes = bytes;
  record->more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES);
  mpi.recorder->put((const struct record *)record, words, 0, NULL);
}

static void open_file(word comm, const char *name, int mode, word handle) {
  struct known_file *file = heap_get(1, sizeof *file);
  if (!file)
    return;
  file->item.handle = handle;
  file->number = atomic_fetch_add(&files.count, 1);
  struct record_mpi_file record = {.type = RECORD_mpi_file,
                                   .endpoint = access_of(mode),
                                   .flags = flags_of(mode),
                                   .comm = comm_number(comm),
                                   .file = file->number};
  put_named(&record, name);
  handle_add(&files, &file->item);
}

void mpi_on_file_open(struct call *call) {
  const word *a = call->a;
  call_enter(call, 0);
  call_invoke(call);
  if (call_succeeded(call) && mpi_records(EVENT_CLASS_mpi_io))
    open_file(a[0], (const char *)a[1], (int)a[2], *(const word *)a[4]);
  call_leave(call);
}

void mpi_on_file_close(struct call *call) {
  call_enter(call, 0);
  struct known_file *file = (struct known_file *)handle_remove(&files, *(const word *)call->a[0]);
  call_invoke(call);
  if (file) {
    const struct record_mpi_file_end end = {.type = RECORD_mpi_file_end, .file = file->number};
    mpi.recorder->put((const struct record *)&end, NULL, 0, NULL);
  }
  heap_free(file);
  call_leave(call);
}

void mpi_on_file_delete(struct call *call) {
  call_enter(call, 0);
  call_invoke(call);
  if (call_succeeded(call) && mpi_records(EVENT_CLASS_mpi_io))
    put_named(&(struct record_mpi_file){.type = RECORD_mpi_file_delete}, (const char *)call->a[0]);
  call_leave(call);
}

/* -- operations -- */

static size_t count_at(const struct call *call) {
  return call->argument & IO_AT ? 3 : 2;
}

/* Returns its id; 0: the file is not known. */
static uint64_t begin(const struct call *call, const struct known_file *file, uint32_t flags) {
  const word *count = call->a + count_at(call);
  flags |= (call->argument & IO_WRITE ? 1 : 0) | (call->argument & IO_COLLECTIVE ? FLAG_COLLECTIVE : 0);
  return file ? put_io(IO_BEGIN, file->number, 0, bytes_of(count_of(call, count[0]), count[1]), flags) : 0;
}

/* With a status of our own where the program needs none. Completes the operation. */
static void invoke_with_status(struct call *call, size_t status_at, const struct known_file *file,
                               uint64_t operation) {
  _Alignas(8) char own[STATUS_BYTES_MAX];
  word *status = &call->a[status_at];
  *status = *status == mpi.abi.status_ignore ? (word)own : *status;
  call_invoke(call);
  if (operation)
    put_io(IO_COMPLETE, file->number, operation,
           call_succeeded(call) ? mpi.abi.received((const void *)*status) : 0, 0);
}

void mpi_on_io(struct call *call) {
  call_enter(call, 0);
  const struct known_file *file = file_of(call->a[0]);
  uint64_t operation = begin(call, file, 0);
  invoke_with_status(call, count_at(call) + 2, file, operation);
  call_leave(call);
}

void mpi_on_io_nonblocking(struct call *call) {
  call_enter(call, 0);
  const struct known_file *file = file_of(call->a[0]);
  uint64_t operation = begin(call, file, FLAG_NONBLOCKING);
  call_invoke(call);
  if (operation && call_succeeded(call)) {
    put_io(IO_ISSUED, file->number, operation, 0, 0);
    request_put(&(struct request){.handle = handle_at(call->a[count_at(call) + 2], 0),
                                  .kind = REQUEST_IO,
                                  .is_active = true,
                                  .comm = file->number,
                                  .id = operation});
  } else if (operation) {
    put_io(IO_CANCELLED, file->number, operation, 0, 0);
  }
  call_leave(call);
}

/* MPI_File_read_all_begin and its like: one at a time of a file. */
void mpi_on_io_begin(struct call *call) {
  call_enter(call, 0);
  struct known_file *file = file_of(call->a[0]);
  uint64_t operation = begin(call, file, FLAG_NONBLOCKING);
  call_invoke(call);
  if (operation) {
    file->split = call_succeeded(call) ? operation : 0;
    put_io(file->split ? IO_ISSUED : IO_CANCELLED, file->number, operation, 0, 0);
  }
  call_leave(call);
}

void mpi_on_io_end(struct call *call) {
  call_enter(call, 0);
  struct known_file *file = file_of(call->a[0]);
  uint64_t operation = file ? file->split : 0;
  if (file)
    file->split = 0;
  invoke_with_status(call, 2, file, operation);
  call_leave(call);
}

void mpi_on_file_sync(struct call *call) {
  call_enter(call, 0);
  const struct known_file *file = file_of(call->a[0]);
  uint64_t operation = file ? put_io(IO_BEGIN, file->number, 0, 0, MODE_FLUSH | FLAG_COLLECTIVE) : 0;
  call_invoke(call);
  if (operation)
    put_io(IO_COMPLETE, file->number, operation, 0, 0);
  call_leave(call);
}

/* -- pointers -- */

static uint8_t whence_of(int whence) {
  return whence == mpi.abi.seek_set ? 0 : whence == mpi.abi.seek_cur ? 1 : 2;
}

/* Where the pointer is now. Requesting the shared one would mean to read a file that all share. */
static int64_t position_of(const struct call *call, word file) {
  int64_t position = (int64_t)call->a[1];
  if ((int)call->a[2] != mpi.abi.seek_set &&
      (call->argument == POINTER_SHARED || REAL(File_get_position, file, (word)&position) != 0))
    position = -1;
  return position;
}

void mpi_on_seek(struct call *call) {
  call_enter(call, 0);
  const struct known_file *file = file_of(call->a[0]);
  call_invoke(call);
  if (file && call_succeeded(call)) {
    const struct record_mpi_seek record = {.type = RECORD_mpi_seek,
                                           .flags = whence_of((int)call->a[2]),
                                           .offset = call->a[1],
                                           .result = (uint64_t)position_of(call, call->a[0]),
                                           .file = file->number};
    mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
  }
  call_leave(call);
}
