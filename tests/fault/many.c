/* many KIND COUNT: so many different ones of what an archive has definitions of: places in the program at
 * which a lock is set (x86-64: code that is made here), locks, threads one after the other. Prints how many
 * there were; 0: not here. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static omp_lock_t lock;

/* -- places -- */

typedef void lock_function(omp_lock_t *lock);
typedef void stub(omp_lock_t *lock, lock_function *function);

/* sub $8, %rsp; call *%rsi; add $8, %rsp; ret */
static const unsigned char code[16] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd6, 0x48, 0x83, 0xc4, 0x08, 0xc3};

static unsigned long places(unsigned long count) {
#ifndef __x86_64__
  return 0;
#endif
  size_t bytes = count * sizeof code;
  unsigned char *stubs = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stubs == MAP_FAILED)
    return 0;
  for (unsigned long i = 0; i < count; i++)
    memcpy(stubs + i * sizeof code, code, sizeof code);
  if (mprotect(stubs, bytes, PROT_READ | PROT_EXEC) < 0)
    return 0;
  for (unsigned long i = 0; i < count; i++) {
    ((stub *)(uintptr_t)(stubs + i * sizeof code))(&lock, omp_set_lock);
    omp_unset_lock(&lock);
  }
  return count;
}

/* -- locks -- */

static unsigned long locks(unsigned long count) {
  omp_lock_t *many = calloc(count, sizeof *many);
  for (unsigned long i = 0; many && i < count; i++) {
    omp_init_lock(&many[i]);
    omp_set_lock(&many[i]);
    omp_unset_lock(&many[i]);
  }
  return many ? count : 0;
}

/* -- threads -- */

static void *use_lock(void *data) {
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  return data;
}

static unsigned long threads(unsigned long count) {
  pthread_t thread;
  for (unsigned long i = 0; i < count; i++)
    if (pthread_create(&thread, NULL, use_lock, NULL) != 0 || pthread_join(thread, NULL) != 0)
      return i;
  return count;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    unsigned long (*make)(unsigned long count);
  } kinds[] = {{"places", places}, {"locks", locks}, {"threads", threads}};
  if (argc != 3)
    return 2;
  omp_init_lock(&lock);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(argv[1], kinds[i].name) == 0) {
      printf("%lu\n", kinds[i].make(strtoul(argv[2], NULL, 10)));
      return 0;
    }
  return 2;
}
