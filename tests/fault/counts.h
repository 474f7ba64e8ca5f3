/* Numbers in a file that a program counts in and its checker reads, also when the program has been killed. */
#ifndef STAVE_TESTS_FAULT_COUNTS_H
#define STAVE_TESTS_FAULT_COUNTS_H

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps them shared; as a file that is made if need be, or only to be read. NULL: printed on stderr. */
static inline void *counts_map(const char *path, size_t size, int is_made) {
  int fd = is_made ? open(path, O_RDWR | O_CREAT, 0666) : open(path, O_RDONLY);
  void *map = MAP_FAILED;
  if (fd >= 0 && (!is_made || ftruncate(fd, (off_t)size) == 0))
    map = mmap(NULL, size, is_made ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    perror(path);
  if (fd >= 0)
    close(fd);
  return map == MAP_FAILED ? NULL : map;
}

#endif
