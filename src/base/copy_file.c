#include "base/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

/* What file systems without copy_file_range between them need. */
static int copy_by_hand(int from, int to) {
  static char block[BLOCK_BYTES];
  for (ssize_t count; (count = read(from, block, sizeof block)) != 0;) {
    if (count < 0)
      return -errno;
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, block + done, (size_t)(count - done));
      if (written < 0)
        return -errno;
      done += written;
    }
  }
  return 0;
}

static int copy_bytes(int from, int to, off_t left) {
  while (left > 0) {
    ssize_t count = copy_file_range(from, NULL, to, NULL, (size_t)left, 0);
    if (count < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
      return copy_by_hand(from, to);
    if (count < 0)
      return -errno;
    if (count == 0) /* as some file systems answer that cannot */
      return copy_by_hand(from, to);
    left -= count;
  }
  return 0;
}

int copy_file(const char *from, const char *to) {
  struct stat status;
  int source = open(from, O_RDONLY | O_CLOEXEC), target = -1, error = 0;
  if (source < 0 || fstat(source, &status) < 0)
    error = -errno;
  if (error == 0)
    target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (error == 0 && target < 0)
    error = -errno;
  if (error == 0 && ioctl(target, FICLONE, source) < 0)
    error = copy_bytes(source, target, status.st_size);
  if (source >= 0)
    close(source);
  if (target >= 0 && close(target) < 0 && error == 0)
    error = -errno;
  return error;
}
