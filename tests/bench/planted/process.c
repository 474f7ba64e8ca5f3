/* Programs that lose time where no event of OpenMP is: before its first use, after its last, blocked in the
 * kernel, in page faults; and one whose own threads work beside each other. Their clock starts with the
 * process: no region comes before. */
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "planted.h"

enum {
  STEPS = 3,
  STEP_MS = 200,
  BEFORE_MS = 400,
  BESIDE_MS = 1500,
  BLOCK_BYTES = 8 << 20,
  BLOCKS = 150,
  LARGE_BYTES = 256 << 20
};
enum { PAGE_BYTES = 4096, LARGE_PAGE_BYTES = 2 << 20 };

static void compute_all(double ms) {
#pragma omp parallel
  compute(1000 * ms);
}

/* As reading the input does. */
static void before(void) {
  if (is_repaired)
    compute_all(BEFORE_MS / (double)omp_get_max_threads());
  else
    compute(1000.0 * BEFORE_MS);
  compute_all(STEP_MS);
}

/* As writing the results does. */
static void after(void) {
  compute_all(STEP_MS);
  if (is_repaired)
    compute_all(BEFORE_MS / (double)omp_get_max_threads());
  else
    compute(1000.0 * BEFORE_MS);
}

static void *block(void *nothing) {
  usleep(1000 * STEP_MS);
  return nothing;
}

/* As write() does on a slow disk: in the twin a thread of its own waits for it. */
static void blocked(void) {
  compute_all(1);
  for (int i = 0; i < STEPS; i++) {
    pthread_t thread;
    if (!is_repaired)
      block(NULL);
    else if (pthread_create(&thread, NULL, block, NULL))
      exit(1);
    compute_all(STEP_MS);
    if (is_repaired)
      pthread_join(thread, NULL);
  }
}

static void touch(char *memory, size_t bytes) {
  for (size_t i = 0; i < bytes; i += PAGE_BYTES)
    ((volatile char *)memory)[i] = 1; /* else no compiler keeps what is freed unread */
}

/* What a step allocates goes back at its end; in the twin malloc keeps it. */
static void keep_blocks(void) {
  mallopt(M_MMAP_THRESHOLD, is_repaired ? LARGE_BYTES : BLOCK_BYTES / 8);
  if (is_repaired) {
    mallopt(M_TRIM_THRESHOLD, 2 * LARGE_BYTES);
    mallopt(M_TOP_PAD, 2 * BLOCK_BYTES);
  }
}

static void faults(void) {
  keep_blocks();
  for (int i = 0; i < BLOCKS; i++) {
    char *memory = malloc(BLOCK_BYTES);
    if (!memory)
      exit(1);
#pragma omp parallel
    {
      size_t own = BLOCK_BYTES / (size_t)omp_get_num_threads();
      touch(memory + own * (size_t)omp_get_thread_num(), own);
      compute(1000);
    }
    free(memory);
  }
}

/* The same in serial parts: one thread has all the faults. */
static void serial_faults(void) {
  keep_blocks();
  for (int i = 0; i < BLOCKS; i++) {
    char *memory = malloc(BLOCK_BYTES);
    if (!memory)
      exit(1);
    touch(memory, BLOCK_BYTES);
    compute_all(1);
    free(memory);
  }
}

/* Memory that is touched for the first time, before OpenMP: the twin requests large pages. */
static void pages(void) {
  char *memory = aligned_alloc(LARGE_PAGE_BYTES, LARGE_BYTES);
  if (!memory || (is_repaired && madvise(memory, LARGE_BYTES, MADV_HUGEPAGE)))
    exit(1);
  touch(memory, LARGE_BYTES);
  compute_all(STEP_MS);
  free(memory);
}

static void *compute_alone(void *nothing) {
  compute(1000.0 * BESIDE_MS);
  return nothing;
}

/* Not serial: as many of the program's own threads work as there are processors for them. */
static void side_by_side(void) {
  pthread_t thread;
  compute_all(STEP_MS);
  if (pthread_create(&thread, NULL, compute_alone, NULL))
    exit(1);
  compute_alone(NULL);
  pthread_join(thread, NULL);
  compute_all(STEP_MS);
}

int main(int count, char **arguments) {
  static const struct planted programs[] = {{"before", before},
                                            {"after", after},
                                            {"blocked", blocked},
                                            {"faults", faults},
                                            {"serial_faults", serial_faults},
                                            {"pages", pages},
                                            {"side_by_side", side_by_side}};
  is_repaired = count == 3 && strcmp(arguments[2], "repaired") == 0;
  calibrate();
  double begin = processor_s(CLOCK_MONOTONIC), processor = processor_s(CLOCK_PROCESS_CPUTIME_ID);
  for (size_t i = 0; count == 3 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, arguments[1]) == 0) {
      programs[i].run();
      printf("%.6f %.6f\n", processor_s(CLOCK_MONOTONIC) - begin,
             processor_s(CLOCK_PROCESS_CPUTIME_ID) - processor);
      return 0;
    }
  fprintf(stderr, "usage: %s NAME planted|repaired\n", arguments[0]);
  return 2;
}
