#include "recover/record_log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "writer/pipeline/packed.h"

enum { BUFFER_BYTES = 1 << 20, RECORDS_MAX = RECORD_LOG_BYTES_MAX / PACKED_BYTES_MIN };

/* Not to wait for who opens a pipe's other end. */
static FILE *open_file(const char *directory, int *ret_error) {
  char path[PATH_MAX];
  struct stat status;
  snprintf(path, sizeof path, "%s/" STAVE_RECORDS_FILE, directory);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  errno = fd < 0 ? errno : EINVAL;
  FILE *file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
  *ret_error = file ? 0 : -errno;
  if (!file && fd >= 0)
    close(fd);
  return file;
}

int record_log_reader_open(struct record_log_reader *reader, const char *directory) {
  int error;
  *reader = (struct record_log_reader){.file = open_file(directory, &error)};
  if (error)
    return error;
  setvbuf(reader->file, NULL, _IOFBF, BUFFER_BYTES);
  reader->bytes = memory_get(RECORD_LOG_BYTES_MAX + PACKED_BYTES_MAX, 1);
  reader->records = memory_get(RECORDS_MAX, sizeof *reader->records);
  return 0;
}

void record_log_reader_close(struct record_log_reader *reader) {
  if (reader->file)
    fclose(reader->file);
  free(reader->bytes);
  free(reader->records);
  *reader = (struct record_log_reader){0};
}

void record_log_reader_rewind(struct record_log_reader *reader) {
  rewind(reader->file);
}

bool record_log_reader_next(struct record_log_reader *reader) {
  struct record_log_head *head = &reader->head;
  if (fread(head, sizeof *head, 1, reader->file) != 1 || head->bytes > RECORD_LOG_BYTES_MAX ||
      head->records > RECORDS_MAX)
    return false;
  size_t bytes = (head->bytes + 7) / 8 * (size_t)8;
  return fread(reader->bytes, 1, bytes, reader->file) == bytes &&
         head->checksum == record_log_sum(head, reader->bytes);
}

bool record_log_reader_unpack(struct record_log_reader *reader) {
  struct packed_state state = {0};
  const uint8_t *from = reader->bytes, *end = from + reader->head.bytes;
  for (uint32_t i = 0; i < reader->head.records; i++) {
    if (from >= end)
      return false;
    from = packed_read(&state, from, &reader->records[i]);
  }
  return from == end;
}
