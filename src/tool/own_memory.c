#include "tool/own_memory.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* -- what is mapped -- */

/* Not by open(3) and read(3): threads may be cancelled there. */
struct map_lines {
  int fd;
  size_t used, filled;
  char buffer[2 * MAPPED_PATH_BYTES];
};

/* What is longer than the buffer is no path that a program could be started with. */
static bool fill(struct map_lines *lines) {
  memmove(lines->buffer, lines->buffer + lines->used, lines->filled - lines->used);
  lines->filled -= lines->used;
  lines->used = 0;
  size_t room = sizeof lines->buffer - lines->filled;
  long got = room ? syscall(SYS_read, lines->fd, lines->buffer + lines->filled, room) : 0;
  lines->filled += got > 0 ? (size_t)got : 0;
  return got > 0;
}

/* The next line, without its end; NULL: there is none. */
static char *next_line(struct map_lines *lines) {
  char *end;
  while (!(end = memchr(lines->buffer + lines->used, '\n', lines->filled - lines->used)))
    if (!fill(lines))
      return NULL;
  char *line = lines->buffer + lines->used;
  *end = '\0';
  lines->used = (size_t)(end + 1 - lines->buffer);
  return line;
}

static uint64_t read_hexadecimal(const char **text) {
  uint64_t value = 0;
  for (;; ++*text) {
    unsigned digit = (unsigned char)**text, value_of = digit - '0';
    if (digit >= 'a' && digit <= 'f')
      value_of = digit - 'a' + 10;
    if (value_of > 15)
      return value;
    value = value << 4 | value_of;
  }
}

/* begin-end rwxp offset device inode   path */
static bool parse(const char *text, struct own_mapping *ret, uint64_t *ret_offset) {
  enum { FIELDS_BEFORE_PATH = 2 };
  *ret = (struct own_mapping){.path = ""};
  ret->begin = read_hexadecimal(&text);
  text += *text == '-';
  ret->end = read_hexadecimal(&text);
  ret->is_code = strnlen(text, 4) == 4 && text[3] == 'x';
  text = strchr(text + (*text == ' '), ' ');
  if (!text)
    return false;
  text++;
  *ret_offset = read_hexadecimal(&text);
  ret->file = text;
  for (int i = 0; i < FIELDS_BEFORE_PATH && text; i++)
    text = strchr(text + 1, ' ');
  if (text)
    ret->path = text + strspn(text, " ");
  return true;
}

/* The last one that was seen from its beginning. */
struct last_file {
  uint64_t begin;
  char name[MAPPED_PATH_BYTES];
};

static void follow_file(struct last_file *last, struct own_mapping *mapped, uint64_t offset) {
  size_t bytes = strlen(mapped->file) + 1;
  if (!*mapped->path)
    return;
  if (offset == 0 && bytes <= sizeof last->name) {
    memcpy(last->name, mapped->file, bytes);
    last->begin = mapped->begin;
  }
  mapped->file_begin = strcmp(last->name, mapped->file) == 0 ? last->begin : 0;
}

struct map_reading {
  struct map_lines lines;
  struct last_file last;
};

/* True: of some mapping at least. */
static bool read_list(struct map_reading *reading,
                      bool (*visit)(const struct own_mapping *mapped, void *data), void *data) {
  bool is_enough = false, is_any = false;
  for (char *line; !is_enough && (line = next_line(&reading->lines));) {
    struct own_mapping mapped;
    uint64_t offset = 0;
    if (!parse(line, &mapped, &offset))
      continue;
    follow_file(&reading->last, &mapped, offset);
    is_enough = visit(&mapped, data);
    is_any = true;
  }
  return is_any;
}

/* Its 12 KiB are not on the stack: threads with stacks of 16 KiB come here. */
bool own_memory_each(bool (*visit)(const struct own_mapping *mapped, void *data), void *data) {
  struct map_reading *reading =
      mmap(NULL, sizeof *reading, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reading == MAP_FAILED)
    return false;
  reading->lines.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  bool is_any = reading->lines.fd >= 0 && read_list(reading, visit, data);
  if (reading->lines.fd >= 0)
    syscall(SYS_close, reading->lines.fd);
  munmap(reading, sizeof *reading);
  return is_any;
}

/* -- what is in it -- */

/* A page at a time: a pipe has room for one, and none of a part that is not mapped to its end goes in. */
static size_t through_pipe(const int pipe[2], uint64_t address, char *to, size_t bytes) {
  enum { PAGE = 4096 };
  size_t done = 0, got = 1;
  while (done < bytes && got > 0) {
    size_t in_page = PAGE - (address + done) % PAGE, part = bytes - done < in_page ? bytes - done : in_page;
    long written = syscall(SYS_write, pipe[1], address + done, part);
    long copied = written > 0 ? syscall(SYS_read, pipe[0], to + done, written) : 0;
    got = copied > 0 ? (size_t)copied : 0;
    done += got;
  }
  return done;
}

/* The file is another user's where the process may not be dumped: by prctl(2), or as its program may not be
 * read. */
static size_t read_by_pipe(uint64_t address, void *to, size_t bytes) {
  int pipe[2];
  if (syscall(SYS_pipe2, pipe, O_CLOEXEC) != 0)
    return 0;
  size_t done = through_pipe(pipe, address, to, bytes);
  syscall(SYS_close, pipe[0]);
  syscall(SYS_close, pipe[1]);
  return done;
}

/* Where process_vm_readv is denied (seccomp) or unknown. */
static size_t read_by_file(uint64_t address, void *to, size_t bytes) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return read_by_pipe(address, to, bytes);
  long got = syscall(SYS_pread64, fd, to, bytes, address);
  syscall(SYS_close, fd);
  return got > 0 ? (size_t)got : 0;
}

/* A sandbox may end a program that reads processes' memory by system calls: a call of debuggers. Programs put
 * such a filter in place at any time, each thread its own. */
static bool is_in_sandbox(void) {
  return syscall(SYS_prctl, PR_GET_SECCOMP, 0L, 0L, 0L, 0L) == SECCOMP_MODE_FILTER;
}

static size_t read_by_call(uint64_t address, void *to, size_t bytes) {
  struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
  long got = syscall(SYS_process_vm_readv, (long)getpid(), &local, 1L, &remote, 1L, 0L);
  return got > 0 ? (size_t)got : 0;
}

size_t own_memory_read(uint64_t address, void *to, size_t bytes) {
  size_t got = is_in_sandbox() ? 0 : read_by_call(address, to, bytes);
  return got ? got : read_by_file(address, to, bytes);
}
