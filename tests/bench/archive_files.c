/* archive_files FOLDER THREADS BYTES: makes the files of an archive with so many locations, each of whose
 * event files has so many bytes, and nothing else. Prints the milliseconds of that: what a file system
 * needs at least for any tool that writes OTF2 (one file of events and one of definitions a location; these
 * are links of one file, as Stave makes them). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char zeros[1 << 20];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void make_file(int folder, const char *name, size_t bytes) {
  int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 || write(fd, zeros, bytes) != (ssize_t)bytes || close(fd) < 0)
    fail(name);
}

static int make_folder(const char *path) {
  if (mkdir(path, 0777) < 0)
    fail(path);
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  enum { DEFINITION_BYTES = 20, GLOBAL_BYTES = 16 << 10, ANCHOR_BYTES = 4 << 10 };
  char path[4096], name[32];
  unsigned long bytes = argc == 4 ? strtoul(argv[3], NULL, 10) : sizeof zeros + 1;
  if (bytes > sizeof zeros) {
    fputs("usage: archive_files FOLDER THREADS BYTES\n", stderr);
    return 2;
  }
  double begin = now_ms();
  int folder = make_folder(argv[1]);
  snprintf(path, sizeof path, "%s/traces", argv[1]);
  int locations = make_folder(path);
  make_file(locations, "0.def", DEFINITION_BYTES);
  for (long i = 0; i < atol(argv[2]); i++) {
    snprintf(name, sizeof name, "%ld.evt", i);
    make_file(locations, name, bytes);
    snprintf(name, sizeof name, "%ld.def", i);
    if (i > 0 && linkat(locations, "0.def", locations, name, 0) < 0)
      fail(name);
  }
  make_file(folder, "traces.def", GLOBAL_BYTES);
  make_file(folder, "traces.otf2", ANCHOR_BYTES);
  printf("%.3f\n", now_ms() - begin);
  return 0;
}
