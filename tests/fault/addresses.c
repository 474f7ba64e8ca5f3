/* addresses THREADS [LIMIT_MIB [close]]: a program that limits its address space after its first region, then
 * goes on with so many threads; with `close` it has closed every descriptor that it does not know. Prints, in
 * MiB, how many addresses it had before the limit, at most until then, and with all threads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS_MAX = 1024, CLOSED_FROM = 3, CLOSED_TO = 1024 };

static pthread_barrier_t barrier;

static unsigned long addresses_mib(void) {
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
    return 0;
  close(fd);
  return strtoul(text, NULL, 10) * (unsigned long)sysconf(_SC_PAGESIZE) >> 20;
}

/* VmPeak, of which statm knows nothing. */
static unsigned long most_addresses_mib(void) {
  char text[4096] = "";
  int fd = open("/proc/self/status", O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
    return 0;
  close(fd);
  const char *line = strstr(text, "VmPeak:");
  return line ? strtoul(line + strlen("VmPeak:"), NULL, 10) >> 10 : 0;
}

static void *work(void *data) {
#pragma omp parallel num_threads(1)
  (void)0;
  pthread_barrier_wait(&barrier); /* all are there */
  pthread_barrier_wait(&barrier);
#pragma omp parallel num_threads(1)
  (void)0;
  return data;
}

int main(int argc, char **argv) {
  static pthread_t threads[THREADS_MAX];
  int count = argc > 1 ? atoi(argv[1]) : 1;
  unsigned long before, most, with_all;
#pragma omp parallel num_threads(2)
  (void)0;
  before = addresses_mib();
  most = most_addresses_mib();
  if (argc > 2 && atol(argv[2]) > 0) {
    rlim_t bytes = (rlim_t)atol(argv[2]) << 20;
    setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
  }
  for (int fd = CLOSED_FROM; argc > 3 && fd < CLOSED_TO; fd++)
    close(fd);
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, work, NULL)) {
      printf("no thread %d\n", i);
      return 1;
    }
  pthread_barrier_wait(&barrier);
  with_all = addresses_mib();
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  printf("%lu %lu %lu\n", before, most, with_all);
  return 0;
}
