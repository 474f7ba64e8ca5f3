/* pauses barrier|for BURSTS BURST_MS PAUSE_MS: threads make events at full rate, and all sleep in between.
 * Prints each burst's ms, and by how many bytes the event files in the folder that WATCHED names grew in the
 * pause after it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static long long bytes_of_files(void) {
  const char *folder = getenv("WATCHED");
  DIR *all = folder ? opendir(folder) : NULL;
  long long sum = 0;
  struct stat of;
  for (struct dirent *file; all && (file = readdir(all));)
    if (strstr(file->d_name, ".evt") && fstatat(dirfd(all), file->d_name, &of, 0) == 0)
      sum += of.st_size;
  if (all)
    closedir(all);
  return sum;
}

static void barriers(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
  }
}

static void loops(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++) {
#pragma omp for nowait
    for (int j = 0; j < 4; j++)
      __asm__ volatile("");
  }
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  for (int burst = atoi(argv[2]); burst > 0; burst--) {
    double begin = now_ms(), end;
    do
      strcmp(argv[1], "for") ? barriers() : loops();
    while ((end = now_ms()) - begin < atof(argv[3]));
    long long before = bytes_of_files();
    usleep((unsigned)atoi(argv[4]) * 1000);
    printf("%.3f %lld\n", end - begin, bytes_of_files() - before);
  }
}
