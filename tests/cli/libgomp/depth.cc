/* Bytes of the stack that a task needs which is created in the one before, and runs within the call that creates
 * it: by the distance of their local variables. On stderr, since a tool makes it larger. */
#include <stdio.h>

enum { DEPTH = 1000, WITHOUT = 100, WAITING = 1000 };
enum kind { IN_PLACE, DEPENDENT, COPIED, FULL_QUEUE };

struct copied {
  long value;
  copied() : value(0) {}
  copied(const copied &other) : value(other.value + 1) {}
};

static char dependence;

template <kind KIND> struct recursion {
  const char *first;
  long bytes;
  copied object;

  __attribute__((noinline)) void level(int depth) {
    char here;
    if (depth == WITHOUT)
      first = &here;
    if (depth == DEPTH)
      bytes = (first - &here) / (DEPTH - WITHOUT);
    else
      create(depth + 1);
  }

  void create(int depth) {
    copied own = object;
    if (KIND == IN_PLACE) {
#pragma omp task if (0)
      level(depth);
    } else if (KIND == DEPENDENT) {
#pragma omp task if (0) depend(inout : dependence)
      level(depth);
    } else if (KIND == COPIED) {
#pragma omp task if (0) firstprivate(own)
      level(depth + (own.value != 2));
    } else {
#pragma omp task
      level(depth);
#pragma omp taskwait
    }
  }

  void measure(const char *name) {
    level(0);
    fprintf(stderr, "%s %ld\n", name, bytes);
  }
};

/* While one thread makes tasks the other one cannot run any. */
static void fill_queue() {
  for (int i = 0; i < WAITING; i++) {
#pragma omp task
    dependence = 0;
  }
}

int main() {
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    recursion<IN_PLACE>().measure("in_place");
    recursion<DEPENDENT>().measure("dependent");
    recursion<COPIED>().measure("copied");
  }
#pragma omp parallel num_threads(1)
  {
    fill_queue();
    recursion<FULL_QUEUE>().measure("full_queue");
  }
  return 0;
}
