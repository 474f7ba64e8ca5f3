#include "trace/anchor.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  BYTES_MAX = 64 << 20,   /* of a file: a merged archive has some 300 bytes for each of its processes */
  NUMBERS_BYTES = 1 + 38, /* the version, and numbers of a fixed size */
  LITTLE_ENDIAN_MARK = 0x42,
  WITH_PROPERTIES = 2 /* the first version that has some */
};

/* What is left of the file's bytes. */
struct anchor_rest {
  const unsigned char *at;
  size_t bytes;
};

static bool skip(struct anchor_rest *rest, size_t bytes) {
  if (rest->bytes < bytes)
    return false;
  rest->at += bytes;
  rest->bytes -= bytes;
  return true;
}

static bool skip_text(struct anchor_rest *rest) {
  const unsigned char *end = rest->bytes ? memchr(rest->at, '\0', rest->bytes) : NULL;
  return end && skip(rest, (size_t)(end - rest->at) + 1);
}

static uint64_t number_at(const unsigned char *bytes, bool is_little) {
  uint64_t number = 0;
  for (int i = 0; i < 4; i++)
    number |= (uint64_t)bytes[i] << (is_little ? 8 * i : 24 - 8 * i);
  return number;
}

/* Each property is two texts, which have an end each. */
static bool has_room_for_properties(struct anchor_rest rest) {
  bool is_little = rest.bytes > 1 && rest.at[1] == LITTLE_ENDIAN_MARK;
  if (!skip(&rest, 2) || !skip_text(&rest) || rest.bytes < NUMBERS_BYTES)
    return true; /* it ends before: OTF2 reports it */
  if (rest.at[0] < WITH_PROPERTIES)
    return true;
  skip(&rest, NUMBERS_BYTES);
  for (int i = 0; i < 3; i++)
    if (!skip_text(&rest))
      return true;
  return rest.bytes < 4 || 2 * number_at(rest.at, is_little) <= rest.bytes - 4;
}

static bool read_all(int fd, unsigned char *bytes, size_t count) {
  for (ssize_t now; count > 0; bytes += now, count -= (size_t)now)
    if ((now = read(fd, bytes, count)) <= 0)
      return false;
  return true;
}

static bool is_sound(int fd, size_t size) {
  unsigned char *bytes = malloc(size + 1); /* without it OTF2 reports it, in a process of its own */
  bool is_read = bytes && read_all(fd, bytes, size);
  bool is_right = !is_read || has_room_for_properties((struct anchor_rest){bytes, size});
  free(bytes);
  return is_right;
}

bool anchor_is_sound(const char *path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return true; /* OTF2 reports why not */
  bool is_small = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= BYTES_MAX;
  bool is_right = is_small && is_sound(fd, (size_t)status.st_size);
  close(fd);
  return is_right;
}
