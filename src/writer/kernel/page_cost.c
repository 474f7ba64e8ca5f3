#include "writer/kernel/page_cost.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/blocked_thread.h"
#include "base/memory.h"
#include "session/clock.h"

/* A large page of x86-64 has so many; of single ones fewer will do. */
enum { PAGES = 512, SINGLE_PAGES = 128 };

/* Linux 5.14 and later, where a balloon's driver reports free memory to the host: the order of the smallest
 * block. Else it is 0 or below, or the file is not there. */
#define REPORTED_ORDER "/sys/module/page_reporting/parameters/page_reporting_order"

struct page_cost {
  pthread_t thread;
  bool has_thread;
  struct page_costs costs;
};

/* In memory of the writer's own: of large pages where the kernel gives them on request. */
static uint64_t measure_page(bool is_large) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), count = is_large ? PAGES : SINGLE_PAGES, bytes = count * page,
         room = is_large ? bytes : 0;
  uint64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  char *memory = mmap(NULL, bytes + room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 0;
  char *first = memory + (room ? bytes - (uintptr_t)memory % bytes : 0);
  if (is_large)
    madvise(first, bytes, MADV_HUGEPAGE);
  for (size_t i = 0; i < count; i++)
    ((volatile char *)first)[i * page] = 1;
  munmap(memory, bytes + room);
  return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns) / count;
}

static bool is_reclaimed(void) {
  int order = 0;
  FILE *file = fopen(REPORTED_ORDER, "re");
  if (file && fscanf(file, "%d", &order) != 1)
    order = 0;
  if (file)
    fclose(file);
  return order > 0;
}

static void *measure(void *data) {
  struct page_cost *cost = data;
  cost->costs = (struct page_costs){measure_page(false), measure_page(true), is_reclaimed()};
  return NULL;
}

struct page_cost *page_cost_begin(void) {
  struct page_cost *cost = memory_get(1, sizeof *cost);
  cost->has_thread = blocked_thread_create(&cost->thread, NULL, measure, cost) == 0;
  return cost;
}

struct page_costs page_cost_end(struct page_cost *cost) {
  if (!cost->has_thread || pthread_join(cost->thread, NULL) != 0)
    measure(cost);
  struct page_costs costs = cost->costs;
  free(cost);
  return costs;
}
