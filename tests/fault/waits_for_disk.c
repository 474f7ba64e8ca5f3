/* Preloaded into stave-writer: once the file WAITS_FOR_DISK names is there, its writes wait as on a disk that
 * hangs, in the state D, until the file is gone. The parent of a vfork waits in that state. */
#undef _FILE_OFFSET_BITS /* which gives pwrite64 the name pwrite */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The writer calls it by this name, since its files may be large. */
__attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void *bytes, size_t count,
                                                        off64_t offset);

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  const char *mark = getenv("WAITS_FOR_DISK");
  if (mark && access(mark, F_OK) == 0 && vfork() == 0) {
    while (access(mark, F_OK) == 0)
      usleep(10000);
    _exit(0);
  }
  return syscall(SYS_pwrite64, fd, bytes, count, offset);
}
